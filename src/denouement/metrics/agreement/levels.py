"""The three correlations of scores with people's ratings that Deutsch et al. 2021 define, under many weights at once.

Let x and z be the score and the rating of the ending that system i wrote for item j.

- *global*: over all endings at once. (Their paper does not use it; its authors' package `nlpstats` does.)
- *item*: over the systems within each item, then the mean over the items ("summary level", `r_SUM`).
- *system*: over systems, of the means of each system's scores and ratings (`r_SYS`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from denouement.metrics.agreement.values import Grid
from denouement.metrics.agreement.weighted import (
    COEFFICIENTS,
    KENDALL,
    PEARSON,
    SMALL,
    SPEARMAN,
    Floats,
    Weights,
    coefficients_of,
    ratio,
    standardised,
)

GLOBAL, ITEM, SYSTEM = "global", "item", "system"
LEVELS = (GLOBAL, ITEM, SYSTEM)

FEWEST = 3
"""With fewer values a coefficient says nothing: of two it is -1 or 1."""

FEWEST_DRAWN = 10
"""Of fewer items a bootstrap's intervals are far too narrow; of systems, half as many."""

_DIGITS = 10  # of means of standardised values: beyond these, means that are equal differ by rounding

_CHUNK = 1 << 21  # numbers that are worked on at once


@dataclass(frozen=True)
class Draws:
    """How often each system and each item counts in each draw.

    Attributes:
        systems: float32 [systems, draws].
        items: float32 [items, draws].
    """

    systems: Weights
    items: Weights

    def __len__(self) -> int:
        return int(self.items.shape[1])

    def parts(self, size: int) -> "Iterator[tuple[slice, Draws]]":
        """The draws in parts of at most so many, with their places."""
        for start in range(0, len(self), max(1, size)):
            place = slice(start, start + max(1, size))
            yield place, Draws(self.systems[:, place], self.items[:, place])


def all_once(grid: Grid) -> Draws:
    """A single draw, in which each system and item counts once."""
    return Draws(np.ones((len(grid.systems), 1)), np.ones((len(grid.items), 1)))


def resampled(n_systems: int, n_items: int, draws: int, generator: np.random.Generator) -> Draws:
    """Draws with replacement of the items, and of three systems or more (`Boot-Both`, Deutsch et al. 2021).

    Of two systems half of the draws would have one alone.
    """
    items = _counts(n_items, draws, generator)
    systems = _counts(n_systems, draws, generator) if n_systems >= FEWEST else np.ones((n_systems, draws), np.float32)
    return Draws(systems, items)


def _counts(n: int, draws: int, generator: np.random.Generator) -> Weights:
    counts = np.empty((n, draws), np.float32)
    for start in range(0, draws, 256):
        some = min(256, draws - start)
        drawn = generator.integers(0, n, (n, some), dtype=np.int32) * some + np.arange(some, dtype=np.int32)
        counts[:, start : start + some] = np.bincount(drawn.ravel(), minlength=n * some).reshape(n, some)
    return counts


def correlations(level: str, grid: Grid, draws: Draws) -> dict[str, Floats]:
    """Every coefficient at a level, float64 [scores, draws] by name; NaN where it is not defined.

    A score's endings are those that have the score and a rating.
    """
    if level == GLOBAL:
        return _globally(grid, draws)
    found = {name: np.full((len(grid.scores), len(draws)), np.nan) for name in COEFFICIENTS}
    one_level = _within_items if level == ITEM else _of_systems
    for row, values in enumerate(grid.values):
        there = ~np.isnan(values) & ~np.isnan(grid.people)
        x, z = (np.where(there, standardised(np.where(there, each, np.nan)), 0) for each in (values, grid.people))
        for name, per_draw in one_level(x, z, there, draws).items():
            found[name][row] = per_draw
    return found


