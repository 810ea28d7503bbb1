"""The stage study, with the real MLflow."""

import json
import math
from pathlib import Path

import mlflow
import pyarrow as pa
import pytest

from denouement.errors import UserError
from denouement.schemas import TABLES, read_table, write_table
from denouement.settings import build
from denouement.stages.study import StudySettings
from tasks import LAYOUT
from tasks.study import work_out_results

ANSWERS = """InputStoryid,context,optionA,optionB,answer,reason,RightEnding,model1,answer_correspondence
case-1,One. Two.,He sang.,He slept.,A,Nice.,He slept.,A,Generated
case-1,One. Two.,He sang.,He slept.,B,Tired.,He slept.,A,Human
case-1,One. Two.,He sang.,He slept.,B,He was tired.,He slept.,A,Human
case-2,Three. Four.,He sang.,He slept.,B,,He slept.,A,Human
"""


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch, database) -> Path:
    monkeypatch.chdir(tmp_path)
    LAYOUT.raw.mkdir(parents=True)
    (LAYOUT.raw / "README.md").write_text("# Your files\n")
    return tmp_path


def outputs() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(LAYOUT.study.iterdir())}


def test_answers_under_data_raw_become_results_in_files_and_in_mlflow(capsys):
    (LAYOUT.raw / "deep").mkdir()
    (LAYOUT.raw / "deep/renamed.txt").write_text(ANSWERS)
    work_out_results.fn(StudySettings(systems=("net", "people")))
    assert "rows: 4; answers accepted: 4" in capsys.readouterr().out
    assert read_table(LAYOUT.study / "votes.parquet", "votes")["choice"].to_pylist() == [
        "net",
        "people",
        "people",
        "people",
    ]
    assert read_table(LAYOUT.study / "pairs.parquet", "pairs")["n_second"].to_pylist() == [2]
    chief = json.loads((LAYOUT.metrics("study")).read_text())
    assert chief["answers"] == 4
    assert chief["net_people"]["first_preferred"] == 1 / 4
    assert {"answers": "net or people: second", "share": 3 / 4} in json.loads(LAYOUT.plot("study").read_text())
    (run,) = mlflow.search_runs(search_all_experiments=True, output_format="list")
    logged = run.data.metrics
    assert logged["net_people.second"] == 2
    # Of four answers three prefer people: the logarithm of the odds is log 3, and strengths are half of it.
    assert logged["strengths.people.strength"] == pytest.approx(math.log(3) / 2)
    assert logged["strengths.net.low"] < -math.log(3) / 2 < logged["strengths.net.high"]
    assert logged["strengths.people.share"] == pytest.approx(3 / 4)
    assert (
        json.loads((LAYOUT.study / "reasons.json").read_text())["words"]["words"]
        == [
            {"word": "nice", "count": 1, "reasons": 1},
            {"word": "tired", "count": 2, "reasons": 2},
        ][::-1]
    )
    logged = {file.path for file in mlflow.MlflowClient().list_artifacts(run.info.run_id, "study")}
    assert {"study/results.html", "study/reasons.json", "study/table_3.parquet", "study/pairs.parquet"} <= logged
    before = outputs()
    work_out_results.fn(StudySettings(systems=("net", "people")))
    assert outputs() == before


def test_exported_ratings_become_results_of_their_own(capsys):
    rows = [
        {
            **{"study": "s", "item_id": "i", "case_id": "c", "annotator_id": name, "system": "net", "reason": None},
            **{"question": question, "value": value, "is_check": False, "status": "accepted"},
            **{"started_at": None, "submitted_at": None},
        }
        for name, question, value in (("p", "logic", 1), ("p", "grammar", 4), ("q", "logic", 2), ("q", "grammar", 4))
    ]
    write_table(pa.Table.from_pylist(rows, schema=TABLES["ratings"].schema), LAYOUT.raw / "mine.parquet", "ratings")
    work_out_results.fn(StudySettings())
    printed = capsys.readouterr().out
    assert "rows: 4; answers accepted: 2" in printed
    assert "## Ratings: s" in printed
    assert json.loads((LAYOUT.study / "ratings/results.json").read_text())["answers"] == 2
    means = read_table(LAYOUT.study / "ratings/rating_means.parquet", "rating_means").to_pylist()
    assert [(row["question"], row["mean"]) for row in means] == [("logic", 1.5), ("grammar", 4)]
    assert json.loads((LAYOUT.metrics("study")).read_text())["ratings"] == {"grammar_net": 4, "logic_net": 1.5}
    assert not (LAYOUT.study / "orders").exists()


