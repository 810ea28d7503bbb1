"""How each person answered: how fast, on which side, with which reasons. Unusual is not yet wrong."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

import pyarrow as pa

from denouement.answers import ANSWER
from denouement.schemas import UNNAMED_ANNOTATOR
from denouement.study.results.reliability import check_results

FAST = 3.0
"""An answer that took fewer seconds is fast: nobody reads a story and its endings in that time."""

LEAST = 10
"""With fewer answers than these the shares of one side and of one answer say nothing, and are None."""

_LONG = 4  # words: two people may well write the same shorter reason
_LETTERS = re.compile(r"[^\W\d_]+")
_COLUMNS = (*ANSWER, "is_check", "started_at", "submitted_at")
_SAID = ("question", "answer", "value", "shown", "order", "reason")

Person: TypeAlias = tuple[str, str]
"""The study and the id of an annotator."""


@dataclass(frozen=True)
class Conduct:
    """How one person answered: all their answers, of any status, without those to attention checks.

    Attributes:
        answers: how many.
        median_seconds: of an answer; None where no time is known.
        fast_answers: the share of the answers with a known time that took less than `FAST` seconds, or what the caller
            says; None without any.
        failed_checks: attention checks answered wrong; None where no check of theirs has a known answer.
        repeated_reasons: the share of their reasons that have the same text as another one of theirs; this and the
            next two are None without reasons.
        copied_reasons: the share of their reasons of four words or more that another person wrote too.
        wordless_reasons: the share of their reasons that have no word.
        one_side: of a pair, the share of A or of B among both, whichever is larger; None with fewer than `LEAST`.
        one_answer: the share of their most frequent answer; None with fewer than `LEAST`. Of ratings all values
            together are the answer, of orders which sentence was moved where.
    """

    study: str
    annotator_id: str
    answers: int
    median_seconds: float | None
    fast_answers: float | None
    failed_checks: int | None
    repeated_reasons: float | None
    copied_reasons: float | None
    wordless_reasons: float | None
    one_side: float | None
    one_answer: float | None


@dataclass
class _Given:
    """An answer, gathered from its rows."""

    seconds: float | None
    said: list[str]
    sides: list[str]
    reason: str | None


def conducts(answers: pa.Table, items: pa.Table | None, fast: float = FAST) -> list[Conduct]:
    """How each person answered, ordered by study and annotator; annotators without a name are left out.

    Args:
        answers: a table `votes`, `ratings` or `orders`.
        items: the table `items` of the same studies, with the right answers to checks; None without one.
        fast: seconds below which an answer is fast.
    """
    of_people = _given(answers)
    writers: dict[str, set[Person]] = defaultdict(set)
    for person, its in of_people.items():
        for one in its:
            if one.reason and len(_plain(one.reason).split()) >= _LONG:
                writers[_plain(one.reason)].add(person)
    place = answers.schema.get_field_index("status")
    accepted = pa.array(["accepted"] * answers.num_rows, pa.string())  # wrong is wrong, whether or not it counts
    checks = check_results(answers.set_column(place, answers.schema.field("status"), accepted), items)
    people = sorted({*of_people, *(one for one in checks if not one[1].startswith(UNNAMED_ANNOTATOR))})
    return [_conduct(person, of_people.get(person, []), checks, writers, fast) for person in people]


def has_word(text: str) -> bool:
    """Whether a text has a word: letters in a row of which two differ."""
    return any(len(set(letters.casefold())) > 1 for letters in _LETTERS.findall(text))


def seconds_between(row: Mapping[str, Any]) -> float | None:
    """The seconds that an answer took; None where a time is missing, or the clock was set back in between."""
    if row["started_at"] is None or row["submitted_at"] is None:
        return None
    seconds: float = (row["submitted_at"] - row["started_at"]).total_seconds()
    return seconds if seconds >= 0 else None


def _given(answers: pa.Table) -> dict[Person, list[_Given]]:
    """The answers to items of each person with a name, in their order."""
    columns = [*_COLUMNS, *(name for name in _SAID if name in answers.column_names)]
    by_answer: dict[tuple[str, str, str], _Given] = {}
    for row in answers.select(columns).to_pylist():
        if row["is_check"] or row["annotator_id"].startswith(UNNAMED_ANNOTATOR):
            continue
        key = row["study"], row["item_id"], row["annotator_id"]
        one = by_answer.setdefault(key, _Given(seconds_between(row), [], [], row.get("reason")))
        one.said.append(_said(row))
        one.reason = one.reason or row.get("reason")
        if row.get("answer") in ("A", "B"):
            one.sides.append(row["answer"])
    people: dict[Person, list[_Given]] = defaultdict(list)
    for (study, _, annotator), one in by_answer.items():
        people[study, annotator].append(one)
    return people


def _said(row: Mapping[str, Any]) -> str:
    """What a row answers, by its place on the page."""
    if "ranks" in row:
        return str(row["ranks"])
    if "order" in row:
        return str([row["shown"].index(sentence) for sentence in row["order"]])
    return f"{row.get('question')} {row.get('answer', row.get('value'))}"


def _conduct(
    person: Person,
    given: Sequence[_Given],
    checks: Mapping[Person, tuple[int, int]],
    writers: Mapping[str, set[Person]],
    fast: float,
) -> Conduct:
    seconds = [one.seconds for one in given if one.seconds is not None]
    reasons = [one.reason for one in given if one.reason and one.reason.strip()]
    texts = Counter(map(_plain, reasons))
    sides = Counter(side for one in given for side in one.sides)
    said = Counter(tuple(sorted(one.said)) for one in given)
    return Conduct(
        study=person[0],
        annotator_id=person[1],
        answers=len(given),
        median_seconds=median(seconds) if seconds else None,
        fast_answers=_share(sum(each < fast for each in seconds), len(seconds)),
        failed_checks=checks[person][1] if person in checks else None,
        repeated_reasons=_share(sum(n for n in texts.values() if n > 1), len(reasons)),
        copied_reasons=_share(sum(n for text, n in texts.items() if len(writers.get(text, ())) > 1), len(reasons)),
        wordless_reasons=_share(sum(not has_word(reason) for reason in reasons), len(reasons)),
        one_side=_share(max(sides.values(), default=0), sides.total(), LEAST),
        one_answer=_share(max(said.values(), default=0), len(given), LEAST),
    )


def _share(n: int, of: int, least: int = 1) -> float | None:
    return n / of if of >= least else None


def _plain(text: str) -> str:
    """A reason for comparison: in small letters, with single blanks."""
    return " ".join(text.casefold().split())
