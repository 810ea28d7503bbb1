"""Runs in a real MLflow database."""

import mlflow
import pytest

from tasks import tracking

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("database")]


def test_a_run_that_raises_is_marked_as_failed():
    with pytest.raises(ZeroDivisionError), tracking.run("train x", "train", {"seed": 1, "nested": {"a": None}}) as run:
        raise ZeroDivisionError
    stored = mlflow.get_run(run.info.run_id)
    assert stored.info.status == "FAILED"
    assert stored.data.params == {"seed": "1", "nested.a": "null"}


def test_equal_parameters_have_equal_tags():
    tags = []
    for parameters in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 3}):
        with tracking.run("x", "train", parameters) as run:
            tags.append(run.data.tags["parameters"])
    assert tags[0] == tags[1] != tags[2]


def test_numbers_are_logged_with_their_step_and_what_is_no_number_is_left_out():
    with tracking.run("x", "train", {}) as run:
        tracking.log_figures({"loss": 2, "group": {"mean": 0.5, "name": "right", "p": None}}, step=3)
    stored = mlflow.get_run(run.info.run_id)
    assert stored.data.metrics == {"loss": 2.0, "group.mean": 0.5}
    assert mlflow.MlflowClient().get_metric_history(run.info.run_id, "loss")[0].step == 3


def test_a_moved_project_writes_no_files_into_its_old_folder(tmp_path, monkeypatch, capfd):
    with tracking.run("before", "train", {}):
        pass
    monkeypatch.setattr(tracking, "ARTIFACTS", tmp_path / "elsewhere" / "mlartifacts")
    with tracking.run("after", "train", {}) as run:
        mlflow.log_text("x", "x.txt")
    assert (tmp_path / "elsewhere" / "mlartifacts" / run.info.run_id / "artifacts" / "x.txt").is_file()
    assert "new ones go to" in capfd.readouterr().err
