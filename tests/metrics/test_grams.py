"""Counting what texts share, against plain loops and values worked out by hand."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denouement.metrics.grams import coded, longest_common_subsequences, longest_shared_runs, matches, words

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=7), min_size=1, max_size=6)


def grams(text, n):
    return Counter(tuple(text[at : at + n]) for at in range(len(text) - n + 1))


@given(TEXTS, TEXTS, st.randoms())
@settings(max_examples=60, deadline=None)
def test_matches_are_those_of_a_plain_loop(candidates, others, drawn: random.Random):
    row_of_other = np.array([drawn.randrange(len(candidates)) for _ in others])
    matched, of_candidates, of_others = matches(candidates, others, row_of_other, 3)
    for n in (1, 2, 3):
        for row, text in enumerate(candidates):
            own = grams(text, n)
            most: Counter[tuple[str, ...]] = Counter()
            for other, of_row in zip(others, row_of_other, strict=True):
                if of_row == row:
                    most |= grams(other, n)
            assert matched[n - 1, row] == (own & most).total()
            assert of_candidates[n - 1, row] == own.total()
        assert of_others[n - 1].tolist() == [grams(other, n).total() for other in others]


def in_order(one, other):
    """The textbook's table."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@given(TEXTS, st.data())
@settings(max_examples=60, deadline=None)
def test_common_subsequences_are_those_of_the_textbook(ones, data):
    others = [data.draw(st.lists(st.sampled_from("abc"), max_size=7)) for _ in ones]
    expected = [in_order(one, other) for one, other in zip(ones, others, strict=True)]
    assert longest_common_subsequences(ones, others).tolist() == expected


def longest_run(text, sources):
    runs = [text[a:b] for a in range(len(text)) for b in range(a + 1, len(text) + 1)]
    return max((len(run) for run in runs for source in sources if grams(source, len(run))[tuple(run)]), default=0)


@given(TEXTS, TEXTS, st.randoms())
@settings(max_examples=60, deadline=None)
def test_shared_runs_are_those_of_a_plain_loop(texts, sources, drawn: random.Random):
    assert longest_shared_runs(texts, sources).tolist() == [longest_run(text, sources) for text in texts]
    row = np.array([drawn.randrange(len(texts)) for _ in sources])
    own = [[source for source, of in zip(sources, row, strict=True) if of == at] for at in range(len(texts))]
    assert longest_shared_runs(texts, sources, row).tolist() == [
        longest_run(text, of_text) for text, of_text in zip(texts, own, strict=True)
    ]


def test_runs_do_not_go_on_into_the_next_text():
    assert longest_shared_runs([["a", "b"], ["c", "d"]], [["b", "c"], ["a", "b", "c", "d"]]).tolist() == [2, 2]
    assert longest_shared_runs([["b", "c"]], [["a", "b"], ["c", "d"]]).tolist() == [1]


def test_equal_grams_have_equal_numbers():
    [(_, _), (pairs, owner)] = coded([["a", "b", "a", "b"], ["b"], ["a", "b"]]).grams(2)
    assert owner.tolist() == [0, 0, 0, 2]
    assert pairs[0] == pairs[2] == pairs[3] != pairs[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Ann didn't look-up.", ["ann", "didn't", "look-up"]), ("... !", []), ("Größe 7", ["größe", "7"])],
)
def test_words(text, expected):
    assert words(text) == expected
