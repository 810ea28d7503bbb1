"""How wide the interval of a study will be, before anybody has answered: by answers that are drawn at random."""

from dataclasses import dataclass

import numpy as np

from denouement.study.planning.assumed import AssumedAnswers, assigned, drawn_answers
from denouement.study.planning.drawn_studies import drawn_studies

_DRAWS = 101
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

    People agree as in the published answers. The interval is that of `clustered.preference`, which the study's results
    have. The same numbers give the same interval.

    Args:
        share: how often people choose the first system, between 0 and 1.
        cases: how many there are.
        per_case: answers to each, of as many people.
        people: how many there are, `per_case` at least.
    """
    generator = np.random.default_rng(1)
    by = assigned(min(cases, max(2, _MOST_ANSWERS // per_case)), per_case, people, generator)
    found = drawn_studies(drawn_answers(AssumedAnswers(share), by, _DRAWS, generator), by)
    has_interval = found.width < 1
    if has_interval.sum() <= _DRAWS // 2:
        return ExpectedInterval(share, None, None)
    low, high = (float(np.median(ends[has_interval])) for ends in (found.low, found.high))
    return ExpectedInterval(share, low, high)
