"""Pearson's, Spearman's and Kendall's coefficients of one sample under many weights at once.

A bootstrap draw of a sample is the sample itself with a whole number as the weight of each of its values: how often it
was drawn. So what does not depend on the weights, such as the order of the values, is worked out once for all draws. A
permutation that swaps some of two scores' values is such a draw too, of the two samples one behind the other with
weights 0 and 1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Weights = npt.NDArray[np.floating[Any]]

PEARSON, SPEARMAN, KENDALL = "pearson", "spearman", "kendall"
COEFFICIENTS = (PEARSON, SPEARMAN, KENDALL)

SMALL = 1e-12
"""Variances below this, of values whose own variance is 1, come from rounding."""

_CHUNK = 1 << 18  # weights that are worked on at once, so that they stay in the processor's cache
_LEAF = 128


def coefficients_of(name: str, scores: Floats, z: Floats) -> Callable[[Weights], Floats]:
    """A function of weights that returns a coefficient between each of several samples and one other sample.

    The first of two draws takes each of four values once, the second the first value twice and the third not at all:

    >>> tau = coefficients_of("kendall", np.array([[1.0, 2, 3, 4]]), np.array([1.0, 3, 2, 4]))
    >>> tau(np.array([[1.0, 2], [1, 1], [1, 0], [1, 1]])).round(4).tolist()
    [[0.6667, 1.0]]

    Args:
        name: one of `COEFFICIENTS`; Kendall's is tau-b.
        scores: float64 [scores, n], without NaN.
        z: float64 [n], without NaN.

    Returns:
        A function from weights [n, draws] of 0 or more to float64 [scores, draws]; NaN where the values that have a
        weight are all the same in the score or in z. Weights in float32 are worked on faster, with six digits.
    """
    kinds: dict[str, tuple[Any, Any]] = {
        PEARSON: (_Moments, _Pearson),
        SPEARMAN: (_Ranks, _Spearman),
        KENDALL: (_Squares, _Kendall),
    }
    of_z, of_score = kinds[name]
    shared = of_z(z)
    each = [of_score(x, shared) for x in scores]

    def under(weights: Weights) -> Floats:
        n, draws = weights.shape
        found = np.full((len(each), draws), np.nan)
        size = max(16, _CHUNK // max(1, n))
        for start in range(0, draws if n else 0, size):
            part = weights[:, start : start + size]
            common = shared.under(part)
            for row, correlate in zip(found, each, strict=True):
                row[start : start + size] = correlate(part, common)
        return found

    return under


def ratio(over: Floats, squared: Floats, least: Floats | float = 0.0) -> Floats:
    """`over` by the root of `squared`, from -1 to 1; NaN where `squared` is not above `least`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squared > least, np.clip(over / np.sqrt(squared), -1, 1), np.nan)


def standardised(values: Floats) -> Floats:
    """The values with mean 0 and variance 1, NaN left out; zeros where all are the same."""
    known = values[~np.isnan(values)]
    if not len(known) or np.ptp(known) == 0:
        return values * 0
    return np.asarray((values - known.mean()) / known.std())


class _Moments:
    """The weighted sums of z and of its squares."""

    def __init__(self, z: Floats) -> None:
        self.values = standardised(z)
        self._moments = np.stack([np.ones(len(z)), self.values, self.values**2])

    def under(self, weights: Weights) -> Floats:
        """float64 [3, draws]."""
        return np.asarray(self._moments @ weights)


class _Pearson:
    """Pearson's r from weighted sums."""

    def __init__(self, x: Floats, of_z: _Moments) -> None:
        x = standardised(x)
        self._moments = np.stack([x, x * x, x * of_z.values])

    def __call__(self, weights: Weights, of_z: Floats) -> Floats:
        n, z, zz = of_z
        x, xx, xz = self._moments @ weights
        x_varies, z_varies = n * xx - x * x, n * zz - z * z
        least = SMALL * n * n
        varies = (x_varies > least) & (z_varies > least)
        return ratio(n * xz - x * z, np.where(varies, x_varies * z_varies, 0))


