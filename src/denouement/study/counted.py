"""The answers that results are worked out from."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.crossed import Clusters, Numbers
from denouement.schemas import UNNAMED_ANNOTATOR

SCALES = ("ratings", "orders")
"""Tables of answers that are not votes, and the folders that their results stand in beside those of votes."""

ANSWER = ("study", "item_id", "annotator_id")
"""What tells an answer in a table of answers; of `ratings` it has a row for each question."""


def counted(answers: pa.Table) -> pa.Table:
    """Those rows of a table `votes`, `ratings` or `orders` that are accepted, attention checks apart."""
    return answers.filter(pc.and_(pc.equal(answers["status"], "accepted"), pc.invert(answers["is_check"])))


def accepted_checks(answers: pa.Table) -> pa.Table:
    """Those rows of such a table that are accepted answers to attention checks."""
    return answers.filter(pc.and_(answers["is_check"], pc.equal(answers["status"], "accepted")))


def n_answers(answers: pa.Table) -> int:
    """How many answers such a table holds, whatever the number of their rows."""
    return int(answers.group_by(list(ANSWER)).aggregate([]).num_rows)


def statuses(answers: pa.Table) -> dict[str, int]:
    """How many answers such a table holds by their status, attention checks apart."""
    judged = answers.filter(pc.invert(answers["is_check"]))
    found = sorted(judged["status"].unique().to_pylist())
    return {status: n_answers(judged.filter(pc.equal(judged["status"], status))) for status in found}


def clusters(answers: pa.Table) -> Clusters:
    """Which rows of such a table are about the same case, and which are of the same annotator.

    Ids are compared whatever the study: the same case, or the same id of an annotator, in two studies is one. Rows that
    name no annotator are taken for those of one person, which makes intervals too wide rather than too narrow; where no
    row names one, annotators are not known.
    """
    unnamed = pc.starts_with(answers["annotator_id"], UNNAMED_ANNOTATOR)
    annotators = pc.if_else(unnamed, UNNAMED_ANNOTATOR, answers["annotator_id"])
    known = answers.num_rows > (pc.sum(unnamed).as_py() or 0)
    return Clusters(_numbers(answers["case_id"]), _numbers(annotators) if known else None)


def _numbers(column: pa.ChunkedArray) -> Numbers:
    """int64 [rows]: each text's place among all in alphabetical order, whatever the order of rows."""
    return np.unique(np.array(column.to_pylist(), dtype=str), return_inverse=True)[1].astype(np.int64)
