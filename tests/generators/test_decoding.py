"""Decoding against exhaustive enumeration and values worked out by hand."""

import itertools
import math
from collections import Counter

import pytest
import torch
from markov_toy import FIRST, SPECIAL, MarkovToy
from scipy.stats import chisquare

from denouement.errors import UserError
from denouement.generators.decoding import Decoding
from denouement.generators.neural import search
from denouement.generators.neural.search import decode
from denouement.text.vocabulary import END

CONTEXTS = [["0"], ["1"], ["2"]]
SEEDS = range(8)


def texts(generator, decoding, contexts=(("0",),), n=1):
    return [[ending.text for ending in endings] for endings in decode(generator, contexts, decoding, n)]


# --- greedy


def test_greedy_takes_the_likeliest_word_each_time():
    toy = MarkovToy.of({"^": {"a": 0.6, "b": 0.4}, "a": {"c": 0.55, "$": 0.45}, "b": {"$": 1.0}, "c": {"$": 1.0}})
    [[ending]] = decode(toy, [["0"]], Decoding())
    assert ending.text == "a c"  # though "b" (0.4) is likelier than "a c" (0.33)
    assert ending.n_tokens == 3
    assert ending.log_prob == pytest.approx(math.log(0.6 * 0.55))
    assert ending.words == (FIRST, FIRST + 2)


def test_special_words_are_never_generated():
    toy = MarkovToy.of({"^": {"?": 0.5, "_": 0.3, "^": 0.1, "a": 0.06, "$": 0.04}, "a": {"?": 0.9, "$": 0.1}})
    for decoding in (Decoding(), Decoding("beam", beam_width=3), Decoding("sample")):
        [[ending]] = decode(toy, [["0"]], decoding)
        assert ending.text == "a"
        # The probability of what was forbidden is not given to the other words.
        assert ending.log_prob == pytest.approx(math.log(0.06 * 0.1))


def test_an_ending_at_max_length_is_ended_and_pays_for_its_end():
    toy = MarkovToy.of({"^": {"a": 1.0}, "a": {"a": 0.9, "$": 0.1}})
    for decoding in (Decoding(max_length=3), Decoding("sample", max_length=3, top_k=1)):
        [[ending]] = decode(toy, [["0"]], decoding)
        assert (ending.text, ending.n_tokens) == ("a a a", 4)
        assert ending.log_prob == pytest.approx(math.log(0.9**2 * 0.1))


def test_min_length_forbids_the_end():
    toy = MarkovToy.of({"^": {"$": 0.9, "a": 0.1}, "a": {"$": 0.9, "b": 0.1}, "b": {"$": 1.0}})
    assert [texts(toy, Decoding(min_length=length)) for length in (0, 1, 2)] == [[[""]], [["a"]], [["a b"]]]


def test_no_ngram_stands_twice():
    loop = {"^": {"a": 1.0}, "a": {"b": 0.8, "c": 0.2}, "b": {"a": 0.7, "c": 0.2, "$": 0.1}, "c": {"a": 0.6, "$": 0.4}}
    toy = MarkovToy.of(loop)
    assert texts(toy, Decoding(max_length=5)) == [["a b a b a"]]
    assert texts(toy, Decoding(max_length=5, no_repeat_ngram=1)) == [["a b c"]]
    assert texts(toy, Decoding(max_length=6, no_repeat_ngram=2)) == [
        ["a b a c a"]
    ]  # ab, ba, ac, ca: then b and c both repeat
    assert texts(toy, Decoding(max_length=6, no_repeat_ngram=3)) == [["a b a b c a"]]


