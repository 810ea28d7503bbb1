"""GloVe means, worked by hand."""

import numpy as np
import pytest

from denouement.encoders.glove import GloveMean


@pytest.fixture
def encoder(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("the 1 2\nThe 3 0\ndog 5 -4\n. 0 1\n")
    return GloveMean(vectors=str(path))


def test_mean_over_the_known_tokens(encoder):
    vectors = encoder.encode(["The dog.", "the DOG", "A dog barked", "The"])
    np.testing.assert_allclose(vectors, [[8 / 3, -1], [3, -1], [5, -4], [3, 0]], rtol=1e-6)


def test_a_sentence_without_a_known_word_is_zero_counted_and_said_once(encoder, capsys):
    vectors = encoder.encode(["Cats purr", "The", "", "Cats purr"])
    assert vectors[[0, 2, 3]].tolist() == [[0, 0]] * 3
    encoder.encode(["Cows moo"])
    assert encoder.notes == {"no known word, so its vector is zero": 4}
    assert capsys.readouterr().err.count("warning") == 1


def test_the_packaged_vectors_are_the_default():
    encoder = GloveMean()
    near, far = encoder.encode(["The dog ran home.", "A dog walked home.", "Stock prices fell."])[1:]
    dog = encoder.encode(["The dog ran home."])[0]
    assert encoder.dimension == 50
    assert np.linalg.norm(dog - near) < np.linalg.norm(dog - far)
