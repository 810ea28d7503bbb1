"""How sure a figure is."""

from typing import Any

import numpy as np
import numpy.typing as npt

_SEED = 1
_RESAMPLES = 4999

# Of fewer values no interval is told. All n lie on one side of their median with a chance of 2^(1-n), so an interval
# within their range misses it at least as often: for 2, 3 and 4 values in 50%, 25% and 12.5% of samples.
_FEWEST = 5


def share_with_interval(n: int, of: int) -> dict[str, float | None]:
    """The `share` of `n` in `of` and its exact 95% interval `low`, `high` (Clopper and Pearson 1934).

    Shares from 0 to 1; None of nothing.
    """
    from scipy.stats import binomtest

    if not of:
        return {"share": None, "low": None, "high": None}
    interval = binomtest(n, of).proportion_ci(method="exact")
    return {"share": n / of, "low": float(interval.low), "high": float(interval.high)}


def mean_with_interval(values: npt.NDArray[Any]) -> dict[str, float | None]:
    """The `mean` of independent values and its 95% interval `low`, `high`, which never leaves their range.

    On a scale with ends Student's t gives intervals beyond them. This one is of the percentiles of bootstrap means,
    drawn with a fixed seed, so the same values give the same interval in whatever order. Plain percentiles are too
    narrow for few values; these are widened as Student's t widens the normal interval: the expanded percentile interval
    of Hesterberg 2015 (What Teachers Should Know About the Bootstrap, The American Statistician 69).

    Args:
        values: float [n], one or more.

    Returns:
        `low` and `high` are None for fewer than five values, and where all are alike: these do not tell how others
        would differ.
    """
    from scipy.stats import bootstrap, norm, t

    n, ordered = len(values), np.sort(values.astype(np.float64))
    mean = float(ordered.mean())
    if n < _FEWEST or ordered[0] == ordered[-1]:
        return {"mean": mean, "low": None, "high": None}
    beyond = norm.cdf(-np.sqrt(n / (n - 1)) * t.ppf(0.975, n - 1))
    interval = bootstrap(
        (ordered,),
        np.mean,
        n_resamples=_RESAMPLES,
        batch=max(1, 10**6 // n),
        confidence_level=1 - 2 * beyond,
        method="percentile",
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return {"mean": mean, "low": float(interval.low), "high": float(interval.high)}
