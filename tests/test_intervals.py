"""Intervals, by hand and by other libraries."""

import pytest
from statsmodels.stats.proportion import proportion_confint

from denouement.intervals import share_with_interval


def test_an_interval_of_a_share_is_exact():
    # The high end is where none of 5 has a chance of 2.5%: (1 - p) ** 5 = 0.025.
    assert share_with_interval(0, 5) == {"share": 0, "low": 0, "high": pytest.approx(1 - 0.025 ** (1 / 5))}
    assert share_with_interval(5, 5) == {"share": 1, "low": pytest.approx(0.025 ** (1 / 5)), "high": 1}


@pytest.mark.parametrize(("n", "of"), [(1, 3), (7, 10), (179, 200)])
def test_an_interval_of_a_share_is_that_of_another_library(n, of):
    found = share_with_interval(n, of)
    assert found["share"] == n / of
    assert (found["low"], found["high"]) == pytest.approx(proportion_confint(n, of, method="beta"))


def test_nothing_has_no_share():
    assert share_with_interval(0, 0) == {"share": None, "low": None, "high": None}
