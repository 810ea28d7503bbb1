import pytest
import torch
from corpus_toy import Corpus, small

from denouement.errors import UserError
from denouement.generators.base import Generator
from denouement.generators.checkpoints import load_generator
from denouement.generators.seq2seq import Seq2Seq
from denouement.tensors import write_checkpoint
from denouement.text.vocabulary import Vocabulary


def _saved(generator: Generator, **changes) -> dict:
    checkpoint: dict = {"state_dict": generator.state_dict()}
    generator.on_save_checkpoint(checkpoint)
    checkpoint["generator"].update(changes)
    return checkpoint


@pytest.fixture
def generator() -> Generator:
    return Seq2Seq(small("seq2seq"), Vocabulary.build(["Tom went home."]))


def test_a_loaded_generator_is_the_saved_one(tmp_path, generator):
    write_checkpoint(_saved(generator), tmp_path / "c.parquet")
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
        ({"name": "gpt"}, "no generator 'gpt'"),
        ({"settings": {"depth": 3}}, "unknown key depth"),
        ({"settings": {"units": 13}}, "not a generator that this version knows"),
        ({"architecture": {"encoder": "x"}}, "not a generator that this version knows"),
        ({"vocabulary": {}}, "not a generator that this version knows"),
    ],
)
def test_a_checkpoint_of_another_generator_is_one_clear_line(tmp_path, generator, changes, problem):
    path = tmp_path / "c.parquet"
    write_checkpoint(_saved(generator, **changes), path)
    with pytest.raises(UserError, match=problem) as caught:
        load_generator(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_table_is_no_checkpoint(corpus: Corpus):
    with pytest.raises(UserError, match="is a table 'stories', not 'checkpoint'"):
        load_generator(corpus.stories)
