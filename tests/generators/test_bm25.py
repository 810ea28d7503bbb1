"""BM25 over the contexts of training stories; the values are worked out by hand."""

import math

import pyarrow as pa
import pytest
import torch

from denouement import schemas
from denouement.errors import UserError
from denouement.generators.bm25 import Bm25, Bm25Settings
from denouement.generators.checkpoints import load_generator
from denouement.generators.training import train
from denouement.tensors import read_checkpoint, write_checkpoint

STORIES = [
    ["The dog ran.", "It was glad."],
    ["The cat sat.", "It slept."],
    ["The dog saw the cat.", "They fought."],
    ["A DOG ran!", "It was glad."],
]
MEAN = (3 + 3 + 5 + 3) / 4


@pytest.fixture
def made(tmp_path):
    def make(stories=STORIES, held_out=(), settings=None):
        rows = [*stories, *held_out]
        columns = {
            "story_id": [str(number) for number in range(len(rows))],
            "title": ["T"] * len(rows),
            "sentences": rows,
            "source": ["sample"] * len(rows),
            "split": ["train"] * len(stories) + ["validation"] * len(held_out),
        }
        table = pa.table(columns, schema=schemas.TABLES["stories"].schema)
        schemas.write_table(table, tmp_path / "stories.parquet", "stories")
        train("bm25", tmp_path / "stories.parquet", tmp_path, settings or Bm25Settings(), work=tmp_path / "work")
        return load_generator(tmp_path / "best.parquet")

    return make


def texts(generator, context, n=1):
    [endings] = generator.write([context], n=n)
    return [ending.text for ending in endings]


def test_values_by_hand(made):
    # dog is in 3 of 4 contexts, saw in 1; "a" is in one, and twice in what is asked for
    values = made()._values(["A dog, a bird and me saw it."])
    dog, saw, a = math.log(1 + 1.5 / 3.5), math.log(1 + 3.5 / 1.5), math.log(1 + 3.5 / 1.5)
    short, long = (1 + 1.2 * (0.25 + 0.75 * words / MEAN) for words in (3, 5))
    assert values == pytest.approx([dog / short, 0, (dog + saw) / long, (dog + 2 * a) / short])


def test_k1_and_b_are_those_of_the_settings(made):
    values = made(settings=Bm25Settings(k1=2, b=0))._values(["the"])
    the = math.log(1 + 1.5 / 3.5)
    assert values == pytest.approx([the / 3, the / 3, the * 2 / 4, 0])


def test_the_best_stories_give_different_endings_and_of_equals_the_first(made):
    generator = made()
    assert texts(generator, ["My dog ran off."], 4) == ["It was glad.", "They fought.", "It slept."]
    assert texts(generator, ["Nothing is shared."]) == ["It was glad."]


def test_the_very_context_is_left_out(made):
    generator = made()
    assert texts(generator, ["the dog... saw the CAT"])[0] != "They fought."
    alone = made(stories=STORIES[:1])
    with pytest.raises(UserError, match="every training story has the context"):
        alone.write([["the dog ran"]])


def test_stories_held_out_are_not_known(made):
    generator = made(held_out=[["A zebra sang.", "It was heard."]])
    assert "It was heard." not in texts(generator, ["A zebra sang loudly."], 4)


@pytest.mark.parametrize("wrong", [{"k1": 0}, {"k1": math.nan}, {"b": -0.1}, {"b": 1.1}, {"b": math.nan}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: must be"):
        Bm25Settings(**wrong)


@pytest.mark.parametrize(
    "changes",
    [
        {"words": ["the"]},
        {"endings": ["It was glad."]},
        {"lengths": torch.tensor([3, 3, 5, 2])},
        {"ids": torch.zeros(14)},
        {"contexts": torch.zeros(3, dtype=torch.int64)},
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused(made, tmp_path, changes):
    assert isinstance(made(), Bm25)
    checkpoint = read_checkpoint(tmp_path / "best.parquet")
    checkpoint["index"].update(changes)
    write_checkpoint(checkpoint, tmp_path / "wrong.parquet")
    with pytest.raises(UserError, match="not a generator that this version knows"):
        load_generator(tmp_path / "wrong.parquet")
