import copy
import random

import pyarrow as pa
import pytest
import torch
from corpus_toy import Corpus, small

from denouement.errors import UserError
from denouement.generators.base import Generator
from denouement.generators.checkpoints import class_of, load_generator, save_generator
from denouement.generators.endings import generate_endings
from denouement.generators.seq2seq import Seq2Seq
from denouement.tensors import read_checkpoint, write_checkpoint
from denouement.text.vocabulary import Vocabulary


def _saved(generator: Generator, **changes) -> dict:
    checkpoint = generator.checkpoint()
    checkpoint["generator"].update(changes)
    return checkpoint


@pytest.fixture
def generator() -> Generator:
    return Seq2Seq(small("seq2seq"), Vocabulary.build(["Tom went home."]))


def test_a_loaded_generator_is_the_saved_one(tmp_path, generator):
    save_generator(generator, tmp_path / "c.parquet")
    assert class_of(tmp_path / "c.parquet") is Seq2Seq
    loaded = load_generator(tmp_path / "c.parquet")
    assert loaded.settings == generator.settings
    assert loaded.vocabulary == generator.vocabulary
    assert not loaded.training
    weights = generator.state_dict()
    assert loaded.state_dict().keys() == weights.keys()
    assert all(torch.equal(tensor, weights[name]) for name, tensor in loaded.state_dict().items())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kind": "gpt"}, "no generator 'gpt'"),
        ({"kind": 7}, "not a generator that this version knows"),
        ({"settings": {"depth": 3}}, "unknown key depth"),
        ({"settings": {"units": 13}}, "not a generator that this version knows"),
        ({"architecture": {"encoder": "x"}}, "not a generator that this version knows"),
        ({"vocabulary": {}}, "not a generator that this version knows"),
        ({"vocabulary": 7}, "not a generator that this version knows"),
        ({"vocabulary": {"words": [1, 2, 3], "lowered": []}}, "words of the vocabulary are no list of words"),
        ({"vocabulary": {"words": ["a", ""], "lowered": []}}, "words of the vocabulary are no list of words"),
        ({"vocabulary": {"words": "abc", "lowered": []}}, "words of the vocabulary are no list of words"),
        ({"vocabulary": {"words": ["a"], "lowered": None}}, "lowered of the vocabulary are no list of words"),
        ({"settings": {"units": "twelve"}}, "settings.units: must be a whole number, not 'twelve'"),
        ({"settings": [1]}, "settings: must be a section"),
        ({"name": ["seq2seq"]}, "not a generator that this version knows"),
    ],
)
def test_a_checkpoint_of_another_generator_is_one_clear_line(tmp_path, generator, changes, problem):
    path = tmp_path / "c.parquet"
    write_checkpoint(_saved(generator, **changes), path)
    with pytest.raises(UserError, match=problem) as caught:
        load_generator(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


AWKWARD = [None, True, 0, -1, 7, 10**12, 10**30, 0.5, float("nan"), "", "seven", [], [1], ["a", ["b"]], {}, {"a": 1}]
AWKWARD += [torch.tensor(7), torch.zeros(2, 3), (), {1: 2}]


def _nodes(value, path=()):
    """The path to everything inside a nested value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from _nodes(inner, (*path, key))


def _changed(value, path, change):
    """A copy of a nested value in which `change` was made to what lies at `path`."""
    copied = copy.copy(value)
    if len(path) > 1:
        copied[path[0]] = _changed(value[path[0]], path[1:], change)
    else:
        change(copied, path[0])
    return copied


def _other(rng: random.Random):
    """Deletes what it is called with, puts something else into its place, or gives it another name."""

    def change(inside, key):
        taken = inside.pop(key)
        if isinstance(inside, list):
            inside.insert(key, rng.choice(AWKWARD))
        elif (kind := rng.randrange(3)) == 1:
            inside[key] = rng.choice(AWKWARD)
        elif kind == 2:
            inside[rng.choice(["name", "words", 7])] = taken

    return change


@pytest.mark.parametrize("name", ["seq2seq", "h_seq2seq"])
def test_any_change_of_what_a_checkpoint_says_is_read_or_refused_in_one_line(tmp_path, generator, reader_of, name):
    """What is read still writes: nothing wrong is found only when a word is looked up."""
    path = tmp_path / "c.parquet"
    case = pa.table({"case_id": ["1"], "context": [["Tom went home.", "He slept."]]})
    whole = _saved(generator) if name == "seq2seq" else read_checkpoint(reader_of("glove", {}))
    write_checkpoint(whole, path)
    rng, read = random.Random(7), 0
    refusals = []
    for node in [*_nodes(whole)] * 4:
        write_checkpoint(_changed(whole, node, _other(rng)), path)
        try:
            made = load_generator(path)
            generate_endings(made, case)
        except UserError as error:
            refusals.append((str(error), node))
        else:
            read += 1
    assert not [each for each in refusals if "\n" in each[0] or not (str(path) in each[0] or "glove" in each[0])]
    assert len(refusals) > read > 10


def test_another_table_is_no_checkpoint(corpus: Corpus):
    with pytest.raises(UserError, match="is a table 'stories', not 'checkpoint'"):
        load_generator(corpus.stories)


def test_a_checkpoint_as_training_has_always_written_it_is_read(tmp_path, generator):
    """Lightning's entries beside `state_dict` and `generator`, and these as below: older files must go on to work."""
    weights = generator.state_dict()
    assert list(weights) == [
        "embedding.weight",
        *(f"encoder.weight_{kind}_l{layer}" for layer in range(2) for kind in ("ih", "hh")),
        *(
            f"decoder.{name}_{kind}_l{layer}"
            for layer in range(2)
            for name in ("weight", "bias")
            for kind in ("ih", "hh")
        ),
        "output.weight",
        "output.bias",
    ]
    old = {
        "epoch": 2,
        "global_step": 24,
        "pytorch-lightning_version": "2.6.0",
        "state_dict": weights,
        "loops": {},
        "callbacks": {},
        "optimizer_states": [],
        "lr_schedulers": [],
        "generator": {
            "name": "seq2seq",
            "settings": {"units": 12, "epochs": 3, "batch_size": 8, "best_epoch": "validation", "layers": 2, "seed": 1},
            "vocabulary": {"words": [".", "Tom", "home", "went"], "lowered": []},
            "architecture": {},
        },
        "training": {"epochs": [], "best_epoch": 2, "finished": True},
    }
    write_checkpoint(old, tmp_path / "old.parquet")
    loaded = load_generator(tmp_path / "old.parquet")
    contexts = [["Tom went."], ["Tom went home."]]
    assert loaded.write(contexts) == generator.write(contexts)
    assert loaded.score(contexts, ["Tom."] * 2)[0].tolist() == generator.score(contexts, ["Tom."] * 2)[0].tolist()


def test_the_class_of_what_is_no_generator(tmp_path):
    write_checkpoint({"other": torch.zeros(2)}, tmp_path / "c.parquet")
    with pytest.raises(UserError, match="not a checkpoint of a generator"):
        class_of(tmp_path / "c.parquet")
