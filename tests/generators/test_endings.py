"""Tables of endings and scores of given endings, on every neural generator of the registry."""

import hashlib
import math

import numpy as np
import pyarrow as pa
import pytest
import torch
from corpus_toy import neural
from markov_toy import FIRST, MarkovToy

from denouement import schemas
from denouement.generators.base import generator_class
from denouement.generators.decoding import Decoding
from denouement.generators.endings import generate_endings, log_prob_per_token
from denouement.generators.neural.scoring import score
from denouement.generators.neural.search import decode
from denouement.text.vocabulary import END, PAD, Vocabulary

STORIES = [
    "Tom bought a red car.",
    "He drove to the sea with his dog.",
    "The car broke down near a farm.",
    "A farmer gave them lunch and fixed the car.",
    "They were happy and sang all the way home.",
]
# Contexts of one to five sentences: batches need padding.
CONTEXTS = [STORIES[start : start + length] for length in range(1, 6) for start in range(6 - length)]
DECODINGS = [
    (Decoding(max_length=8), 1),
    (Decoding("beam", beam_width=4, max_length=8, length_penalty=0.6), 3),
    (Decoding("sample", max_length=8), 3),
    (Decoding("sample", max_length=8, top_p=0.9, top_k=10, temperature=0.7, no_repeat_ngram=2, min_length=3), 2),
]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Matrices this small are slower on several threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Hashed:
    """Stands for a sentence encoder: the same sentence has the same vector, another one another."""

    def __call__(self, sentences):
        rows = [np.frombuffer(hashlib.sha256(sentence.encode()).digest(), np.uint8) for sentence in sentences]
        return np.stack(rows).astype(np.float32) / 128 - 1

    def prepare(self, sentences):
        pass


def tiny(name):
    """A generator of a few units and random weights, large enough to be far from uniform."""
    kind = generator_class(name)
    arguments = {"encoder": "minilm", "dimension": 32, "fingerprint": ""} if kind.reads_vectors else {}
    with torch.random.fork_rng():
        torch.manual_seed(1)
        generator = kind(kind.settings_class(units=16), Vocabulary.build(STORIES), **arguments)
        for parameter in generator.parameters():
            torch.nn.init.normal_(parameter, std=0.8)
        torch.nn.init.zeros_(generator.embedding.weight[PAD])
    if kind.reads_vectors:
        generator.sentence_vectors = Hashed()
    return generator.eval()


@pytest.fixture(scope="module", params=neural())
def generator(request):
    return tiny(request.param)


# --- every generator


@pytest.mark.parametrize(("decoding", "n"), DECODINGS)
def test_a_batch_gives_what_its_contexts_give_alone(generator, decoding, n):
    together = decode(generator, CONTEXTS, decoding, n)
    assert len({ending.words for endings in together for ending in endings}) > 3
    for context, endings in zip(CONTEXTS, together, strict=True):
        [alone] = decode(generator, [context], decoding, n)
        assert [ending.text for ending in alone] == [ending.text for ending in endings]
        assert [ending.log_prob for ending in alone] == pytest.approx([e.log_prob for e in endings], rel=1e-4)


@pytest.mark.parametrize(("decoding", "n"), DECODINGS)
def test_log_prob_is_what_the_generator_gives_those_words(generator, decoding, n):
    for context, endings in zip(CONTEXTS, decode(generator, CONTEXTS, decoding, n), strict=True):
        for ending in endings:
            targets = torch.tensor([[*ending.words, END]])
            with torch.inference_mode():
                expected = generator.token_log_probs(generator.prepare([context]), targets).sum().item()
            assert ending.log_prob == pytest.approx(expected, rel=1e-4)
            assert ending.n_tokens == targets.numel()


def test_score_repeats_what_decoding_reported(generator):
    endings = decode(generator, CONTEXTS, Decoding("sample", max_length=8, min_length=3), 4)
    pairs = [(context, ending) for context, found in zip(CONTEXTS, endings, strict=True) for ending in found]
    # A text gives its words back where the words make such a text: not a full stop in the middle of a word, say.
    pairs = [pair for pair in pairs if tuple(generator.vocabulary.encode(pair[1].text)) == pair[1].words]
    assert len(pairs) > 20
    log_prob, n_tokens = score(generator, [c for c, _ in pairs], [e.text for _, e in pairs], batch_size=7)
    assert log_prob == pytest.approx([ending.log_prob for _, ending in pairs], rel=1e-4)
    assert n_tokens.tolist() == [ending.n_tokens for _, ending in pairs]


def test_score_of_endings_that_share_a_context_is_that_of_each_alone(generator):
    endings = ["They were happy.", "A farmer sang all the way home with his dog.", "The car broke down."]
    together, _ = score(generator, [CONTEXTS[-1]] * 3, endings)
    alone = [score(generator, [CONTEXTS[-1], CONTEXTS[0]], [ending, "He."])[0][0] for ending in endings]
    assert together == pytest.approx(alone, rel=1e-5)


