"""Texts that are written side by side, against transformers one at a time, and against shares worked out by hand."""

import numpy as np
import pytest
import torch

from denouement.language_models import writing
from denouement.language_models.model import load
from denouement.language_models.reading import likelihoods
from denouement.language_models.writing import Sampling, continuations
from denouement.text.sentences import split_sentences

PROMPTS = ["Tom had a test. He studied all night.", "Ann had a dog.", "", "Bob sang in the rain."]


@pytest.fixture(scope="module")
def tiny(tiny_model):
    return load(str(tiny_model))


@pytest.fixture(scope="module")
def taught(taught_model):
    return load(str(taught_model))


def test_greedy_takes_the_tokens_that_transformers_takes(tiny):
    found = continuations(tiny, PROMPTS, Sampling(temperature=0, most_tokens=12))
    for prompt, [written] in zip(PROMPTS, found, strict=True):
        ids = torch.tensor([tiny.tokens(prompt) or [tiny.start]])
        never = tiny.never_first.nonzero()[:, 0].tolist()
        limits = {"max_new_tokens": 12, "pad_token_id": 0, "begin_suppress_tokens": never}
        theirs = tiny.network.generate(ids, do_sample=False, **limits)[0, ids.shape[1] :]
        assert written.n_tokens
        assert tiny.decode(theirs).startswith(written.text)


def test_draws_repeat_and_others_differ(tiny):
    sampling = Sampling(seed=3, most_tokens=8)
    first = continuations(tiny, PROMPTS, sampling, 4)
    assert continuations(tiny, PROMPTS, sampling, 4) == first
    assert continuations(tiny, PROMPTS, Sampling(seed=4, most_tokens=8), 4) != first
    assert [len(of_prompt) for of_prompt in first] == [4] * len(PROMPTS)
    assert len({each.text for each in first[0]}) > 1


@pytest.mark.parametrize("sampling", [Sampling(most_tokens=9), Sampling(temperature=0.7, top_p=0.8, top_k=40)])
def test_a_draw_depends_on_nothing_else_in_the_call(tiny, monkeypatch, sampling):
    together = continuations(tiny, PROMPTS, sampling, 6)
    texts = [[each.text for each in of_prompt] for of_prompt in together]
    for at, prompt in enumerate(PROMPTS):
        assert [[each.text for each in of_prompt] for of_prompt in continuations(tiny, [prompt], sampling, 6)] == [
            texts[at]
        ]
    assert [[each.text for each in found] for found in continuations(tiny, PROMPTS[::-1], sampling, 3)] == [
        of_prompt[:3] for of_prompt in texts[::-1]
    ]
    monkeypatch.setattr(writing, "_TOKENS", 150)  # a few rows at a time, the draws of a prompt in several batches
    assert [[each.text for each in found] for found in continuations(tiny, PROMPTS, sampling, 6)] == texts


def test_what_all_prompts_begin_with_changes_nothing(tiny, monkeypatch):
    prompts = ["Ann had a dog. It ran off. She looked for it. " + rest for rest in ("It was", "The dog came", "Tom")]
    sampling = Sampling(most_tokens=8)
    shared = continuations(tiny, prompts, sampling, 3)
    monkeypatch.setattr(writing, "_SHARED", 10_000)
    for ours, apart in zip(shared, continuations(tiny, prompts, sampling, 3), strict=True):
        assert [each.text for each in ours] == [each.text for each in apart]
        np.testing.assert_allclose([x.log_prob for x in ours], [x.log_prob for x in apart], atol=1e-4)


def test_log_probabilities_are_those_of_reading(taught):
    """Also where texts ended and others went on; at temperature 2, under the model as it is."""
    found = continuations(taught, PROMPTS, Sampling(temperature=2, most_tokens=15), 8)
    assert len({each.n_tokens for of_prompt in found for each in of_prompt}) > 3
    n_compared = 0
    for prompt, of_prompt in zip(PROMPTS, found, strict=True):
        for each in of_prompt:
            # a text that its tokens are not the only ones of cannot be compared
            if not each.text or len(taught.tokens(prompt + each.text)) != len(taught.tokens(prompt)) + each.n_tokens:
                continue
            [read] = likelihoods(taught, [prompt], [[each.text]])
            assert each.log_prob == pytest.approx(read.log_prob[0], abs=1e-3)
            n_compared += 1
    assert n_compared > 3


def test_a_text_ends_with_its_first_sentence(taught):
    [[bob], [tom], [of_nothing]] = continuations(
        taught, [PROMPTS[3], PROMPTS[0], ""], Sampling(temperature=0, most_tokens=40)
    )
    assert bob.text == " A neighbour shouted."
    assert tom.text == " He slept on the bus."
    assert len(split_sentences(of_nothing.text)) == 1
    assert tom.n_tokens == len(taught.tokens(" He slept on the bus."))


