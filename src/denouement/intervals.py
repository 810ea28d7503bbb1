"""Confidence intervals."""


def share_with_interval(n: int, of: int) -> dict[str, float | None]:
    """The `share` of `n` in `of` independent cases, and its exact 95% interval, `low` and `high`.

    Shares are from 0 to 1; all three are None if `of` is 0. Source: Clopper and Pearson 1934.
    """
    from scipy.stats import binomtest

    if not of:
        return {"share": None, "low": None, "high": None}
    interval = binomtest(n, of).proportion_ci(method="exact")
    return {"share": n / of, "low": float(interval.low), "high": float(interval.high)}
