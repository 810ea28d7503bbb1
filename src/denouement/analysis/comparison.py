"""Right against wrong endings in one measure."""

from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

_DIGITS = 9  # of differences: what lies below is the noise of subtracting, and would pass for a tiny deviation


def compare(right: Values, wrong: Values) -> dict[str, Any]:
    """The means of a feature in right and wrong endings of the same cases, and how sure their difference is.

    The two-sample test is Student's, as published. It takes all endings for independent, which the two of a case are
    not; the interval and the paired test take account of that.

    Returns:
        `n` cases; means `right`, `wrong`; `difference` with its 95% interval `low`, `high` (Student's t, paired by
        case); `t`, `p` of the two-sample test; `paired_t`, `paired_p`; `effect`: Cohen's d, the difference in units of
        the pooled standard deviation, with its 95% interval `effect_low`, `effect_high`, of the paired interval in the
        same units. None where there are fewer than two cases or nothing varies.
    """
    from scipy import stats

    n = len(right)
    found: dict[str, Any] = {"n": n, "right": None, "wrong": None, "difference": None}
    found |= dict.fromkeys(
        ("low", "high", "t", "p", "paired_t", "paired_p", "effect", "effect_low", "effect_high"), None
    )
    if not n:
        return found
    differences = (right - wrong).round(_DIGITS)
    found |= {"right": float(right.mean()), "wrong": float(wrong.mean()), "difference": float(differences.mean())}
    if n < 2:
        return found
    if np.ptp(differences):
        paired = stats.ttest_1samp(differences, 0.0)
        interval = paired.confidence_interval(0.95)
        found |= {
            "low": float(interval.low),
            "high": float(interval.high),
            "paired_t": float(paired.statistic),
            "paired_p": float(paired.pvalue),
        }
    if np.ptp(right) or np.ptp(wrong):
        deviation = float(np.sqrt((right.var(ddof=1) + wrong.var(ddof=1)) / 2))
        test = stats.ttest_ind_from_stats(right.mean(), right.std(ddof=1), n, wrong.mean(), wrong.std(ddof=1), n)
        found |= {"t": float(test.statistic), "p": float(test.pvalue), "effect": found["difference"] / deviation}
        if found["low"] is not None:
            found |= {"effect_low": found["low"] / deviation, "effect_high": found["high"] / deviation}
    return found
