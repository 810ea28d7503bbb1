import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.base import load_system
from denouement.cloze.resources import Resources
from denouement.errors import UserError

SYSTEMS = {"ending_reg": {"min_count": 1, "n_folds": 2}, "lm_probe": {"n_folds": 2, "layer": 1}}


def cases(n):
    rows = []
    for number in range(n):
        endings = [f"It was the {number} day.", f"He never saw the {number} dog.", "He slept."][: 2 + number % 2]
        rows.append(
            {
                "case_id": str(number),
                "context": [f"Story {number}."],
                "endings": endings,
                "language": "en",
                "right_ending": 1 + number % 2,
                "release": "v1.0",
                "split": "validation",
            }
        )
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


def scores(name, options, resources):
    system = load_system(name, options)
    system.prepare(resources)
    system.fit(cases(20), resources)
    return system.score(cases(24), resources)[""]


def test_scores_are_the_mean_of_its_systems(tiny_model):
    resources = Resources(language_model=str(tiny_model))
    each = [scores(name, options, resources) for name, options in SYSTEMS.items()]
    together = scores("ensemble", {"systems": SYSTEMS}, resources)
    lacking = np.isneginf(together)
    assert lacking.sum() == 12, "a case with two endings has no third place"
    assert np.array_equal(together[~lacking], (each[0] + each[1])[~lacking] / 2)


def test_a_fold_does_not_change_what_another_one_fitted(tiny_model):
    resources = Resources(language_model=str(tiny_model))
    system = load_system("ensemble", {"systems": SYSTEMS})
    system.prepare(resources)
    system.fit(cases(20), resources)
    before = system.score(cases(6), resources)[""]
    other = load_system("ensemble", {"systems": SYSTEMS})
    other.prepare(resources)
    other.fit(cases(12), resources)
    assert np.array_equal(system.score(cases(6), resources)[""], before)


def test_names_what_its_systems_lack_and_learned_elsewhere(tiny_model):
    system = load_system("ensemble", {"systems": SYSTEMS})
    assert any("--language-model" in lack for lack in system.lacks(Resources()))
    given = Resources(language_model=str(tiny_model))
    assert system.learned_elsewhere("", given) == f"language model {tiny_model.name}, pretrained"
    assert set(system.files(given)) == set(load_system("lm_probe").files(given)) != set()
    assert system.cannot_score(cases(4)) is None
    plain = cases(4)
    french = plain.set_column(plain.schema.get_field_index("language"), "language", pa.array(["fr"] * 4))
    assert "ending_reg reads English alone" in system.cannot_score(french)


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"lm_probe": {}}, "systems: an ensemble needs two or more, not 1"),
        ({"lm_probe": {}, "ensemble": {}}, "systems: ensemble cannot be one of its own"),
        ({"lm_probe": {}, "frequency": {}}, "systems: frequency does not learn from cases"),
        ({"lm_probe": {}, "nothing": {}}, "no Story Cloze system 'nothing'"),
        ({"lm_probe": {"layers": 1}, "ending_reg": {}}, "lm_probe: unknown key layers"),
    ],
)
def test_refuses_systems_that_make_no_ensemble(systems, message):
    with pytest.raises(UserError, match=message):
        load_system("ensemble", {"systems": systems})
