import numpy as np
import pytest
from nlpstats.correlations import correlate

from denouement.metrics.agreement.levels import GLOBAL, ITEM, LEVELS, SYSTEM, all_once, correlations, resampled
from denouement.metrics.agreement.values import Grid
from denouement.metrics.agreement.weighted import COEFFICIENTS

IN_NLPSTATS = {GLOBAL: "global", ITEM: "input", SYSTEM: "system"}


def grid(values: np.ndarray, people: np.ndarray) -> Grid:
    names = [
        [f"{kind}{place}" for place in range(n)] for kind, n in (("item", people.shape[1]), ("system", len(people)))
    ]
    return Grid(*names, [f"score{place}" for place in range(len(values))], values, people)


def made(systems: int, items: int, missing: float = 0.0, seed: int = 1) -> Grid:
    generator = np.random.default_rng(seed)
    people = generator.normal(size=(systems, items)).round()
    values = (people + generator.normal(size=(3, systems, items))).round(1)
    gone = generator.random((systems, items)) < missing
    return grid(np.where(gone, np.nan, values), np.where(gone, np.nan, people))


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("level", LEVELS)
def test_the_levels_are_those_of_nlpstats(level, missing):
    of = made(6, 15, missing)
    found = correlations(level, of, all_once(of))
    for name in COEFFICIENTS:
        expected = [correlate(values, of.people, IN_NLPSTATS[level], name) for values in of.values]
        np.testing.assert_allclose(found[name][:, 0], expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("level", LEVELS)
def test_a_draw_is_the_correlation_of_the_systems_and_items_that_were_drawn(level):
    of = made(7, 12)
    if level == SYSTEM:  # means that are equal in whole numbers are no ties to nlpstats, where floats are summed
        of = grid(*(each + np.random.default_rng(9).normal(size=each.shape) for each in (of.values, of.people)))
    draws = resampled(7, 12, 6, np.random.default_rng(3))
    assert (draws.items.sum(axis=0) == 12).all()
    assert (draws.systems.sum(axis=0) == 7).all()
    found = correlations(level, of, draws)
    for place in range(6):
        systems = np.repeat(np.arange(7), draws.systems[:, place].astype(int))
        items = np.repeat(np.arange(12), draws.items[:, place].astype(int))
        people = of.people[systems][:, items]
        for name in COEFFICIENTS:
            expected = [correlate(each[systems][:, items], people, IN_NLPSTATS[level], name) for each in of.values]
            np.testing.assert_allclose(found[name][:, place], expected, atol=2e-6)


def test_a_score_that_ranks_systems_within_items_but_not_over_all():
    # the rating of each item is 10 above that of the one before, and the score goes down with the items
    within = np.array([[1.0], [2], [3]])
    of = grid((within - 10 * np.arange(4))[None], within + 10 * np.arange(4))
    assert correlations(ITEM, of, all_once(of))["kendall"][0, 0] == pytest.approx(1)
    assert correlations(SYSTEM, of, all_once(of))["pearson"][0, 0] == pytest.approx(1)
    assert correlations(GLOBAL, of, all_once(of))["pearson"][0, 0] < -0.8


def test_an_item_with_two_endings_says_nothing():
    of = made(3, 5)
    of.values[:, 0, :4] = np.nan
    kept = grid(of.values[:, :, 4:], of.people[:, 4:])
    for name in COEFFICIENTS:
        ours, expected = (correlations(ITEM, each, all_once(each))[name] for each in (of, kept))
        np.testing.assert_allclose(ours, expected)


def test_two_systems_are_not_drawn():
    assert (resampled(2, 5, 10, np.random.default_rng(1)).systems == 1).all()


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_intervals_hold_the_true_coefficient_as_often_as_they_promise(name):
    generator = np.random.default_rng(5)
    true = {"pearson": 0.5, "spearman": 6 / np.pi * np.arcsin(0.25), "kendall": 2 / np.pi * np.arcsin(0.5)}[name]
    held = 0
    for _ in range(200):
        z = generator.normal(size=80)
        x = 0.5 * z + np.sqrt(0.75) * generator.normal(size=80)
        of = grid(x[None, None], z[None])
        low, high = np.quantile(correlations(GLOBAL, of, resampled(1, 80, 400, generator))[name], [0.025, 0.975])
        held += low <= true <= high
    assert 0.90 <= held / 200 <= 0.99