def _globally(grid: Grid, draws: Draws) -> dict[str, Floats]:
    found = {name: np.full((len(grid.scores), len(draws)), np.nan) for name in COEFFICIENTS}
    rated = ~np.isnan(grid.people)
    there = ~np.isnan(grid.values) & rated
    masks, mask_of = np.unique(there.reshape(len(grid.scores), -1), axis=0, return_inverse=True)
    for number, mask in enumerate(masks):
        rows = np.flatnonzero(mask_of.ravel() == number)
        system, item = np.nonzero(mask.reshape(rated.shape))
        x, z = grid.values[rows][:, system, item], grid.people[system, item]
        under = {name: coefficients_of(name, x, z) for name in COEFFICIENTS}
        for place, part in draws.parts(_CHUNK // max(1, len(item))):
            weights = part.items[item] * part.systems[system]
            for name, each in under.items():
                found[name][rows, place] = each(weights)
    return found


def _within_items(x: Floats, z: Floats, there: np.ndarray, draws: Draws) -> dict[str, Floats]:
    """Of one score: over the systems within each item, then the mean over the items of which it is defined.

    Args:
        x, z: float64 [systems, items], 0 where there is none.
        there: bool [systems, items].
        draws: the weights.
    """
    enough = there.sum(axis=0) >= FEWEST
    x, z, there = x[:, enough], z[:, enough], there[:, enough]
    n_systems, n_items = x.shape
    found = {name: np.full(len(draws), np.nan) for name in COEFFICIENTS}
    if not n_items:
        return found
    signs = [_signs(each, there) for each in (x, z)]
    x, z = (np.where(there, each - each.sum(axis=0) / there.sum(axis=0), 0) for each in (x, z))
    pairs = np.triu_indices(n_systems, 1)
    sx, sz = (each[pairs] for each in signs)
    for place, part in draws.parts(_CHUNK // (n_systems * n_items)):
        systems, items = part.systems.T.astype(np.float64), part.items[enough].T.astype(np.float64)
        of_pairs = systems[:, pairs[0]] * systems[:, pairs[1]]
        n = systems @ there
        per_item = {
            PEARSON: _pearson(n, systems @ x, systems @ z, systems @ x**2, systems @ z**2, systems @ (x * z)),
            KENDALL: ratio(of_pairs @ (sx * sz), (of_pairs @ np.abs(sx)) * (of_pairs @ np.abs(sz))),
        }
        rx, rz = (np.tensordot(systems, each, axes=(1, 1)) for each in signs)  # twice the ranks [draws, systems, items]
        products = (np.einsum("ds,dsj,dsj->dj", systems, a, b) for a, b in ((rx, rz), (rx, rx), (rz, rz)))
        together, x_varies, z_varies = products
        per_item[SPEARMAN] = ratio(together, x_varies * z_varies)
        for name, each in per_item.items():
            found[name][place] = _mean_of_items(each, items)
    return found


def _of_systems(x: Floats, z: Floats, there: np.ndarray, draws: Draws) -> dict[str, Floats]:
    """Of one score: over the systems, of their means; arguments as of `_within_items`."""
    n_systems = len(x)
    found = {name: np.full(len(draws), np.nan) for name in COEFFICIENTS}
    if (there.sum(axis=1) > 0).sum() < FEWEST:
        return found
    for place, part in draws.parts(_CHUNK // n_systems**2):
        items = part.items.T.astype(np.float64)
        n = items @ there.T
        mean_x, mean_z = (np.round(items @ each.T / np.maximum(n, 1), _DIGITS) for each in (x, z))
        for name, per_draw in over_systems(mean_x, mean_z, np.where(n > 0, part.systems.T, 0)).items():
            found[name][place] = per_draw
    return found


def over_systems(x: Floats, z: Floats, weights: Floats) -> dict[str, Floats]:
    """Every coefficient of means that differ between draws, float64 [draws] by name.

    The arguments are float64 [draws, systems].
    """
    signs = [np.sign(each[:, :, None] - each[:, None, :]) for each in (x, z)]
    rx, rz = (np.einsum("dij,dj->di", each, weights) for each in signs)
    pairs = np.triu_indices(x.shape[1], 1)
    of_pairs = weights[:, pairs[0]] * weights[:, pairs[1]]
    sx, sz = (each[:, pairs[0], pairs[1]] for each in signs)
    tied_less = [np.einsum("dp,dp->d", of_pairs, np.abs(each)) for each in (sx, sz)]
    sums = (weights, weights * x, weights * z, weights * x * x, weights * z * z, weights * x * z)
    return {
        PEARSON: _pearson(*(each.sum(axis=1) for each in sums)),
        SPEARMAN: ratio((weights * rx * rz).sum(axis=1), (weights * rx**2).sum(axis=1) * (weights * rz**2).sum(axis=1)),
        KENDALL: ratio(np.einsum("dp,dp,dp->d", of_pairs, sx, sz), tied_less[0] * tied_less[1]),
    }


def _pearson(n: Floats, x: Floats, z: Floats, xx: Floats, zz: Floats, xz: Floats) -> Floats:
    x_varies, z_varies = n * xx - x * x, n * zz - z * z
    varies = (x_varies > SMALL * n * n) & (z_varies > SMALL * n * n)
    return ratio(n * xz - x * z, np.where(varies, x_varies * z_varies, 0))


def _signs(values: Floats, there: np.ndarray) -> Floats:
    """float64 [systems, systems, items]: 1 where the first system's value is greater, -1 where it is less."""
    both = there[:, None, :] & there[None, :, :]
    signs: Floats = np.sign(values[:, None, :] - values[None, :, :]) * both
    return signs


def _mean_of_items(per_item: Floats, weights: Floats) -> Floats:
    """float64 [draws]: the weighted mean over items, without those of which the coefficient is not defined."""
    defined = ~np.isnan(per_item)
    total = (weights * defined).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, (weights * np.where(defined, per_item, 0)).sum(axis=1) / total, np.nan)
