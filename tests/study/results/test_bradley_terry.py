"""Strengths against closed forms and against likelihoods maximised another way."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import t

from denouement.study.results.bradley_terry import Comparisons, strengths
from denouement.study.results.crossed import CASES, CASES_AND_ANNOTATORS


def compared(first: str, second: str, *counts: tuple[int, int, int]) -> Comparisons:
    """Counts item by item, each of a case of its own: the first one of case 0, and so on."""
    return Comparisons(first, second, np.array(counts), np.arange(len(counts)))


def test_two_systems_have_a_closed_form():
    # Davidson: the odds of winning are w_i / w_j, and ties come v * sqrt(w_i w_j) as often.
    found = strengths([compared("a", "b", (20, 5, 5), (10, 5, 15))])
    a, b = found.systems
    assert [row.system for row in (a, b)] == ["a", "b"]
    assert a.strength == -b.strength == pytest.approx(np.log(30 / 10) / 2)
    assert a.share == pytest.approx(0.75)
    assert found.tie == pytest.approx(20 / np.sqrt(30 * 10))
    assert (found.answers, found.cases, found.why_not) == (60, 2, None)


def test_without_ties_it_is_the_model_of_bradley_and_terry():
    found = strengths([compared("a", "b", (2, 1, 0), (1, 0, 0))])
    assert found.systems[0].share == pytest.approx(0.75)
    assert found.tie is None


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
    found = strengths([compared(names[i], names[j], counts, (0, 0, 0), counts) for (i, j), counts in totals.items()])
    by_name = {row.system: row.strength for row in found.systems}
    assert [by_name[name] for name in names] == pytest.approx(list(logs - logs.mean()), abs=1e-4)
    assert found.tie == pytest.approx(np.exp(best[3]), rel=1e-4)
    assert sum(row.share for row in found.systems) == pytest.approx(1)


def test_intervals_are_the_textbook_ones_where_every_item_has_one_answer():
    # The logarithm of the odds of 40 wins to 10 has the standard error sqrt(1/40 + 1/10); strengths are half of it.
    # Of 50 clusters the variance is 50/49 as large, and the quantile is of 49 degrees of freedom.
    items = [(1, 0, 0)] * 40 + [(0, 1, 0)] * 10
    first, _ = strengths([compared("a", "b", *items)]).systems
    half = t.ppf(0.975, 49) * np.sqrt((1 / 40 + 1 / 10) * 50 / 49) / 2
    assert first.high - first.strength == pytest.approx(half, rel=1e-6)
    assert first.strength - first.low == pytest.approx(half, rel=1e-6)


def test_answers_that_go_together_make_intervals_wider():
    apart = strengths([compared("a", "b", *[(1, 0, 0)] * 40, *[(0, 1, 0)] * 20)]).systems[0]
    together = strengths([compared("a", "b", *[(5, 0, 0)] * 8, *[(0, 5, 0)] * 4)]).systems[0]
    assert together.strength == pytest.approx(apart.strength)
    width = (together.high - together.low) / (apart.high - apart.low)
    # Five answers tell no more than one; then 12 clusters in place of 60.
    few, many = (t.ppf(0.975, n - 1) * np.sqrt(n / (n - 1)) for n in (12, 60))
    assert width == pytest.approx(np.sqrt(5) * few / many)


def test_items_of_one_case_are_one_cluster():
    # a against b and against c, of the same 20 cases; in most of them a wins both.
    counts = np.array([(1, 0, 0)] * 14 + [(0, 1, 0)] * 6)

    def width(cases):
        pairs = [Comparisons("a", other, counts, numbers) for other, numbers in zip("bc", cases, strict=True)]
        found = strengths(pairs)
        (a,) = (row for row in found.systems if row.system == "a")
        return found.cases, a.high - a.low

    n_apart, apart = width([np.arange(20), np.arange(20, 40)])
    n_together, together = width([np.arange(20), np.arange(20)])
    assert (n_apart, n_together) == (40, 20)
    # Scores of the two items of a case are equal, so their sum has twice the variance of two independent ones. Either
    # way a case is one of 20 of its pair, so leaving it out changes that pair by 20/19: the jackknife's
    # (n - 1) / n stays.
    few, many = (t.ppf(0.975, n - 1) * np.sqrt((n - 1) / n) for n in (20, 40))
    assert together / apart == pytest.approx(np.sqrt(2) * few / many)


def test_cases_that_happen_to_be_alike_do_not_make_it_certain():
    # Without a spread between cases the standard error is that of ten independent answers.
    first, _ = strengths([compared("a", "b", (3, 2, 0), (3, 2, 0))]).systems
    half = t.ppf(0.975, 1) * np.sqrt(1 / 6 + 1 / 4) / 2
    assert (first.low, first.high) == pytest.approx((np.log(1.5) / 2 - half, np.log(1.5) / 2 + half))


def crowd(n_cases: int, n_annotators: int, seed: int = 1) -> list[Comparisons]:
    """Three systems, all answers of all annotators, who differ; a row an answer."""
    generator = np.random.default_rng(seed)
    cases, annotators = np.repeat(np.arange(n_cases), n_annotators), np.tile(np.arange(n_annotators), n_cases)
    w = np.array([0.6, 0, -0.6]) + generator.normal(0, 0.7, (n_cases, 3))[cases]
    w += generator.normal(0, 0.7, (n_annotators, 3))[annotators]
    pairs = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        weights = np.exp(np.stack([w[:, i], w[:, j], (w[:, i] + w[:, j]) / 2 - 0.7], axis=1))
        answers = generator.multinomial(1, weights / weights.sum(axis=1, keepdims=True))
        pairs.append(Comparisons("abc"[i], "abc"[j], answers, cases, annotators))
    return pairs


def by_name(pairs: list[Comparisons]) -> np.ndarray:
    rows = {row.system: row.strength for row in strengths(pairs).systems}
    return np.array([rows[name] for name in sorted(rows)])


@pytest.mark.parametrize("of", ["cases", "annotators"])
def test_each_part_is_near_the_jackknife_with_the_model_fitted_anew(of):
    # With the annotators as cases the interval is that of the annotators alone.
    pairs = crowd(30, 12)
    clusters = [getattr(pair, of) for pair in pairs]
    rows = strengths([replace(pair, cases=each, annotators=None) for pair, each in zip(pairs, clusters, strict=True)])
    found = {row.system: row.high - row.strength for row in rows.systems}
    n = clusters[0].max() + 1
    without = np.array(
        [
            by_name(
                [
                    replace(pair, counts=pair.counts * (its != out)[:, None])
                    for pair, its in zip(pairs, clusters, strict=True)
                ]
            )
            for out in range(n)
        ]
    )
    errors = np.sqrt((n - 1) / n * ((without - by_name(pairs)) ** 2).sum(axis=0))
    assert [found[name] for name in sorted(found)] == pytest.approx(t.ppf(0.975, n - 1) * errors, rel=0.05)


def test_who_answered_changes_the_interval_and_not_the_strength():
    pairs = crowd(30, 5)
    found = strengths(pairs)
    added = [replace(pair, counts=pair.counts.reshape(30, 5, 3).sum(axis=1), cases=np.arange(30)) for pair in pairs]
    of_counts = strengths([replace(pair, annotators=None) for pair in added])
    assert (found.over, found.annotators) == (CASES_AND_ANNOTATORS, 5)
    assert (of_counts.over, of_counts.annotators) == (CASES, None)
    for both, cases in zip(found.systems, of_counts.systems, strict=True):
        assert both.strength == pytest.approx(cases.strength)
        assert both.high - both.low > 1.5 * (cases.high - cases.low)


def test_one_annotator_leaves_what_other_cases_would_give():
    pairs = crowd(30, 1)
    found = strengths(pairs)
    assert (found.over, found.annotators) == (CASES, 1)
    assert found.systems == strengths([replace(pair, annotators=None) for pair in pairs]).systems


def test_where_one_annotator_alone_connects_a_system_there_are_strengths_without_intervals():
    ab = Comparisons("a", "b", np.tile([(1, 0, 0), (0, 1, 0), (1, 0, 0)], (4, 1)), np.arange(12), np.arange(12) % 3)
    bc = Comparisons("b", "c", np.tile([(1, 0, 0), (0, 1, 0), (1, 0, 0)], (4, 1)), np.arange(12), np.full(12, 7))
    found = strengths([ab, bc])
    assert found.why_not == "one case or one annotator alone connects some systems to the others"
    assert found.over is None
    assert [(row.system, row.low, row.high) for row in found.systems] == [(name, None, None) for name in "abc"]


@pytest.mark.slow
@pytest.mark.parametrize(("n_cases", "spread"), [(4, 0.7), (8, 0.7), (30, 0.7), (30, 0.0)])
def test_intervals_hold_the_strength_as_often_as_they_say(n_cases, spread):
    """Three systems, five answers an item; every case raises and lowers the systems by its own normal deviates."""
    w = np.array([0.6, 0.0, -0.6])
    generator = np.random.default_rng(1)

    def drawn(n, answers):
        own = w + generator.normal(0, spread, (n, 3))
        pairs = []
        for i, j in ((0, 1), (0, 2), (1, 2)):
            weights = np.exp(np.stack([own[:, i], own[:, j], (own[:, i] + own[:, j]) / 2], axis=1))
            counts = generator.multinomial(answers, weights / weights.sum(axis=1, keepdims=True))
            pairs.append(Comparisons("abc"[i], "abc"[j], counts, np.arange(n)))
        return strengths(pairs).systems

    truth = {row.system: row.strength for row in drawn(100_000, 100)}
    rows = [row for _ in range(250) for row in drawn(n_cases, 5)]
    assert len(rows) == 750
    held = np.mean([row.low <= truth[row.system] <= row.high for row in rows])
    assert held > 0.93
    if n_cases >= 30:
        assert held < 0.985


def test_simulated_strengths_are_found_again():
    generator = np.random.default_rng(0)
    w, v = {"a": 1.0, "b": 2.0, "c": 0.5}, 0.7
    pairs = []
    for first, second in (("a", "b"), ("b", "c"), ("a", "c")):
        weights = np.array([w[first], w[second], v * np.sqrt(w[first] * w[second])])
        counts = generator.multinomial(5, weights / weights.sum(), size=2000)
        pairs.append(Comparisons(first, second, counts, np.arange(2000)))
    found = strengths(pairs)
    for row in found.systems:
        assert row.low < np.log(w[row.system]) < row.high
    assert found.tie == pytest.approx(v, rel=0.1)


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
        (
            [compared("a", "b", (3, 2, 0), (0, 0, 0)), compared("b", "c", (1, 2, 0))],
            "all answers are about one case, so they do not show how strengths differ from case to case",
        ),
    ],
)
def test_why_there_is_no_estimate(pairs, why_not):
    found = strengths(pairs)
    assert (found.why_not, found.systems, found.tie) == (why_not, [], None)


def test_a_tie_shared_with_other_pairs_keeps_a_system_that_never_wins_finite():
    # Against b, c only ties; how often ties come is known from a and b, so that alone is finite.
    found = strengths(
        [
            compared("a", "b", (5, 5, 3), (2, 2, 0)),
            compared("b", "c", (0, 0, 0), (4, 0, 4)),
            compared("a", "c", (2, 2, 1), (1, 1, 1)),
        ]
    )
    assert found.why_not is None
    assert found.systems[-1].system == "c"
