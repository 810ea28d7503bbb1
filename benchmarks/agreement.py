"""Correlations of scores with people's ratings, with bootstrap intervals."""

import time

import numpy as np
from scipy.stats import kendalltau, pearsonr, spearmanr

from benchmarks.table import Row
from denouement.metrics.agreement.levels import GLOBAL, correlations, resampled
from denouement.metrics.agreement.values import Grid

ITEMS, SCORES, DRAWS = 1000, 15, 10_000
LOOPED = 20
"""Draws of the plain loop, whose seconds are multiplied to those of all draws."""

SECONDS = 10


def measure() -> list[Row]:
    """Pearson's, Spearman's and Kendall's coefficients of all scores in every draw; the fastest of three."""
    grid = made_grid()
    taken, theirs = [], []
    for _ in range(3):
        start = time.perf_counter()
        correlations(GLOBAL, grid, resampled(1, ITEMS, DRAWS, np.random.default_rng(1)))
        taken.append(time.perf_counter() - start)
        start = time.perf_counter()
        plain(grid)
        theirs.append((time.perf_counter() - start) * DRAWS / LOOPED)
    ours, loop = min(taken), min(theirs)
    what = f"{DRAWS:,} bootstrap draws of {SCORES} scores of {ITEMS:,} endings"
    return [
        Row(what, f"a loop over SciPy ({LOOPED} draws of it)", ours, loop, "s", loop / ours, 10),
        Row(what, "what it may take", ours, SECONDS, "s", SECONDS / ours, 1),
    ]


def plain(grid: Grid) -> None:
    """The same by a loop over draws, scores and SciPy's functions, for a few draws."""
    generator = np.random.default_rng(1)
    for _ in range(LOOPED):
        drawn = generator.integers(0, ITEMS, ITEMS)
        for values in grid.values:
            for correlate in (pearsonr, spearmanr, kendalltau):
                correlate(values[0, drawn], grid.people[0, drawn])


def made_grid() -> Grid:
    """Scores that agree more and less with ratings, which are means of five people's."""
    generator = np.random.default_rng(1)
    quality = generator.normal(size=ITEMS)
    people = np.clip(np.round(3 + quality + generator.normal(size=(5, ITEMS))), 1, 5).mean(axis=0)
    noise = np.linspace(0.2, 5, SCORES)[:, None]
    scores = quality + noise * generator.normal(size=(SCORES, ITEMS))
    names = [f"score {place}" for place in range(SCORES)]
    items = [str(place) for place in range(ITEMS)]
    return Grid(items, [""], names, scores[:, None, :], people[None])
