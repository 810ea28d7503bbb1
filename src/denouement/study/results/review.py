"""What came in: each person with what is unusual about their answers, and each item with its answers and reasons."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from denouement.present.cells import Cell, Number, Share
from denouement.present.sections import Section, ShownEnding, ShownStory, Stories, Table
from denouement.schemas import BETTER, UNNAMED_ANNOTATOR
from denouement.study.design.questions import MUCH, SLIGHTLY
from denouement.study.results.conduct import FAST, Conduct, conducts, seconds_between
from denouement.study.results.items_of_answers import lacking
from denouement.study.results.rules import FLAGS, ConductRule

_STRENGTHS = {MUCH: "much ", SLIGHTLY: "slightly "}  # before the system that is better


@dataclass(frozen=True)
class PersonReview:
    """A person, and the rules that hold for how they answered."""

    conduct: Conduct
    flags: list[str]


@dataclass(frozen=True)
class AnswerReview:
    """An answer to an item.

    Attributes:
        said: the system chosen, both or neither, of further questions with their names; of ratings each question with
            its value; of rankings each system with its rank; of orders the sentences, by their place in the story from
            1, as the person put them.
        seconds: how long it took; None where that is not known.
    """

    annotator_id: str
    status: str
    said: str
    reason: str | None
    seconds: float | None


@dataclass(frozen=True)
class ItemReview:
    """An item with its answers in the order in which they came.

    Attributes:
        context, systems, endings: as the table `items` has them; empty without one.
    """

    study: str
    item_id: str
    case_id: str
    is_check: bool
    context: list[str]
    systems: list[str]
    endings: list[str]
    answers: list[AnswerReview]


@dataclass(frozen=True)
class Review:
    """What came in.

    Attributes:
        rules: those that flag people.
        fast_seconds: below how many seconds an answer is fast.
        people: those with the most flags first.
        unnamed_answers: answers whose annotator is not known, which flag nobody.
        items: in the order of the table `items`, without those that have no answer.
    """

    studies: list[str]
    rules: list[str]
    fast_seconds: float
    people: list[PersonReview]
    unnamed_answers: int
    items: list[ItemReview]

    @property
    def flagged(self) -> int:
        """How many people have a flag."""
        return sum(bool(each.flags) for each in self.people)


def review(
    answers: pa.Table, items: pa.Table | None, rules: Sequence[ConductRule] = FLAGS, fast: float = FAST
) -> Review:
    """What came in, of any status.

    Args:
        answers: a table `votes`, `ratings` or `orders`.
        items: the table `items` of the same studies; without one there are no texts, and no check is known to be
            failed.
        rules: what flags a person.
        fast: seconds below which an answer is fast.

    Raises:
        UserError: the table `items` has none of the items that were answered.
    """
    people = [
        PersonReview(each, [one.text for one in rules if one.holds(each)]) for each in conducts(answers, items, fast)
    ]
    shown = _items(answers, items)
    unnamed = sum(one.annotator_id.startswith(UNNAMED_ANNOTATOR) for item in shown for one in item.answers)
    return Review(
        studies=sorted(answers["study"].unique().to_pylist()),
        rules=[each.text for each in rules],
        fast_seconds=fast,
        people=sorted(people, key=lambda each: -len(each.flags)),
        unnamed_answers=unnamed,
        items=shown,
    )


def _items(answers: pa.Table, items: pa.Table | None) -> list[ItemReview]:
    rows: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}
    for row in answers.to_pylist():
        rows.setdefault((row["study"], row["item_id"]), {}).setdefault(row["annotator_id"], []).append(row)
    if items is not None:
        lacking(answers, items)
    known = {(each["study"], each["item_id"]): each for each in items.to_pylist()} if items is not None else {}
    found = []
    for key in [*(each for each in known if each in rows), *(each for each in rows if each not in known)]:
        item = known.get(key, {"context": [], "systems": [], "endings": []})
        its = sorted(rows[key].values(), key=lambda each: (each[0]["submitted_at"] is None, each[0]["submitted_at"]))
        found.append(
            ItemReview(
                study=key[0],
                item_id=key[1],
                case_id=its[0][0]["case_id"],
                is_check=its[0][0]["is_check"],
                context=item["context"],
                systems=item["systems"],
                endings=item["endings"],
                answers=[_answer(each) for each in its],
            )
        )
    return found


def _answer(rows: Sequence[Mapping[str, Any]]) -> AnswerReview:
    """An answer, of its rows in the table."""
    first = rows[0]
    return AnswerReview(
        annotator_id=first["annotator_id"],
        status=first["status"],
        said=", ".join(_said(row, len(rows) > 1) for row in rows),
        reason=next((row["reason"] for row in rows if row.get("reason")), None),
        seconds=seconds_between(first),
    )


def _said(row: Mapping[str, Any], is_one_of_several: bool) -> str:
    if "order" in row:
        return " ".join(str(sentence + 1) for sentence in row["order"])
    if "ranks" in row:
        ranked = sorted(zip(row["ranks"], row["systems"], strict=True))
        return ", ".join(f"{rank} {system}" for rank, system in ranked)
    if "choice" in row:
        said = _STRENGTHS.get(row["strength"], "") + row["choice"]
        return f"{row['question']}: {said}" if is_one_of_several or row["question"] != BETTER else said
    return f"{row['question']} {row['value']}"


def review_sections(found: Review, with_answers: bool = False) -> list[Section]:
    """The people with their flags and, where that is asked for, each item with its answers and reasons."""
    what = f"{found.flagged:,} of {len(found.people):,} people have a flag. A flag says that somebody should look."
    if unnamed := found.unnamed_answers:
        what += f" {_answers(unnamed)} without a known annotator flag nobody."
    header = ["annotator", "flags", "answers", "median s", "fast", "checks failed", "repeated", "copied", "no word"]
    several = len(found.studies) > 1
    rows: list[list[Cell]] = [
        [f"{each.conduct.study}: {name}" if several else name, ", ".join(each.flags), *_values(each.conduct)]
        for each in found.people
        for name in [each.conduct.annotator_id]
    ]
    note = f"Flags: {', '.join(found.rules)}. Fast answers took less than {found.fast_seconds:g} seconds."
    people = Section("People", what, [Table([*header, "one side", "one answer"], rows, note=note)])
    if not with_answers:
        return [people]
    stories = [_story(item) for item in found.items]
    return [people, Section("Answers", f"{len(stories):,} items with answers.", [Stories(stories)])]


def _values(conduct: Conduct) -> list[Cell]:
    shares = (conduct.repeated_reasons, conduct.copied_reasons, conduct.wordless_reasons)
    return [
        conduct.answers,
        Number(conduct.median_seconds, 1),
        Share(conduct.fast_answers, 0),
        Number(conduct.failed_checks, 0),
        *(Share(each, 0) for each in (*shares, conduct.one_side, conduct.one_answer)),
    ]


def _story(item: ItemReview) -> ShownStory:
    chosen = Counter(one.said for one in item.answers)
    endings = [
        ShownEnding(system, ending, _answers(chosen[system]) if system in chosen else "")
        for system, ending in zip(item.systems, item.endings, strict=True)
    ]
    remarks = [(f"{one.annotator_id}: {one.said}{_remark(one)}", one.reason or "") for one in item.answers]
    return ShownStory(item.case_id, " ".join(item.context), endings, remarks)


def _answers(n: int) -> str:
    return f"{n:,} {'answer' if n == 1 else 'answers'}"


def _remark(answer: AnswerReview) -> str:
    """How long an answer took, and its status where it does not count."""
    taken = [] if answer.seconds is None else [f"{answer.seconds:,.0f} s"]
    said = [*taken, *([] if answer.status == "accepted" else [answer.status])]
    return f" ({', '.join(said)})" if said else ""
