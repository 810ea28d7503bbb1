"""Who took part in a study, from what people replied to its own questions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import pyarrow as pa

from denouement.answers import counted
from denouement.errors import UserError


@dataclass(frozen=True)
class OptionChosen:
    """How many people chose an option, and their share of those who replied to the question."""

    option: str
    n: int
    share: float


@dataclass(frozen=True)
class QuestionReplies:
    """What people replied to a question.

    Attributes:
        question, type: as in the table `replies`.
        people: how many replied.
        options: of `choice` and `several`, the most frequent first; options that nobody chose are not known here.
        median, least, greatest: of numbers; None of other types.
    """

    question: str
    type: str
    people: int
    options: list[OptionChosen]
    median: float | None
    least: float | None
    greatest: float | None


@dataclass(frozen=True)
class WhoTookPart:
    """The people whose answers count, and what they replied.

    Attributes:
        people: how many there are.
        without_replies: how many of them replied to nothing.
        left_out: how many people replied and have no answer that counts: their replies are not in `questions`.
        questions: in the order of the table.
    """

    people: int
    without_replies: int
    left_out: int
    questions: list[QuestionReplies]


def who_took_part(replies: pa.Table, answers: pa.Table) -> WhoTookPart:
    """What the people whose answers count replied to a study's own questions.

    Args:
        replies: the table `replies`.
        answers: the table `votes`, `ratings` or `orders` of the same studies.

    Raises:
        UserError: replies of a study of which there are no answers.
    """
    there = set(answers["study"].to_pylist())
    if strange := sorted(set(replies["study"].to_pylist()) - there):
        raise UserError(
            f"replies: are of the study {', '.join(strange)}, of which there is no answer (there are answers of "
            f"{', '.join(sorted(there)) or 'none'}): give the tables of one export"
        )
    count = counted(answers)
    people = set(zip(count["study"].to_pylist(), count["annotator_id"].to_pylist(), strict=True))
    replied: set[tuple[str, str]] = set()
    of_question: dict[tuple[str, str], dict[tuple[str, str], list[str]]] = {}
    for row in replies.to_pylist():
        person = row["study"], row["annotator_id"]
        replied.add(person)
        if person in people:
            of_question.setdefault((row["question"], row["type"]), {}).setdefault(person, []).append(row["value"])
    return WhoTookPart(
        people=len(people),
        without_replies=len(people - replied),
        left_out=len(replied - people),
        questions=[_question(*key, list(its.values())) for key, its in of_question.items()],
    )


def _question(question: str, kind: str, of_people: Sequence[Sequence[str]]) -> QuestionReplies:
    """The replies to a question; `of_people` has those of each person."""
    values = [value for its in of_people for value in its]
    n = len(of_people)
    options = [
        OptionChosen(option, chosen, chosen / n)
        for option, chosen in sorted(Counter(values).items(), key=lambda each: (-each[1], each[0]))
    ]
    numbers = [float(value) for value in values] if kind == "number" else []
    return QuestionReplies(
        question=question,
        type=kind,
        people=n,
        options=options if kind in ("choice", "several") else [],
        median=median(numbers) if numbers else None,
        least=min(numbers, default=None),
        greatest=max(numbers, default=None),
    )