def test_score_gives_the_same_whatever_the_batch(generator):
    endings = [STORIES[i % 5] for i in range(len(CONTEXTS))]
    whole, n_tokens = score(generator, CONTEXTS, endings)
    single, _ = score(generator, CONTEXTS, endings, batch_size=1)
    assert whole == pytest.approx(single, rel=1e-4)
    assert len(set(whole.round(3))) == len(whole)
    assert n_tokens.tolist() == [[7, 10, 9, 11, 11][i % 5] for i in range(len(endings))]  # words, full stop, END


def test_decoding_leaves_dropout_out_and_changes_no_weight(generator):
    before = [parameter.clone() for parameter in generator.state_dict().values()]
    generator.train()
    decoded = generator.write(CONTEXTS)
    generator.train()
    assert generator.write(CONTEXTS) == decoded == decode(generator, CONTEXTS)
    scores = generator.train().score(CONTEXTS, [STORIES[0]] * len(CONTEXTS))[0]
    assert scores.tolist() == generator.score(CONTEXTS, [STORIES[0]] * len(CONTEXTS))[0].tolist()
    assert all(torch.equal(a, b) for a, b in zip(before, generator.state_dict().values(), strict=True))


# --- by hand


def test_score_by_hand():
    toy = MarkovToy.of({"^": {"a": 0.6, "?": 0.1, "$": 0.3}, "a": {"b": 0.2, "?": 0.3, "$": 0.5}, "?": {"$": 0.25}})
    contexts = [["0"]] * 4
    log_prob, n_tokens = score(toy, contexts, ["a", "", "a z", "a b"])
    # An unknown word counts as UNKNOWN; after `b` END is certain; an empty ending is END alone.
    assert np.exp(log_prob) == pytest.approx([0.6 * 0.5, 0.3, 0.6 * 0.3 * 0.25, 0.6 * 0.2])
    assert n_tokens.tolist() == [2, 1, 3, 3]


def test_score_wants_an_ending_for_each_context():
    with pytest.raises(ValueError, match="2 contexts but 1 endings"):
        score(MarkovToy.random(), [["0"], ["1"]], ["a"])
    log_prob, n_tokens = score(MarkovToy.random(), [], [])
    assert len(log_prob) == len(n_tokens) == 0


def test_a_table_of_endings_in_the_order_of_the_cases(tmp_path):
    toy = MarkovToy.random(chains=12, seed=2)
    chains = [7, 3, 11, 0, 5, 9, 1]
    contexts = [[str(chain), *["and"] * (chain % 4)] for chain in chains]  # of several lengths
    cases = pa.table({"case_id": [f"case-{chain}" for chain in chains], "context": contexts})
    table = generate_endings(toy, cases, Decoding("beam", beam_width=3), n=2, batch_size=3)
    schemas.write_table(table, tmp_path / "endings.parquet", "endings")
    rows = schemas.read_table(tmp_path / "endings.parquet", "endings").to_pylist()
    assert [row["case_id"] for row in rows] == [f"case-{chain}" for chain in chains for _ in range(2)]
    assert {row["system"] for row in rows} == {"markov_toy"}
    for row in rows:
        chain = int(row["case_id"].removeprefix("case-"))
        words = [FIRST + "abcd".index(word) for word in row["ending"].split()]
        assert row["log_prob"] == pytest.approx(toy.log_prob(chain, words), rel=1e-5)
        assert row["n_tokens"] == len(words) + 1
    best = [decode(toy, [context], Decoding("beam", beam_width=3), 2)[0] for context in contexts]
    assert [row["ending"] for row in rows] == [ending.text for endings in best for ending in endings]


def test_the_table_names_the_system_and_may_be_empty():
    toy, cases = MarkovToy.random(), pa.table({"case_id": ["x"], "context": [["0"]]})
    table = generate_endings(toy, cases, system="toy, greedy")
    assert table["system"].to_pylist() == ["toy, greedy"]
    assert table.schema == schemas.TABLES["endings"].schema
    empty = generate_endings(toy, cases.slice(0, 0))
    assert (empty.num_rows, empty.schema) == (0, table.schema)


def test_the_mean_log_probability_leaves_out_endings_without_one():
    rows = [
        {"case_id": "1", "system": "s", "ending": "A.", "log_prob": log_prob, "n_tokens": n_tokens}
        for log_prob, n_tokens in [(-2.0, 4), (None, None), (-7.0, 5)]
    ]
    table = pa.Table.from_pylist(rows, schemas.TABLES["endings"].schema)
    assert log_prob_per_token(table) == -9 / 9
    assert log_prob_per_token(table.slice(1, 1)) is None


def test_impossible_endings_have_no_probability():
    toy = MarkovToy.of({"^": {"a": 1.0}, "a": {"$": 1.0}})
    assert score(toy, [["0"]], ["b"])[0].tolist() == [-math.inf]
