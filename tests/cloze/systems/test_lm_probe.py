import numpy as np
import pyarrow as pa
import pytest

from denouement import schemas
from denouement.cloze.base import choices, load_system
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.parts.kept_states import kept_states
from denouement.cloze.resources import Resources
from denouement.errors import UserError
from denouement.language_models import reading
from denouement.language_models.model import load

WORDS = ["day", "dog", "test", "bus", "rain", "night", "car", "man"]


def cases(n, start=0):
    """The right ending is the one that names what the context is about; nothing in it gives it away."""
    rows = []
    for number in range(start, start + n):
        right, wrong = WORDS[number % 8], WORDS[(number + 1 + number // 8 % 7) % 8]
        place = 1 + number % 2
        endings = [f"It was {right}." if place == at else f"It was {wrong}." for at in (1, 2)]
        rows.append(
            {
                "case_id": str(number),
                "context": [f"Story {number}.", f"{right} {right} {right}", f"It was {right}."],
                "endings": endings,
                "language": "en",
                "right_ending": place,
                "release": "v1.0",
                "split": "validation",
            }
        )
    return pa.Table.from_pylist(rows, schemas.TABLES["cloze"].schema)


def fitted(resources, **options):
    system = load_system("lm_probe", options)
    system.prepare(resources)
    system.fit(cases(240), resources)
    return system


def test_reads_from_the_states_whether_an_ending_suits_the_context(tiny_model):
    resources = Resources(language_model=str(tiny_model))
    unseen = cases(80, start=240)
    scores = fitted(resources, layer=1).score(unseen, resources)
    right = unseen["right_ending"].to_numpy()
    assert (choices(scores[""]) == right).mean() > 0.8
    assert (choices(scores["without context"]) == right).mean() < 0.65


def test_states_are_read_once_and_kept(tiny_model, tmp_path, monkeypatch):
    model = load(str(tiny_model))
    texts = (["One.", "", "One."], [[" A.", " B."], [" A."], [" B.", " C.", " A."]])
    expected = kept_states(model, 1, *texts, None)
    assert [each.shape for each in expected] == [(2, 32), (1, 32), (3, 32)]
    assert np.allclose(expected[0][1], expected[2][0])
    assert np.array_equal(np.concatenate(kept_states(model, 1, *texts, tmp_path)), np.concatenate(expected))
    [path] = tmp_path.iterdir()
    read = []
    monkeypatch.setattr(reading, "states", lambda model, contexts, *_: read.append(contexts))
    assert np.array_equal(np.concatenate(kept_states(model, 1, *texts, tmp_path)), np.concatenate(expected))
    assert read == []
    monkeypatch.undo()
    kept_states(model, 2, *texts, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2, "each layer has a file of its own"
    path.write_bytes(b"damaged")
    assert np.array_equal(np.concatenate(kept_states(model, 1, *texts, tmp_path)), np.concatenate(expected))


def test_new_texts_are_added_to_the_file(tiny_model, tmp_path, monkeypatch):
    model = load(str(tiny_model))
    kept_states(model, 1, ["One."], [[" A.", " B."]], tmp_path)
    read = []
    plain = reading.states
    monkeypatch.setattr(reading, "states", lambda *given: read.append(given[1]) or plain(*given))
    both = kept_states(model, 1, ["One.", "Two."], [[" A.", " B."], [" A."]], tmp_path)
    assert read == [["Two."]]
    assert np.allclose(both[1], kept_states(model, 1, ["Two."], [[" A."]], None)[0])


def test_a_layer_that_the_model_has_not(tiny_model):
    with pytest.raises(UserError, match="layer 3 of a language model that has 2"):
        fitted(Resources(language_model=str(tiny_model)), layer=3)
    with pytest.raises(UserError, match="layer"):
        load_system("lm_probe", {"layer": -1})


def test_without_a_model_or_cases_the_row_says_so(tiny_model):
    [row, _] = evaluate(["lm_probe"], None, cases(4), Resources()).result.systems
    assert "--train" in row.missing
    assert "--language-model" in row.missing
    few = evaluate(["lm_probe"], cases(8), None, Resources(language_model=str(tiny_model)), n_folds=2)
    assert "at least 10 labelled cases" in few.result.systems[0].missing