def test_a_text_has_something_to_read_also_where_its_end_is_likeliest(taught):
    story = "Tom had a test. He studied all night. He slept on the bus. The test was easy. He passed it."
    with taught.running():
        logits = taught.network(input_ids=torch.tensor([taught.tokens(story)]), logits_to_keep=1).logits[0, -1]
    assert int(logits.argmax()) in taught.ends
    [[greedy]] = continuations(taught, [story], Sampling(temperature=0, most_tokens=20))
    assert greedy.text.strip()
    [read] = likelihoods(taught, [story], [[greedy.text]])
    assert greedy.log_prob == pytest.approx(read.log_prob[0], abs=1e-3), "under the model as it is"
    [drawn] = continuations(taught, [story], Sampling(top_p=0.9, most_tokens=20), 50)
    assert all(each.text.strip() for each in drawn)


def test_what_no_text_begins_with(tiny):
    first = {tiny.tokenizer.decode([token]) for token in (~tiny.never_first).nonzero()[:, 0].tolist()}
    assert {"H", "I", "s", "."} <= first
    assert not first & {"<|endoftext|>", "\n"}
    assert len(tiny.never_first) == len(tiny.tokenizer)


class Typed:
    """A model whose tokens are characters."""

    ends = frozenset({0})

    def decode(self, ids):
        return "".join(map(chr, ids))


@pytest.mark.parametrize(
    ("typed", "text", "n_tokens"),
    [
        ("He won. T", "He won.", 7),
        ("He won.\n", "He won.", 7),
        ("\n", "", 0),
        ("He met Dr. Hill", "He met Dr. Hill", 15),
        ('"I won!" he said. S', '"I won!" he said.', 17),
        ("He won.\0", "He won.", 7),
    ],
)
def test_where_a_text_ends(typed, text, n_tokens):
    written = writing._Text(0, np.empty(0))
    goes_on = [written.take(ord(letter), -1.0, Typed()) for letter in typed]
    assert goes_on == [True] * (len(typed) - 1) + [typed == text]
    assert written.finished(Typed()) == writing.Continuation(text, -n_tokens, n_tokens)


PROBS = torch.tensor([[0.1, 0.4, 0.05, 0.2, 0.25]])


@pytest.mark.parametrize(
    ("sampling", "shares"),
    [
        (Sampling(), [0.1, 0.4, 0.05, 0.2, 0.25]),
        (Sampling(top_k=2), [0, 0.4 / 0.65, 0, 0, 0.25 / 0.65]),
        (Sampling(top_p=0.65), [0, 0.4 / 0.65, 0, 0, 0.25 / 0.65]),
        (Sampling(top_p=0.66), [0, 0.4 / 0.85, 0, 0.2 / 0.85, 0.25 / 0.85]),
        (Sampling(temperature=0.5), [0.01 / 0.275, 0.16 / 0.275, 0.0025 / 0.275, 0.04 / 0.275, 0.0625 / 0.275]),
        (Sampling(temperature=0), [0, 1, 0, 0, 0]),
    ],
)
def test_tokens_are_drawn_in_their_shares(sampling, shares):
    draws = (torch.arange(2000, dtype=torch.float64) + 0.5) / 2000  # each share of [0, 1) once
    drawn = writing._drawn(PROBS.log().expand(2000, -1), sampling, draws)
    np.testing.assert_allclose(np.bincount(drawn, minlength=5) / 2000, shares, atol=1e-3)


def test_a_large_vocabulary_is_drawn_from_as_a_running_sum_says():
    generator = torch.Generator().manual_seed(1)
    probs = (3 * torch.randn((40, 5003), generator=generator)).softmax(-1)
    draws = torch.rand(40, generator=generator, dtype=torch.float64)
    sums = probs.double().cumsum(-1)
    expected = (sums > draws[:, None] * sums[:, -1:]).int().argmax(-1)
    assert writing._at(probs, draws).tolist() == expected.tolist()
    nucleus = writing._drawn(probs.log(), Sampling(top_p=0.97), draws)
    ordered = probs.sort(descending=True).values
    n_kept = (ordered.cumsum(-1) - ordered < 0.97).sum(-1)
    assert n_kept.max() > 512  # more than are looked at first
    assert all(probs[row, token] >= ordered[row, n_kept[row] - 1] for row, token in enumerate(nucleus))


def test_prompts_that_are_too_long_are_cut_at_the_left_and_counted(tiny, capsys):
    long = "Ann had a dog. " * 60
    [[ours]] = continuations(tiny, [long], Sampling(temperature=0, most_tokens=5))
    assert capsys.readouterr().err.startswith("warning: 1 prompt is longer than the 251 tokens that ")
    ids = torch.tensor([tiny.tokens(long)[-251:]])
    theirs = tiny.network.generate(ids, do_sample=False, max_new_tokens=5, pad_token_id=0)[0, 251:]
    assert tiny.decode(theirs).startswith(ours.text)