class _Groups:
    """Equal values of a sample, from the least to the greatest: their sums of weights."""

    def __init__(self, values: Floats) -> None:
        _, self.of, sizes = np.unique(values, return_inverse=True, return_counts=True)
        self.is_tied = bool((sizes > 1).any())
        self._order = np.argsort(self.of, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def sums(self, weights: Weights) -> Weights:
        """[groups, draws], from the least value to the greatest."""
        in_order = weights[self._order]
        return np.add.reduceat(in_order, self._starts, axis=0) if self.is_tied else in_order

    def powers(self, weights: Weights, power: int) -> Floats:
        """float64 [draws]: the sum of the sums to a power, in which the order does not matter."""
        sums = self.sums(weights).astype(np.float64) if self.is_tied else weights
        return np.asarray(np.einsum(",".join(["gd"] * power) + "->d", *[sums] * power), np.float64)

    def ranks(self, weights: Weights) -> Weights:
        """[n, draws]: the rank of each value less the mean of the ranks; equal values share the middle of theirs."""
        sums = self.sums(weights)
        middle = np.cumsum(sums, axis=0)
        middle -= sums / 2
        middle -= weights.sum(axis=0) / 2
        return middle[self.of]


class _Ranks:
    """The weighted ranks of z."""

    def __init__(self, z: Floats) -> None:
        self._groups = _Groups(z)

    def under(self, weights: Weights) -> tuple[Weights, Floats, Floats]:
        """The ranks times the weights [n, draws]; twelve times the sum of their squares, and all cubed [draws]."""
        cubes = weights.sum(axis=0).astype(np.float64) ** 3
        return weights * self._groups.ranks(weights), cubes - self._groups.powers(weights, 3), cubes


class _Spearman:
    """Pearson's r of the ranks, which are other ones in each draw."""

    def __init__(self, x: Floats, _: _Ranks) -> None:
        self._groups = _Groups(x)

    def __call__(self, weights: Weights, of_z: tuple[Weights, Floats, Floats]) -> Floats:
        ranks, z_varies, cubes = of_z
        x_varies = cubes - self._groups.powers(weights, 3)
        together = np.einsum("nd,nd->d", ranks, self._groups.ranks(weights)).astype(np.float64)
        return ratio(12 * together, np.maximum(0, x_varies) * np.maximum(0, z_varies))


class _Squares:
    """The squares of the sums of weights of equal values of z, which say how many pairs are not tied."""

    def __init__(self, z: Floats) -> None:
        self.groups, self.values = _Groups(z), z

    def under(self, weights: Weights) -> tuple[Floats, Floats]:
        """The square of the sum of all weights, and the sum of the squares by value, float64 [draws]."""
        return weights.sum(axis=0).astype(np.float64) ** 2, self.groups.powers(weights, 2)


class _Kendall:
    """Kendall's tau-b, from the weight of the pairs that the two samples order in opposite ways.

    The values are put in the order of x, those of equal x in the order of z; a pair is then in opposite ways if the
    first one has the greater z (Knight 1966). These pairs are counted within blocks by a product of matrices, and
    between blocks by sums along the order of z, for stretches of values that are twice as long at each step.
    """

    def __init__(self, x: Floats, of_z: _Squares) -> None:
        z = of_z.groups.of
        self._x = _Groups(x)
        self._both = _Groups(self._x.of * (z.max(initial=0) + 1.0) + z)
        n = len(x)
        blocks = 1 << max(0, int(np.ceil(np.log2(max(1, n) / _LEAF))))
        self._leaf = max(1, -(-n // blocks))
        self._order = np.lexsort((z, x))
        codes = np.full(blocks * self._leaf, -1)  # what is behind the last value has no weight
        codes[:n] = z[self._order]
        self._padding = len(codes) - n
        of_block = codes.reshape(blocks, self._leaf)
        later = np.tri(self._leaf, k=-1, dtype=bool)  # [q, p]: p is before q
        self._opposite = (of_block[:, None, :] > of_block[:, :, None]) & later
        sizes = [self._leaf << step for step in range(blocks.bit_length() - 1)]
        self._steps = [_between(codes.reshape(-1, 2, size)) for size in sizes]

    def __call__(self, weights: Weights, of_z: tuple[Floats, Floats]) -> Floats:
        all_pairs, z = of_z
        x, both = self._x.powers(weights, 2), self._both.powers(weights, 2)
        agreeing = all_pairs - x - z + both - 4 * self._discordant(weights)
        return ratio(agreeing, np.maximum(0, all_pairs - x) * np.maximum(0, all_pairs - z))

    def _discordant(self, weights: Weights) -> Floats:
        draws = weights.shape[1]
        w = np.concatenate([weights[self._order], np.zeros((self._padding, draws), weights.dtype)])
        blocks = w.reshape(-1, self._leaf, draws)
        within = np.einsum("bqd,bqd->d", blocks, self._opposite.astype(w.dtype) @ blocks)
        found: Floats = within.astype(np.float64)
        for places, before in self._steps:
            halves = w.reshape(len(places), 2, -1, draws)
            for (left, right), place, n_before in zip(halves, places, before, strict=True):
                above = np.zeros((len(place) + 1, draws), w.dtype)
                np.cumsum(left[place], axis=0, out=above[1:])
                found += np.einsum("qd,qd->d", right, above[n_before])
        return found


def _between(codes: Places) -> tuple[Places, Places]:
    """For neighbouring stretches [stretches, 2, size] the order of the first z, and how many are above the second.

    Returns:
        [stretches, size]: the places in the first one from the greatest z to the least; and by place in the second, how
        many values of the first are greater.
    """
    first, second = codes[:, 0], codes[:, 1]
    places = np.argsort(-first, axis=1, kind="stable")
    above = [np.searchsorted(np.sort(-ours), -theirs, side="left") for ours, theirs in zip(first, second, strict=True)]
    return places, np.stack(above)
