"""What every neural generator of the registry keeps to; what all generators keep to is in test_contract.py."""

import numpy as np
import pytest
import torch
from corpus_toy import Corpus, neural, small

from denouement.errors import UserError
from denouement.generators.base import generator_class
from denouement.generators.checkpoints import load_generator
from denouement.generators.h_seq2seq import HSeq2Seq, HSeq2SeqSettings
from denouement.generators.neural.decoder import NeuralGenerator
from denouement.generators.neural.lightning import TrainedNetwork
from denouement.generators.seq2seq import Seq2Seq, Seq2SeqSettings
from denouement.generators.training import train
from denouement.text.vocabulary import END, PAD, START, Vocabulary

CONTEXTS = [
    ["Tom had a dog."],
    ["Kelly went to the shop.", "She bought bread and a bag of red apples.", "It was cold."],
    ["The car broke down.", "He called a friend."],
]
ENDINGS = ["He was happy.", "She went home.", "They fixed it together and went out for dinner."]


@pytest.fixture(scope="module", params=[(name, softmax) for name in neural() for softmax in ("full", "adaptive")])
def generator(
    request: pytest.FixtureRequest, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory
) -> NeuralGenerator:
    """Each generator, trained a little, as its checkpoint gives it back."""
    name, softmax = request.param
    out = tmp_path_factory.mktemp(name)
    settings = small(name, softmax=softmax, epochs=1)
    train(name, corpus.stories, out, settings, embeddings=corpus.embeddings, work=out / "work")
    return load_generator(out / "best.parquet", embeddings=corpus.embeddings)


def _targets(generator: NeuralGenerator) -> torch.Tensor:
    rows = [torch.tensor([*generator.vocabulary.encode(ending), END]) for ending in ENDINGS]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


@torch.inference_mode()
def test_step_by_step_gives_what_the_whole_ending_gives(generator):
    inputs, targets = generator.prepare(CONTEXTS), _targets(generator)
    whole = generator.token_log_probs(inputs, targets)
    state, words = generator.start(inputs), torch.full((3,), START)
    for place in range(targets.shape[1]):
        log_probs, state = generator.step(words, state)
        assert all(len(part) == 3 for part in state)
        torch.testing.assert_close(log_probs.exp().sum(1), torch.ones(3))
        words = targets[:, place]
        expected = log_probs[range(3), words].where(words != PAD, torch.tensor(0.0))
        torch.testing.assert_close(whole[:, place], expected, rtol=1e-4, atol=1e-5)


@torch.inference_mode()
def test_the_endings_of_a_padded_batch_are_decoded_as_each_alone(generator):
    targets, state = _targets(generator), generator.start(generator.prepare(CONTEXTS))
    lengths = (targets != PAD).sum(1)
    assert set(lengths.tolist()) == {5, 11}
    assert lengths.tolist() != sorted(lengths.tolist(), reverse=True)
    hidden = generator.decode_padded(targets, lengths, state)
    assert hidden.shape[:2] == targets.shape
    for row, length in enumerate(lengths):
        alone, _ = generator.decode(targets[row : row + 1, :length], tuple(part[row : row + 1] for part in state))
        torch.testing.assert_close(hidden[row, :length], alone[0], rtol=1e-4, atol=1e-5)


@torch.inference_mode()
def test_neither_padding_nor_order_of_a_batch_changes_a_row(generator):
    targets = _targets(generator)
    together = generator.token_log_probs(generator.prepare(CONTEXTS), targets)
    backwards = generator.token_log_probs(generator.prepare(CONTEXTS[::-1]), targets.flip(0)).flip(0)
    torch.testing.assert_close(together, backwards, rtol=1e-4, atol=1e-5)
    for row, context in enumerate(CONTEXTS):
        alone = generator.token_log_probs(generator.prepare([context]), targets[row : row + 1])
        torch.testing.assert_close(together[row], alone[0], rtol=1e-4, atol=1e-5)


@torch.inference_mode()
def test_the_context_matters(generator):
    same_ending = _targets(generator)[[2, 2, 2]]
    log_probs = generator.token_log_probs(generator.prepare(CONTEXTS), same_ending).sum(1)
    assert len(set(log_probs.tolist())) == 3


def test_a_context_without_words_is_refused(generator):
    with pytest.raises(UserError, match="context 2 of 2"):
        generator.prepare([["Tom ran."], []])


def test_an_unknown_generator_is_named():
    with pytest.raises(UserError, match="no generator 'gpt'; there are bm25, "):
        generator_class("gpt")


VOCABULARY = Vocabulary.build(["Tom went home."])


def test_seq2seq_has_the_paper_s_size_by_default():
    generator = Seq2Seq(Seq2SeqSettings(), VOCABULARY)
    for part in (generator.encoder, generator.decoder):
        assert (part.num_layers, part.hidden_size) == (2, 512)


def test_seq2seq_s_encoder_is_torch_s_lstm_over_the_words_alone():
    generator = Seq2Seq(Seq2SeqSettings(units=8), VOCABULARY)
    inputs = generator.prepare([["Tom went home."], ["Tom."]])
    hidden, cell = generator.start(inputs)
    _, (alone_hidden, alone_cell) = generator.encoder(generator.embedding(inputs.values[1:, -2:]))
    torch.testing.assert_close(hidden[1], alone_hidden[:, 0])
    torch.testing.assert_close(cell[1], alone_cell[:, 0])


def _h_seq2seq(**settings) -> HSeq2Seq:
    generator = HSeq2Seq(HSeq2SeqSettings(**settings), VOCABULARY, "none", "", 40)
    generator.sentence_vectors = lambda sentences: np.ones((len(sentences), 40), np.float32)
    return generator


def test_h_seq2seq_has_the_paper_s_size_by_default():
    generator = _h_seq2seq()
    for part in (generator.context, generator.decoder):
        assert (part.num_layers, part.hidden_size) == (1, 256)
    assert generator.normalisation.num_features == 256
    optimizer = TrainedNetwork(generator).configure_optimizers()
    assert {key: optimizer.defaults[key] for key in ("lr", "betas", "eps", "weight_decay")} == {
        "lr": 0.001,
        "betas": (0.9, 0.999),
        "eps": 1e-8,
        "weight_decay": 0,
    }
    assert generator.settings.epochs == 15


def test_sentence_level_dropout_drops_elements_and_scales_the_rest():
    generator = _h_seq2seq(sentence_dropout=0.25)
    inputs = generator.prepare([["One.", "Two."]] * 100)
    values = generator.disturb(inputs, torch.Generator().manual_seed(1)).values
    assert values.unique().tolist() == pytest.approx([0, 1 / 0.75])
    assert (values == 0).float().mean().item() == pytest.approx(0.25, abs=0.02)  # 8,000 draws: 4 deviations
    again = generator.disturb(inputs, torch.Generator().manual_seed(1)).values
    assert torch.equal(values, again)
    assert (inputs.values == 1).all()


def test_the_context_vector_is_normalised_over_the_batch():
    generator = _h_seq2seq(units=16)
    inputs = generator.prepare([["One."], ["One.", "Two."], ["One.", "Two.", "Three."]])
    (vector,) = generator.train().start(inputs)
    torch.testing.assert_close(vector.mean(0), torch.zeros(16), atol=1e-5, rtol=0)


def test_the_encoder_that_h_seq2seq_was_not_trained_with_is_refused():
    generator = HSeq2Seq(HSeq2SeqSettings(units=4), Vocabulary(["a"]), "glove", "another fingerprint", 50)
    with pytest.raises(UserError, match="made by glove from other files"):
        generator.find_vectors(None)
