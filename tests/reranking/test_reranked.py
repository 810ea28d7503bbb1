"""Reranked endings: of several that are drawn, the best by a chooser."""

import json
import shutil

import numpy as np
import pytest

from denouement.errors import UserError
from denouement.generators.base import Ending, Generator
from denouement.generators.checkpoints import class_of, load_generator, save_generator
from denouement.generators.decoding import Decoding
from denouement.generators.language_model import PromptedModel, PromptedSettings
from denouement.generators.training import train
from denouement.language_models.model import load
from denouement.reranking.choosers import EndingChooser
from denouement.reranking.reranked import Reranked, RerankedSettings, rerank
from denouement.tensors import read_checkpoint
from tests.reranking.known_cases import CASES

CONTEXTS = [["Tom ran."], ["Ann sang."]]


class Listed(Generator):
    """Gives the same endings for each context, as many as are asked for, whichever way they are drawn."""

    name = "listed"
    decodes = True
    can_score = True
    endings = ("Long ago it rained.", "So.", "He won.", "So.", "It was.")

    def __init__(self):
        self.asked = []

    fit = checkpoint = restore = None

    def write(self, contexts, decoding=None, n=1):
        self.asked.append((decoding, n))
        return [[Ending(text, -float(len(text)), 2) for text in self.endings[:n]] for _ in contexts]

    def score(self, contexts, endings):
        return np.full(len(endings), -1.0), np.full(len(endings), 2)

    def notes(self):
        return ["listed is done"]


class Unscored(Listed):
    """The same of a generator that leaves probabilities out until it is asked for them."""

    def __init__(self):
        super().__init__()
        self.scored = []

    def draw(self, contexts, decoding=None, n=1):
        return [[Ending(text) for text in self.endings[:n]] for _ in contexts]

    def score(self, contexts, endings):
        self.scored += zip(contexts, endings, strict=True)
        return np.array([-float(len(text)) for text in endings]), np.full(len(endings), 7)


class Whole(Listed):
    """The same of a generator that chooses whole endings."""

    name = "whole"
    decodes = False


for each in (Listed, Unscored, Whole):
    each.__abstractmethods__ = frozenset()


def by_length(sign=-1):
    """A chooser that likes short endings, and notes what it is asked."""
    asked = []

    def of_texts(contexts, endings):
        asked.append((contexts, [list(each) for each in endings]))
        return [np.array([sign * len(text) for text in each], np.float64) for each in endings]

    return EndingChooser("short.parquet", "digest", {}, of_texts), asked


def made(base=None, **settings):
    chooser, asked = by_length()
    return Reranked(RerankedSettings(**{"n": 5} | settings), base or Listed(), chooser), asked


def test_the_best_endings_come_first_and_equal_ones_are_scored_once():
    generator, asked = made()
    written = generator.write(CONTEXTS, n=3)
    # He won. and It was. have the same length: that which was drawn first is better
    assert [[each.text for each in endings] for endings in written] == [["So.", "He won.", "It was."]] * 2
    assert asked == [(["Tom ran.", "Ann sang."], [["Long ago it rained.", "So.", "He won.", "It was."]] * 2)]
    assert written[0][0] == Ending("So.", -3.0, 2), "the other generator's probability"
    assert generator.write(CONTEXTS)[0] == written[0][:1]


def test_endings_are_drawn_as_the_settings_say():
    generator, _ = made(temperature=0.5, top_k=9, seed=7)
    generator.write(CONTEXTS)
    assert generator.base.asked == [(Decoding("sample", temperature=0.5, top_p=0.9, top_k=9, seed=7), 5)]


def test_it_says_how_many_different_endings_there_were():
    generator, _ = made(n=4)
    assert generator.notes() == ["listed is done"]
    generator.write(CONTEXTS)
    generator.base.endings = ("So.",) * 4
    generator.write(CONTEXTS)
    said = "reranked: the best of 2.0 different endings on average (least 1) of 4 for each context"
    assert generator.notes() == ["listed is done", said]


def test_only_the_endings_that_are_kept_are_read_for_their_probability():
    generator, _ = made(Unscored())
    written = generator.write(CONTEXTS)
    assert written == [[Ending("So.", -3.0, 7)]] * 2
    assert generator.base.scored == [(["Tom ran."], "So."), (["Ann sang."], "So.")]


def test_whole_endings_are_reranked_in_the_place_of_draws():
    generator, _ = made(Whole())
    assert [each.text for each in generator.write(CONTEXTS[:1])[0]] == ["So."]
    assert generator.base.asked == [(Decoding(), 5)]
    with pytest.raises(UserError, match="whole chooses whole endings and draws none: leave out temperature, seed"):
        made(Whole(), temperature=0.5, seed=3)


def test_a_context_without_an_ending_gets_none():
    generator, _ = made()
    generator.base.endings = ()
    assert generator.write(CONTEXTS) == [[], []]


