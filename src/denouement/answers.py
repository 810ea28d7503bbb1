"""Which rows of the tables of people's answers count, how many answers these are, and what people were asked.

Votes of models (`kind`) are never counted as people's: `read_votes` leaves them out, and `counted` refuses a mixture.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from denouement.console import warn
from denouement.errors import UserError
from denouement.schemas import BETTER, MODEL, PERSON, read_schema, read_table, shortened

SCALES = ("ratings", "orders", "rankings")
"""Tables of answers that are not votes; folders of the same names hold their results."""

ANSWER = ("study", "item_id", "annotator_id")
"""The columns that identify an answer; in `votes` and `ratings` it has a row for each question."""

_QUESTIONS_KEY = "denouement.questions"  # in the metadata of a table `votes`

JUDGE_KEY = "denouement.judge"
"""In the metadata of a table `votes` that `study judge` wrote: the entry that says which model answered, and how."""


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


def read_votes(path: Path, models_as_people: bool = False) -> pa.Table:
    """The table `votes` at this path, of people alone: answers of models are left out, and this is said.

    Args:
        path: the file.
        models_as_people: answers of models are there too, and count as those of further people.

    Raises:
        UserError: as `schemas.read_table`, or no answer is of a person.
    """
    votes = read_table(path, "votes")
    if models_as_people:
        return _as_people(votes)
    people = of_people(votes)
    if people.num_rows == votes.num_rows:
        return votes
    if not people.num_rows:
        raise UserError(f"{path}: all answers in it are of models, not of people; see denouement study judged")
    warn(f"{path}: {n_answers(votes) - n_answers(people):,} answers of models are left out")
    return people


def read_judge_votes(path: Path) -> pa.Table:
    """The answers of models at this path, or all where there are none, counted as those of people.

    Raises:
        UserError: as `schemas.read_table`.
    """
    votes = read_table(path, "votes")
    models = votes.filter(_of_models(votes))
    return _as_people(models if models.num_rows else votes)


def _as_people(votes: pa.Table) -> pa.Table:
    kinds = pa.repeat(pa.scalar(PERSON), votes.num_rows)
    return votes.set_column(votes.schema.get_field_index("kind"), votes.schema.field("kind"), kinds)


def is_of_judge(path: Path) -> bool:
    """Whether `study judge` wrote the table `votes` at this path.

    Raises:
        UserError: as `schemas.read_schema`.
    """
    return JUDGE_KEY.encode() in (read_schema(path, "votes").metadata or {})


def of_people(votes: pa.Table) -> pa.Table:
    """The rows of a table `votes` that people gave."""
    return votes.filter(pc.invert(_of_models(votes)))


def _of_models(votes: pa.Table) -> pa.ChunkedArray:
    return pc.equal(votes["kind"], MODEL).fill_null(False)


def counted(answers: pa.Table) -> pa.Table:
    """The accepted rows of a table of answers, without attention checks.

    Raises:
        UserError: votes of people and of models in one table.
    """
    if "choice" in answers.column_names and pc.count_distinct(_of_models(answers)).as_py() > 1:
        raise UserError("votes: answers of people and of models in one table; take those of people (`of_people`)")
    return answers.filter(pc.and_(pc.equal(answers["status"], "accepted"), pc.invert(answers["is_check"])))


def questions_of(votes: pa.Table) -> list[str]:
    """The questions of a table `votes`, in the order of their first rows: that of the study."""
    found: list[str] = votes["question"].unique().to_pylist()
    return found


def chosen_question(path: Path, question: str | None, questions: Sequence[str]) -> str | None:
    """The question asked for, or the first; None where there is none.

    Raises:
        UserError: there is none of this name in the file.
    """
    if question is None:
        return next(iter(questions), None)
    if question not in questions:
        raise UserError(f"{path}: no question {question!r}; there are {shortened(questions)}")
    return question


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
