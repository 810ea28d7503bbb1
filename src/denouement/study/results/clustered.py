"""Means and shares of answers, with intervals that allow for similar answers about one case and of one annotator."""

from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.schemas import UNNAMED_ANNOTATOR
from denouement.study.results.crossed import ClusteredEstimate, Clusters, Floats, Numbers, variation


@dataclass(frozen=True)
class MeanOfAnswers:
    """The mean of answers, with its 95% interval.

    Attributes:
        mean: on the scale of the answers.
        low, high: the ends of the interval; None where there is none.
        over: what would differ in another study, `crossed.CASES` or `crossed.CASES_AND_ANNOTATORS`; None without an
            interval.
        why_not: why there is no interval, as a clause; None where there is one.
    """

    mean: float
    low: float | None
    high: float | None
    over: str | None
    why_not: str | None


@dataclass(frozen=True)
class ShareOfAnswers:
    """How many answers are of one kind.

    Attributes:
        n: how many.
        share: of all answers, from 0 to 1.
        low, high, over, why_not: its 95% interval, as of `MeanOfAnswers`.
    """

    n: int
    share: float
    low: float | None
    high: float | None
    over: str | None
    why_not: str | None


@dataclass(frozen=True)
class Preference:
    """How many of the answers for one of two options are for the first, with a test of whether it is half.

    Attributes:
        n: answers for the first.
        of: answers for either.
        share: `n / of`; None where `of` is 0.
        low, high, over, why_not: its 95% interval, as of `MeanOfAnswers`.
        p: p-value of the two-sided test by Student's t on the interval's scale, below 0.05 where the interval does not
            include a half; None without an interval.
        p_holm: the same, corrected for the number of pairs that are tested (Holm 1979); None without correction.
    """

    n: int
    of: int
    share: float | None
    low: float | None
    high: float | None
    over: str | None
    p: float | None
    why_not: str | None
    p_holm: float | None = None


def clusters(answers: pa.Table) -> Clusters:
    """The case and the annotator of each row of a table `votes`, `ratings` or `orders`, as numbers.

    A case, or an annotator's id, that is in two studies is one. Rows without an annotator count as those of one person,
    which makes intervals too wide rather than too narrow; where no row has one, `annotators` is None.
    """
    unnamed = pc.starts_with(answers["annotator_id"], UNNAMED_ANNOTATOR)
    annotators = pc.if_else(unnamed, UNNAMED_ANNOTATOR, answers["annotator_id"])
    known = answers.num_rows > (pc.sum(unnamed).as_py() or 0)
    return Clusters(_numbers(answers["case_id"]), _numbers(annotators) if known else None)


def item_numbers(rows: pa.Table) -> npt.NDArray[np.int64]:
    """int64 [rows]: the number of each row's item."""
    keys = pc.binary_join_element_wise(rows["study"], rows["item_id"], "\x1f").combine_chunks().dictionary_encode()
    return np.asarray(keys.indices, dtype=np.int64)


def mean_of_items(
    rows: pa.Table, values: npt.NDArray[Any], ends: tuple[float, float], fewest_cases: int = 2
) -> tuple[int, MeanOfAnswers]:
    """The number of items, and the mean of their means with its interval (`mean_with_interval`).

    Args:
        rows: of a table of answers.
        values: [rows].
        ends, fewest_cases: as of `mean_with_interval`.
    """
    item = item_numbers(rows)
    of_item = np.bincount(item)
    return len(of_item), mean_with_interval(values, clusters(rows), ends, 1 / of_item[item], fewest_cases)


def mean_with_interval(
    values: npt.NDArray[Any],
    by: Clusters,
    ends: tuple[float, float],
    weights: Floats | None = None,
    fewest_cases: int = 2,
) -> MeanOfAnswers:
    """The mean of annotators' answers about cases, with an interval for other cases and other annotators.

    The variance is that of `crossed.variation`, but at least that of independent answers. The 95% interval is
    Student's on the scale `log((mean - least) / (most - mean))`, so it never leaves the `ends`.

    Args:
        values: [answers], one or more.
        by: the case and the annotator of each answer.
        ends: the least and the greatest possible value, `least < most` unless all values are alike.
        weights: float64 [answers], each answer's weight in the mean; equal ones by default.
        fewest_cases: with fewer there is no interval.
    """
    mean, placed, why_not = _logit(values, by, ends, weights, fewest_cases)
    return MeanOfAnswers(mean, *_interval(placed, ends), why_not)


