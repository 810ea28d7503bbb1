"""The answers that results are made of."""

import pyarrow as pa
import pyarrow.compute as pc

SCALES = ("ratings", "orders")
"""Tables of answers that are not votes, and the folders of their results within that of votes."""

ANSWER = ("study", "item_id", "annotator_id")
"""The columns that name an answer in a table of answers; in `ratings` an answer has a row for each question."""


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
    met = sorted(judged["status"].unique().to_pylist())
    return {status: n_answers(judged.filter(pc.equal(judged["status"], status))) for status in met}