def test_what_cannot_be_reranked():
    generator, _ = made()
    with pytest.raises(UserError, match="6 endings of 5 that are drawn"):
        generator.write(CONTEXTS, n=6)
    with pytest.raises(UserError, match=r"reranked .*: leave out method"):
        generator.write(CONTEXTS, Decoding("sample"))
    with pytest.raises(UserError, match="reranked is reranked itself"):
        Reranked(RerankedSettings(), generator, by_length()[0])
    with pytest.raises(ValueError, match="n: must be at least 1"):
        RerankedSettings(n=0)
    with pytest.raises(ValueError, match="top_p: must be above 0"):
        RerankedSettings(top_p=0.0)


def test_the_record_says_by_what_they_were_drawn_and_chosen():
    record = made()[0].record()
    assert record["decoding"] == "sample, top_p 0.9, seed 1, the best of 5 by short.parquet"
    assert json.loads(record["reranked"]) == {
        "of": "listed", "chooser": "short.parquet", "chooser_digest": "digest", "n": 5,
        "decoding": "sample, top_p 0.9, seed 1",
    }  # fmt: skip
    assert made(Whole())[0].record()["decoding"] == "the best of 5 by short.parquet"


@pytest.fixture
def of(tiny_model, tmp_path):
    """The checkpoint of a language model as a generator."""
    path = tmp_path / "of.parquet"
    save_generator(PromptedModel(PromptedSettings(str(tiny_model)), load(str(tiny_model)), []), path)
    return path


@pytest.fixture
def trained(of, trained_chooser, corpus_stories, tmp_path):
    """The checkpoint of a generator that reranks, whose files may be changed."""
    chooser = tmp_path / "chooser.parquet"
    shutil.copy(trained_chooser, chooser)
    settings = RerankedSettings(str(of), str(chooser), n=4)
    train("best_of_4", corpus_stories, tmp_path / "model", settings, kind="reranked", work=tmp_path / "work")
    return tmp_path / "model" / "best.parquet"


@pytest.fixture
def corpus_stories(tmp_path):
    import pyarrow as pa

    from denouement import schemas

    path = tmp_path / "stories.parquet"
    row = {"story_id": "1", "title": "t", "sentences": ["A.", "B."], "source": "sample", "split": "train"}
    schemas.write_table(pa.Table.from_pylist([row], schemas.TABLES["stories"].schema), path, "stories")
    return path


def test_a_checkpoint_has_no_weights_and_writes_the_best_of_its_draws(trained, of, trained_chooser):
    assert trained.stat().st_size < 20_000
    generator = load_generator(trained)
    assert (generator.name, generator.kind, class_of(trained).can_score) == ("best_of_4", "reranked", True)
    drawn = load_generator(of).write(CONTEXTS, generator.settings.sampling(), 4)
    written = generator.write(CONTEXTS, n=4)
    for best, all_drawn in zip(written, drawn, strict=True):  # read in another order, so not to the last digit
        known = {ending.text: ending for ending in all_drawn}
        assert {ending.text for ending in best} == set(known)
        for ending in best:
            assert ending.n_tokens == known[ending.text].n_tokens
            assert ending.log_prob == pytest.approx(known[ending.text].log_prob, rel=1e-6)
    texts = [[ending.text for ending in endings] for endings in written]
    scores = generator.chooser.scores([" ".join(context) for context in CONTEXTS], texts)
    assert all((np.diff(of_context) <= 0).all() for of_context in scores)


def test_cases_that_trained_its_chooser_are_refused(trained):
    generator = load_generator(trained)
    for refuse in (generator.write, generator.expect):
        with pytest.raises(UserError, match=r"was trained on 1 of the 2 contexts \(1 of v1\.0 validation\)"):
            refuse([CASES[1], CONTEXTS[0]])


@pytest.mark.parametrize("name", ["of", "chooser"])
def test_another_checkpoint_in_the_same_place_is_refused(trained, tmp_path, of, taught_model, name):
    path = tmp_path / f"{name}.parquet"
    if name == "of":
        save_generator(PromptedModel(PromptedSettings(str(taught_model)), load(str(taught_model)), []), path)
    else:
        from denouement.tensors import write_checkpoint

        checkpoint = read_checkpoint(path)
        checkpoint["chooser"]["history"] = []
        write_checkpoint(checkpoint, path)
    renew = r"another one than that which best_of_4 was made with: renew it with .*dvc repro .*train@best_of_4"
    with pytest.raises(UserError, match=renew):
        load_generator(trained)
    path.unlink()
    with pytest.raises(UserError, match=f"{name}.parquet: no such file"):
        load_generator(trained)


def test_what_training_lacks(of, corpus_stories, tiny_model, tmp_path):
    for settings, problem in (
        (RerankedSettings(chooser=str(tiny_model)), "needs the setting of: name a checkpoint"),
        (RerankedSettings(of=str(of)), "needs the setting chooser: name a checkpoint"),
        (RerankedSettings(of=str(tmp_path / "none.parquet"), chooser=str(tiny_model)), "none.parquet: no such file"),
    ):
        with pytest.raises(UserError, match=problem):
            Reranked.fit(settings, corpus_stories, tmp_path)


def test_without_a_checkpoint_it_is_named_after_the_other_generator(of, tiny_model):
    generator = rerank(load_generator(of), RerankedSettings(chooser=str(tiny_model), n=3))
    assert (generator.name, generator.kind, generator.can_score) == ("language_model_reranked", "reranked", True)
