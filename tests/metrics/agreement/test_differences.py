import numpy as np
import pytest
from nlpstats.correlations import permutation_test
from nlpstats.correlations import williams_test as williams_of_nlpstats

from denouement.metrics.agreement.differences import differences, williams_test
from denouement.metrics.agreement.levels import GLOBAL, ITEM, LEVELS, SYSTEM
from denouement.metrics.agreement.weighted import COEFFICIENTS
from tests.metrics.agreement.test_levels import IN_NLPSTATS, grid, made

GENERATOR = np.random.default_rng(1)


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("level", LEVELS)
def test_permutations_and_williams_agree_with_nlpstats(level, coefficient):
    of = made(8, 10)
    of = grid(np.stack([of.values[0], of.people + 4 * np.random.default_rng(2).normal(size=(8, 10))]), of.people)
    [row] = differences(level, coefficient, of, 2000, GENERATOR)
    np.random.seed(1)  # which nlpstats draws by
    theirs = permutation_test(*of.values, of.people, IN_NLPSTATS[level], coefficient, "both", n_resamples=40)
    assert row.p == pytest.approx(theirs.pvalue, abs=0.2)
    williams = williams_of_nlpstats(*of.values, of.people, IN_NLPSTATS[level], coefficient).pvalue
    assert row.williams == pytest.approx(williams, abs=1e-6)


def test_a_score_differs_from_noise_and_not_from_its_like():
    generator = np.random.default_rng(4)
    people = generator.normal(size=(1, 200))
    good, alike = (people + 0.5 * generator.normal(size=(1, 200)) for _ in range(2))
    of = grid(np.stack([good, alike, generator.normal(size=(1, 200))]), people)
    rows = {(row.first, row.second): row for row in differences(GLOBAL, "kendall", of, 500, generator)}
    assert rows["score0", "score1"].p_corrected > 0.05
    assert rows["score0", "score2"].p == pytest.approx(1 / 501)  # none of the permutations differs by as much
    assert rows["score0", "score2"].p_corrected == pytest.approx(1.5 / 501)  # two of three tests have the least p
    assert rows["score0", "score2"].williams_corrected < 0.001


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_score_twice_does_not_differ(level):
    of = made(5, 8)
    [row] = differences(level, "spearman", grid(np.stack([of.values[0]] * 2), of.people), 50, GENERATOR)
    assert (row.p, row.williams) == (1, 1)


def test_scores_are_compared_over_the_endings_that_have_both():
    of = made(4, 10)
    of.values[0, :, :3] = np.nan
    of.values[1, :, 7:] = np.nan
    kept = grid(of.values[:2, :, 3:7], of.people[:, 3:7])
    [ours], [expected] = (
        differences(ITEM, "pearson", each, 0, GENERATOR) for each in (grid(of.values[:2], of.people), kept)
    )
    assert ours.of_first == pytest.approx(expected.of_first)
    assert ours.williams == pytest.approx(expected.williams)
    assert ours.p is None


def test_a_score_without_a_correlation_is_named_and_not_counted():
    of = made(4, 6)
    of.values[1] = 3
    rows = differences(SYSTEM, "kendall", of, 20, GENERATOR)
    assert [row.why_not for row in rows] == ["a correlation is not defined", None, "a correlation is not defined"]
    assert rows[1].p == rows[1].p_corrected
    assert (rows[0].of_second, rows[0].p, rows[0].williams) == (None, None, None)


def test_williams_test_does_not_look_at_signs_and_needs_four_values():
    assert williams_test(0.4, -0.4, 0.1, 50) == 1
    assert williams_test(-0.4, 0.5, -0.1, 103) == williams_test(0.4, 0.5, 0.1, 103)
    [row] = differences(SYSTEM, "pearson", grid(made(3, 6).values[:2], made(3, 6).people), 20, GENERATOR)
    assert row.williams is None
    assert row.p is not None
