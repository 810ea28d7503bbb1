"""Right against wrong endings in one measure."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

_DIGITS = 9  # of differences: later ones are rounding errors, which would make equal differences vary


@dataclass(frozen=True)
class Contrast:
    """The means of a measure in right and wrong endings of the same cases, and how sure their difference is.

    What cannot be computed is None: without a case, for fewer than two, and where nothing varies.

    Attributes:
        n: cases.
        right, wrong: means; difference: of the first less the second, with its 95% interval `low`, `high` (Student's
            t, paired by case).
        t, p: of the two-sample test.
        paired_t, paired_p: of the test paired by case.
        effect: Cohen's d, the difference in units of the pooled standard deviation, with its 95% interval
            `effect_low`, `effect_high`: the paired interval in the same units.
    """

    n: int
    right: float | None = None
    wrong: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    t: float | None = None
    p: float | None = None
    paired_t: float | None = None
    paired_p: float | None = None
    effect: float | None = None
    effect_low: float | None = None
    effect_high: float | None = None


def compare(right: Values, wrong: Values) -> Contrast:
    """Compare a measure of right endings, float64 [n], with that of the wrong endings of the same cases.

    The two-sample test is Student's, as published. It treats all endings as independent, which the two of a case are
    not; the interval and the paired test allow for that.

    >>> found = compare(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    >>> found.difference, round(found.paired_t, 3)
    (2.0, 3.464)
    """
    from scipy import stats

    n = len(right)
    if not n:
        return Contrast(n)
    differences = (right - wrong).round(_DIGITS)
    means = (float(right.mean()), float(wrong.mean()), float(differences.mean()))
    if n < 2:
        return Contrast(n, *means)
    low = high = paired_t = paired_p = t = p = effect = effect_low = effect_high = None
    if np.ptp(differences):
        paired = stats.ttest_1samp(differences, 0.0)
        interval = paired.confidence_interval(0.95)
        low, high = float(interval.low), float(interval.high)
        paired_t, paired_p = float(paired.statistic), float(paired.pvalue)
    if np.ptp(right) or np.ptp(wrong):
        deviation = float(np.sqrt((right.var(ddof=1) + wrong.var(ddof=1)) / 2))
        test = stats.ttest_ind_from_stats(right.mean(), right.std(ddof=1), n, wrong.mean(), wrong.std(ddof=1), n)
        t, p, effect = float(test.statistic), float(test.pvalue), means[2] / deviation
        if low is not None and high is not None:
            effect_low, effect_high = low / deviation, high / deviation
    return Contrast(n, *means, low, high, t, p, paired_t, paired_p, effect, effect_low, effect_high)
