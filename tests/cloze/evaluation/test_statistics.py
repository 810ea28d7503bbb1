"""Intervals and tests against values worked out elsewhere."""

import numpy as np
import pyarrow as pa
import pytest

from denouement.cloze.evaluation import statistics
from denouement.cloze.evaluation.results import Accuracy, HalfTies


def test_accuracy_has_the_exact_interval():
    # Clopper and Pearson: the limits at which 7 or more, and 7 or fewer, of 10 have a chance of 2.5%.
    found = statistics.accuracy(np.array([True] * 7 + [False] * 3))
    assert (found.n, found.correct, found.accuracy) == (10, 7, 0.7)
    assert found.low == pytest.approx(0.34755, abs=1e-5)
    assert found.high == pytest.approx(0.93326, abs=1e-5)


def test_all_right_and_none():
    assert statistics.accuracy(np.ones(5, bool)).high == 1
    assert statistics.accuracy(np.ones(5, bool)).low == pytest.approx(0.025 ** (1 / 5))
    assert statistics.accuracy(np.zeros(0, bool)) == Accuracy(0, 0, None, None, None)


def test_mcnemar_is_the_sign_test_of_the_discordant_cases():
    one = np.array([True] * 8 + [False] * 2 + [True] * 5 + [False] * 3)
    other = np.array([False] * 8 + [True] * 2 + [True] * 5 + [False] * 3)
    [found] = statistics.compare({"one": one, "other": other})
    assert (found.only_one, found.only_other) == (8, 2)
    assert found.p == pytest.approx(2 * (1 + 10 + 45) / 2**10)  # two-sided: at most 2 of 10
    assert statistics.compare({"one": one, "again": one})[0].p == 1
    with pytest.raises(ValueError, match="not the same ones"):
        statistics.compare({"one": one, "other": other[:-1]})


def test_every_two_systems_are_compared():
    systems = {name: np.array([True, False]) for name in "abc"}
    assert [(row.one, row.other) for row in statistics.compare(systems)] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_a_tie_is_the_first_endings(make_cases):
    scores = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.1], [0.2, 0.1]])
    assert statistics.correct(scores, make_cases([1, 2, 2, 2])).tolist() == [True, False, True, False]


def test_groups_by_sentiment_and_length(make_cases):
    cases = make_cases([1, 2, 1]).to_pylist()
    cases[0] |= {"context": ["She loved it.", "It was great."], "endings": ["She was happy.", "She sat."]}
    cases[1] |= {"context": ["She loved it.", "It was great."], "endings": ["A b c d.", "It was awful."]}
    cases[2] |= {"context": ["The bus came."], "endings": ["It was awful.", "It was there."]}
    table = pa.Table.from_pylist(cases, make_cases([1]).schema)
    assert statistics.by_sentiment(table) == ["agrees", "opposes", "one neutral"]
    assert statistics.by_length(table) == ["right longer", "right shorter", "equal"]
    groups = statistics.by_group(np.array([True, False, True]), ["a", "a", "b"])
    assert groups["a"].accuracy == 0.5
    assert groups["b"] == statistics.accuracy(np.array([True]))


def test_half_ties_by_hand(make_cases):
    # Two ties, whose right endings are the first and the second; then right and wrong: 1 + 2 / 2 of 4.
    scores = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.1], [0.2, 0.1]])
    assert statistics.half_ties(scores, make_cases([1, 2, 2, 2])) == HalfTies(2, 0.5)
    assert statistics.half_ties(scores, make_cases([2, 2, 2, 1])).accuracy_half_ties == 0.75
    assert statistics.half_ties(scores[:2], make_cases([1, 1])).accuracy_half_ties == 0.5, "chance, not constant_first"
    assert statistics.half_ties(scores[:0], make_cases([])) == HalfTies(0, None)


def test_p_values_are_corrected_for_all_pairs():
    def right(n):
        return np.arange(12) < n

    found = statistics.compare({"a": right(12), "b": right(6), "c": right(1)})
    p = [2 / 2**6, 2 / 2**11, 2 / 2**5]  # discordant cases, all of one kind: 6, 11, 5
    assert [pair.p for pair in found] == pytest.approx(p)
    assert [pair.p_holm for pair in found] == pytest.approx([2 * p[0], 3 * p[1], max(p[2], 2 * p[0])])
