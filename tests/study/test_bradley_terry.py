"""Strengths against closed forms and against likelihoods maximised another way."""

import numpy as np
import pytest
from scipy.optimize import minimize

from denouement.study.bradley_terry import Comparisons, strengths


def compared(first: str, second: str, *counts: tuple[int, int, int]) -> Comparisons:
    return Comparisons(first, second, np.array(counts))


def test_two_systems_have_a_closed_form():
    # Davidson: the odds of winning are w_i / w_j, and ties come v * sqrt(w_i w_j) as often.
    found = strengths([compared("a", "b", (30, 10, 20))])
    a, b = found["systems"]
    assert [row["system"] for row in (a, b)] == ["a", "b"]
    assert a["strength"] == -b["strength"] == pytest.approx(np.log(30 / 10) / 2)
    assert a["share"] == pytest.approx(0.75)
    assert found["tie"] == pytest.approx(20 / np.sqrt(30 * 10))
    assert (found["answers"], found["items"], found["why_not"]) == (60, 1, None)


def test_without_ties_it_is_the_model_of_bradley_and_terry():
    found = strengths([compared("a", "b", (3, 1, 0))])
    assert found["systems"][0]["share"] == pytest.approx(0.75)
    assert found["tie"] is None


def test_four_systems_against_the_likelihood_maximised_directly():
    names = ["a", "b", "c", "d"]
    totals = {(0, 1): (12, 5, 4), (0, 2): (9, 9, 2), (1, 2): (3, 14, 6), (2, 3): (8, 2, 1), (1, 3): (7, 6, 3)}

    def loss(parameters):
        w, v = np.exp(np.append(0, parameters[:3])), np.exp(parameters[3])
        total = 0.0
        for (i, j), counts in totals.items():
            weights = np.array([w[i], w[j], v * np.sqrt(w[i] * w[j])])
            total -= np.array(counts) @ np.log(weights / weights.sum())
        return total

    best = minimize(loss, np.zeros(4), tol=1e-12).x
    logs = np.append(0, best[:3])
    found = strengths([compared(names[i], names[j], counts) for (i, j), counts in totals.items()])
    by_name = {row["system"]: row["strength"] for row in found["systems"]}
    assert [by_name[name] for name in names] == pytest.approx(list(logs - logs.mean()), abs=1e-4)
    assert found["tie"] == pytest.approx(np.exp(best[3]), rel=1e-4)
    assert sum(row["share"] for row in found["systems"]) == pytest.approx(1)


def test_intervals_are_the_textbook_ones_where_every_item_has_one_answer():
    # The logarithm of the odds of 40 wins to 10 has the standard error sqrt(1/40 + 1/10); strengths are half of it.
    items = [(1, 0, 0)] * 40 + [(0, 1, 0)] * 10
    first, _ = strengths([compared("a", "b", *items)])["systems"]
    half = 1.96 * np.sqrt(1 / 40 + 1 / 10) / 2
    assert first["high"] - first["strength"] == pytest.approx(half, rel=1e-3)


def test_answers_that_go_together_make_intervals_wider():
    apart = strengths([compared("a", "b", *[(1, 0, 0)] * 40, *[(0, 1, 0)] * 20)])["systems"][0]
    together = strengths([compared("a", "b", *[(5, 0, 0)] * 8, *[(0, 5, 0)] * 4)])["systems"][0]
    assert together["strength"] == pytest.approx(apart["strength"])
    width = (together["high"] - together["low"]) / (apart["high"] - apart["low"])
    assert width == pytest.approx(np.sqrt(5))  # five answers tell no more than one


def test_simulated_strengths_are_found_again():
    generator = np.random.default_rng(0)
    w, v = {"a": 1.0, "b": 2.0, "c": 0.5}, 0.7
    pairs = []
    for first, second in (("a", "b"), ("b", "c"), ("a", "c")):
        weights = np.array([w[first], w[second], v * np.sqrt(w[first] * w[second])])
        pairs.append(Comparisons(first, second, generator.multinomial(5, weights / weights.sum(), size=2000)))
    found = strengths(pairs)
    for row in found["systems"]:
        assert row["low"] < np.log(w[row["system"]]) < row["high"]
    assert found["tie"] == pytest.approx(v, rel=0.1)


@pytest.mark.parametrize(
    ("pairs", "why_not"),
    [
        ([], "no answers"),
        ([compared("a", "b", (0, 0, 0))], "no answers"),
        (
            [compared("a", "b", (2, 1, 1)), compared("c", "d", (1, 2, 1))],
            "no chain of comparisons connects [a, b] and [c, d]",
        ),
        ([compared("a", "b", (5, 0, 0))], "no answer prefers b to a, whose strength would be infinite"),
        ([compared("a", "b", (5, 0, 3))], "no answer prefers b to a, whose strength would be infinite"),
        (
            [compared("a", "b", (5, 2, 1)), compared("b", "c", (4, 0, 0)), compared("a", "c", (4, 0, 0))],
            "no answer prefers c to a and b, whose strength would be infinite",
        ),
        ([compared("a", "b", (0, 0, 9))], "every answer is a tie"),
    ],
)
def test_why_there_is_no_estimate(pairs, why_not):
    found = strengths(pairs)
    assert (found["why_not"], found["systems"], found["tie"]) == (why_not, [], None)


def test_a_tie_shared_with_other_pairs_keeps_a_system_that_never_wins_finite():
    # Against b, c only ties; how often ties come is known from a and b, so that alone is finite.
    found = strengths([compared("a", "b", (5, 5, 3)), compared("b", "c", (4, 0, 4)), compared("a", "c", (2, 2, 1))])
    assert found["why_not"] is None
    assert found["systems"][-1]["system"] == "c"
