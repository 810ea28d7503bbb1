"""Which rows of the tables of people's answers count, and how many answers these are."""

import pyarrow as pa
import pyarrow.compute as pc

SCALES = ("ratings", "orders", "rankings")
"""Tables of answers that are not votes; folders of the same names hold their results."""

ANSWER = ("study", "item_id", "annotator_id")
"""The columns that identify an answer; in `votes` and `ratings` it has a row for each question."""


def counted(answers: pa.Table) -> pa.Table:
    """The accepted rows of a table of answers, without attention checks."""
    return answers.filter(pc.and_(pc.equal(answers["status"], "accepted"), pc.invert(answers["is_check"])))


def questions_of(votes: pa.Table) -> list[str]:
    """The questions of a table `votes`, in the order of their first rows: that of the study."""
    found: list[str] = votes["question"].unique().to_pylist()
    return found


def accepted_checks(answers: pa.Table) -> pa.Table:
    """The accepted rows of such a table that answer attention checks."""
    return answers.filter(pc.and_(answers["is_check"], pc.equal(answers["status"], "accepted")))


def n_answers(answers: pa.Table) -> int:
    """How many answers such a table holds; an answer may have several rows."""
    return int(answers.group_by(list(ANSWER)).aggregate([]).num_rows)


def statuses(answers: pa.Table) -> dict[str, int]:
    """How many answers such a table holds by status, without attention checks."""
    judged = answers.filter(pc.invert(answers["is_check"]))
    found = sorted(judged["status"].unique().to_pylist())
    return {status: n_answers(judged.filter(pc.equal(judged["status"], status))) for status in found}
