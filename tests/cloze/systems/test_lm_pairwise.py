import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.base import choices, load_system
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.parts import chooser_training
from denouement.cloze.parts.chooser_settings import Example, examples
from denouement.cloze.resources import Resources
from denouement.errors import UserError
from tests.cloze.systems.test_lm_probe import cases

OPTIONS = {"epochs": 12, "learning_rate": 0.003, "layers": 2}


def test_learns_which_ending_suits_the_context(tiny_model):
    resources = Resources(language_model=str(tiny_model))
    system = load_system("lm_pairwise", OPTIONS)
    system.prepare(resources)
    system.fit(cases(160), resources)
    unseen = cases(40, start=240)
    [scores] = system.score(unseen, resources).values()
    assert (choices(scores) == unseen["right_ending"].to_numpy()).mean() > 0.9


def test_without_context_it_learns_and_chooses_by_the_endings_alone(tiny_model):
    """Only the context shows which ending is right here, so there is nothing to learn."""
    resources = Resources(language_model=str(tiny_model))
    system = load_system("lm_pairwise", {**OPTIONS, "context": False})
    system.prepare(resources)
    system.fit(cases(160), resources)
    unseen = cases(40, start=240)
    [scores] = system.score(unseen, resources).values()
    assert (choices(scores) == unseen["right_ending"].to_numpy()).mean() < 0.75
    elsewhere = unseen.set_column(
        unseen.column_names.index("context"), "context", unseen["context"].take([1, *range(39)])
    )
    [same] = system.score(elsewhere, resources).values()
    assert np.allclose(scores, same)


def test_folds_that_are_done_are_not_trained_again(tiny_model, tmp_path, monkeypatch):
    """A run that ended in its third fold goes on with that one, and its scores are those of a run in one go."""
    given = cases(24)
    trained = []
    plain = chooser_training.train

    def train(*arguments, **named):
        trained.append(1)
        if len(trained) == 3:
            raise KeyboardInterrupt
        return plain(*arguments, **named)

    def run(cache):
        resources = Resources(language_model=str(tiny_model), cache=cache)
        return evaluate(["lm_pairwise"], given, None, resources, {"lm_pairwise": {"epochs": 1}}, n_folds=4)

    monkeypatch.setattr(chooser_training, "train", train)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    resumed = run(tmp_path)
    assert len(trained) == 5, "two folds, one that was ended, and the two that were left"
    assert resumed.scores.equals(run(None).scores)


def test_cases_as_examples(make_case):
    table = make_case(["A.", "B."], "One.", "Two.", 2)
    assert examples(table) == [Example(["A.", "B."], ["One.", "Two."], 1, of="v1.0 validation")]


def test_scores_are_not_those_of_other_options(tiny_model, tmp_path):
    found = []
    for epochs in (1, 2):
        resources = Resources(language_model=str(tiny_model), cache=tmp_path)
        system = load_system("lm_pairwise", {"epochs": epochs, "learning_rate": 0.003})
        system.prepare(resources)
        system.fit(cases(16), resources)
        found.append(system.score(cases(8, start=16), resources)[""])
    assert not np.allclose(*found)


def test_a_setting_out_of_range():
    with pytest.raises(UserError, match="learning_rate"):
        load_system("lm_pairwise", {"learning_rate": 0})


def stories(n):
    rows = [
        {
            "story_id": f"story-{row}",
            "title": None,
            "sentences": [f"It was {row}.", "Tom had a dog.", "It ran off.", f"He found {row} cats."],
            "source": "sample",
            "split": "train" if row < n - 1 else "validation",
        }
        for row in range(n)
    ]
    return pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema)


def test_made_up_endings_teach_first_and_once_for_all_folds(tiny_model, tmp_path, monkeypatch):
    calls = []
    plain = chooser_training.train

    def train(model, learned_from, training, **named):
        calls.append((len(learned_from), training.epochs, named["start"]))
        return plain(model, learned_from, training, **named)

    monkeypatch.setattr(chooser_training, "train", train)
    options = {"lm_pairwise": {"epochs": 1, "pretrain": {"kinds": ["random"], "stories": 5, "epochs": 2}}}

    def run(n):
        resources = Resources(language_model=str(tiny_model), stories=stories(n), cache=tmp_path)
        return evaluate(["lm_pairwise"], cases(12), None, resources, options, n_folds=2)

    found = run(9)
    assert [(n, epochs) for n, epochs, _ in calls] == [(5, 2), (6, 1), (6, 1)]
    assert calls[0][2] is None
    assert calls[1][2] is calls[2][2]
    assert len(calls[1][2].trained_on) == 5
    assert "; 9 stories; language model" in found.result.systems[0].trained_on
    calls.clear()
    assert run(9).scores.equals(found.scores)
    assert calls == []
    run(10)
    assert len(calls) == 3, "other stories"


def test_made_up_endings_need_stories(tiny_model):
    options = {"lm_pairwise": {"pretrain": {}}}
    found = evaluate(["lm_pairwise"], cases(12), None, Resources(language_model=str(tiny_model)), options, n_folds=2)
    assert "give them with --stories" in found.result.systems[0].missing
