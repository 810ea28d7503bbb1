"""How often a score picks the ending that people prefer, and for which reasons it does so more or less often."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denouement.intervals import share_with_interval
from denouement.metrics.agreement.levels import FEWEST, FEWEST_DRAWN, resampled
from denouement.metrics.agreement.values import Ending, Grid
from denouement.metrics.agreement.weighted import Floats, Weights


@dataclass(frozen=True)
class PreferredPairs:
    """Two endings of one item each, and which of them people prefer.

    Attributes:
        ids: by which tables name the pairs: study and item.
        first, second: the endings.
        prefers: int64 [pairs]: 1 where people prefer the first, -1 the second, 0 where they prefer neither.
    """

    ids: list[tuple[str, str]]
    first: list[Ending]
    second: list[Ending]
    prefers: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    def among(self, endings: Collection[Ending]) -> "PreferredPairs":
        """The pairs of which both endings are among these."""
        wanted = frozenset(endings)
        kept = [at for at, both in enumerate(zip(self.first, self.second, strict=True)) if wanted.issuperset(both)]
        return PreferredPairs(
            [self.ids[at] for at in kept],
            [self.first[at] for at in kept],
            [self.second[at] for at in kept],
            self.prefers[kept],
        )


@dataclass(frozen=True)
class Picked:
    """How often a score picks what people picked.

    Attributes:
        score: its name.
        pairs: how many have the score for both endings.
        without: further pairs, in which an ending has no score.
        right: pairs in which the score is higher for the ending that people prefer.
        wrong: pairs in which it is lower.
        tied: pairs in which it is the same, while people prefer one ending.
        accuracy: `right / (right + wrong)`; None where both are 0.
        low, high: its 95% interval over other items; None without one.
        why_not: why there is no interval, as a clause; None where there is one.
        people_tied: pairs in which people prefer neither.
        as_people: the share of all pairs of which the score says what people say, ties included, where equal scores
            alone are ties (`acc_eq`, Deutsch et al. 2023).
        calibrated: the same share where scores that differ by at most `threshold` are ties too.
        threshold: the difference with the highest such share, of the smallest; it is fitted to these very pairs.
    """

    score: str
    pairs: int
    without: int
    right: int
    wrong: int
    tied: int
    accuracy: float | None
    low: float | None
    high: float | None
    why_not: str | None
    people_tied: int
    as_people: float | None
    calibrated: float | None
    threshold: float | None


@dataclass(frozen=True)
class PickedByElement:
    """How often a score is right where the reasons of those who chose the winner name an element, and elsewhere.

    Attributes:
        element: what the reasons name.
        score: its name.
        named, others: the pairs in which people prefer an ending, the score too, and the element is named or not.
        right, right_others: how many of them are right.
        share, share_others: their shares; None where there is no such pair.
        low, high: 95% interval, over other items, of `share - share_others`; None without one.
        why_not: why there is no interval, as a clause; None where there is one.
    """

    element: str
    score: str
    named: int
    others: int
    right: int
    right_others: int
    share: float | None
    share_others: float | None
    low: float | None
    high: float | None
    why_not: str | None


@dataclass(frozen=True)
class PickedBySystem:
    """How often one is right who knows of two endings only which systems wrote them.

    Of two systems it picks the one that people prefer in more of these very pairs, so `right` is the most that any rule
    by systems reaches: a score that is right no more often may know the systems apart, and nothing else.

    Attributes:
        right: the pairs in which it picks what people prefer.
        decided: the pairs in which people prefer an ending.
    """

    right: int
    decided: int


def pairs_of_ratings(grid: Grid) -> PreferredPairs:
    """Every two rated endings of an item; people prefer the one with the higher mean rating."""
    ids: list[tuple[str, str]] = []
    first: list[Ending] = []
    second: list[Ending] = []
    prefers: list[int] = []
    for place, item in enumerate(grid.items):
        rated = np.flatnonzero(~np.isnan(grid.people[:, place]))
        for i, j in ((int(i), int(j)) for at, i in enumerate(rated) for j in rated[at + 1 :]):
            ids.append(("", item))
            first.append((item, grid.systems[i]))
            second.append((item, grid.systems[j]))
            prefers.append(int(np.sign(grid.people[i, place] - grid.people[j, place])))
    return PreferredPairs(ids, first, second, np.array(prefers, np.int64))


def picked(grid: Grid, pairs: PreferredPairs, draws: int, generator: np.random.Generator) -> list[Picked]:
    """A row a score, in the order of the grid.

    Args:
        grid: the scores.
        pairs: two endings each, all of items of the grid.
        draws: of items, for the intervals.
        generator: draws them.
    """
    differences, item = _differences(grid, pairs), _items(grid, pairs)
    weights = resampled(1, len(grid.items), draws, generator).items
    return [
        _picked(score, row, pairs.prefers, item, weights) for score, row in zip(grid.scores, differences, strict=True)
    ]


def picked_by_system(pairs: PreferredPairs) -> PickedBySystem:
    """What a rule reaches that knows systems alone."""
    wins: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for (_, first), (_, second), prefers in zip(pairs.first, pairs.second, pairs.prefers, strict=True):
        if prefers:
            wins[tuple(sorted((first, second)))][first if prefers > 0 else second] += 1
    return PickedBySystem(sum(max(each.values()) for each in wins.values()), sum(map(Counter.total, wins.values())))


def _picked(
    score: str, difference: Floats, prefers: npt.NDArray[np.int64], item: npt.NDArray[np.intp], weights: Weights
) -> Picked:
    there = ~np.isnan(difference)
    difference, said, item = difference[there], prefers[there], item[there]
    agrees = np.sign(difference) * said
    right, wrong = agrees > 0, agrees < 0
    decided = int(right.sum() + wrong.sum())
    low, high, why_not = _accuracy_interval(item, right, right | wrong, weights)
    calibrated, threshold = tie_calibrated(difference, said)
    return Picked(
        score=score,
        pairs=int(there.sum()),
        without=int((~there).sum()),
        right=int(right.sum()),
        wrong=int(wrong.sum()),
        tied=int(((difference == 0) & (said != 0)).sum()),
        accuracy=int(right.sum()) / decided if decided else None,
        low=low,
        high=high,
        why_not=why_not,
        people_tied=int((said == 0).sum()),
        as_people=float((np.sign(difference) == said).mean()) if len(said) else None,
        calibrated=calibrated,
        threshold=threshold,
    )


def tie_calibrated(difference: Floats, prefers: npt.NDArray[np.int64]) -> tuple[float | None, float | None]:
    """The highest share of pairs of which a score says what people say, and the smallest threshold that has it.

    A score says *tie* of a pair if its two values differ by at most the threshold (Deutsch et al. 2023). Of four pairs,
    people call the two in which the score differs least a tie:

    >>> tie_calibrated(np.array([0.1, -0.2, 0.5, -0.9]), np.array([0, 0, 1, -1]))
    (1.0, 0.2)

    Args:
        difference: float64 [pairs], the first ending's score less the second's, without NaN.
        prefers: int64 [pairs]: 1 for the first, -1 for the second, 0 for neither.

    Returns:
        None and None without a pair.
    """
    if not len(difference):
        return None, None
    sizes = np.abs(difference)
    order = np.argsort(sizes, kind="stable")
    ties = np.cumsum((prefers == 0)[order])
    right = ((np.sign(difference) == prefers) & (difference != 0))[order]
    beyond = right.sum() - np.cumsum(right)
    last = np.append(sizes[order][1:] != sizes[order][:-1], True)  # equal differences are ties together
    thresholds = np.concatenate([[0.0], sizes[order][last]])
    shares = np.concatenate([[int((np.sign(difference) == prefers).sum())], (ties + beyond)[last]]) / len(difference)
    best = int(shares.argmax())
    return float(shares[best]), float(thresholds[best])


def picked_by_element(
    grid: Grid,
    pairs: PreferredPairs,
    named: Mapping[str, frozenset[tuple[str, str]]],
    draws: int,
    generator: np.random.Generator,
) -> list[PickedByElement]:
    """A row an element and score.

    Args:
        grid: the scores.
        pairs: two endings each, all of items of the grid.
        named: by element the ids of the pairs in which the reasons of those who chose the winner name it.
        draws: of items, for the intervals.
        generator: draws them.
    """
    differences, item = _differences(grid, pairs), _items(grid, pairs)
    weights = resampled(1, len(grid.items), draws, generator).items
    rows = []
    for element, ids in named.items():
        names_it = np.array([each in ids for each in pairs.ids], bool)
        for score, difference in zip(grid.scores, differences, strict=True):
            agrees = np.sign(np.nan_to_num(difference)) * pairs.prefers
            decided, right = agrees != 0, agrees > 0
            here, elsewhere = decided & names_it, decided & ~names_it
            counts = [int(each.sum()) for each in (here, elsewhere, right & here, right & elsewhere)]
            if len(np.unique(item)) == len(item):
                low, high, why_not = _difference_interval(*counts)
            else:
                drawn = _share(item, right & here, here, weights) - _share(item, right & elsewhere, elsewhere, weights)
                low, high, why_not = _interval(drawn, item[here], item[elsewhere])
            n, others, n_right, right_others = counts
            rows.append(
                PickedByElement(
                    element=element,
                    score=score,
                    named=n,
                    others=others,
                    right=n_right,
                    right_others=right_others,
                    share=n_right / n if n else None,
                    share_others=right_others / others if others else None,
                    low=low,
                    high=high,
                    why_not=why_not,
                )
            )
    return rows


def _differences(grid: Grid, pairs: PreferredPairs) -> Floats:
    """float64 [scores, pairs]: the first ending's score less the second's; NaN where one has none."""
    values = []
    row_of = {system: place for place, system in enumerate(grid.systems)}
    column_of = {item: place for place, item in enumerate(grid.items)}
    padded = np.pad(
        grid.values, ((0, 0), (0, 1), (0, 1)), constant_values=np.nan
    )  # of endings that are not in the grid
    for endings in (pairs.first, pairs.second):
        rows = [row_of.get(system, -1) for _, system in endings]
        columns = [column_of.get(item, -1) for item, _ in endings]
        values.append(padded[:, rows, columns])
    return np.asarray(np.round(values[0] - values[1], 12))


def _items(grid: Grid, pairs: PreferredPairs) -> npt.NDArray[np.intp]:
    place_of = {item: place for place, item in enumerate(grid.items)}
    return np.array([place_of[item] for item, _ in pairs.first], np.intp)


def _share(
    item: npt.NDArray[np.intp], part: npt.NDArray[np.bool_], of: npt.NDArray[np.bool_], weights: Weights
) -> Floats:
    """float64 [draws]: the share of the pairs `part` of the pairs `of`, whose items count as `weights` say."""
    n = len(weights)
    parts, wholes = (np.bincount(item[each], minlength=n).astype(np.float64) @ weights for each in (part, of))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(wholes > 0, parts / wholes, np.nan)


def _accuracy_interval(
    item: npt.NDArray[np.intp], right: npt.NDArray[np.bool_], decided: npt.NDArray[np.bool_], weights: Weights
) -> tuple[float | None, float | None, str | None]:
    """The exact interval where each item has one pair, or all pairs have one outcome; else that of the draws."""
    n, n_items = int(decided.sum()), len(np.unique(item[decided]))
    n_right = int(right.sum())
    if n_items and (n_items == n or n_right in (0, n)):
        exact = share_with_interval(n_items if n_right == n else min(n_right, n_items), n_items)
        return exact["low"], exact["high"], None
    return _interval(_share(item, right, decided, weights), item[decided])


def _difference_interval(
    n: int, others: int, right: int, right_others: int
) -> tuple[float | None, float | None, str | None]:
    """The interval of Newcombe 1998 of the difference of two shares of independent pairs."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    if min(n, others) < FEWEST:
        return None, None, f"fewer than {FEWEST} pairs"
    low, high = confint_proportions_2indep(right, n, right_others, others, method="newcomb")
    return float(low), float(high), None


