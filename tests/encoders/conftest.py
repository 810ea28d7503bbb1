"""Small files in the published formats: word vectors as text, and the weights of a tiny InferSent."""

from pathlib import Path

import numpy as np
import pytest
import torch

from denouement.encoders.skip_thoughts_network import SentenceGru
from denouement.tensors import write_checkpoint
from denouement.text.vocabulary import Vocabulary

WORDS = [
    *("<s>", "</s>", "<p>", "</p>", "Ann", "ann", "He", "could", "n't", "couldn", "'t", "stop", "the", "dog", "ran"),
    *("home", "quickly", "and", "was", "glad", "again", ".", ","),
]
DIMENSION = 5
UNITS = 4


@pytest.fixture(scope="session")
def word_vectors() -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(0).normal(size=(len(WORDS), DIMENSION)).round(3)
    return dict(zip(WORDS, drawn, strict=True))


@pytest.fixture(scope="session")
def vectors_file(word_vectors, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    lines = [f"{word} {' '.join(map(str, vector))}\n" for word, vector in word_vectors.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tensors() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = {
        "weight_ih": (4 * UNITS, DIMENSION),
        "weight_hh": (4 * UNITS, UNITS),
        "bias_ih": (4 * UNITS,),
        "bias_hh": (4 * UNITS,),
    }
    return {
        f"enc_lstm.{kind}_l0{direction}": torch.randn(*shape, generator=generator)
        for direction in ("", "_reverse")
        for kind, shape in shapes.items()
    }


@pytest.fixture(scope="session")
def weights_file(tensors, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "infersent.pkl"
    # The published files predate torch's zip format.
    torch.save(tensors, path, _use_new_zipfile_serialization=False)
    return path


@pytest.fixture(scope="session")
def sentence_gru() -> SentenceGru:
    vocabulary = Vocabulary.build(["Ann ran home, and the dog was glad again.", "He could n't stop."])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return SentenceGru(vocabulary, embedding=DIMENSION, dimension=2 * UNITS, names=True).eval()


@pytest.fixture(scope="session")
def skip_thoughts_file(sentence_gru, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("skip_thoughts") / "skip_thoughts-0.parquet"
    weights = {f"encoder.{name}": tensor for name, tensor in sentence_gru.state_dict().items()}
    decoders = {"following.weight_hh_l0": torch.zeros(2)}
    write_checkpoint({"encoder": sentence_gru.described(), "state_dict": {**weights, **decoders}}, path)
    return path
