"""The estimate of a mean with a score, against values by hand, statsmodels, and what must hold for any score."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from denouement.metrics.estimates.regression import ScoredAnswers, ScoredItems, adjusted
from denouement.study.results.clustered import mean_with_interval, on_logits
from denouement.study.results.crossed import Clusters

ITEMS = 60


def drawn(seed: int = 0, answered: int = 30, per_item: int = 1, people: int | None = None):
    """ScoredAnswers of which the score knows something, and all items; nobody has a name unless `people` is given."""
    generator = np.random.default_rng(seed)
    score = generator.random(ITEMS)
    case = np.repeat(np.arange(answered), per_item)
    values = (generator.random(len(case)) < 0.2 + 0.6 * score[case]).astype(float)
    person = None if people is None else np.arange(len(case)) % people
    answers = ScoredAnswers(np.zeros(len(case), np.int64), score[case], Clusters(case, person))
    return values, answers, ScoredItems(np.zeros(ITEMS, np.int64), score, np.arange(ITEMS))


def test_by_hand():
    """ScoredAnswers 0, 1, 1, 1 about items of scores 0, 1, 2, 3; the mean score of all eight is 3, of these 1.5.

    Least squares: the slope is (1.5 * .75 + -.5 * -.25 + .5 * .25 + ...) / 5 = .3, so .75 + .3 * 1.5 = 1.2. What is
    left is -.3, .4, .1, -.2, in all .3; as a part of the estimate each counts 1/4 + 1.5 * (score - 1.5) / 5.
    """
    values = np.array([0.0, 1, 1, 1])
    score = np.array([0.0, 1, 2, 3, 3, 4, 5, 6])
    answers = ScoredAnswers(np.zeros(4, np.int64), score[:4], Clusters(np.arange(4), None))
    found = adjusted(values, answers, ScoredItems(np.zeros(8, np.int64), score, np.arange(8)))
    assert found.slopes.tolist() == pytest.approx([0.3])
    assert found.value == pytest.approx(1.2)
    counts = 0.25 + 0.3 * np.array([-1.5, -0.5, 0.5, 1.5])
    parts = counts * np.array([-0.3, 0.4, 0.1, -0.2])
    assert parts.sum() == pytest.approx(0)
    of_scores = 0.3**2 * np.var(score, ddof=1) / 8
    assert found.variance == pytest.approx(4 / 3 * (parts @ parts) * 3 / 2 + of_scores)


def test_the_estimate_is_the_intercept_of_statsmodels():
    values, answers, everything = drawn()
    fitted = sm.OLS(values, sm.add_constant(answers.score - everything.score.mean())).fit(cov_type="HC1")
    found = adjusted(values, answers, everything)
    assert (found.value, *found.slopes) == pytest.approx(tuple(fitted.params))
    of_scores = found.slopes[0] ** 2 * everything.score.var(ddof=1) / ITEMS
    assert found.variance == pytest.approx(fitted.bse[0] ** 2 + of_scores)


def test_it_is_ppi_with_the_slope_that_makes_its_variance_least():
    """The estimator of PPI++ for any slope, by its definition; what is left of it is least at our slope."""
    values, answers, everything = drawn()
    known, others = answers.score, everything.score[30:]

    def ppi(slope: float) -> tuple[float, float]:
        value = values.mean() + slope * (others.mean() - known.mean())
        return value, np.var(values - slope * known) / len(values) + slope**2 * np.var(others) / len(others)

    found = adjusted(values, answers, everything)
    with_others = found.slopes[0] * len(others) / ITEMS  # its slope is of the other items, not of all
    assert ppi(with_others)[0] == pytest.approx(found.value)
    nearby = [ppi(with_others + step)[1] for step in (-0.3, -0.15, 0, 0.15, 0.3)]
    assert nearby[2] == min(nearby)


@given(seed=st.integers(0, 50), shift=st.floats(-5, 5), factor=st.floats(-3, 3).filter(lambda each: abs(each) > 0.1))
def test_the_unit_and_the_sign_of_a_score_make_no_difference(seed, shift, factor):
    values, answers, everything = drawn(seed)
    other = adjusted(
        values,
        answers._replace(score=shift + factor * answers.score),
        everything._replace(score=shift + factor * everything.score),
    )
    found = adjusted(values, answers, everything)
    assert (other.value, other.variance) == pytest.approx((found.value, found.variance))


def test_without_a_score_it_is_the_mean_with_the_interval_of_the_results():
    values, answers, _ = drawn(per_item=4, people=9)
    found, wanted = adjusted(values, answers, None), mean_with_interval(values, answers.by, (0, 1))
    low, high, over = on_logits(found.value, found.variance, found.degrees, found.over, (0, 1)).interval((0, 1))
    assert (found.value, low, high, over) == pytest.approx((wanted.mean, wanted.low, wanted.high, wanted.over))


def test_where_every_item_is_answered_a_score_changes_nothing_but_a_degree_of_freedom():
    values, answers, everything = drawn(answered=ITEMS)
    found, plain = adjusted(values, answers, everything), adjusted(values, answers, None)
    assert found.value == pytest.approx(plain.value)
    assert found.variance == pytest.approx(plain.variance, rel=0.03)


def test_the_order_of_rows_makes_no_difference():
    values, answers, everything = drawn(per_item=3, people=7)
    order, others = np.random.default_rng(1).permutation(len(values)), np.random.default_rng(2).permutation(ITEMS)
    mixed = ScoredAnswers(answers.stratum[order], answers.score[order], answers.by.of(order))
    shuffled = ScoredItems(*(column[others] for column in everything))
    found, other = adjusted(values, answers, everything), adjusted(values[order], mixed, shuffled)
    assert (found.value, found.variance, found.degrees) == pytest.approx((other.value, other.variance, other.degrees))


@pytest.mark.parametrize("score", [np.full(ITEMS, 0.1), np.eye(ITEMS)[0]], ids=["all equal", "one case alone"])
def test_a_score_that_is_of_one_case_or_always_the_same_is_not_used(score):
    values, answers, everything = drawn()
    found = adjusted(values, answers._replace(score=score[answers.by.cases]), everything._replace(score=score))
    assert found.slopes.tolist() == [0]
    assert found[:3] == pytest.approx(adjusted(values, answers, None)[:3])


def test_strata_add_up_and_share_their_cases():
    values, answers, everything = drawn()
    twice = ScoredAnswers(
        np.repeat([0, 1], 30), np.tile(answers.score, 2), Clusters(np.tile(answers.by.cases, 2), None)
    )
    all_twice = ScoredItems(np.repeat([0, 1], ITEMS), np.tile(everything.score, 2), np.tile(everything.case, 2))
    one, both = adjusted(values, answers, everything), adjusted(np.tile(values, 2), twice, all_twice)
    assert both.value == pytest.approx(2 * one.value)
    assert both.variance == pytest.approx(4 * one.variance)  # the same cases twice are no more cases
