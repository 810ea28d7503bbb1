"""How sure a figure is."""


def share_with_interval(n: int, of: int) -> dict[str, float | None]:
    """The `share` of `n` in `of` independent ones, and its exact 95% interval `low`, `high` (Clopper and Pearson 1934).

    Shares from 0 to 1; None of nothing.
    """
    from scipy.stats import binomtest

    if not of:
        return {"share": None, "low": None, "high": None}
    interval = binomtest(n, of).proportion_ci(method="exact")
    return {"share": n / of, "low": float(interval.low), "high": float(interval.high)}
