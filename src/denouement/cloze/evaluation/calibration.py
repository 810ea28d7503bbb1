"""Temperature scaling, which turns scores into probabilities, and how reliable these are."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from denouement.intervals import share_with_interval

BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The edges of the bins of `reliability`. With two endings the likelier one is in the upper five."""


def slope(margins: npt.NDArray[np.float64]) -> float:
    """By how much to multiply the difference of two scores to make it the log-odds of the first ending being right.

    Temperature scaling (Guo et al. 2017, *On Calibration of Modern Neural Networks*, section 4.2; the slope is one over
    the temperature): it maximises the likelihood of held-out cases. There is no intercept, since the order of two
    endings has no meaning. The targets are those of Platt 1999 (*Probabilistic Outputs for Support Vector Machines*,
    section 2.2), so that a model that is right in every case does not become infinitely sure.

    Args:
        margins: float64 [n], n at least 1: the score of the right ending less that of a wrong one, of cases that the
            scores were not fitted to; of a case with several wrong endings, each of them.

    Returns:
        0 where the model is no better than chance on these cases: then its scores say nothing.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    if not margins.mean() > 0:
        return 0.0
    unit = float(np.abs(margins).mean())  # so that the search does not depend on the scale of the scores
    ratios = margins / unit
    target = (len(margins) + 1) / (len(margins) + 2)

    def rise(times: float) -> float:
        """The derivative of the mean log-likelihood: above 0 at 0, and falling."""
        return float(((target - expit(times * ratios)) * ratios).mean())

    most = 1.0
    while rise(most) > 0:
        most *= 2
    return float(brentq(rise, 0, most)) / unit


@dataclass(frozen=True)
class ReliabilityBin:
    """The cases whose likeliest ending has a probability within two edges of `BINS`.

    Attributes:
        from_, to: the edges; written as `from` and `to`.
        n: cases.
        predicted: the mean probability of the likeliest endings.
        observed: the share of these endings that are right.
        low, high: the exact 95% interval of `observed`.
    """

    __pydantic_config__: ClassVar = {"alias_generator": lambda name: name.removesuffix("_")}

    from_: float
    to: float
    n: int
    predicted: float
    observed: float
    low: float
    high: float


@dataclass(frozen=True)
class Reliability:
    """Whether endings are right as often as their probabilities say.

    Attributes:
        bins: those that have a case.
        error: the expected calibration error, the mean over cases of the distance between `predicted` and `observed`
            (Naeini et al. 2015); None without cases.
        brier: the mean squared difference between the probability of the right ending and 1, which is 0.25 where every
            probability is a half (Brier 1950); None without cases.
    """

    bins: Sequence[ReliabilityBin]
    error: float | None
    brier: float | None


def probabilities(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The probability that each ending is right, where differences of scores are log-odds.

    Args:
        scores: float64 [n, k]; minus infinity where a case has no ending, which gets 0.

    Returns:
        float64 [n, k]; each row sums to 1.
    """
    from scipy.special import expit

    others = (np.delete(scores, place, axis=1) for place in range(scores.shape[1]))
    log_sums = np.column_stack([np.logaddexp.reduce(each, axis=1) for each in others])
    found: npt.NDArray[np.float64] = expit(scores - log_sums)
    return found


def reliability(given: npt.NDArray[np.float64], right: npt.NDArray[np.int8]) -> Reliability:
    """Whether endings are right as often as their probabilities say.

    Of each case the likeliest ending counts. Of several it is the first, as in `base.choices`.

    Args:
        given: float64 [n, k], the probability that each ending of each case is right.
        right: int8 [n], from 1 to k, the one that is.
    """
    likelier = given.max(axis=1)
    is_right = given.argmax(axis=1) + 1 == right
    bin_of = np.digitize(likelier, BINS[1:-1])
    bins = []
    for number, (start, end) in enumerate(pairwise(BINS)):
        in_bin = bin_of == number
        if n := int(in_bin.sum()):
            share, low, high = share_with_interval(int(is_right[in_bin].sum()), n).values()
            assert share is not None
            assert low is not None
            assert high is not None
            bins.append(ReliabilityBin(start, end, n, float(likelier[in_bin].mean()), share, low, high))
    if not len(given):
        return Reliability(bins, None, None)
    error = sum(row.n * abs(row.predicted - row.observed) for row in bins) / len(given)
    of_right = np.take_along_axis(given, right[:, None].astype(np.int64) - 1, axis=1)
    return Reliability(bins, error, float(((1 - of_right) ** 2).mean()))
