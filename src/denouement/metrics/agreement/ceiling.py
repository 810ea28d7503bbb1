"""How well people agree with each other, which is what the agreement of scores with people is held against."""

from dataclasses import dataclass

import numpy as np

from denouement.metrics.agreement.levels import FEWEST, LEVELS, all_once, correlations
from denouement.metrics.agreement.people import HumanAnswers
from denouement.metrics.agreement.picking import PreferredPairs, pairs_of_ratings, picked
from denouement.metrics.agreement.values import Grid, Ratings
from denouement.metrics.agreement.weighted import COEFFICIENTS
from denouement.study.results.agreement import SECOND, agreement
from denouement.study.results.reliability import Alpha, Kappa, alpha, kappa, ordinal_alpha

_MOST_CATEGORIES = 20


@dataclass(frozen=True)
class RaterCorrelation:
    """How the ratings of one person correlate with the mean of the others', over all people in turn.

    Attributes:
        level, coefficient: as of scores.
        mean, least, greatest: over the raters of whom it is defined; None without any.
        raters: how many these are.
        why_not: why there is no value, as a clause; None where there is one.
    """

    level: str
    coefficient: str
    mean: float | None
    least: float | None
    greatest: float | None
    raters: int
    why_not: str | None


@dataclass(frozen=True)
class RaterPicks:
    """How often one person's choice is that of the others, over all people in turn.

    Attributes:
        right, wrong: answers for the ending that the others prefer, and for the other one.
        tied: answers for neither of the two, or where the others prefer neither.
        accuracy: `right / (right + wrong)`; None where both are 0.
    """

    right: int
    wrong: int
    tied: int
    accuracy: float | None


@dataclass(frozen=True)
class Ceiling:
    """How well people agree with each other.

    Attributes:
        raters, ratings: how many there are.
        correlations: a row a level and coefficient.
        picks: how often one picks what the others pick.
        kappa: of answers, or of ratings that are whole numbers; None of others.
        alpha: nominal of votes, ordinal of ratings.
    """

    raters: int
    ratings: int
    correlations: list[RaterCorrelation]
    picks: RaterPicks
    kappa: Kappa | None
    alpha: Alpha | None


def ceiling(people: HumanAnswers, ratings: Ratings, levels: tuple[str, ...] = LEVELS) -> Ceiling:
    """What the raters' own agreement is.

    Args:
        people: what they said.
        ratings: of `people`, those of the endings that count.
        levels: those of which there is a correlation.
    """
    n = np.bincount(ratings.ending, minlength=len(ratings.endings))
    total = np.bincount(ratings.ending, ratings.value, minlength=len(ratings.endings))
    found: dict[tuple[str, str], list[float]] = {(level, name): [] for level in levels for name in COEFFICIENTS}
    counts = np.zeros(3, np.int64)
    for rater in np.unique(ratings.rater):
        own = np.flatnonzero((ratings.rater == rater) & (n[ratings.ending] > 1))
        if len(own) < FEWEST:
            continue
        ending = ratings.ending[own]
        others = np.round((total[ending] - ratings.value[own]) / (n[ending] - 1), 12)
        grid = _grid([ratings.endings[place] for place in ending], ratings.value[own], others)
        for level in levels:
            if level == "system" and len(grid.systems) < FEWEST:
                continue
            for name, values in correlations(level, grid, all_once(grid)).items():
                if not np.isnan(values[0, 0]):
                    found[level, name].append(float(values[0, 0]))
        if people.ballot is None:
            counts += _picks(grid, pairs_of_ratings(grid))
    if people.ballot is not None:
        counts = _picks_of_votes(people)
    right, wrong, tied = counts.tolist()
    return Ceiling(
        raters=len(np.unique(ratings.rater)),
        ratings=len(ratings.value),
        correlations=[_over_raters(level, name, values) for (level, name), values in found.items()],
        picks=RaterPicks(right, wrong, tied, right / (right + wrong) if right + wrong else None),
        kappa=_kappa(people, ratings),
        alpha=alpha(people.ballot.counts()) if people.ballot else ordinal_alpha(ratings.value, ratings.ending),
    )


def _over_raters(level: str, name: str, values: list[float]) -> RaterCorrelation:
    if not values:
        why_not = f"nobody rated {FEWEST} endings that others rated too, differently"
        return RaterCorrelation(level, name, None, None, None, 0, why_not)
    return RaterCorrelation(level, name, float(np.mean(values)), min(values), max(values), len(values), None)


def _grid(endings: list[tuple[str, str]], own: np.ndarray, others: np.ndarray) -> Grid:
    items, systems = sorted({item for item, _ in endings}), sorted({system for _, system in endings})
    row_of, column_of = ({name: at for at, name in enumerate(of)} for of in (systems, items))
    values = np.full((2, len(systems), len(items)), np.nan)
    values[:, [row_of[system] for _, system in endings], [column_of[item] for item, _ in endings]] = own, others
    return Grid(items, systems, ["own"], values[:1], values[1])


def _picks(grid: Grid, pairs: PreferredPairs) -> np.ndarray:
    if not len(pairs):
        return np.zeros(3, np.int64)
    [row] = picked(grid, pairs, 0, np.random.default_rng(0))
    return np.array([row.right, row.wrong, row.pairs - row.right - row.wrong])


def _picks_of_votes(people: HumanAnswers) -> np.ndarray:
    ballot = people.ballot
    assert ballot is not None
    rest = ballot.counts()[ballot.item] - np.eye(4, dtype=np.int64)[ballot.choice]
    compared = rest.any(axis=1)
    of_rest, own = agreement(rest)[compared], ballot.choice[compared]
    decided = (own <= SECOND) & (of_rest <= SECOND) & (of_rest >= 0)
    right = int((decided & (own == of_rest)).sum())
    return np.array([right, int(decided.sum()) - right, len(own) - int(decided.sum())])


def _kappa(people: HumanAnswers, ratings: Ratings) -> Kappa | None:
    if people.ballot is not None:
        return kappa(people.ballot.counts())
    categories, place = np.unique(ratings.value, return_inverse=True)
    if len(categories) > _MOST_CATEGORIES or (categories != np.round(categories)).any():
        return None
    counts = np.zeros((len(ratings.endings), len(categories)), np.int64)
    np.add.at(counts, (ratings.ending, place), 1)
    return kappa(counts[counts.any(axis=1)])
