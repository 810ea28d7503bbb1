"""Skip-thoughts: its loss against one made word by word, and what a tiny one learns."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import torch

from denouement import schemas
from denouement.cloze.base import load_system
from denouement.cloze.parts.skip_thoughts_network import SkipThoughtNetwork
from denouement.cloze.parts.vectors import context_vectors, cosine
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.encoders.base import load_encoder
from denouement.encoders.skip_thoughts_network import SentenceGru
from denouement.errors import UserError
from denouement.text.vocabulary import START, Vocabulary

STORY = ["Tom was hungry.", "He ate two red apples at once.", "Tom slept."]
SMALL = {"embedding": 12, "dimension": 16, "units": 12, "min_count": 1, "epochs": 1}


@pytest.fixture
def network() -> SkipThoughtNetwork:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = SentenceGru(Vocabulary.build(STORY), embedding=6, dimension=8, names=True)
        return SkipThoughtNetwork(encoder, units=8).eval()


def word_by_word(network: SkipThoughtNetwork, decoder: torch.nn.GRU, neighbour: str, sentence: str) -> list[float]:
    """Log-probabilities of the words of `sentence`, each from all before it, one sentence and one word at a time."""
    encoder = network.encoder
    beside = network.condition(encoder([encoder.words(neighbour)]))[0]
    words = encoder.words(sentence).tolist()
    found = []
    for place, word in enumerate(words):
        read = [encoder.embedding.weight[before] + beside for before in [START, *words[:place]]]
        hidden = decoder(torch.stack(read)[None])[0][0, -1]
        found.append(network.output.log_prob(hidden[None])[0, word].item())
    return found


def test_the_loss_is_that_of_each_neighbour_word_by_word(network):
    a, b, c = STORY
    of_story = [
        *(word_by_word(network, network.following, here, there) for here, there in ((a, b), (b, c))),
        *(word_by_word(network, network.previous, here, there) for here, there in ((b, a), (c, b))),
    ]
    # A second story in the batch: its first sentence is no neighbour of the first story's last.
    other = [word_by_word(network, network.following, c, a), word_by_word(network, network.previous, a, c)]
    words = [[network.encoder.words(sentence) for sentence in story] for story in (STORY, [c, a])]
    loss, count = network.loss(words)
    assert count == sum(map(len, of_story + other))
    assert loss.item() == pytest.approx(-sum(map(sum, of_story + other)), rel=1e-5)


@pytest.fixture(scope="module")
def stories() -> pa.Table:
    draw = np.random.default_rng(0)
    rows = [
        {
            "story_id": str(number),
            "title": None,
            "sentences": [f"{draw.choice(['Ann', 'Bob'])} saw {draw.choice(['a dog', 'the sea'])}." for _ in range(5)],
            "source": "rocstories",
            "split": "validation" if number < 4 else "train",
        }
        for number in range(24)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


def scores(stories: pa.Table | None, cases: pa.Table, **given) -> tuple[dict[str, np.ndarray], Resources]:
    resources = Resources(stories=stories, **given)
    system = load_system("skip_thoughts", SMALL)
    system.prepare(resources)
    return system.score(cases, resources), resources


def test_the_seed_decides_and_nothing_is_trained_twice(stories, make_cases, tmp_path, monkeypatch):
    cases = make_cases([1, 2, 1])
    first, _ = scores(stories, cases, cache=tmp_path)
    again, _ = scores(stories, cases)
    assert all((again[variant] == found).all() for variant, found in first.items())
    other, _ = scores(stories, cases, seed=2)
    assert all((other[variant] != found).any() for variant, found in first.items())
    monkeypatch.setattr("denouement.cloze.parts.training.fit", None)
    kept, _ = scores(stories, cases, cache=tmp_path)
    assert all((kept[variant] == found).all() for variant, found in first.items())


def test_what_it_keeps_is_a_sentence_encoder(stories, make_cases, tmp_path):
    cases = make_cases([1, 2, 1])
    found, _ = scores(stories, cases, cache=tmp_path)
    (checkpoint,) = tmp_path.iterdir()
    encoder = load_encoder("skip_thoughts", checkpoint=str(checkpoint), device="cpu")
    last = encoder.encode([context[-1] for context in cases["context"].to_pylist()])
    for place, endings in enumerate(zip(*cases["endings"].to_pylist(), strict=True)):
        cosines = cosine(last, encoder.encode(endings))
        np.testing.assert_allclose(found["last"][:, place], cosines, atol=1e-5)


def test_endings_without_a_known_word_are_counted(stories, make_cases: Callable[..., pa.Table]):
    rows = make_cases([1]).to_pylist()
    rows[0]["endings"] = ["Ж", "Ann saw"]
    found, resources = scores(stories, pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema))
    assert all(np.isfinite(each).all() for each in found.values())
    assert resources.notes == {"skip_thoughts: endings without a known word": 1}


def test_without_stories_it_says_how_to_give_them(stories, make_cases):
    for given in (None, stories.filter(pc.equal(stories["split"], "validation"))):
        with pytest.raises(MissingResourceError, match=r"skip_thoughts learns from stories.* --stories"):
            scores(given, make_cases([1]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimension": 5}, "skip_thoughts.dimension: must be even and at least 2, not 5"),
        ({"epochs": 0}, "skip_thoughts.epochs: must be at least 1, not 0"),
        ({"learning_rate": 0.0}, "skip_thoughts.learning_rate: must be a number above 0, not 0.0"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(UserError, match=message):
        load_system("skip_thoughts", options)


def test_the_vectors_of_a_context():
    vectors = {"a": [1.0, 0.0], "b": [3.0, 2.0], "c": [0.0, 5.0], "a b": [7.0, 7.0]}
    found = context_vectors([["a", "b"], ["c"]], lambda texts: np.array([vectors[text] for text in texts], np.float32))
    expected = {
        "whole": [[7, 7], [0, 5]],
        "mean": [[2, 1], [0, 5]],
        "recent": [[7 / 3, 4 / 3], [0, 5]],
        "last": [[3, 2], [0, 5]],
    }
    assert found.keys() == expected.keys()
    for variant, vectors_of in expected.items():
        np.testing.assert_allclose(found[variant], vectors_of, err_msg=variant)