@pytest.mark.parametrize("method", ["greedy", "beam", "sample"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_ngram_stands_twice_whatever_the_model(method, seed):
    toy = MarkovToy.random(words=3, seed=seed)
    for n in (1, 2, 3):
        for [ending] in decode(toy, CONTEXTS, Decoding(method, no_repeat_ngram=n, max_length=12, min_length=3)):
            ngrams = list(zip(*(ending.words[i:] for i in range(n)), strict=False))
            assert len(ngrams) == len(set(ngrams))


def test_an_ending_whose_words_are_all_forbidden_ends_before_min_length():
    toy = MarkovToy.of({"^": {"a": 1.0}, "a": {"a": 0.5, "$": 0.5}}, words=1)
    never_ends = MarkovToy.of({"^": {"a": 1.0}, "a": {"a": 1.0}}, words=1)
    for method in ("greedy", "beam", "sample"):
        decoding = Decoding(method, no_repeat_ngram=1, min_length=5)
        [[ending]] = decode(toy, [["0"]], decoding)
        assert (ending.text, ending.n_tokens) == ("a", 2)
        assert ending.log_prob == pytest.approx(math.log(0.5))
        [[ending]] = decode(never_ends, [["0"]], decoding)
        assert (ending.text, ending.log_prob) == ("a", -math.inf)


# --- beam


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("length_penalty", [0.0, 0.7, 2.0])
def test_a_beam_as_wide_as_the_space_finds_the_best_endings(seed, length_penalty):
    toy = MarkovToy.random(seed=seed)
    space = [toy.every_ending(chain, max_length=3, min_length=1) for chain in range(3)]
    width = len(space[0])
    decoding = Decoding("beam", beam_width=width, max_length=3, length_penalty=length_penalty)
    for possible, endings in zip(space, decode(toy, CONTEXTS, decoding, n=width), strict=True):
        assert {ending.words for ending in endings} == set(possible)
        rank = {words: lp / ((5 + len(words) + 1) / 6) ** length_penalty for words, lp in possible.items()}
        assert [rank[ending.words] for ending in endings] == pytest.approx(sorted(rank.values(), reverse=True))
        assert [ending.log_prob for ending in endings] == pytest.approx([possible[e.words] for e in endings])


def test_a_beam_mends_what_greedy_misses():
    toy = MarkovToy.of({"^": {"a": 0.6, "b": 0.4}, "a": {"c": 0.55, "$": 0.45}, "b": {"$": 1.0}, "c": {"$": 1.0}})
    assert texts(toy, Decoding("beam", beam_width=2), n=2) == [["b", "a c"]]
    # (5 + 3) / 6 to the power 3 is 2.37 and (5 + 2) / 6 is 1.59: ln 0.33 / 2.37 = -0.47 beats ln 0.4 / 1.59 = -0.58.
    assert texts(toy, Decoding("beam", beam_width=2, length_penalty=3.0), n=2) == [["a c", "b"]]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_beam_of_width_one_is_greedy(seed):
    toy = MarkovToy.random(seed=seed)
    for alpha in (0.0, 1.0):
        assert decode(toy, CONTEXTS, Decoding("beam", beam_width=1, length_penalty=alpha)) == decode(toy, CONTEXTS)


@pytest.mark.parametrize("seed", SEEDS)
def test_beam_against_a_plain_loop(seed):
    """The textbook algorithm over Python lists, one context at a time."""
    toy, width, max_length = MarkovToy.random(words=4, seed=seed), 3, 6
    letters = range(FIRST, FIRST + 4)
    decoded = decode(toy, CONTEXTS, Decoding("beam", beam_width=width, max_length=max_length), n=width)
    for chain, endings in enumerate(decoded):
        beam, done = [((), 0.0)], []
        while beam:
            candidates = [
                ((*words, word), log_prob + toy.conditional(chain, words, word))
                for words, log_prob in beam
                for word in ([END] if len(words) == max_length else [*letters, *[END] * bool(words)])
            ]
            best = sorted(candidates, key=lambda pair: -pair[1])[: width - len(done)]
            done += [(words[:-1], log_prob) for words, log_prob in best if words[-1] == END]
            beam = [(words, log_prob) for words, log_prob in best if words[-1] != END]
        assert [ending.words for ending in endings] == [words for words, _ in sorted(done, key=lambda pair: -pair[1])]


# --- sampling


@pytest.mark.parametrize("seed", SEEDS)
def test_sampling_from_the_likeliest_word_alone_is_greedy(seed):
    toy = MarkovToy.random(seed=seed)
    greedy = decode(toy, CONTEXTS)
    assert decode(toy, CONTEXTS, Decoding("sample", top_k=1)) == greedy
    assert decode(toy, CONTEXTS, Decoding("sample", top_p=1e-6)) == greedy
    assert decode(toy, CONTEXTS, Decoding("sample", temperature=1e-3)) == greedy


def test_samples_have_the_model_s_frequencies():
    toy, n, max_length = MarkovToy.random(words=2, chains=1, seed=3, spread=1.0), 4000, 3
    sampled = Counter(e.words for e in decode(toy, [["0"]], Decoding("sample", max_length=max_length), n)[0])
    expected = _sampling_distribution(toy, max_length)
    assert set(sampled) <= set(expected)
    assert sum(expected.values()) == pytest.approx(1)
    assert chisquare([sampled[words] for words in expected], [n * p for p in expected.values()]).pvalue > 0.01


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        # a 0.5, b 0.25, c 0.15, d 0.1
        ({}, {"a": 0.5, "b": 0.25, "c": 0.15, "d": 0.1}),
        ({"top_k": 2}, {"a": 2 / 3, "b": 1 / 3}),
        ({"top_p": 0.4}, {"a": 1.0}),
        ({"top_p": 0.6}, {"a": 2 / 3, "b": 1 / 3}),  # b carries the sum past 0.6 and so stays
        ({"top_p": 0.8}, {"a": 5 / 9, "b": 2.5 / 9, "c": 1.5 / 9}),
        ({"temperature": 0.5}, {"a": 0.25 / 0.345, "b": 0.0625 / 0.345, "c": 0.0225 / 0.345, "d": 0.01 / 0.345}),
        ({"temperature": 2.0, "top_k": 3}, {"a": 0.4303, "b": 0.3042, "c": 0.2357, "d": 0}),
        # After top_k = 3 the shares are 0.556, 0.278, 0.167: two words hold 0.8.
        ({"top_k": 3, "top_p": 0.8}, {"a": 2 / 3, "b": 1 / 3}),
        ({"temperature": 0.5, "top_p": 0.8}, {"a": 0.8, "b": 0.2}),
    ],
)
def test_truncated_sampling_by_hand(settings, expected):
    if settings == {"temperature": 2.0, "top_k": 3}:  # square roots of 0.5, 0.25, 0.15 over their sum
        roots = [math.sqrt(p) for p in (0.5, 0.25, 0.15)]
        expected = dict(zip("abc", (root / sum(roots) for root in roots), strict=True))
    toy = MarkovToy.of({"^": {"c": 0.15, "a": 0.5, "d": 0.1, "b": 0.25}})
    n = 3000
    endings = decode(toy, [["0"]], Decoding("sample", max_length=1, **settings), n)[0]
    sampled = Counter(ending.text for ending in endings)
    assert set(sampled) == set(expected)
    if len(expected) > 1:
        assert chisquare([sampled[w] for w in expected], [n * p for p in expected.values()]).pvalue > 0.01
    # log_prob is the model's own, whatever was done to draw.
    own = {"a": 0.5, "b": 0.25, "c": 0.15, "d": 0.1}
    assert all(ending.log_prob == pytest.approx(math.log(own[ending.text])) for ending in endings)


