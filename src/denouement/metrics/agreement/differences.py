"""Whether one score agrees better with people than another: permutations of both, and Williams' test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from denouement.metrics.agreement.levels import FEWEST, GLOBAL, ITEM, all_once, correlations
from denouement.metrics.agreement.values import Grid
from denouement.metrics.agreement.weighted import PEARSON, SMALL, SPEARMAN, Floats, coefficients_of, ratio, standardised
from denouement.multiple_tests import benjamini_hochberg


@dataclass(frozen=True)
class Difference:
    """How two scores' correlations with people differ, over the endings that have both scores.

    Attributes:
        level, coefficient: of the correlations.
        first, second: the scores.
        of_first, of_second: their correlations; None where one is not defined.
        p: of the two-sided test that swaps the two scores of random endings (`Perm-Both`); None without permutations.
        p_corrected: the same, corrected for all pairs at this level by Benjamini and Hochberg's method.
        williams: p-value of Williams' two-sided test of the sizes of the two correlations, whatever their signs.
        williams_corrected: the same, corrected likewise.
        why_not: why there is no test, as a clause; None where there is one.
    """

    level: str
    coefficient: str
    first: str
    second: str
    of_first: float | None
    of_second: float | None
    p: float | None
    p_corrected: float | None
    williams: float | None
    williams_corrected: float | None
    why_not: str | None


def differences(
    level: str, coefficient: str, grid: Grid, permutations: int, generator: np.random.Generator
) -> list[Difference]:
    """A row for every two scores, tests corrected for their number.

    Args:
        level: one of `levels.LEVELS`.
        coefficient: one of `weighted.COEFFICIENTS`.
        grid: scores and ratings.
        permutations: how many are drawn for each pair; 0 for Williams' test alone.
        generator: draws them.
    """
    rows = [
        _difference(level, coefficient, grid, pair, permutations, generator)
        for pair in combinations(range(len(grid.scores)), 2)
    ]
    p = _corrected([row.p for row in rows])
    williams = _corrected([row.williams for row in rows])
    return [
        replace(row, p_corrected=of_p, williams_corrected=of_williams)
        for row, of_p, of_williams in zip(rows, p, williams, strict=True)
    ]


def williams_test(r12: float, r13: float, r23: float, n: int) -> float:
    """Two-sided p-value of Williams' test (1959) of two correlations that share a variable.

    The example in the documentation of `r.test` of the R package *psych*:

    >>> round(williams_test(0.4, 0.5, 0.1, 103), 2)
    0.37

    Args:
        r12, r13: the correlations of the first variable with the two others; their signs are not looked at.
        r23: the correlation of the two others.
        n: how many values each variable has, 4 or more.
    """
    from scipy.stats import t

    r12, r13, r23 = abs(r12), abs(r13), abs(r23)
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    middle = (r12 + r13) / 2
    variance = 2 * (n - 1) / (n - 3) * max(0.0, determinant) + middle**2 * (1 - r23) ** 3
    if r12 == r13:
        return 1.0
    if variance <= 0:
        return 0.0
    return float(2 * t.sf(abs(r12 - r13) * np.sqrt((n - 1) * (1 + r23) / variance), n - 3))


def _corrected(p: Sequence[float | None]) -> list[float | None]:
    known = [value for value in p if value is not None]
    corrected = iter(benjamini_hochberg(known))
    return [None if value is None else next(corrected) for value in p]


def _difference(
    level: str, coefficient: str, grid: Grid, pair: tuple[int, int], permutations: int, generator: np.random.Generator
) -> Difference:
    both = ~np.isnan(grid.values[list(pair)]).any(axis=0) & ~np.isnan(grid.people)
    x, y = (standardised(np.where(both, grid.values[place], np.nan)) for place in pair)
    z = np.where(both, grid.people, np.nan)
    alone = replace(grid, scores=[grid.scores[place] for place in pair], values=np.stack([x, y]), people=z)
    observed = correlations(level, alone, all_once(alone))[coefficient][:, 0]
    row = Difference(
        level=level,
        coefficient=coefficient,
        first=alone.scores[0],
        second=alone.scores[1],
        of_first=_known(observed[0]),
        of_second=_known(observed[1]),
        p=None,
        p_corrected=None,
        williams=None,
        williams_corrected=None,
        why_not="a correlation is not defined" if np.isnan(observed).any() else None,
    )
    if row.why_not:
        return row
    p = None
    if permutations:
        drawn = _permuted(level, coefficient, x, y, z, both, permutations, generator)
        defined = drawn[~np.isnan(drawn)]
        p = (1 + int((np.abs(defined) >= abs(observed[0] - observed[1]) - 1e-12).sum())) / (1 + len(defined))
    between = replace(alone, scores=[alone.scores[0]], values=x[None], people=np.round(y, 12))
    r23 = correlations(level, between, all_once(between))[coefficient][0, 0]
    n = int(both.sum()) if level == GLOBAL else int(both.sum(axis=0).max()) if level == ITEM else _n_systems(both)
    williams = (
        None if n <= FEWEST or np.isnan(r23) else williams_test(float(observed[0]), float(observed[1]), float(r23), n)
    )
    return replace(row, p=p, williams=williams)


def _n_systems(both: np.ndarray) -> int:
    return int(both.any(axis=1).sum())


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _permuted(
    level: str,
    coefficient: str,
    x: Floats,
    y: Floats,
    z: Floats,
    both: np.ndarray,
    permutations: int,
    generator: np.random.Generator,
) -> Floats:
    """float64 [permutations]: the differences after swapping the two scores of each ending with a chance of a half."""
    found = np.empty(permutations)
    size = max(1, (1 << 20) // both.size)
    for start in range(0, permutations, size):
        swapped = generator.random((min(size, permutations - start), *both.shape)) < 0.5
        first, second = (_correlated(level, coefficient, x, y, z, both, swap) for swap in (swapped, ~swapped))
        found[start : start + len(swapped)] = first - second
    return found


def _correlated(
    level: str, coefficient: str, x: Floats, y: Floats, z: Floats, both: np.ndarray, swapped: np.ndarray
) -> Floats:
    """float64 [permutations]: the correlations of the score that is y where `swapped`, else x.

    Args:
        level, coefficient: of the correlation.
        x, y, z: float64 [systems, items].
        both: bool [systems, items]: where there are all three.
        swapped: bool [permutations, systems, items].
    """
    if level == GLOBAL:
        weights = swapped[:, both].T.astype(np.float32)
        values = np.concatenate([x[both], y[both]])[None]
        under = coefficients_of(coefficient, values, np.tile(z[both], 2))
        [found] = under(np.concatenate([1 - weights, weights]))
        return np.asarray(found)
    mixed = np.where(swapped, np.where(both, y, 0), np.where(both, x, 0))
    zeros = np.where(both, z, 0)
    if level == ITEM:
        per_item = [
            _over(coefficient, mixed[:, there, item], zeros[there, item])
            for item, there in enumerate(both.T)
            if there.sum() >= FEWEST
        ]
        each = np.stack(per_item)
        defined = ~np.isnan(each)
        return ratio(np.where(defined, each, 0).sum(axis=0), defined.sum(axis=0) ** 2.0)
    n = both.sum(axis=1)
    means = [np.round(each.sum(axis=-1) / np.maximum(n, 1), 12) for each in (mixed, zeros)]
    return _over(coefficient, means[0][:, n > 0], means[1][n > 0])


def _over(coefficient: str, x: Floats, z: Floats) -> Floats:
    """float64 [permutations]: of x [permutations, systems] and z [systems], each system once."""
    if coefficient == PEARSON:
        deviations, of_z = x - x.mean(axis=1, keepdims=True), z - z.mean()
        x_varies, z_varies = (deviations**2).mean(axis=1), (of_z**2).mean()
        return ratio(
            deviations @ of_z / len(z), np.where((x_varies > SMALL) & (z_varies > SMALL), x_varies * z_varies, 0)
        )
    if coefficient == SPEARMAN:
        of_x, ranks = (np.sign(each[..., :, None] - each[..., None, :]).sum(axis=-1) for each in (x, z))
        return ratio(of_x @ ranks, (of_x**2).sum(axis=1) * (ranks**2).sum())
    first, second = np.triu_indices(len(z), 1)
    signs, of_z = np.sign(x[:, first] - x[:, second]), np.sign(z[first] - z[second])
    return ratio(signs @ of_z, np.abs(signs).sum(axis=1) * np.abs(of_z).sum())
