import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from denouement.metrics.agreement.weighted import COEFFICIENTS, coefficients_of

SCIPY = {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}


def drawn(n: int, draws: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The places drawn, and how often each was: [draws, n] and [n, draws]."""
    places = generator.integers(0, n, (draws, n))
    return places, np.stack([np.bincount(each, minlength=n) for each in places], axis=1).astype(np.float64)


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("decimals", [0, 1, 9], ids=["many ties", "some ties", "no ties"])
@pytest.mark.parametrize("n", [2, 5, 130, 300])
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_weighted_coefficients_are_those_of_scipy_on_the_drawn_values(name, n, decimals):
    generator = np.random.default_rng(n)
    z = generator.normal(size=n).round(decimals)
    scores = (z + generator.normal(size=(3, n))).round(decimals)
    places, weights = drawn(n, 12, generator)
    expected = [[SCIPY[name](x[each], z[each])[0] for each in places] for x in scores]
    np.testing.assert_allclose(coefficients_of(name, scores, z)(weights), expected, atol=1e-12)
    np.testing.assert_allclose(coefficients_of(name, scores, z)(weights.astype(np.float32)), expected, atol=2e-6)


def test_tau_b_worked_out_by_hand():
    # of 6 pairs x ties the first two values and z the second and the last; of the 4 others one is in the same order and
    # three are in opposite ones: (1 - 3) / sqrt(5 * 5)
    x, z = np.array([1.0, 1, 2, 3]), np.array([4.0, 1, 3, 1])
    assert coefficients_of("kendall", x[None], z)(np.ones((4, 1)))[0, 0] == pytest.approx(-2 / 5)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_values_that_are_all_the_same_have_no_coefficient(name):
    varied, same = np.array([1.0, 2, 3]), np.array([0.1, 0.1, 0.1])
    once = np.ones((3, 1))
    assert np.isnan(coefficients_of(name, np.stack([same, varied]), varied)(once)[:, 0]).tolist() == [True, False]
    assert np.isnan(coefficients_of(name, varied[None], same)(once)).all()
    assert np.isnan(coefficients_of(name, varied[None], varied)(np.array([[3.0], [0], [0]]))).all()


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_draws_do_not_depend_on_how_many_are_worked_on_at_once(name, monkeypatch):
    generator = np.random.default_rng(1)
    scores, z = generator.normal(size=(2, 40)), generator.normal(size=40)
    _, weights = drawn(40, 100, generator)
    whole = coefficients_of(name, scores, z)(weights)
    monkeypatch.setattr("denouement.metrics.agreement.weighted._CHUNK", 1)
    np.testing.assert_array_equal(coefficients_of(name, scores, z)(weights), whole)
