import math

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from denouement.cloze.evaluation.calibration import Reliability, probabilities, reliability, slope


def of_two(first: np.ndarray, is_first: np.ndarray) -> Reliability:
    """The reliability of the probabilities of first endings among two."""
    return reliability(np.column_stack([first, 1 - first]), np.where(is_first, 1, 2).astype(np.int8))


def test_slope_by_hand() -> None:
    # Eight of ten cases have the margin 1, two -1. With Platt's targets of 11/12 the likelihood is greatest where the
    # probability of a margin of 1 is (8 x 11/12 + 2 x 1/12) / 10 = 3/4, so the log-odds are the logarithm of 3.
    assert slope(np.array([1.0] * 8 + [-1.0] * 2)) == pytest.approx(math.log(3))
    # Right in all three: 4/5 instead of certainty.
    assert slope(np.ones(3)) == pytest.approx(math.log(4))


def test_slope_is_that_of_a_logistic_regression_without_intercept() -> None:
    margins = np.random.default_rng(0).normal(0.7, 1, 200)
    # Each case is an example of a right ending with the weight of the target, and of a wrong one with the rest.
    target = 201 / 202
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(
        np.concatenate([margins, margins])[:, None],
        np.repeat([1, 0], 200),
        sample_weight=np.repeat([target, 1 - target], 200),
    )
    assert slope(margins) == pytest.approx(model.coef_[0, 0], rel=1e-4)


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1e6])
def test_probabilities_do_not_depend_on_the_unit_of_the_scores(unit: float) -> None:
    margins = np.random.default_rng(1).normal(0.5, 1, 100)
    assert slope(margins * unit) * unit == pytest.approx(slope(margins))


@pytest.mark.parametrize("margins", [[0.0, 0.0], [1.0, -1.0], [1.0, -2.0]])
def test_the_scores_of_a_model_no_better_than_chance_count_for_nothing(margins: list[float]) -> None:
    assert slope(np.array(margins)) == 0


def test_reliability_by_hand() -> None:
    first = np.array([0.5, 0.45, 0.95, 0.95, 0.05, 0.95])
    is_first = np.array([True, True, True, True, False, False])
    found = of_two(first, is_first)
    low, high = found.bins
    assert (low.from_, low.to, low.n) == (0.5, 0.6, 2)
    assert low.predicted == pytest.approx((0.5 + 0.55) / 2)
    assert low.observed == 0.5  # of two endings alike the first is taken, which is right; the other is wrong
    assert (high.from_, high.to, high.n) == (0.9, 1.0, 4)
    assert high.predicted == pytest.approx(0.95)
    assert high.observed == 0.75
    assert (high.low, high.high) == pytest.approx((0.1941, 0.9937), abs=1e-4)  # Clopper and Pearson, 3 of 4
    assert found.error == pytest.approx((2 * 0.025 + 4 * 0.2) / 6)
    assert found.brier == pytest.approx((0.25 + 0.55**2 + 3 * 0.05**2 + 0.95**2) / 6)


def test_who_knows_nothing_and_who_knows_all() -> None:
    is_first = np.random.default_rng(0).random(1000) < 0.5
    assert of_two(np.full(1000, 0.5), is_first).brier == 0.25
    certain = of_two(is_first.astype(float), is_first)
    assert (certain.brier, certain.error) == (0, 0)
    assert [row.n for row in certain.bins] == [1000]
    assert of_two(np.empty(0), np.empty(0, bool)) == Reliability([], None, None)


def test_probabilities_that_are_too_sure_are_seen_and_mended() -> None:
    random = np.random.default_rng(2)
    log_odds = random.normal(0, 1.5, 20_000)
    is_first = random.random(20_000) < expit(log_odds)
    too_sure = 3 * log_odds
    assert of_two(expit(log_odds), is_first).error < 0.01
    assert of_two(expit(too_sure), is_first).error > 0.1
    margins = np.where(is_first, too_sure, -too_sure)
    assert slope(margins) == pytest.approx(1 / 3, rel=0.05)
    assert of_two(expit(slope(margins[:2000]) * too_sure[2000:]), is_first[2000:]).error < 0.02


def test_reliability_among_four_by_hand() -> None:
    given = np.array([[0.25, 0.25, 0.25, 0.25], [0.1, 0.7, 0.1, 0.1], [0.2, 0.2, 0.35, 0.25]])
    found = reliability(given, np.array([1, 2, 4], np.int8))
    assert [(row.from_, row.n, row.observed) for row in found.bins] == [(0.2, 1, 1), (0.3, 1, 0), (0.7, 1, 1)]
    assert found.error == pytest.approx((0.75 + 0.35 + 0.3) / 3)
    assert found.brier == pytest.approx((0.75**2 + 0.3**2 + 0.75**2) / 3)


def test_probabilities_are_those_of_a_softmax_and_of_the_log_odds_of_two() -> None:
    scores = np.random.default_rng(3).normal(0, 4, (50, 4))
    weights = np.exp(scores)
    assert probabilities(scores) == pytest.approx(weights / weights.sum(axis=1, keepdims=True))
    assert (probabilities(scores[:, :2])[:, 0] == expit(scores[:, 0] - scores[:, 1])).all()
    scores[:, 2:] = -np.inf  # endings that the cases do not have
    assert probabilities(scores)[:, :2] == pytest.approx(probabilities(scores[:, :2]))
    assert not probabilities(scores)[:, 2:].any()