def test_the_nucleus_of_a_large_vocabulary():
    """Rows whose nucleus is a few words, hundreds and nearly all words, side by side."""
    size, top_p = 2000, 0.9
    ranks = torch.arange(1, size - FIRST + 1, dtype=torch.double)
    shuffled = torch.randperm(len(ranks), generator=torch.Generator().manual_seed(1))
    shares = torch.stack([ranks**-exponent for exponent in (3.0, 1.0, 0.1)])[:, shuffled]
    shares /= shares.sum(1, keepdim=True)
    log_probs = torch.full((3, size), -torch.inf)
    log_probs[:, FIRST:] = shares.log()
    toy = MarkovToy(log_probs[:, None, None, :].expand(3, size, size, size))
    for row, endings in zip(
        shares, decode(toy, CONTEXTS, Decoding("sample", top_p=top_p, max_length=1), 1000), strict=True
    ):
        order = row.argsort(descending=True)
        nucleus = order[: int((row[order].cumsum(0) < top_p).sum()) + 1]
        drawn = Counter(ending.words[0] - FIRST for ending in endings)
        assert set(drawn) <= set(nucleus.tolist())
        tenths = [group.tolist() for group in nucleus.tensor_split(10) if len(group)]
        found = [sum(drawn[word] for word in group) for group in tenths]
        wanted = [1000 * float(row[group].sum() / row[nucleus].sum()) for group in tenths]
        assert chisquare(found, wanted).pvalue > 0.01


