import numpy as np
import pytest
from scipy.stats import binomtest

from denouement.metrics.agreement.picking import (
    PreferredPairs,
    pairs_of_ratings,
    picked,
    picked_by_element,
    picked_by_system,
    tie_calibrated,
    winners_named,
)
from denouement.metrics.agreement.values import Grid

GENERATOR = np.random.default_rng(1)


def two_systems(first: list[float], second: list[float], prefers: list[int]) -> tuple[Grid, PreferredPairs]:
    """An item a pair of systems a and b, with these scores."""
    items = [f"item{place}" for place in range(len(first))]
    values = np.array([[first, second]], float)
    grid = Grid(items, ["a", "b"], ["score"], values, np.zeros((2, len(items))))
    ends = [[(item, system) for item in items] for system in "ab"]
    return grid, PreferredPairs([("s", item) for item in items], *ends, np.array(prefers))


def test_picks_are_counted_by_hand_with_ties_apart():
    nan = np.nan
    grid, pairs = two_systems([2, 1, 3, 1, 5, nan], [1, 2, 3, 2, 5, 1], [1, 1, 1, 0, 0, 1])
    [row] = picked(grid, pairs, 200, GENERATOR)
    assert (row.pairs, row.without) == (5, 1)
    assert (row.right, row.wrong, row.tied, row.people_tied) == (1, 1, 1, 2)
    assert row.accuracy == 0.5
    assert row.as_people == pytest.approx(2 / 5)  # the first pair, and the last, a tie of both
    assert (row.calibrated, row.threshold) == (pytest.approx(2 / 5), 0)


def test_the_interval_of_one_pair_an_item_is_exact():
    grid, pairs = two_systems([1.0] * 12, [0.0] * 12, [1] * 9 + [-1] * 3)
    [row] = picked(grid, pairs, 200, GENERATOR)
    exact = binomtest(9, 12).proportion_ci(method="exact")
    assert (row.low, row.high) == (pytest.approx(exact.low), pytest.approx(exact.high))


def test_a_score_that_is_always_right_has_an_interval_with_a_width():
    people = np.tile(np.arange(4.0)[:, None], 15)
    grid = Grid([str(place) for place in range(15)], list("abcd"), ["score"], people[None], people)
    [row] = picked(grid, pairs_of_ratings(grid), 200, GENERATOR)
    assert (row.right, row.accuracy, row.high) == (90, 1, 1)
    assert row.low == pytest.approx(binomtest(15, 15).proportion_ci(method="exact").low)


def test_pairs_of_ratings_are_all_pairs_of_an_item():
    grid = Grid(["i", "j"], ["a", "b", "c"], ["score"], np.zeros((1, 3, 2)), np.array([[1.0, np.nan], [2, 5], [1, 4]]))
    pairs = pairs_of_ratings(grid)
    assert list(zip(pairs.first, pairs.second, pairs.prefers.tolist(), strict=True)) == [
        (("i", "a"), ("i", "b"), -1),
        (("i", "a"), ("i", "c"), 0),
        (("i", "b"), ("i", "c"), 1),
        (("j", "b"), ("j", "c"), 1),
    ]


def test_tie_calibration_is_the_best_of_all_thresholds():
    generator = np.random.default_rng(7)
    for _ in range(30):
        difference = generator.normal(size=25).round(1)
        prefers = generator.integers(-1, 2, 25)
        shares = {
            each: np.mean(np.where(np.abs(difference) <= each, 0, np.sign(difference)) == prefers)
            for each in [0, *np.abs(difference)]
        }
        best = max(shares.values())
        found, threshold = tie_calibrated(difference, prefers)
        assert found == pytest.approx(best)
        assert threshold == min(each for each, share in shares.items() if share == pytest.approx(best))


def test_no_pair_has_no_share():
    grid, pairs = two_systems([np.nan], [1], [1])
    [row] = picked(grid, pairs, 100, GENERATOR)
    assert (row.pairs, row.accuracy, row.as_people, row.threshold) == (0, None, None, None)
    assert row.why_not == "fewer than 10 items"


def test_elements_count_where_a_reason_for_the_winner_names_them():
    grid, pairs = two_systems([1] * 8, [0] * 8, [1, 1, 1, 1, -1, -1, -1, 0])
    reasons = [
        *((("s", f"item{place}"), "a", "logic") for place in range(4)),
        (("s", "item4"), "a", "logic"),  # not for the winner
        (("s", "item5"), "b", "emotion"),
        (("s", "item7"), "a", "emotion"),  # no winner
        (("other", "item0"), "a", "emotion"),
    ]
    named = winners_named(pairs, reasons)
    assert named == {
        "logic": {("s", f"item{place}") for place in range(4)},
        "emotion": {("s", "item5")},
    }
    logic, emotion = picked_by_element(grid, pairs, named, 200, GENERATOR)
    assert (logic.named, logic.right, logic.others, logic.right_others) == (4, 4, 3, 0)
    assert (logic.share, logic.share_others) == (1, 0)
    # Newcombe 1998, method 10, from the Wilson intervals 0.5101 to 1 of 4 of 4, and 0 to 0.5615 of 0 of 3
    assert logic.low == pytest.approx(1 - np.hypot(1 - 0.5101, 0.5615), abs=1e-3)
    assert (emotion.named, emotion.right, emotion.share, emotion.why_not) == (1, 0, 0, "fewer than 3 pairs")


def test_a_rule_by_systems_picks_the_one_that_wins_more_often():
    systems = [("a", "b"), ("b", "a"), ("a", "b"), ("a", "c"), ("c", "b"), ("c", "b")]
    prefers = [1, 1, 1, -1, 1, 0]  # a, b, a; c; c, and neither
    ends = [[(str(place), pair[at]) for place, pair in enumerate(systems)] for at in (0, 1)]
    pairs = PreferredPairs([("s", str(place)) for place in range(6)], *ends, np.array(prefers))
    found = picked_by_system(pairs)
    assert (found.right, found.decided) == (2 + 1 + 1, 5)
