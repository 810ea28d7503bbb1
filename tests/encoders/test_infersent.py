"""InferSent with tiny weights against an LSTM written out step by step, and files that must be refused."""

from pathlib import Path

import numpy as np
import pytest
import torch

from denouement.encoders.infersent import InferSent
from denouement.errors import UserError


def lstm_states(inputs: np.ndarray, tensors: dict[str, np.ndarray], direction: str) -> np.ndarray:
    """States [time, units] of one direction, in the order of time: Hochreiter's cell, gates i, f, g, o."""
    weight_ih, weight_hh, bias_ih, bias_hh = (
        tensors[f"enc_lstm.{kind}_l0{direction}"] for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    units = weight_hh.shape[1]
    state, cell, states = np.zeros(units), np.zeros(units), []
    for step in inputs[::-1] if direction else inputs:
        i, f, g, o = np.split(weight_ih @ step + bias_ih + weight_hh @ state + bias_hh, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        state = sigmoid(o) * np.tanh(cell)
        states.append(state)
    return np.array(states[::-1] if direction else states)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@pytest.fixture
def by_hand(word_vectors, tensors):
    plain = {name: tensor.double().numpy() for name, tensor in tensors.items()}

    def states(tokens: list[str]) -> np.ndarray:
        inputs = np.array([word_vectors[token] for token in tokens])
        return np.hstack([lstm_states(inputs, plain, ""), lstm_states(inputs, plain, "_reverse")])

    return states


@pytest.fixture
def infersent(weights_file, vectors_file):
    def make(version: int = 1, **files) -> InferSent:
        paths = {"weights": weights_file, "vectors": vectors_file, **files}
        return InferSent(**{name: str(path) for name, path in paths.items()}, version=version, device="cpu")

    return make


# The tokens that each published version reads, its boundary tokens included and words without a vector left out.
READ = {
    1: {
        "He couldn't stop.": ["<s>", "He", "could", "n't", "stop", ".", "</s>"],
        "Ann, unflappable, ran home.": ["<s>", "Ann", ",", ",", "ran", "home", ".", "</s>"],
        "Zounds": ["<s>", "</s>"],
    },
    2: {
        "He couldn't stop.": ["<p>", "He", "couldn", "'t", "stop", ".", "</p>"],
        "Ann, unflappable, ran home.": ["<p>", "Ann", ",", ",", "ran", "home", ".", "</p>"],
        "Zounds": ["<p>", "</p>"],
    },
}


def test_version_1_against_the_lstm_by_hand(infersent, by_hand):
    vectors = infersent(1).encode(list(READ[1]))
    expected = [np.maximum(by_hand(tokens).max(axis=0), 0) for tokens in READ[1].values()]  # the padding's zero
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert (vectors == 0).any()  # the zero did win somewhere, or the test shows nothing


def test_version_2_against_the_lstm_by_hand(infersent, by_hand):
    vectors = infersent(2).encode(list(READ[2]))
    expected = [by_hand(tokens).max(axis=0) for tokens in READ[2].values()]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert (vectors < 0).any()


@pytest.mark.parametrize("version", [1, 2])
def test_padding_and_order_do_not_change_a_vector(infersent, version):
    generator = np.random.default_rng(version)
    words = ["Ann", "He", "the", "dog", "ran", "home", "quickly", "and", "was", "glad", "again"]
    sentences = [" ".join(generator.choice(words, length)) for length in generator.integers(1, 40, 100)]
    encoder = infersent(version)
    alone = np.concatenate([encoder.encode([sentence]) for sentence in sentences])
    for _ in range(2):
        order = generator.permutation(len(sentences))
        np.testing.assert_allclose(encoder.encode([sentences[row] for row in order]), alone[order], atol=1e-6)


def test_a_sentence_without_known_words_is_counted(infersent, capsys):
    encoder = infersent()
    encoder.encode(["Zounds", "Ann ran", "Egad"])
    assert encoder.notes == {"no known word, so only the tokens around it are read": 2}
    assert "encoder infersent: no known word" in capsys.readouterr().err


def test_the_new_format_of_torch_files_loads_too(infersent, tensors, tmp_path):
    torch.save(tensors, tmp_path / "zip.pkl")
    sentences = list(READ[1])
    new, old = infersent(weights=tmp_path / "zip.pkl"), infersent()
    np.testing.assert_array_equal(new.encode(sentences), old.encode(sentences))


class Attack:
    """Unpickled without care, it makes a file."""

    def __init__(self, made: Path) -> None:
        self.made = made

    def __reduce__(self):
        return Path.touch, (self.made,)


@pytest.mark.parametrize("zipped", [False, True])
def test_code_in_a_weights_file_is_not_run(infersent, tensors, tmp_path, zipped):
    path = tmp_path / "evil.pkl"
    torch.save({**tensors, "x": Attack(tmp_path / "made")}, path, _use_new_zipfile_serialization=zipped)
    with pytest.raises(UserError, match=r"evil.pkl: not a plain file of weights, so it is not loaded"):
        infersent(weights=path).encode(["Ann ran."])
    assert not (tmp_path / "made").exists()


def test_damaged_and_foreign_weights_are_refused(infersent, tensors, weights_file, tmp_path):
    path = tmp_path / "w.pkl"

    def message() -> str:
        with pytest.raises(UserError) as caught:
            infersent(weights=path).encode(["Ann ran."])
        assert "\n" not in str(caught.value)
        return str(caught.value)

    whole = weights_file.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "w.pkl: " in message()
    path.write_bytes(b"")
    assert "damaged" in message()
    path.write_bytes(b"no weights at all\n" * 9)
    assert "not a plain file of weights" in message()
    torch.save({"embedding": torch.zeros(2)}, path)
    assert "not InferSent's weights" in message()
    torch.save([1, 2], path)
    assert "not InferSent's weights" in message()
    torch.save({**tensors, "enc_lstm.bias_ih_l0": torch.zeros(3)}, path)
    assert "shapes of weights" in message()
    for value in (float("nan"), float("inf")):
        torch.save({**tensors, "enc_lstm.bias_ih_l0": torch.full((16,), value)}, path)
        assert "weights that are no finite numbers" in message()
    torch.save({**tensors, "enc_lstm.bias_ih_l0": torch.zeros(16, dtype=torch.int64)}, path)
    assert "weights that are no finite numbers" in message()
    torch.save({**tensors, "enc_lstm.weight_hh_l0": torch.tensor(1.0)}, path)
    assert "not InferSent's weights" in message()
    torch.save({**tensors, "enc_lstm.weight_hh_l0": 3}, path)
    assert "not InferSent's weights" in message()


@pytest.mark.parametrize("zipped", [False, True])
def test_weights_cut_short_anywhere_are_refused(infersent, tensors, tmp_path, zipped):
    torch.save(tensors, tmp_path / "whole.pkl", _use_new_zipfile_serialization=zipped)
    whole = (tmp_path / "whole.pkl").read_bytes()
    path = tmp_path / "w.pkl"
    for length in range(0, len(whole), 101):
        path.write_bytes(whole[:length])
        with pytest.raises(UserError, match=r"w\.pkl: (damaged|not a plain) file of weights") as caught:
            infersent(weights=path).encode(["Ann ran."])
        assert "\n" not in str(caught.value)


def test_vectors_that_do_not_fit_are_refused(infersent, tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("Ann 1 2 3\n</s> 1 2 3\n")
    with pytest.raises(UserError, match=r"v.txt: vectors of 3 numbers, but .* reads words of 5; name glove.840B"):
        infersent(vectors=path).encode(["Ann ran."])
    path.write_text("Ann 1 2 3 4 5\n<s> 1 2 3 4 5\n")
    with pytest.raises(UserError, match=r"no vector for </s>, .* version 1; name glove.840B.300d.txt"):
        infersent(vectors=path).encode(["Ann ran."])
    path.write_text("1 5\nAnn 1 2 3 4 5\n")
    with pytest.raises(UserError, match=r"no vector for </p>, .* version 2; name crawl-300d-2M.vec"):
        infersent(2, vectors=path).encode(["Ann ran."])


def test_a_missing_start_token_is_said_and_left_out(infersent, by_hand, word_vectors, tmp_path, capsys):
    path = tmp_path / "v.txt"
    lines = [f"{word} {' '.join(map(str, word_vectors[word]))}\n" for word in ("Ann", "ran", "</p>")]
    path.write_text("".join(lines))
    vectors = infersent(2, vectors=path).encode(["Ann ran"])
    np.testing.assert_allclose(vectors[0], by_hand(["Ann", "ran", "</p>"]).max(axis=0), atol=1e-6)
    assert "no vector for <p>, so sentences are read without it" in capsys.readouterr().err


@pytest.mark.parametrize("device", ["gpu", "cuda:99"])
def test_a_device_that_is_not_there(weights_file, vectors_file, device):
    encoder = InferSent(weights=str(weights_file), vectors=str(vectors_file), device=device)
    with pytest.raises(UserError, match=f"no device '{device}' here"):
        encoder.encode(["Ann ran."])
