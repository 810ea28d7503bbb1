import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine as distance

from denouement.cloze.parts.vectors import cosine


@given(st.integers(0, 2**32 - 1))
def test_cosine_is_that_of_scipy(seed):
    ones, others = np.random.default_rng(seed).normal(size=(2, 3, 5))
    expected = [[1 - distance(one, other) for other in others] for one in ones]
    assert cosine(ones[:, None], others) == pytest.approx(np.array(expected))


def test_nothing_is_close_to_a_vector_of_zeros():
    assert cosine([[0, 0], [3, 4]], [[1, 0], [1, 0]]).tolist() == [0, 0.6]
