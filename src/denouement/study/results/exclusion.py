"""People whose answers are left out by rules, and what the results are with and without them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pyarrow as pa

from denouement.answers import ANSWER, counted, n_answers
from denouement.present.cells import Cell, Number, Share
from denouement.present.sections import Paragraph, Section, Table
from denouement.schemas import UNNAMED_ANNOTATOR
from denouement.study.results.conduct import FAST, Person, conducts
from denouement.study.results.preferences import StudyResults
from denouement.study.results.rankings import RankingResults
from denouement.study.results.rules import ConductRule
from denouement.study.results.scales import RatingResults, ScaleResults

AnyResults: TypeAlias = StudyResults | ScaleResults


@dataclass(frozen=True)
class LeftOut:
    """What one rule leaves out; who is left out by two rules is counted at both.

    Attributes:
        rule: as written.
        people, answers: for whom it holds, and their answers that would count.
        not_known: people without a value to compare, whom it never leaves out.
    """

    rule: str
    people: int
    answers: int
    not_known: int


@dataclass(frozen=True)
class ComparedValue:
    """A value of the results, of all answers and without those that were left out.

    Attributes:
        what: which value.
        unit: how it is written.
    """

    what: str
    of_all: float | None
    of_kept: float | None
    unit: Literal["count", "share", "number"]


@dataclass(frozen=True)
class Exclusion:
    """What rules leave out of the results.

    Attributes:
        rules: by rule.
        people, answers: who is left out in all, and how many answers that would count.
        of_people, of_answers: of how many.
        unnamed_answers: answers that no rule can leave out, since their annotator is not known.
        compared: the main values with and without these answers.
    """

    rules: list[LeftOut]
    people: int
    answers: int
    of_people: int
    of_answers: int
    unnamed_answers: int
    compared: list[ComparedValue]


def excluded(
    answers: pa.Table,
    items: pa.Table | None,
    rules: Sequence[ConductRule],
    work_out: Callable[[pa.Table], AnyResults],
    fast: float = FAST,
) -> tuple[pa.Table, Exclusion]:
    """The answers, in which those of people for whom a rule holds are `excluded`, and what that changes.

    A rule looks at all answers of a person in the table, also at those that do not count.

    Args:
        answers: a table `votes`, `ratings` or `orders`.
        items: the table `items`; None without one, and then no check is known to be failed.
        rules: one that holds is enough.
        work_out: the results of a table like `answers`.
        fast: seconds below which an answer is fast.
    """
    people = conducts(answers, items, fast)
    of_rule = [{(each.study, each.annotator_id) for each in people if one.holds(each)} for one in rules]
    out: set[Person] = set().union(*of_rule)
    kept = _marked(answers, out)
    before = counted(answers)
    return kept, Exclusion(
        rules=[
            LeftOut(one.text, len(its), _answers_of(before, its), sum(one.value(each) is None for each in people))
            for one, its in zip(rules, of_rule, strict=True)
        ],
        people=len(out),
        answers=_answers_of(before, out),
        of_people=len(people),
        of_answers=n_answers(before),
        unnamed_answers=sum(name.startswith(UNNAMED_ANNOTATOR) for name in _ids(before)),
        compared=_compared(work_out(answers), work_out(kept)),
    )


def _marked(answers: pa.Table, out: set[Person]) -> pa.Table:
    """The table, in which accepted answers of these people are excluded."""
    people = zip(answers["study"].to_pylist(), answers["annotator_id"].to_pylist(), strict=True)
    statuses = [
        "excluded" if status == "accepted" and person in out else status
        for status, person in zip(answers["status"].to_pylist(), people, strict=True)
    ]
    place = answers.schema.get_field_index("status")
    return answers.set_column(place, answers.schema.field("status"), pa.array(statuses, pa.string()))


def _ids(answers: pa.Table) -> list[str]:
    """The annotator of each answer."""
    ids: list[str] = answers.group_by(list(ANSWER)).aggregate([])["annotator_id"].to_pylist()
    return ids


def _answers_of(answers: pa.Table, people: set[Person]) -> int:
    its = answers.group_by(list(ANSWER)).aggregate([])
    return sum(
        person in people for person in zip(its["study"].to_pylist(), its["annotator_id"].to_pylist(), strict=True)
    )


def _compared(of_all: AnyResults, of_kept: AnyResults) -> list[ComparedValue]:
    """The main values of both, those of `of_all` first; a value that one of them lacks is None there."""
    one, other = _values(of_all), _values(of_kept)
    names = list(dict.fromkeys([*one, *other]))
    nothing: tuple[float | None, Literal["count", "share", "number"]] = (None, "number")
    return [
        ComparedValue(name, one.get(name, nothing)[0], other.get(name, nothing)[0], (one.get(name) or other[name])[1])
        for name in names
    ]


def _values(results: AnyResults) -> dict[str, tuple[float | None, Literal["count", "share", "number"]]]:
    found: dict[str, tuple[float | None, Literal["count", "share", "number"]]] = {}
    if isinstance(results, StudyResults):
        found["answers"] = results.answers, "count"
        for pair in results.pairs:
            of, shares = f"{pair.first} / {pair.second}", pair.single_answers
            found[f"{of}: answers for {pair.first}"] = shares.first.share, "share"
            found[f"{of}: answers for {pair.second}"] = shares.second.share, "share"
            found[f"{of}: kappa"] = pair.kappa.kappa, "number"
            found[f"{of}: alpha"] = pair.alpha.alpha, "number"
        for system in results.strengths.systems:
            found[f"strength of {system.system}"] = system.strength, "number"
    elif isinstance(results, RatingResults):
        for rated in results.means:
            found[f"{rated.question}: mean of {rated.system}"] = rated.mean, "number"
    elif isinstance(results, RankingResults):
        for kind in results.kinds:
            for ranked in kind.systems:
                found[f"{kind.kind}: best-worst score of {ranked.system}"] = ranked.mean, "number"
            found[f"{kind.kind}: alpha"] = kind.alpha.alpha, "number"
    else:
        for ordered in results.systems:
            found[f"mean Kendall's tau of {ordered.system}"] = ordered.mean, "number"
    return found


def exclusion_section(exclusion: Exclusion) -> Section:
    """What was left out, by rule, and the results with and without it."""
    what = (
        f"{exclusion.people:,} of {exclusion.of_people:,} people, with {exclusion.answers:,} of "
        f"{exclusion.of_answers:,} answers that count, are left out by rules."
    )
    unnamed = exclusion.unnamed_answers
    notes = [Paragraph(f"{unnamed:,} answers have no known annotator, so no rule applies to them.")] if unnamed else []
    by_rule = Table(
        ["rule", "people", "answers", "people without a value"],
        [[each.rule, each.people, each.answers, each.not_known] for each in exclusion.rules],
        note="Who is left out by two rules is counted at both.",
    )
    rows: list[list[Cell]] = [
        [each.what, _cell(each.of_all, each.unit), _cell(each.of_kept, each.unit)] for each in exclusion.compared
    ]
    return Section("Left out by rules", what, [*notes, by_rule, Table(["value", "all answers", "without them"], rows)])


def _cell(value: float | None, unit: str) -> Cell:
    if unit == "share":
        return Share(value)
    return Number(value, 0 if unit == "count" else 3)
