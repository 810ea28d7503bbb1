"""How wide the interval of a study will be, before anybody has answered: by answers that are drawn at random."""

from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from denouement.study.results.clustered import preference
from denouement.study.results.crossed import Clusters, Floats, Numbers

# How alike answers are, on the scale of a normal variable above 0 where an answer is for the first system. With 0.55
# two people agree beyond chance (kappa) in 2 / pi * asin(0.55) = 0.37 about even pairs, as in the published answers.
_OF_CASE, _OF_PERSON = 0.55, 0.05

_DRAWS = 15
_MOST_ANSWERS = 3_000  # of more answers the interval is narrower than what is shown


@dataclass(frozen=True)
class ExpectedInterval:
    """The 95% interval of the share of the answers for one of two systems that is for the first.

    Attributes:
        share: how often people are assumed to choose the first.
        low, high: the middle one of the intervals of studies that were drawn; None where the most have none.
    """

    share: float
    low: float | None
    high: float | None


def expected_interval(share: float, cases: int, per_case: int, people: int) -> ExpectedInterval:
    """The interval to expect of a study of one pair in which each case gets `per_case` answers.

    Answers to one case, and those of one person, are drawn alike; people take turns. The interval is that of
    `clustered.preference`, which the study's results have. The same numbers give the same interval.

    Args:
        share: how often people choose the first system, between 0 and 1.
        cases: how many there are.
        per_case: answers to each, of as many people.
        people: how many there are, `per_case` at least.
    """
    from scipy.stats import norm

    cases = min(cases, max(2, _MOST_ANSWERS // per_case))
    case = np.repeat(np.arange(cases, dtype=np.int64), per_case)
    person = np.arange(len(case), dtype=np.int64) % people
    by = Clusters(case, person)
    middle = float(norm.ppf(share))
    rng = np.random.default_rng(1)
    drawn = [preference(_answers(middle, by, rng), by) for _ in range(_DRAWS)]
    ends = [(found.low, found.high) for found in drawn if found.low is not None and found.high is not None]
    if len(ends) <= _DRAWS // 2:
        return ExpectedInterval(share, None, None)
    return ExpectedInterval(share, median(low for low, _ in ends), median(high for _, high in ends))


def _answers(middle: float, by: Clusters, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """bool [answers]: whether each is for the first system."""
    assert by.annotators is not None
    noise = np.sqrt(1 - _OF_CASE - _OF_PERSON) * rng.standard_normal(len(by.cases))
    latent: Floats = middle + _effects(_OF_CASE, by.cases, rng) + _effects(_OF_PERSON, by.annotators, rng) + noise
    return latent > 0


def _effects(variance: float, cluster: Numbers, rng: np.random.Generator) -> Floats:
    """float64 [answers]: for each answer the effect of its case or person."""
    effects: Floats = np.sqrt(variance) * rng.standard_normal(int(cluster.max()) + 1)
    return effects[cluster]
