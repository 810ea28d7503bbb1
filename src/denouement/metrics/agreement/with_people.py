"""All that can be said of how far scores agree with people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.answers import ANSWER
from denouement.errors import UserError
from denouement.metrics.agreement.ceiling import Ceiling, ceiling
from denouement.metrics.agreement.differences import Difference, differences
from denouement.metrics.agreement.levels import (
    FEWEST,
    FEWEST_DRAWN,
    GLOBAL,
    ITEM,
    LEVELS,
    SYSTEM,
    Draws,
    all_once,
    correlations,
    resampled,
)
from denouement.metrics.agreement.people import HumanAnswers
from denouement.metrics.agreement.picking import (
    Picked,
    PickedByElement,
    PickedBySystem,
    between,
    pairs_of_ratings,
    picked,
    picked_by_element,
    picked_by_system,
    winners_named,
)
from denouement.metrics.agreement.values import Grid, Matched, Scores, matched
from denouement.metrics.agreement.weighted import COEFFICIENTS, KENDALL, Floats
from denouement.schemas import shortened

MOST_COMPARED = 10
"""Scores beyond this many are compared with each other only if they are named: their pairs take long, and are many."""


@dataclass(frozen=True)
class AgreementSettings:
    """How agreement is worked out.

    Attributes:
        coefficient: by which scores are sorted and compared.
        draws: of the bootstrap, for intervals.
        permutations: of each test of a difference; 0 for Williams' test alone.
        seed: of both.
        compare: the scores that are compared with each other; none for all, if they are at most `MOST_COMPARED`.
        without: systems that are left out.
    """

    coefficient: str = KENDALL
    draws: int = 10_000
    permutations: int = 1000
    seed: int = 1
    compare: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Correlation:
    """How a score correlates with people's mean ratings.

    Attributes:
        score: its name.
        level: one of `levels.LEVELS`.
        coefficient: one of `weighted.COEFFICIENTS`.
        value: None where it is not defined.
        low, high: its 95% interval over other items, and other systems where there are several; None without one.
        n: what it is over: endings, items with enough systems, or systems.
        undefined: of how many draws it is not defined, such as where one system was drawn alone.
        why_not: why there is no value or no interval, as a clause; None where there are both.
    """

    score: str
    level: str
    coefficient: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: int
    why_not: str | None


@dataclass(frozen=True)
class Agreement:
    """How far scores agree with people.

    Attributes:
        question: what people were asked; None where that is not known.
        other_questions: those in the same file that this is not about.
        matched: which endings have scores and ratings.
        settings: how it was worked out.
        without_score: by score how many of the rated endings have none.
        left_out: columns of the file of scores that are no numbers.
        of_sets: scores of all endings of a system together: they are correlated over systems alone.
        lower: scores of which a lower value is better, which count times -1.
        no_direction: scores of which it is not known which values are better, where it is known of others.
        levels_left_out: by level why there is no correlation of any score.
        correlations: a row a score, level and coefficient; scores with a higher `settings.coefficient` come first.
        differences: a row a level and two scores.
        not_compared: why scores were not compared with each other, as a clause; None where they were.
        picked: a row a score; empty where no item has two endings.
        by_system: what a rule reaches that knows systems alone; None where no item has two endings, or no system is
            named.
        by_element: a row an element of reasons and score; empty where no reasons were given.
        ceiling: how well people agree with each other.
    """

    question: str | None
    other_questions: list[str]
    matched: Matched
    settings: AgreementSettings
    without_score: dict[str, int]
    left_out: list[str]
    of_sets: list[str]
    lower: list[str]
    no_direction: list[str]
    levels_left_out: dict[str, str]
    correlations: list[Correlation]
    differences: list[Difference]
    not_compared: str | None
    picked: list[Picked]
    by_system: PickedBySystem | None
    by_element: list[PickedByElement]
    ceiling: Ceiling

    def of(self, level: str, coefficient: str) -> list[Correlation]:
        """The rows of a level and coefficient."""
        return [each for each in self.correlations if (each.level, each.coefficient) == (level, coefficient)]


def agreement_with_people(
    scores: Scores, people: HumanAnswers, settings: AgreementSettings, elements: pa.Table | None = None
) -> Agreement:
    """How far each score agrees with people.

    Args:
        scores: of endings.
        people: what people say of endings.
        settings: how it is worked out.
        elements: the table `reason_elements` of the reasons for the same votes; None without one.

    Raises:
        UserError: no ending has a score and a rating, a score to compare or a system is not there, or the elements are
            not of these votes.
    """
    if unswappable := scores.only(settings.compare).of_sets:
        raise UserError(
            f"--compare: {shortened([*unswappable])} has no value of single endings, which the tests swap; leave it out"
        )
    reasons = None if elements is None else named_in_reasons(elements, people)
    grid, ratings, match = matched(scores, people.ratings, settings.without)
    generator = np.random.default_rng(settings.seed)
    left_out = _levels_left_out(grid)
    levels = tuple(level for level in LEVELS if level not in left_out)
    drawn = resampled(len(grid.systems), len(grid.items), settings.draws, generator)
    rows = [row for level in levels for row in _correlations(grid, level, drawn)]
    grid, of_sets = _in_order(grid, rows, settings.coefficient), _grid_of_sets(grid, scores.of_sets)
    if SYSTEM in levels:
        rows += _correlations(of_sets, SYSTEM, drawn)
    order = [*grid.scores, *of_sets.scores]
    rows.sort(key=lambda row: order.index(row.score))
    pairs = pairs_of_ratings(grid) if people.pairs is None else people.pairs.among(grid.endings)
    compared = list(settings.compare) or grid.scores
    not_compared = None
    if len(compared) > MOST_COMPARED and not settings.compare:
        n_pairs = len(compared) * (len(compared) - 1) // 2
        not_compared = f"{len(compared)} scores make {n_pairs:,} pairs; name those to compare"
    elif len(compared) < 2:
        not_compared = "there are fewer than two scores of single endings"
    of_compared = _only(grid, compared)
    return Agreement(
        question=people.question,
        other_questions=people.other_questions,
        matched=match,
        settings=settings,
        without_score={
            name: n
            for name, values in zip(grid.scores, grid.values, strict=True)
            if (n := int((np.isnan(values) & ~np.isnan(grid.people)).sum()))
        },
        left_out=scores.left_out,
        of_sets=of_sets.scores,
        lower=scores.lower,
        no_direction=scores.no_direction,
        levels_left_out=left_out,
        correlations=rows,
        differences=[]
        if not_compared
        else [
            row
            for level in levels
            for row in differences(level, settings.coefficient, of_compared, settings.permutations, generator)
        ],
        not_compared=not_compared,
        picked=picked(grid, pairs, settings.draws, generator) if len(pairs) else [],
        by_system=picked_by_system(pairs) if len(pairs) and grid.systems != [""] else None,
        by_element=[]
        if reasons is None
        else picked_by_element(grid, pairs, winners_named(pairs, reasons), settings.draws, generator),
        ceiling=ceiling(people, ratings, levels),
    )


def named_in_reasons(elements: pa.Table, people: HumanAnswers) -> list[tuple[tuple[str, str], str, str]]:
    """Of each element in a reason the pair, what the person chose, and the element, for the question that was asked.

    Raises:
        UserError: the elements are not of these answers, are older than they, or none is named.
    """
    if people.pairs is None:
        raise UserError("--elements: reasons are for choices between two endings; give votes, or leave it out")
    columns = (elements[name].to_pylist() for name in ("study", "item_id", "question", "choice", "element"))
    known = set(people.pairs.ids)
    rows = [
        ((study, item), choice, element)
        for study, item, question, choice, element in zip(*columns, strict=True)
        if question == people.question
    ]
    if strange := len({pair for pair, _, _ in rows} - known):
        raise UserError(
            f"--elements: {strange:,} items with reasons are not in the votes; tag the reasons of these votes"
        )
    if people.ballot and (stale := len(_answers(elements, people.question) - _answers(people.ballot.votes))):
        raise UserError(
            f"--elements: {stale:,} answers with reasons do not count in the votes, or are others there; tag the "
            "reasons again"
        )
    if not rows:
        raise UserError(f"--elements: no reason for the question {people.question} names an element; leave it out")
    return rows


def _answers(table: pa.Table, question: str | None = None) -> set[tuple[str, ...]]:
    """The answers in a table, to one question where it holds several, with what was chosen."""
    of = table if question is None else table.filter(pc.equal(table["question"], question))
    return set(zip(*(of[name].to_pylist() for name in (*ANSWER, "choice")), strict=True))


def _levels_left_out(grid: Grid) -> dict[str, str]:
    n = len(grid.systems)
    left_out = {}
    if not grid.scores:
        left_out = dict.fromkeys((GLOBAL, ITEM), "the scores are of all endings of a system together")
    if n < FEWEST:
        why = "endings are of one system, or name none" if n < 2 else f"there are fewer than {FEWEST} systems"
        return {**left_out, ITEM: why, SYSTEM: why}
    if grid.scores and (~np.isnan(grid.people)).sum(axis=0).max() < FEWEST:
        return {ITEM: f"no item has rated endings of {FEWEST} systems"}
    return left_out


def _grid_of_sets(grid: Grid, of_sets: Mapping[str, Mapping[str, float]]) -> Grid:
    """The same with the scores of all endings of a system: each ending has the value of its system."""
    of_systems = [[of.get(system, np.nan) for system in grid.systems] for of in of_sets.values()]
    values = np.reshape(np.array(of_systems, float), (len(of_sets), len(grid.systems), 1))
    return replace(grid, scores=[*of_sets], values=np.repeat(values, len(grid.items), axis=2))


def _correlations(grid: Grid, level: str, draws: Draws) -> list[Correlation]:
    if not grid.scores:
        return []
    rows = []
    observed, drawn = correlations(level, grid, all_once(grid)), correlations(level, grid, draws)
    for place, score in enumerate(grid.scores):
        there = ~np.isnan(grid.values[place]) & ~np.isnan(grid.people)
        for name in COEFFICIENTS:
            value, of_draws = float(observed[name][place, 0]), drawn[name][place]
            rows.append(_correlation(score, level, name, value, of_draws, grid, place, there))
    return rows


def _correlation(
    score: str, level: str, name: str, value: float, drawn: Floats, grid: Grid, place: int, there: np.ndarray
) -> Correlation:
    n_of = {
        GLOBAL: int(there.sum()),
        ITEM: int((there.sum(axis=0) >= FEWEST).sum()),
        SYSTEM: int(there.any(axis=1).sum()),
    }
    n, unit = n_of[level], {GLOBAL: "endings", ITEM: "items", SYSTEM: "systems"}[level]
    why_not = None
    if level == ITEM and not n:
        why_not = f"no item has this score for {FEWEST} systems"
    elif level != ITEM and n < FEWEST:
        why_not = f"{n} {unit}, fewer than {FEWEST}"
    elif np.isnan(value):
        same = [
            what
            for what, values in (("scores", grid.values[place][there]), ("ratings", grid.people[there]))
            if np.ptp(values) == 0
        ]
        why_not = f"all {' and '.join(same)} are the same" if same else "the values compared are all the same"
    if why_not:
        return Correlation(score, level, name, None, None, None, n, 0, why_not)
    if (few := FEWEST_DRAWN // 2 if level == SYSTEM else FEWEST_DRAWN) > n:
        low, high, why_not = None, None, f"{n} {unit}, no interval of fewer than {few}"
    else:
        low, high, why_not = between(drawn)
    return Correlation(score, level, name, value, low, high, n, int(np.isnan(drawn).sum()), why_not)


def _only(grid: Grid, names: Sequence[str]) -> Grid:
    places = [grid.scores.index(name) for name in names]
    return replace(grid, scores=list(names), values=grid.values[places])


def _in_order(grid: Grid, rows: Sequence[Correlation], coefficient: str) -> Grid:
    """The same with the scores that agree best with people first, those without a value last."""
    value = {row.score: row.value for row in rows if (row.level, row.coefficient) == (GLOBAL, coefficient)}

    def key(name: str) -> tuple[bool, float, str]:
        known = value[name]
        return known is None, -(known or 0.0), name

    return _only(grid, sorted(grid.scores, key=key))
