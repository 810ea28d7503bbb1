"""The rules of Mori et al. 2019, A.2, written out once more by hand."""

import numpy as np
import pytest

from denouement.study.results.agreement import BOTH, FIRST, NEITHER, NO_AGREEMENT, SECOND, agreement


@pytest.mark.parametrize(
    ("votes", "agreed"),
    [
        # the most frequent answer
        ((5, 0, 0, 0), FIRST),
        ((0, 3, 2, 0), SECOND),
        ((1, 1, 2, 1), BOTH),
        ((1, 0, 1, 3), NEITHER),
        # two votes each: every tie that the paper names, and it names all six
        ((2, 2, 1, 0), BOTH),
        ((2, 2, 0, 1), BOTH),
        ((2, 0, 2, 1), FIRST),
        ((0, 2, 2, 1), SECOND),
        ((2, 1, 0, 2), FIRST),
        ((0, 2, 1, 2), SECOND),
        ((0, 1, 2, 2), BOTH),
        # other numbers of annotators
        ((1, 1, 0, 0), BOTH),
        ((4, 4, 2, 0), BOTH),
        ((0, 0, 3, 3), BOTH),
        # ties that it does not name
        ((1, 1, 1, 0), NO_AGREEMENT),
        ((2, 0, 2, 2), NO_AGREEMENT),
        ((0, 2, 2, 2), NO_AGREEMENT),
        ((2, 2, 0, 2), NO_AGREEMENT),
        ((1, 1, 1, 1), NO_AGREEMENT),
        ((0, 0, 0, 0), NO_AGREEMENT),
    ],
)
def test_each_rule(votes, agreed):
    assert agreement(np.array([votes])).tolist() == [agreed]


def test_items_are_independent_and_the_two_systems_are_treated_alike():
    counts = np.array([[a, b, c, d] for a in range(4) for b in range(4) for c in range(4) for d in range(4)])
    agreed = agreement(counts)
    assert agreed.tolist() == [int(agreement(row[None])[0]) for row in counts]
    swapped = {FIRST: SECOND, SECOND: FIRST}
    assert agreement(counts[:, [1, 0, 2, 3]]).tolist() == [swapped.get(code, code) for code in agreed.tolist()]


def test_no_items():
    assert agreement(np.zeros((0, 4), np.int64)).tolist() == []