def test_without_answers_the_tables_are_empty_and_it_says_so(capsys):
    work_out_results.fn(StudySettings())
    assert "no file of answers under data/raw" in capsys.readouterr().out
    assert read_table(LAYOUT.study / "votes.parquet", "votes").num_rows == 0
    assert read_table(LAYOUT.study / "pairs.parquet", "pairs").num_rows == 0
    assert json.loads((LAYOUT.study / "results.json").read_text())["answers"] == 0
    assert not (LAYOUT.study / "reasons.json").exists()


@pytest.mark.parametrize("systems", [[], ["a"], ["a", "a"], ["a", "b", "c"]])
def test_systems_are_two(systems):
    with pytest.raises(UserError, match=r"study\.systems: must be two names"):
        build(StudySettings, {"systems": systems}, "params.yaml: study")


def test_systems_are_not_called_as_answers_are():
    with pytest.raises(UserError, match=r"study\.systems: a system is called both, which is an answer"):
        build(StudySettings, {"systems": ["net", "both"]}, "params.yaml: study")


BATCH = """HITId,AssignmentId,WorkerId,AssignmentStatus,Input.context,Input.optionA,Input.optionB,Input.model1,Answer.q
h1,a1,w1,{status},One. Two.,He sang.,He slept.,A,1
h1,a2,w2,{status},One. Two.,He sang.,He slept.,A,2
"""


def test_columns_and_values_go_the_same_way_as_the_options(capsys):
    (LAYOUT.raw / "batch.csv").write_text(BATCH.format(status="Approved"))
    work_out_results.fn(StudySettings(columns={"answer": "Answer.q"}, values={1: "A", "2": "B"}))
    assert read_table(LAYOUT.study / "votes.parquet", "votes")["answer"].to_pylist() == ["A", "B"]
    assert "answer = Answer.q" in capsys.readouterr().out
    with pytest.raises(UserError, match=r"batch.csv: no column Answer.nothere for reason"):
        work_out_results.fn(StudySettings(columns={"reason": "Answer.nothere"}))


def test_the_state_after_the_rejections_counts_whatever_the_files_are_called(capsys):
    for early, late in (("1.csv", "2.csv"), ("2.csv", "1.csv")):
        (LAYOUT.raw / early).write_text(BATCH.format(status="Submitted"))
        (LAYOUT.raw / late).write_text(BATCH.format(status="Rejected"))
        work_out_results.fn(StudySettings(values={1: "A", 2: "B"}))
        assert set(read_table(LAYOUT.study / "votes.parquet", "votes")["status"].to_pylist()) == {"rejected"}
        assert f"{late} line 2 counts" in capsys.readouterr().out


def test_what_prolific_says_of_people_is_not_written():
    (LAYOUT.raw / "batch.csv").write_text(BATCH.format(status="Approved"))
    (LAYOUT.raw / "people.csv").write_text("Submission id,Participant id,Status,Age\ns1,w1,RETURNED,33\n")
    work_out_results.fn(StudySettings(values={1: "A", 2: "B"}))
    assert sorted(read_table(LAYOUT.study / "votes.parquet", "votes")["status"].to_pylist()) == ["accepted", "excluded"]
    assert not (LAYOUT.study / "participants.parquet").exists()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("columns", {"answer": 3}, "columns: answer must be a column's name, not 3; put it in quotes"),
        ("values", {True: "A"}, "values: True: 'A' must be a text and its answer; put the text in quotes"),
        ("values", {1: "A", "1": "B"}, "values: a text is there twice, once as a number; give it once"),
        ("values", {"1": True}, "values: '1': True must be a text and its answer"),
    ],
)
def test_settings_that_yaml_made_something_else_of_are_refused(key, value, message):
    with pytest.raises(UserError, match=message):
        build(StudySettings, {key: value}, "params.yaml: study")