def share_of_answers(is_one: npt.NDArray[np.bool_], by: Clusters) -> ShareOfAnswers:
    """How many of the answers are of one kind.

    Args:
        is_one: bool [answers], one or more: whether each is of that kind.
        by: the case and the annotator of each answer.
    """
    found = mean_with_interval(is_one, by, (0, 1))
    return ShareOfAnswers(int(is_one.sum()), found.mean, found.low, found.high, found.over, found.why_not)


def preference(is_first: npt.NDArray[np.bool_], by: Clusters) -> Preference:
    """The share of the answers for one of two options that is for the first, tested against a half.

    Three people choose between two endings of four stories:

    >>> is_first = np.array([True, True, False, True, True, True, True, False, False, True, True, True])
    >>> by = Clusters(cases=np.repeat(np.arange(4), 3), annotators=np.tile(np.arange(3), 4))
    >>> found = preference(is_first, by)
    >>> found.n, found.of, found.share, found.over
    (9, 12, 0.75, 'cases and annotators')
    >>> round(found.low, 2), round(found.high, 2), round(found.p, 2)
    (0.04, 1.0, 0.38)

    Args:
        is_first: bool [answers]: whether each is for the first; else it is for the second.
        by: the case and the annotator of each answer.
    """
    from scipy.stats import t

    n, of = int(is_first.sum()), len(is_first)
    if not of:
        return Preference(n, of, None, None, None, None, None, "there are no such answers")
    share, placed, why_not = _logit(is_first, by, (0, 1), None, 2)
    p = placed and float(2 * t.sf(abs(placed.middle) / placed.error, placed.degrees))
    return Preference(n, of, share, *_interval(placed, (0, 1)), p, why_not)


class OnLogits(NamedTuple):
    """A mean on the scale `log((mean - least) / (most - mean))`, with its standard error."""

    middle: float
    error: float
    degrees: float
    over: str

    def interval(self, ends: tuple[float, float]) -> tuple[float, float, str]:
        """The low and the high end of the 95% interval on the mean's own scale, and what it is over."""
        from scipy.special import expit
        from scipy.stats import t

        half_width = t.ppf(0.975, self.degrees) * self.error
        low, high = (ends[0] + (ends[1] - ends[0]) * expit(self.middle + side * half_width) for side in (-1, 1))
        return float(low), float(high), self.over


def _interval(placed: OnLogits | None, ends: tuple[float, float]) -> tuple[float | None, float | None, str | None]:
    return placed.interval(ends) if placed else (None, None, None)


def on_logits(mean: float, variance: float, degrees: float, over: str, ends: tuple[float, float]) -> OnLogits:
    """A mean between the ends of its scale, which it does not reach, on the scale of logits."""
    from scipy.special import logit

    place = (mean - ends[0]) / (ends[1] - ends[0])
    error = np.sqrt(variance) / (ends[1] - ends[0]) / (place * (1 - place))
    return OnLogits(float(logit(place)), float(error), degrees, over)


def _logit(
    values: npt.NDArray[Any],
    by: Clusters,
    ends: tuple[float, float],
    weights: Floats | None,
    fewest_cases: int,
) -> tuple[float, OnLogits | None, str | None]:
    """The mean; the mean on the scale of intervals, or None; why there is no interval, or None."""
    given = np.asarray(values, dtype=np.float64)
    weights = np.ones(len(given)) if weights is None else weights
    total = fsum(weights)  # exact, so that the order of answers does not matter
    mean = fsum(weights * given) / total
    n_cases = len(np.unique(by.cases))
    if n_cases < fewest_cases:
        why_not = f"the answers are about {n_cases} case{'s' if n_cases > 1 else ''}, fewer than {fewest_cases}"
        return mean, None, why_not
    if given.min() == given.max():
        return mean, None, "all answers are the same"
    scores = weights * (given - mean)
    one = np.ones((1, 1))
    varied = variation(ClusteredEstimate(scores[:, None], np.zeros(len(given), np.int64), weights, one[None], one, by))
    assert varied.over is not None  # there are several cases
    variance = max(float(varied.variances[0]), fsum(scores**2) / total**2)
    return mean, on_logits(mean, variance, float(varied.degrees[0]), varied.over, ends), None


def _numbers(column: pa.ChunkedArray) -> Numbers:
    """int64 [rows]: the place of each text among all distinct texts in alphabetical order."""
    return np.unique(np.array(column.to_pylist(), dtype=str), return_inverse=True)[1].astype(np.int64)
