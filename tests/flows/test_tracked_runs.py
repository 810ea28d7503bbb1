"""What a reproduction leaves in MLflow."""

import json
import subprocess
import sys
from hashlib import sha256

import mlflow
import pyarrow.parquet as pq
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture
def runs(first_run):
    """All runs of one reproduction, by their name without the settings that are in it."""
    project, done = first_run
    assert done.returncode == 0, done.stdout + done.stderr
    mlflow.set_tracking_uri(project.tracking_uri)
    mlflow.set_experiment("denouement")
    found = mlflow.search_runs(search_all_experiments=True, output_format="list")
    return {run.info.run_name.partition(" (")[0]: run for run in found}


def test_one_run_holds_the_others(runs):
    assert set(runs) == {
        "reproduce",
        "sample",
        "ingest",
        "encode",
        "train seq2seq",
        "train h_seq2seq",
        "generate seq2seq",
        "generate h_seq2seq",
        "sentiment",
        "metrics",
        "cloze",
        "statistics",
        "study",
        "report",
    }
    above = runs.pop("reproduce")
    assert {run.data.tags["mlflow.parentRunId"] for run in runs.values()} == {above.info.run_id}
    assert {run.info.status for run in (above, *runs.values())} == {"FINISHED"}
    assert above.data.params["train.h_seq2seq.small.units"] == "8"
    assert above.info.run_name == "reproduce (sample corpus, seq2seq and h_seq2seq, greedy)"
    assert "sentiment.mean_sentiment.right" in above.data.metrics
    assert len([name for name in above.data.metrics if name.startswith("cloze.")]) <= 12


def test_a_run_is_named_by_the_settings_in_which_such_runs_differ(runs):
    assert runs["train seq2seq"].info.run_name == "train seq2seq (small, sample corpus)"
    assert runs["generate h_seq2seq"].info.run_name == "generate h_seq2seq (greedy)"
    assert runs["encode"].info.run_name == "encode (glove)"


@pytest.mark.parametrize("generator", ["seq2seq", "h_seq2seq"])
def test_each_trained_generator_is_a_version_of_a_registered_model(runs, generator):
    (version,) = mlflow.MlflowClient().search_model_versions(f"name = 'denouement-{generator}'")
    assert version.run_id == runs[f"train {generator}"].info.run_id


def test_runs_have_the_code_and_the_parameters_they_were_made_with(runs, first_run):
    project, _ = first_run
    commit = project.run("git", "rev-parse", "HEAD").stdout.strip()
    for run in runs.values():
        assert run.data.tags["git_commit"] == commit
        assert run.data.tags["git_dirty"] == "false"
        assert len(run.data.tags["parameters"]) == 16


def test_training_logs_what_it_read(runs, first_run):
    project, _ = first_run
    inputs = {each.dataset.name: each.dataset for each in runs["train h_seq2seq"].inputs.dataset_inputs}
    content = (project.folder / "data/corpus/stories.parquet").read_bytes()
    assert set(inputs) == {"stories", "embeddings"}
    assert sha256(content).hexdigest().startswith(inputs["stories"].digest)
    assert json.loads(inputs["stories"].source)["uri"] == "data/corpus/stories.parquet"


def test_endings_are_a_table(runs, first_run):
    project, _ = first_run
    table = mlflow.load_table("endings.json", run_ids=[runs["generate seq2seq"].info.run_id])
    written = pq.read_table(project.folder / "data/endings/seq2seq.parquet")
    assert table["ending"].tolist() == written["ending"].to_pylist()
    assert table["case_id"].tolist() == written["case_id"].to_pylist()
    assert table["context"].str.len().min() > 20


@pytest.mark.parametrize("generator", ["seq2seq", "h_seq2seq"])
def test_the_logged_model_gives_endings_in_a_fresh_process(runs, first_run, generator):
    project, _ = first_run
    program = """
import json, sys, mlflow, pandas
mlflow.set_tracking_uri(sys.argv[1])
model = mlflow.pyfunc.load_model(f"runs:/{sys.argv[2]}/model")
stories = pandas.DataFrame({"context": [["It rained.", "Ann got wet."], ["Bob ran."]]})
print(json.dumps(model.predict(stories, {"method": "sample", "n": 3, "max_length": 6}).to_dict("list")))
"""
    run_id = runs[f"train {generator}"].info.run_id
    done = subprocess.run(
        [sys.executable, "-c", program, project.tracking_uri, run_id],
        cwd=project.folder.parent,
        env=project.environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    endings = json.loads(done.stdout.splitlines()[-1])
    assert endings["context_row"] == [0, 0, 0, 1, 1, 1]
    assert all(endings["ending"])
    assert max(endings["log_prob"]) < 0


def test_the_summary_is_kept_with_the_run(runs):
    run_id = runs["reproduce"].info.run_id
    text = mlflow.artifacts.load_text(f"runs:/{run_id}/reports/summary.md")
    assert "## Sentiment" in text
