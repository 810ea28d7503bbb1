"""DSSM against its equations in NumPy, and on stories whose ending has to do with their context."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import torch

from denouement import schemas
from denouement.cloze.base import choices, load_system
from denouement.cloze.parts.dssm_network import TwoTowers
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.systems.dssm import TrigramReader, letter_trigrams
from denouement.errors import UserError

TOPICS = [
    ("boat sail harbor", "They rowed ashore across the waves."),
    ("oven flour butter", "The cake tasted sweet and warm."),
    ("guitar drum melody", "Everyone clapped for the song."),
    ("soccer goal referee", "Our team won the match."),
]
SMALL = {"hidden": 32, "dimension": 16, "batch_size": 16, "epochs": 6}


def story(topic: int, draw: np.random.Generator) -> list[str]:
    words = TOPICS[topic][0].split()
    context = [f"Then {draw.choice(['Ann', 'Bob', 'Eve'])} saw the {draw.choice(words)}." for _ in range(4)]
    return [*context, TOPICS[topic][1]]


@pytest.fixture(scope="module")
def stories() -> pa.Table:
    draw = np.random.default_rng(1)
    rows = [
        {
            "story_id": str(number),
            "title": None,
            "sentences": story(number % len(TOPICS), draw),
            "source": "rocstories",
            "split": "validation" if number % 10 == 9 else "train",
        }
        for number in range(200)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


@pytest.fixture
def cases(make_cases: Callable[..., pa.Table]) -> tuple[pa.Table, np.ndarray]:
    draw = np.random.default_rng(2)
    labels = draw.integers(1, 3, 40)
    rows = make_cases(labels.tolist()).to_pylist()
    for number, row in enumerate(rows):
        topic, other = number % len(TOPICS), (number + 1 + number % 3) % len(TOPICS)
        row["context"] = story(topic, draw)[:4]
        right = row["right_ending"]
        row["endings"][right - 1], row["endings"][2 - right] = TOPICS[topic][1], TOPICS[other][1]
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema), labels


def test_letter_trigrams_of_the_paper():
    assert letter_trigrams("Good") == ["#go", "goo", "ood", "od#"]
    assert letter_trigrams("I") == ["#i#"]


def test_a_text_is_its_trigrams_as_often_as_they_occur_without_names():
    sentences = ["Then Tom ate.", "Tom met Ann and then they ate.", "They met."]
    reader = TrigramReader.of(sentences, names=False)
    assert reader.left_out == ["Ann", "Tom"]
    known = ["then", "ate", "met", "and", "they", "."]
    assert reader.trigrams == sorted({trigram for word in known for trigram in letter_trigrams(word)})
    read = [reader.trigrams[number] for number in reader(["Tom ate and", "ate zzz."])]
    assert read == ["#at", "ate", "te#", "#an", "and", "nd#", "#at", "ate", "te#", "#.#"]
    assert "#to" in TrigramReader.of(sentences, names=True).trigrams
    assert reader(["Zzz"]).shape == (0,)


def test_towers_and_loss_follow_the_equations():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = TwoTowers(trigrams=6, hidden=4, dimension=3, gamma=7.0)
        for bias in (tower.bias for tower in (network.context, network.ending)):
            bias.data.normal_()
    texts = [[np.array(ids, np.int64) for ids in side] for side in (([0, 0, 5], [], [1, 2]), ([3], [4, 4], [0, 1, 2]))]

    def tower(which, ids):
        counts = np.bincount(ids, minlength=6)
        weights = {name: tensor.double().numpy() for name, tensor in which.state_dict().items()}
        hidden = np.tanh(counts @ weights["first.weight"] + weights["bias"])
        return np.tanh(weights["second.weight"] @ hidden + weights["second.bias"])

    contexts = np.array([tower(network.context, ids) for ids in texts[0]])
    endings = np.array([tower(network.ending, ids) for ids in texts[1]])
    np.testing.assert_allclose(network.context(texts[0]).detach().numpy(), contexts, atol=1e-5)

    cosines = np.array([[a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in endings] for a in contexts])
    right = [np.exp(7 * cosines[row, row]) / np.exp(7 * cosines[row]).sum() for row in range(3)]
    loss, count = network.loss((texts[0], texts[1]))
    assert loss.item() == pytest.approx(-np.log(right).sum(), rel=1e-4)
    assert count == 3


def scores(stories: pa.Table, cases: pa.Table, options=SMALL, **given) -> tuple[np.ndarray, Resources]:
    resources = Resources(stories=stories, **given)
    system = load_system("dssm", options)
    system.prepare(resources)
    (found,) = system.score(cases, resources).values()
    return found, resources


def test_it_learns_which_ending_has_to_do_with_a_context(stories, cases):
    table, labels = cases
    found, resources = scores(stories, table)
    assert found.shape == (40, 2)
    assert (np.abs(found) <= 1 + 1e-9).all()
    assert (choices(found) == labels).mean() > 0.9
    assert not resources.notes


def test_the_seed_decides_and_nothing_is_trained_twice(stories, cases, tmp_path, monkeypatch):
    options = {**SMALL, "epochs": 1}
    first, _ = scores(stories, cases[0], options, cache=tmp_path)
    np.testing.assert_array_equal(scores(stories, cases[0], options)[0], first)
    assert (scores(stories, cases[0], options, seed=2)[0] != first).any()
    monkeypatch.setattr("denouement.cloze.parts.training.fit", None)
    np.testing.assert_array_equal(scores(stories, cases[0], options, cache=tmp_path)[0], first)


def test_texts_without_a_known_trigram_are_counted(stories, make_cases):
    rows = make_cases([1]).to_pylist()
    rows[0]["endings"][0] = "Ж"
    table = pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)
    found, resources = scores(stories, table, {**SMALL, "epochs": 1})
    assert np.isfinite(found).all()
    assert resources.notes == {"dssm: texts without a known letter trigram": 1}


def test_without_stories_it_says_how_to_give_them(stories, cases):
    for given in (None, stories.filter(pc.equal(stories["split"], "validation"))):
        with pytest.raises(MissingResourceError, match=r"dssm learns from stories.* --stories"):
            load_system("dssm", SMALL).prepare(Resources(stories=given))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden": 0}, "dssm.hidden: must be at least 1, not 0"),
        ({"batch_size": 1}, "dssm.batch_size: must be at least 2, not 1"),
        ({"gamma": 0.0}, "dssm.gamma: must be a number above 0, not 0.0"),
        ({"layers": 3}, "unknown key layers"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(UserError, match=message):
        load_system("dssm", options)
