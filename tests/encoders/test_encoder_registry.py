"""What holds of every sentence encoder in the registry."""

import numpy as np
import pytest

from denouement.encoders import ENCODERS
from denouement.encoders.base import LONG, load_encoder
from denouement.errors import UserError

SENTENCES = [
    "He could n't stop.",
    "Ann ran home quickly, and the dog ran home quickly and was glad again and again and again.",
    "the dog",
    "He couldn't stop",
    "Ann.",
    "home again, home again",
    "the dog",
]


def test_every_encoder(vectors_file, weights_file, skip_thoughts_file, capsys):
    options = {
        "minilm": {"device": "cpu"},
        "glove": {"vectors": str(vectors_file)},
        "infersent": {"weights": str(weights_file), "vectors": str(vectors_file), "device": "cpu"},
        "skip_thoughts": {"checkpoint": str(skip_thoughts_file), "device": "cpu"},
    }
    visited = 0
    for name in ENCODERS:
        encoder = load_encoder(name, **options.get(name, {}))
        visited += 1
        assert encoder.encode([]).shape == (0, encoder.dimension)
        vectors = encoder.encode(SENTENCES)
        assert encoder.name == name
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(SENTENCES), encoder.dimension)
        assert np.abs(vectors).max() > 0.01
        alone = np.concatenate([encoder.encode([sentence]) for sentence in SENTENCES])
        np.testing.assert_allclose(vectors, alone, atol=1e-6, err_msg=f"{name}: the batch changes a vector")
        order = np.random.default_rng(1).permutation(len(SENTENCES) * 30) % len(SENTENCES)
        shuffled = encoder.encode([SENTENCES[row] for row in order])  # several batches
        np.testing.assert_allclose(shuffled, alone[order], atol=1e-6, err_msg=f"{name}: the order changes a vector")
        assert len(np.unique(alone.round(5), axis=0)) == len(set(SENTENCES)), f"{name}: sentences fall together"
        again = load_encoder(name, **options.get(name, {}))
        assert again.fingerprint == encoder.fingerprint
        np.testing.assert_array_equal(again.encode(SENTENCES), vectors)
    assert visited == len(ENCODERS)
    with capsys.disabled():
        print(f"\n{visited} encoders visited")


def test_a_long_input_keeps_its_order(vectors_file):
    encoder = load_encoder("glove", vectors=str(vectors_file))
    many = [SENTENCES[number % 5] for number in range(LONG + 3)]
    np.testing.assert_array_equal(encoder.encode(many)[-5:], encoder.encode(many[-5:]))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bert", {}, f"no sentence encoder 'bert'; there are {', '.join(ENCODERS)}"),
        ("glove", {"vector": "x"}, r"options of encoder glove: unknown key vector .known keys are vectors"),
        ("infersent", {"weights": "x"}, "options of encoder infersent: missing key vectors"),
        ("infersent", {"weights": "a", "vectors": "b", "version": 3}, "version: must be one of 1, 2, not 3"),
        ("infersent", {"weights": "none.pkl", "vectors": "b"}, "none.pkl: no such file; name the published infersent1"),
        (
            "skip_thoughts",
            {"checkpoint": "none.parquet"},
            "none.parquet: no such file; name what the Story",
        ),
        ("minilm", {"device": 1}, "options of encoder minilm.device: must be text, not 1"),
    ],
)
def test_wrong_options_are_named(name, options, message):
    with pytest.raises(UserError, match=message) as caught:
        load_encoder(name, **options)
    assert "\n" not in str(caught.value)
