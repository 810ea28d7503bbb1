"""What does not fit into memory."""

from functools import partial

import pytest
import torch
from corpus_toy import small

from denouement.errors import UserError
from denouement.generators.h_seq2seq import HSeq2Seq, HSeq2SeqSettings
from denouement.generators.neural import memory
from denouement.generators.neural.memory import check_size, reported_if_short
from denouement.generators.seq2seq import Seq2Seq, Seq2SeqSettings
from denouement.text.vocabulary import Vocabulary

VOCABULARY = Vocabulary(["a", "b"])  # and four special words


def test_training_takes_four_numbers_a_weight_on_the_cpu(monkeypatch):
    settings = HSeq2SeqSettings(units=2, accelerator="cpu")
    make = partial(HSeq2Seq, settings, VOCABULARY, "glove", "", 3)
    # GRU over 3 numbers and over 2, normalisation, embeddings of 6 words and the last layer over 2 units
    weights = (6 * 3 + 6 * 2 + 12) + (6 * 2 + 6 * 2 + 12) + 2 * 2 + 6 * 2 + (6 * 2 + 6)
    monkeypatch.setattr(memory, "_free_memory", lambda: 4.0 * 4 * weights)
    check_size(make, settings)
    monkeypatch.setattr(memory, "_free_memory", lambda: 4.0 * 4 * weights - 1)
    with pytest.raises(UserError, match=r"^units: 2: does not fit in memory"):
        check_size(make, settings)
    # a GPU trains: only the weights themselves are held here
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    check_size(partial(HSeq2Seq, small("h_seq2seq", units=2), VOCABULARY, "glove", "", 3), small("h_seq2seq", units=2))


def test_the_size_is_known_without_making_the_net():
    settings = Seq2SeqSettings(units=10**7, layers=2)
    with pytest.raises(UserError, match=r"^units: 10000000, layers: 2: does not fit in memory \(it takes [\d,]+ GB"):
        check_size(partial(Seq2Seq, settings, VOCABULARY), settings)


def test_more_layers_than_can_be_made_are_refused():
    with pytest.raises(ValueError, match="layers: must be at most 1000, not 10000000"):
        Seq2SeqSettings(layers=10**7)


def test_memory_that_is_refused_names_the_settings():
    with (
        pytest.raises(UserError, match=r"^units: 12, layers: 2, batch_size: 8: does not fit in memory; lower one"),
        reported_if_short(small("seq2seq")),
    ):
        torch.empty(2**50, dtype=torch.uint8)
    with pytest.raises(UserError, match=r"^units: 12, batch_size: 8: does not"), reported_if_short(small("h_seq2seq")):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
    with pytest.raises(RuntimeError, match="shapes"), reported_if_short(small("seq2seq")):
        raise RuntimeError("shapes differ")


def test_what_is_free_is_less_than_what_a_machine_could_have():
    assert 2**20 < memory._free_memory() < 2**50
