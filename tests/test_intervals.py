"""Intervals, by hand and by other libraries."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.proportion import proportion_confint

from denouement.intervals import mean_with_interval, share_with_interval


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


def test_an_interval_of_a_mean_stays_on_the_scale():
    values = np.array([5.0] * 9 + [4.0])
    assert ttest_1samp(values, 0).confidence_interval().high > 5
    found = mean_with_interval(values)
    assert found["mean"] == 4.9
    assert 4 <= found["low"] < 4.9 < found["high"] <= 5


def test_an_interval_of_many_values_without_ends_is_student_s():
    values = np.random.default_rng(3).normal(2, 1, 400)
    interval = ttest_1samp(values, 0).confidence_interval()
    found = mean_with_interval(values)
    assert (found["low"], found["high"]) == pytest.approx((interval.low, interval.high), abs=0.01)
    assert mean_with_interval(values[::-1]) == found


def test_an_interval_holds_the_mean_in_nearly_95_of_100_samples():
    drawn = np.random.default_rng(5)
    found = [mean_with_interval(drawn.choice([1.0, 2.0, 3.0, 4.0, 5.0], 10)) for _ in range(200)]
    assert sum(each["low"] is not None and each["low"] <= 3 <= each["high"] for each in found) >= 180


@pytest.mark.parametrize("values", [[2.0], [1.0, 3.0], [0.0, 2.0, 4.0], [1.0, 1.0, 3.0, 3.0], [2.0] * 9])
def test_few_values_and_those_that_do_not_vary_have_no_interval(values):
    assert mean_with_interval(np.array(values)) == {"mean": 2, "low": None, "high": None}


def test_five_values_have_an_interval():
    found = mean_with_interval(np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert 0 <= found["low"] < 1 < 3 < found["high"] <= 4
