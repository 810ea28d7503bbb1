"""The stage cloze, with the real MLflow."""

import json

import mlflow
import pyarrow as pa
import pytest

from denouement.errors import UserError
from denouement.schemas import TABLES, read_table, write_table
from denouement.stages.cloze import ClozeSettings
from tasks import LAYOUT
from tasks.cloze import evaluate_systems


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch, database):
    """A labelled v1.0 validation and test, and a trained generator whose checkpoint is damaged."""
    monkeypatch.chdir(tmp_path)
    story = {"story_id": "s", "title": None, "sentences": ["A.", "B."], "source": "rocstories", "split": "train"}
    write_table(pa.Table.from_pylist([story], TABLES["stories"].schema), LAYOUT.stories, "stories")
    cases = [
        {
            "case_id": f"case-{number}",
            "context": [f"Person {number} came."],
            "endings": [f"One {number}.", f"Two {number}."],
            "language": "en",
            "right_ending": label,
            "release": "v1.0",
            "split": split,
        }
        for number, (label, split) in enumerate([(1, "validation"), (2, "validation"), (1, "test"), (None, "test")])
    ]
    cases[3] |= {"release": "v1.5"}
    write_table(pa.Table.from_pylist(cases, TABLES["cloze"].schema), LAYOUT.cloze, "cloze")
    damaged = LAYOUT.models / "seq2seq/best.parquet"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"PAR1 damaged")
    LAYOUT.embeddings.write_bytes(b"not read by these systems")


def run(*systems: str) -> None:
    evaluate_systems.fn(ClozeSettings({"sample": [], "official": list(systems)}), ["seq2seq"])


def test_validation_and_test_are_columns_and_each_set_has_its_predictions(capsys):
    run("constant_first")
    printed = capsys.readouterr().out
    assert "| system         | v1.0 validation (n = 2) | v1.0 test (n = 1) |" in printed
    (logged,) = mlflow.search_runs(search_all_experiments=True, output_format="list")
    assert logged.data.metrics == {"v1.0_validation.constant_first": 0.5, "v1.0_test.constant_first": 1.0}
    assert json.loads((LAYOUT.metrics("cloze")).read_text()) == {"accuracy_v1.0_validation": {"constant_first": 0.5}}
    assert json.loads((LAYOUT.plot("cloze")).read_text()) == [
        {"system": "constant_first (v1.0 validation)", "accuracy": 0.5},
        {"system": "constant_first (v1.0 test)", "accuracy": 1.0},
    ]
    files = {path.name: path.read_text() for path in (LAYOUT.story_cloze / "predictions").iterdir()}
    assert set(files) == {f"constant_first-{name}.csv" for name in ("v1.0-validation", "v1.0-test", "v1.5-test")}
    assert files["constant_first-v1.5-test.csv"] == "InputStoryid,AnswerRightEnding\ncase-3,1\n"


def test_a_failing_system_fails_the_stage_once_the_others_are_written_and_logged(capsys):
    with pytest.raises(UserError, match="1 of the systems failed, the others are printed: likelihood: "):
        run("likelihood", "constant_first")
    assert "Failed:\n- likelihood: " in capsys.readouterr().out
    found = json.loads((LAYOUT.story_cloze / "evaluation.json").read_text())
    assert [(row["system"], row["failed"] is None) for row in found["systems"] if row["split"] == "validation"] == [
        ("likelihood", False),
        ("constant_first", True),
        ("human", True),
    ]
    assert read_table(LAYOUT.story_cloze / "scores.parquet", "scores").num_rows == 4
    (logged,) = mlflow.search_runs(search_all_experiments=True, output_format="list")
    assert logged.info.status == "FAILED"
    assert logged.data.metrics["v1.0_validation.constant_first"] == 0.5
