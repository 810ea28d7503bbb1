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
            t, paired by case). Of several wrong endings of a case it is their mean that counts in all of these.
        t, p: of the two-sample test, in which each ending counts.
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


def compare(right: Values, wrong: Values, n_wrong: npt.NDArray[np.int64] | None = None) -> Contrast:
    """Compare a measure of right endings with that of the wrong endings of the same cases.

    The two-sample test is Student's, as published. It treats all endings as independent, which those of a case are not;
    the interval and the paired test allow for that.

    >>> found = compare(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    >>> found.difference, round(found.paired_t, 3)
    (2.0, 3.464)

    Args:
        right: float64 [n].
        wrong: float64, all of the first case, all of the second ...
        n_wrong: how many each case has; None: one.
    """
    from scipy import stats

    n = len(right)
    if not n:
        return Contrast(n)
    of_cases = wrong
    if n_wrong is not None:
        of_cases = np.add.reduceat(wrong, np.cumsum(n_wrong) - n_wrong) / n_wrong
    differences = (right - of_cases).round(_DIGITS)
    means = (float(right.mean()), float(of_cases.mean()), float(differences.mean()))
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
        each = [(of.mean(), of.std(ddof=1), len(of)) for of in (right, wrong)]
        test = stats.ttest_ind_from_stats(*each[0], *each[1])
        t, p, effect = float(test.statistic), float(test.pvalue), means[2] / deviation
        if low is not None and high is not None:
            effect_low, effect_high = low / deviation, high / deviation
    return Contrast(n, *means, low, high, t, p, paired_t, paired_p, effect, effect_low, effect_high)
