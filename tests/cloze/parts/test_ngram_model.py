import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denouement.cloze.parts.ngram_model import END, NgramModel


def test_a_bigram_by_hand() -> None:
    """Of "a b" and "a": 5 words, a twice, b once, the end twice, and 3 + 1 outcomes; d = 0.5."""
    model = NgramModel([["a", "b"], ["a"]], order=2, discount=0.5)
    shared = 0.5 * 3 / 5 * 1 / 4
    b, end = 0.5 / 5 + shared, 1.5 / 5 + shared
    after_a = 0.5 * 2 / 2  # a is followed by b and by the end, once each
    expected = [0.5 / 2 + after_a * b, 1 - 0.5 + 0.5 * end]  # b is followed by the end only
    assert model.log_probs(["b"], after=["a"]) == pytest.approx(np.log(expected))


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), min_size=1, max_size=6), st.integers(1, 4))
def test_what_may_follow_has_a_probability_of_one_in_all(sequences: list[list[str]], order: int) -> None:
    model = NgramModel(sequences, order)
    seen = {item for sequence in sequences for item in sequence}
    for after in product("abc", repeat=2):
        probs = [math.exp(model.log_probs([item], after, ends=False)[0]) for item in (*seen, END, "never seen")]
        assert sum(probs) == pytest.approx(1)


def test_the_end_counts_only_where_a_sequence_ends() -> None:
    model = NgramModel([["a", "b"]], order=2)
    assert len(model.log_probs(["a", "b"])) == 3
    assert model.log_probs(["a", "b"], ends=False) == pytest.approx(model.log_probs(["a", "b"])[:2])


def test_longer_histories_are_better_known() -> None:
    model = NgramModel([["x", "a", "1"], ["y", "a", "2"]], order=3)
    of_one = {x: model.log_probs(["1"], after=[x, "a"], ends=False)[0] for x in "xyz"}
    assert of_one["x"] > of_one["z"] > of_one["y"]
