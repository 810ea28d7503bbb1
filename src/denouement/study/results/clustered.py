"""Means and shares of answers. Intervals allow for answers about one case, or of one annotator, going together."""

from math import fsum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.schemas import UNNAMED_ANNOTATOR
from denouement.study.results.crossed import Clusters, Estimate, Floats, Numbers, spread


def clusters(answers: pa.Table) -> Clusters:
    """Which rows of a table `votes`, `ratings` or `orders` are about the same case, and which of the same annotator.

    Ids are compared whatever the study: the same case, or the same id of an annotator, in two studies is one. Rows that
    name no annotator are taken for those of one person, which makes intervals too wide rather than too narrow; where no
    row names one, annotators are not known.
    """
    unnamed = pc.starts_with(answers["annotator_id"], UNNAMED_ANNOTATOR)
    annotators = pc.if_else(unnamed, UNNAMED_ANNOTATOR, answers["annotator_id"])
    known = answers.num_rows > (pc.sum(unnamed).as_py() or 0)
    return Clusters(_numbers(answers["case_id"]), _numbers(annotators) if known else None)


def mean_with_interval(
    values: npt.NDArray[Any],
    by: Clusters,
    ends: tuple[float, float],
    weights: Floats | None = None,
    fewest_cases: int = 2,
) -> dict[str, Any]:
    """The mean of annotators' answers about cases, and what other cases and other annotators would give.

    The variance is that of `crossed.spread`, and not below that of independent answers. The 95% interval is Student's
    on the scale `log((mean - least) / (most - mean))`, so it never leaves the `ends`.

    Args:
        values: [answers], one or more.
        by: whose each answer is, and about which case.
        ends: the least and the greatest possible value, `least < most` unless all values are alike.
        weights: float64 [answers], each answer's weight in the mean; equal ones by default.
        fewest_cases: of fewer there is no interval.

    Returns:
        `mean`; `low`, `high`; `over`: what they are taken over (`crossed.CASES` or `crossed.CASES_AND_ANNOTATORS`);
        `why_not`: a clause on why there is no interval, else None. Without an interval the other three are None.
    """
    mean, on_logits, why_not = _logit(values, by, ends, weights, fewest_cases)
    return {"mean": mean, **_interval(on_logits, ends), "why_not": why_not}


def share_of_answers(is_one: npt.NDArray[np.bool_], by: Clusters) -> dict[str, Any]:
    """How many answers are ones: `n`, their `share`, and the rest as of `mean_with_interval`."""
    found = mean_with_interval(is_one, by, (0, 1))
    return {"n": int(is_one.sum()), "share": found.pop("mean"), **found}


def preference(is_first: npt.NDArray[np.bool_], by: Clusters) -> dict[str, Any]:
    """Is one of two options preferred: the share of the answers that is for the first, and a test that it is a half.

    Args:
        is_first: bool [answers]: whether each is for the first; else it is for the second.
        by: whose each answer is, and about which case.

    Returns:
        `n` answers for the first, `of` how many; their `share`, with `low`, `high`, `over` and `why_not` as of
        `mean_with_interval`; `p` of the two-sided test by Student's t on the same scale, below 0.05 where the interval
        does not hold a half. None where there is no interval; without an answer also the `share`.
    """
    from scipy.stats import t

    share: float | None
    if len(is_first):
        share, on_logits, why_not = _logit(is_first, by, (0, 1), None, 2)
    else:
        share, on_logits, why_not = None, None, "there are no such answers"
    p = on_logits and float(2 * t.sf(abs(on_logits.middle) / on_logits.error, on_logits.degrees))
    n = int(is_first.sum())
    return {"n": n, "of": len(is_first), "share": share, **_interval(on_logits, (0, 1)), "p": p, "why_not": why_not}


class _OnLogits(NamedTuple):
    """A mean on the scale `log((mean - least) / (most - mean))`, with its standard error."""

    middle: float
    error: float
    degrees: float
    over: str


def _interval(on_logits: _OnLogits | None, ends: tuple[float, float]) -> dict[str, Any]:
    if on_logits is None:
        return {"low": None, "high": None, "over": None}
    from scipy.special import expit
    from scipy.stats import t

    half_width = t.ppf(0.975, on_logits.degrees) * on_logits.error
    low, high = (ends[0] + (ends[1] - ends[0]) * expit(on_logits.middle + side * half_width) for side in (-1, 1))
    return {"low": float(low), "high": float(high), "over": on_logits.over}


def _logit(
    values: npt.NDArray[Any],
    by: Clusters,
    ends: tuple[float, float],
    weights: Floats | None,
    fewest_cases: int,
) -> tuple[float, _OnLogits | None, str | None]:
    """The mean, the same on the scale of intervals, or why it cannot be told there."""
    from scipy.special import logit

    given = np.asarray(values, dtype=np.float64)
    weights = np.ones(len(given)) if weights is None else weights
    total = fsum(weights)  # exact, so that the order of answers does not matter
    mean = fsum(weights * given) / total
    n_cases = len(np.unique(by.cases))
    if n_cases < fewest_cases:
        return (
            mean,
            None,
            f"the answers are about {n_cases} case{'s' if n_cases > 1 else ''}, fewer than {fewest_cases}",
        )
    if given.min() == given.max():
        return mean, None, "all answers are the same"
    scores = weights * (given - mean)
    one = np.ones((1, 1))
    varied = spread(Estimate(scores[:, None], np.zeros(len(given), np.int64), weights, one[None], one, by))
    assert varied.over is not None  # there are several cases
    variance = max(float(varied.variances[0]), fsum(scores**2) / total**2)
    place = (mean - ends[0]) / (ends[1] - ends[0])
    error = np.sqrt(variance) / (ends[1] - ends[0]) / (place * (1 - place))
    return mean, _OnLogits(float(logit(place)), float(error), float(varied.degrees[0]), varied.over), None


def _numbers(column: pa.ChunkedArray) -> Numbers:
    """int64 [rows]: each text's place among all in alphabetical order, whatever the order of rows."""
    return np.unique(np.array(column.to_pylist(), dtype=str), return_inverse=True)[1].astype(np.int64)
