"""Means and shares of answers, and their intervals: by hand and by other libraries."""

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import t, ttest_1samp

from denouement.study.results.clustered import MeanOfAnswers, mean_with_interval, preference
from denouement.study.results.crossed import CASES, CASES_AND_ANNOTATORS, Clusters


def apart(n: int) -> Clusters:
    """Each answer is about a case of its own; nobody knows whose it is."""
    return Clusters(np.arange(n), None)


def everyone(n_cases: int, n_annotators: int) -> Clusters:
    return Clusters(np.repeat(np.arange(n_cases), n_annotators), np.tile(np.arange(n_annotators), n_cases))


def test_an_interval_of_a_mean_stays_on_the_scale():
    values = np.array([5.0] * 9 + [4.0])
    assert ttest_1samp(values, 0).confidence_interval().high > 5
    found = mean_with_interval(values, apart(10), (1, 5))
    assert found.mean == 4.9
    assert 4 < found.low < 4.9 < found.high < 5
    assert (found.over, found.why_not) == (CASES, None)


def test_an_interval_far_from_the_ends_is_student_s():
    values = np.random.default_rng(3).normal(2, 1, 400)
    interval = ttest_1samp(values, 0).confidence_interval()
    found = mean_with_interval(values, apart(400), (-100, 104))
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-4)
    assert mean_with_interval(values[::-1], Clusters(np.arange(400)[::-1], None), (-100, 104)) == found


def test_an_interval_of_a_share_of_independent_answers_is_student_s_on_logits():
    # The logarithm of the odds of 30 to 10 has the standard error sqrt(1/30 + 1/10), of 40 clusters 40/39 as large.
    half = t.ppf(0.975, 39) * np.sqrt((1 / 30 + 1 / 10) * 40 / 39)
    found = preference(np.arange(40) < 30, apart(40))
    assert (found.n, found.of, found.share) == (30, 40, 0.75)
    assert (logit(found.low), logit(found.high)) == pytest.approx((np.log(3) - half, np.log(3) + half))
    assert found.p == pytest.approx(2 * t.sf(np.log(3) / np.sqrt((1 / 30 + 1 / 10) * 40 / 39), 39))


def test_annotators_who_differ_make_it_wider_than_their_cases_do():
    clusters = everyone(50, 4)
    is_first = np.random.default_rng(1).random(200) < np.array([0.95, 0.8, 0.7, 0.3])[clusters.annotators]
    both = preference(is_first, clusters)
    cases = preference(is_first, Clusters(clusters.cases, None))
    assert (both.over, cases.over) == (CASES_AND_ANNOTATORS, CASES)
    assert both.high - both.low > 3 * (cases.high - cases.low)
    assert cases.p < 0.05 < both.p


@pytest.mark.parametrize("seed", range(20))
def test_p_is_small_where_the_interval_does_not_hold_a_half(seed):
    generator = np.random.default_rng(seed)
    clusters = everyone(20, 4)
    found = preference(generator.random(80) < generator.uniform(0.4, 0.8, 4)[clusters.annotators], clusters)
    assert (found.p < 0.05) == (not found.low <= 0.5 <= found.high)
    turned = preference(generator.permutation(80) < 40, clusters)
    assert turned.share == 0.5
    assert turned.p == pytest.approx(1)


def test_weights_are_those_of_the_mean():
    values, cases = np.array([1.0, 2.0, 3.0, 5.0, 4.0, 4.0]), np.array([0, 0, 0, 1, 2, 2])
    weights = 1 / np.bincount(cases)[cases]
    found = mean_with_interval(values, Clusters(cases, None), (1, 5), weights)
    of_means = mean_with_interval(np.array([2.0, 5.0, 4.0]), apart(3), (1, 5))
    assert (found.mean, found.low, found.high) == pytest.approx((of_means.mean, of_means.low, of_means.high))


@pytest.mark.parametrize(
    ("values", "clusters", "fewest", "why_not"),
    [
        ([2.0], apart(1), 2, "the answers are about 1 case, fewer than 2"),
        ([1.0, 3.0], Clusters(np.zeros(2, np.int64), np.arange(2)), 2, "the answers are about 1 case, fewer than 2"),
        ([1.0, 3.0] * 4, everyone(4, 2), 5, "the answers are about 4 cases, fewer than 5"),
        ([2.0] * 9, everyone(3, 3), 2, "all answers are the same"),
    ],
)
def test_why_there_is_no_interval(values, clusters, fewest, why_not):
    found = mean_with_interval(np.array(values), clusters, (1, 3), fewest_cases=fewest)
    assert found == MeanOfAnswers(mean=2, low=None, high=None, over=None, why_not=why_not)


def test_answers_that_all_prefer_one_have_neither_interval_nor_p():
    found = preference(np.ones(6, bool), everyone(3, 2))
    assert (found.share, found.low, found.p) == (1, None, None)
    assert found.why_not == "all answers are the same"
    none = preference(np.ones(0, bool), everyone(0, 0))
    assert (none.of, none.share, none.p, none.why_not) == (0, None, None, "there are no such answers")


def test_answers_of_one_person_are_of_other_cases_alone():
    found = preference(np.arange(10) < 4, Clusters(np.arange(10), np.zeros(10, np.int64)))
    assert found.over == CASES
    assert found == preference(np.arange(10) < 4, apart(10))