def test_a_sample_depends_on_its_context_seed_and_number_alone():
    toy = MarkovToy.random(words=4, seed=1, spread=0.3)
    decoding = Decoding("sample", seed=5)
    together = decode(toy, CONTEXTS, decoding, n=4)
    assert [decode(toy, [context], decoding, n=4)[0] for context in CONTEXTS] == together
    assert decode(toy, CONTEXTS[::-1], decoding, n=4) == together[::-1]
    assert [endings[:2] for endings in together] == decode(toy, CONTEXTS, decoding, n=2)
    assert decode(toy, CONTEXTS, Decoding("sample", seed=6), n=4) != together
    torch.manual_seed(0)
    assert decode(toy, CONTEXTS, decoding, n=4) == together  # global state plays no part
    assert len({ending.words for ending in together[0]}) > 1


# --- batches


@pytest.mark.parametrize(
    ("decoding", "n"),
    [(Decoding(), 1), (Decoding("beam", beam_width=3), 3), (Decoding("sample"), 3), (Decoding(no_repeat_ngram=2), 1)],
)
def test_a_batch_gives_what_its_contexts_give_alone(decoding, n):
    toy = MarkovToy.random(chains=20, seed=4)
    contexts = [[str(i)] for i in range(20)]
    assert decode(toy, contexts, decoding, n) == [decode(toy, [context], decoding, n)[0] for context in contexts]


def test_finished_rows_leave_the_batch():
    toy = MarkovToy.random(chains=20, seed=4)
    endings = decode(toy, [[str(i)] for i in range(20)])
    lengths = [ending.n_tokens for [ending] in endings]
    assert len(set(lengths)) > 2
    assert toy.rows_seen == [sum(n > step for n in lengths) for step in range(max(lengths))]


def test_the_reported_log_prob_is_the_model_s():
    toy = MarkovToy.random(seed=6)
    for decoding, n in ((Decoding(), 1), (Decoding("beam", beam_width=4), 4), (Decoding("sample", top_p=0.7), 4)):
        for chain, endings in enumerate(decode(toy, CONTEXTS, decoding, n)):
            for ending in endings:
                assert ending.log_prob == pytest.approx(toy.log_prob(chain, ending.words), rel=1e-5)
                assert ending.n_tokens == len(ending.words) + 1
                assert not set(ending.words) & set(SPECIAL)


def test_no_contexts_no_endings():
    assert decode(MarkovToy.random(), []) == []


