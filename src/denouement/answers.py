"""Which rows of the tables of people's answers count, how many answers these are, and what people were asked."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.compute as pc

from denouement.errors import UserError
from denouement.schemas import BETTER

SCALES = ("ratings", "orders", "rankings")
"""Tables of answers that are not votes; folders of the same names hold their results."""

ANSWER = ("study", "item_id", "annotator_id")
"""The columns that identify an answer; in `votes` and `ratings` it has a row for each question."""

_QUESTIONS_KEY = "denouement.questions"  # in the metadata of a table `votes`


@dataclass(frozen=True)
class QuestionAsked:
    """A question about two endings.

    Attributes:
        words: as people read them; None where they are not known.
        is_better: whether it asks which ending is better: only then do its answers say what people prefer.
    """

    words: str | None
    is_better: bool


QuestionsOfStudies = Mapping[str, Mapping[str, QuestionAsked]]
"""By study and the question's name."""


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


def as_metadata(questions: QuestionsOfStudies) -> dict[str, str]:
    """The questions as an entry of the metadata of a table `votes`, for `schemas.write_table`."""
    its = {study: {name: asdict(each) for name, each in of.items()} for study, of in questions.items()}
    return {_QUESTIONS_KEY: json.dumps(its, ensure_ascii=False, sort_keys=True)}


def questions_asked(votes: pa.Table) -> dict[str, dict[str, QuestionAsked]]:
    """The questions in the metadata of a table `votes`; empty where there are none, as in tables of other tools.

    Raises:
        UserError: a damaged entry.
    """
    entry = (votes.schema.metadata or {}).get(_QUESTIONS_KEY.encode(), b"{}")
    try:
        return {
            study: {name: QuestionAsked(each["words"], each["is_better"]) for name, each in of.items()}
            for study, of in json.loads(entry).items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError("votes: what they say of their questions is damaged; export them again") from error


def question_asked(votes: pa.Table, name: str) -> QuestionAsked:
    """What people were asked under this name; without words where they are not known, or differ between studies."""
    of_name = votes.filter(pc.equal(votes["question"], name))
    known, usual = questions_asked(votes), QuestionAsked(None, name == BETTER)
    found = {known.get(study, {}).get(name, usual) for study in of_name["study"].unique().to_pylist()} or {usual}
    return found.pop() if len(found) == 1 else QuestionAsked(None, all(each.is_better for each in found))