def _interval(drawn: Floats, *items: npt.NDArray[np.intp]) -> tuple[float | None, float | None, str | None]:
    if any(len(np.unique(each)) < FEWEST_DRAWN for each in items):
        return None, None, f"fewer than {FEWEST_DRAWN} items"
    return between(drawn)


def between(drawn: Floats) -> tuple[float | None, float | None, str | None]:
    """The ends of the middle 95% of the draws that are defined, or why there are none."""
    defined = drawn[~np.isnan(drawn)]
    if 2 * len(defined) < max(1, len(drawn)):
        return None, None, "not defined in most draws"
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high), None


def winners_named(
    pairs: PreferredPairs, reasons: Sequence[tuple[tuple[str, str], str, str]]
) -> dict[str, frozenset[tuple[str, str]]]:
    """By element the ids of the pairs in which a reason of somebody who chose the winner names it.

    Args:
        pairs: what people prefer.
        reasons: of each element in a reason the id of the pair, what the person chose, and the element.
    """
    winner: dict[tuple[str, str], str] = {}
    for each, first, second, prefers in zip(pairs.ids, pairs.first, pairs.second, pairs.prefers, strict=True):
        if prefers:
            winner[each] = (first if prefers > 0 else second)[1]
    found: dict[str, set[tuple[str, str]]] = {}
    for of_pair, choice, element in reasons:
        its = found.setdefault(element, set())
        if winner.get(of_pair) == choice:
            its.add(of_pair)
    return {element: frozenset(its) for element, its in found.items()}
