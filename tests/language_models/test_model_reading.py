"""Contexts that are read once, against each continuation read on its own by transformers."""

import numpy as np
import pytest
import torch

from denouement.language_models.model import load
from denouement.language_models.reading import likelihoods, states

CONTEXTS = ["Tom had a test. He studied all night.", "Ann had a dog.", "", "Bob sang in the rain. It rained. " * 3]
CONTINUATIONS = [
    [" He passed it.", " The dog came back. It was cold.", " He"],
    [" It ran off.", " It ran away."],
    ["Tom had a test."],
    [" A neighbour shouted."],
]


@pytest.fixture(scope="module")
def tiny(tiny_model):
    return load(str(tiny_model))


def alone(model, context, continuation):
    """The log-probabilities and the states of a continuation's tokens, from one plain call of the network."""
    before = model.tokens(context) or [model.start]
    ids = model.tokens(context + continuation) if context else [*before, *model.tokens(continuation)]
    with torch.inference_mode():
        out = model.network(input_ids=torch.tensor([ids]), output_hidden_states=True)
    log_probs = torch.log_softmax(out.logits[0].double(), -1)
    of_tokens = [float(log_probs[at - 1, ids[at]]) for at in range(len(before), len(ids))]
    return of_tokens, [layer[0, len(before) :] for layer in out.hidden_states]


def test_likelihoods_are_those_of_reading_one_by_one(tiny):
    found = likelihoods(tiny, CONTEXTS, CONTINUATIONS)
    for context, of_context, read in zip(CONTEXTS, CONTINUATIONS, found, strict=True):
        each = [alone(tiny, context, continuation)[0] for continuation in of_context]
        np.testing.assert_allclose(read.log_prob, [sum(of_tokens) for of_tokens in each], atol=1e-4)
        assert read.n_tokens.tolist() == [len(of_tokens) for of_tokens in each]


def test_likelihoods_are_those_of_transformers_loss(tiny):
    [read] = likelihoods(tiny, ["Tom had a test."], [[" He passed it."]])
    ids = torch.tensor([tiny.tokens("Tom had a test. He passed it.")])
    labels = ids.clone()
    labels[:, : len(tiny.tokens("Tom had a test."))] = -100
    loss = tiny.network(input_ids=ids, labels=labels).loss.item()
    assert -read.log_prob[0] / read.n_tokens[0] == pytest.approx(loss, abs=1e-5)


def test_what_else_is_read_changes_nothing(tiny):
    together = likelihoods(tiny, CONTEXTS, CONTINUATIONS)
    for at, context in enumerate(CONTEXTS):
        [apart] = likelihoods(tiny, [context], [CONTINUATIONS[at]])
        np.testing.assert_allclose(apart.log_prob, together[at].log_prob, atol=1e-4)
    [one] = likelihoods(tiny, CONTEXTS[:1], [CONTINUATIONS[0][1:2]])
    assert one.log_prob[0] == pytest.approx(together[0].log_prob[1], abs=1e-4)


def test_a_context_changes_what_is_likely(tiny):
    [a], [b] = (likelihoods(tiny, [context], [[" It ran off."]]) for context in CONTEXTS[:2])
    assert abs(a.log_prob[0] - b.log_prob[0]) > 1


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_states_are_the_means_of_reading_one_by_one(tiny, layer):
    found = states(tiny, CONTEXTS, CONTINUATIONS, layer)
    for context, of_context, read in zip(CONTEXTS, CONTINUATIONS, found, strict=True):
        means = [alone(tiny, context, continuation)[1][layer].mean(0).numpy() for continuation in of_context]
        np.testing.assert_allclose(read, np.stack(means), atol=1e-4)