# --- settings and errors


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "best"},
        {"beam_width": 0, "method": "beam"},
        {"length_penalty": -0.1, "method": "beam"},
        {"temperature": 0.0, "method": "sample"},
        {"temperature": float("nan"), "method": "sample"},
        {"top_p": 0.0, "method": "sample"},
        {"top_p": 1.1, "method": "sample"},
        {"top_k": 0, "method": "sample"},
        {"no_repeat_ngram": 0},
        {"min_length": -1},
        {"max_length": 0},
        {"min_length": 5, "max_length": 4},
        # so much that numbers overflow or memory runs out
        {"beam_width": 10**20, "method": "beam"},
        {"length_penalty": 1e308, "method": "beam"},
        {"temperature": 1e-320, "method": "sample"},
        {"temperature": 1e308, "method": "sample"},
        {"max_length": 10**20},
        # settings of another method
        {"top_p": 0.9},
        {"top_k": 5, "method": "beam"},
        {"temperature": 0.7},
        {"beam_width": 3},
        {"length_penalty": 0.6, "method": "sample"},
    ],
)
def test_settings_out_of_range_are_named(settings):
    with pytest.raises(ValueError, match=f"^{next(iter(settings))}: "):
        Decoding(**settings)


@pytest.mark.parametrize(
    ("decoding", "n"),
    [(Decoding(), 2), (Decoding("beam", beam_width=3), 4), (Decoding("sample"), 0), (Decoding("sample"), 10**20)],
)
def test_more_endings_than_the_method_can_give(decoding, n):
    with pytest.raises(UserError, match=str(n)):
        decode(MarkovToy.random(), CONTEXTS, decoding, n)


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "sample", "temperature": 1e-9},
        {"method": "sample", "temperature": 1e9},
        {"method": "sample", "temperature": 1e-9, "no_repeat_ngram": 1, "min_length": 20},
        {"method": "sample", "top_p": 1e-300, "top_k": 10**20},
        {"method": "beam", "beam_width": 1000, "length_penalty": 10.0},
        {"no_repeat_ngram": 10**20, "max_length": 300},
    ],
)
def test_settings_at_their_limits_give_endings(settings):
    toy = MarkovToy.of({"^": {"a": 0.5, "b": 0.5}, "a": {"b": 1.0}, "b": {"a": 1.0}})  # END is impossible
    decoding = Decoding(**settings)
    [endings] = decode(toy, [["0"]], decoding, 1)
    assert len(endings) == 1
    assert set(endings[0].text.split()) == {"a", "b"}


@pytest.mark.parametrize(
    ("decoding", "n"),
    [
        (Decoding(max_length=4), 1),
        (Decoding("beam", beam_width=3, max_length=4), 3),
        (Decoding("sample", max_length=4), 7),
    ],
)
def test_memory_is_bounded_whatever_is_asked_for(decoding, n, monkeypatch):
    contexts = [[str(number % 3)] for number in range(20)]
    expected = decode(MarkovToy.random(), contexts, decoding, n)
    monkeypatch.setattr(search, "_MOST_ROWS", 5)
    toy = MarkovToy.random()
    assert decode(toy, contexts, decoding, n) == expected
    assert max(toy.rows_seen) <= 5


def test_a_model_of_no_numbers_is_an_error():
    with pytest.raises(UserError, match="diverged"):
        decode(MarkovToy(torch.full((1, 8, 8, 8), torch.nan)), [["0"]])


# --- helpers


def _sampling_distribution(toy, max_length):
    """Probability of each ending when words are drawn from what is allowed, renormalised, one after the other."""
    letters = range(FIRST, toy.log_probs.shape[-1])
    distribution = {}
    for length in range(1, max_length + 1):
        for words in itertools.product(letters, repeat=length):
            probability = 1.0
            for place, word in enumerate((*words, END)):
                allowed = [END] if place == max_length else [*letters, *[END] * (place > 0)]
                weights = {w: math.exp(toy.conditional(0, words[:place], w)) for w in allowed}
                probability *= weights[word] / sum(weights.values())
            distribution[words] = probability
    return distribution


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "greedy"),
        ({"method": "beam", "length_penalty": 0.6}, "beam, beam_width 5, length_penalty 0.6"),
        ({"method": "sample", "top_p": 0.9, "no_repeat_ngram": 3}, "sample, top_p 0.9, no_repeat_ngram 3, seed 1"),
    ],
)
def test_settings_are_said_in_words(settings, told):
    assert str(Decoding(**settings)) == told
