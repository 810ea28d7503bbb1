"""Choosers as scores: what they say of single endings, and of stories that trained them."""

import numpy as np
import pytest

from denouement.cloze.parts.chooser import load_chooser
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.metrics.base import EndingRows
from denouement.metrics.scores.chooser import ChooserScore
from denouement.metrics.scoring import values_of

NEW = ["Tom had a test.", "He studied all night."]
KNOWN = ["ann had a DOG"]  # trained it, but for marks and capitals


def test_values_are_those_of_the_chooser_and_stories_that_trained_it_have_none(chooser):
    rows = EndingRows(["He passed it.", "It ran off.", "It rained."], [NEW, KNOWN, NEW], [()] * 3)
    found = values_of(ChooserScore(), rows, Resources(choosers=[chooser]))["chooser first"]
    [expected] = load_chooser(chooser).scores([" ".join(NEW)], [["He passed it.", "It rained."]])
    assert found[[0, 2]] == pytest.approx(expected, abs=1e-6)
    assert expected[0] != expected[1]
    assert np.isnan(found[1])


def test_a_chooser_that_knows_every_story_is_refused(chooser):
    rows = EndingRows(["It ran off."], [KNOWN], [()])
    with pytest.raises(MissingResourceError, match=r"first.parquet: was trained on the stories of all 1 endings.*v1.0"):
        ChooserScore().score(rows, Resources(choosers=[chooser]))


def test_one_that_knows_every_story_does_not_stop_the_others(chooser, tiny_model, tmp_path, capsys):
    from dataclasses import replace

    other = tmp_path / "other.parquet"
    replace(load_chooser(chooser), trained_on={"0": "v1.5 test"}).save(other)
    rows = EndingRows(["It ran off."], [KNOWN], [()])
    assert [*ChooserScore().score(rows, Resources(choosers=[chooser, other]))] == ["chooser other"]
    assert "first.parquet: was trained on the stories of all 1 endings" in capsys.readouterr().err


def test_one_that_reads_no_context_says_the_same_after_any(tiny_model, tmp_path):
    from dataclasses import replace

    from denouement.cloze.parts.chooser_settings import ChooserTraining, Example
    from denouement.cloze.parts.chooser_training import train
    from denouement.language_models.model import load

    known = Example((), ["It ran off.", "It sang."], 0, story=["Ann had a dog."])
    trained = train(load(str(tiny_model)), [known], ChooserTraining(epochs=1), seed=1, what="chooser")
    for name, context in (("alone", False), ("after", True)):
        replace(trained, context=context).save(tmp_path / f"{name}.parquet")
    rows = EndingRows(["He passed it."] * 2, [NEW, ["The sun rose."]], [()] * 2)
    paths = [tmp_path / "alone.parquet", tmp_path / "after.parquet"]
    found = ChooserScore().score(rows, Resources(choosers=paths))
    assert found["chooser alone"][0] == pytest.approx(found["chooser alone"][1], abs=1e-6)
    assert abs(np.subtract(*found["chooser after"])) > 1e-4


def test_a_language_model_is_found_where_it_lies_now_and_another_one_is_not_taken(chooser, tiny_model, taught_model):
    rows = EndingRows(["He passed it."], [NEW], [()])
    for given in (None, tiny_model, taught_model):  # the last is for other scores
        resources = Resources(choosers=[chooser], language_model=given and str(given))
        assert np.isfinite(ChooserScore().score(rows, resources)["chooser first"]).all()


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["a/one.parquet", "b/one.parquet"], "--chooser: two files have one name among a/one.parquet, b/one.parquet"),
        (["smollm2"], "--chooser smollm2: not a checkpoint"),
    ],
)
def test_mistakes(names, problem):
    from pathlib import Path

    with pytest.raises(UserError, match=problem):
        ChooserScore().score(EndingRows(["A."], [NEW], [()]), Resources(choosers=[*map(Path, names)]))
    assert "--chooser" in ChooserScore().lacks(Resources())[0]
