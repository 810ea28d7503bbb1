"""Runs in a real MLflow database."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import mlflow
import pytest
from mlflow.exceptions import MlflowException

from tasks import command, processes, tracking

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
        tracking.log_values({"loss": 2, "group": {"mean": 0.5, "name": "right", "p": None}}, step=3)
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


def test_runs_of_processes_that_are_no_more_are_marked_as_killed_and_no_others():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    own = processes.this_process()
    dead = own.replace(f"process {os.getpid()},", f"process {ended.pid},")
    tracking.check()
    states = {}
    for name, process in (("dead", dead), ("alive", own), ("elsewhere", dead.replace(" on ", " on x")), ("other", "")):
        run = mlflow.MlflowClient().create_run(
            mlflow.get_experiment_by_name(tracking.EXPERIMENT).experiment_id, tags={tracking.PROCESS: process}
        )
        states[name] = run.info.run_id
    with tracking.run("next", "train", {}):
        pass
    found = {name: mlflow.get_run(run_id).info.status for name, run_id in states.items()}
    assert found == {"dead": "KILLED", "alive": "RUNNING", "elsewhere": "RUNNING", "other": "RUNNING"}


def test_an_interrupted_run_is_marked_as_killed():
    with pytest.raises(KeyboardInterrupt), tracking.run("x", "train", {}) as run:
        raise KeyboardInterrupt
    assert mlflow.get_run(run.info.run_id).info.status == "KILLED"


@pytest.fixture
def nobody(database, monkeypatch):
    """No server at the address that MLFLOW_TRACKING_URI names; retries as the project sets them."""
    monkeypatch.setattr(command, "_lost", False)
    monkeypatch.setattr(tracking, "_lost", False)
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "3")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://someone:secret@127.0.0.1:9")


@pytest.mark.usefixtures("nobody")
def test_without_a_server_nothing_is_begun_and_one_line_comes_at_once(capfd):
    began = time.monotonic()
    with pytest.raises(SystemExit) as ended, command.errors_as_lines(), tracking.run("x", "train", {}):
        raise AssertionError("the work began")
    assert time.monotonic() - began < 20
    assert ended.value.code == 3
    told = capfd.readouterr().err
    assert told.startswith("error: http://127.0.0.1:9: does not answer (Connection refused); nothing was begun")
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize("uri", ["nonsense://x", "http://127.0.0.1:port", "http://", "sqlite:////proc/no/mlflow.db"])
def test_what_is_no_place_for_runs_is_one_line_too(monkeypatch, capfd, uri):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    with pytest.raises(SystemExit) as ended, command.errors_as_lines():
        tracking.check()
    assert ended.value.code == 3
    assert len(capfd.readouterr().err.splitlines()) == 1


@pytest.mark.usefixtures("nobody")
def test_within_a_reproduction_the_run_is_kept_in_the_project_s_database_instead(monkeypatch, capfd):
    monkeypatch.setenv(tracking.PARENT, "0" * 32)
    with tracking.run("x", "train", {"seed": 1}):
        tracking.log_values({"loss": 1.0})
    assert command.LOST in capfd.readouterr().err
    (kept,) = mlflow.search_runs(output_format="list")
    assert kept.info.status == "FINISHED"
    assert kept.data.metrics == {"loss": 1.0}


@pytest.fixture(scope="module")
def server_command(tmp_path_factory):
    """The command line of a tracking server, but for its port."""
    folder = tmp_path_factory.mktemp("server")
    store = [
        "--backend-store-uri",
        f"sqlite:///{folder / 'mlflow.db'}",
        "--artifacts-destination",
        str(folder / "files"),
    ]
    return [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--workers", "1", *store]


@pytest.mark.timeout(400)
def test_a_server_lost_on_the_way_costs_the_record_and_not_the_work(server_command, monkeypatch, capfd, tmp_path):
    from tasks import servers

    monkeypatch.setattr(command, "_lost", False)
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    monkeypatch.delenv("DVC_STAGE", raising=False)
    port = servers.free_port()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{port}")
    mark = processes.mark(processes.new_token(), tmp_path)
    began = []

    def work() -> None:
        with command.errors_as_lines():
            with tracking.run("x", "train", {"seed": 1}):
                tracking.log_values({"loss": 3.0})
                processes.end(mark, seconds=5)
                began.append(time.monotonic())
                tracking.log_values({"loss": 2.0}, step=1)
                tracking.log_values({"loss": 1.0}, step=2)
                (tmp_path / "output").write_text("complete")
                mlflow.log_dict({}, "what a task logs after its outputs.json")
            (tmp_path / "next").write_text("begun")

    try:
        servers.start([*server_command, "--port", str(port)], port, "/health", tmp_path / "log", {}, mark)
        with pytest.raises(SystemExit) as ended:
            work()
    finally:
        processes.end(mark, seconds=5)
    assert ended.value.code == 3
    assert time.monotonic() - began[0] < 60
    assert (tmp_path / "output").exists()
    assert (tmp_path / "next").exists()
    told = capfd.readouterr().err
    assert told.startswith(f"warning: {command.LOST}: http://127.0.0.1:{port}: does not answer")
    assert len(told.splitlines()) == 1


def test_as_a_stage_of_dvc_the_work_counts_as_done(monkeypatch, capfd):
    monkeypatch.setattr(command, "_lost", False)
    monkeypatch.setenv("DVC_STAGE", "train@x")
    with command.errors_as_lines():
        command.lose("http://127.0.0.1:9: does not answer")
    assert capfd.readouterr().err.startswith(f"warning: {command.LOST}: http://127.0.0.1:9")


def test_wrong_use_of_mlflow_is_a_defect_and_not_a_lost_server():
    with pytest.raises(MlflowException), tracking.run("x", "train", {}):
        tracking.log_tags({"": "a tag without a name"})


def test_a_server_that_wants_a_password_answers():
    class Refuses(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(401)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Refuses) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(MlflowException) as raised:
            tracking._open_experiment(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert "does not answer" not in tracking._reason("http://x", raised.value)


def test_interrupted_work_goes_on_in_its_run(tmp_path):
    note = tmp_path / "state" / "mlflow_run"
    with suppress(KeyboardInterrupt), tracking.run("first", "train", {"seed": 1}, note) as first:
        tracking.log_values({"loss": 2.0}, step=0)
        raise KeyboardInterrupt
    with tracking.run("again", "train", {"seed": 1}, note) as second:
        assert tracking.logged_steps("loss") == {0}
        tracking.log_values({"loss": 1.0}, step=1)
    assert second.info.run_id == first.info.run_id
    stored = mlflow.get_run(first.info.run_id)
    assert (stored.info.run_name, stored.info.status) == ("first", "FINISHED")
    assert [value.value for value in mlflow.MlflowClient().get_metric_history(first.info.run_id, "loss")] == [2.0, 1.0]


@pytest.mark.parametrize("content", [b"", b"0" * 32, b"' OR 1 = 1", b"\xff\xfe\x00", None])
def test_work_whose_note_names_no_interrupted_run_gets_a_new_one(tmp_path, content):
    note = tmp_path / "mlflow_run"
    with tracking.run("done", "train", {}, note) as done:
        pass
    if content is not None:  # else the note names a run that ended well
        note.write_bytes(content)
    with tracking.run("new", "train", {}, note) as new:
        pass
    assert new.info.run_id != done.info.run_id
    assert note.read_text().strip() == new.info.run_id


def test_the_address_of_the_runs_is_that_of_the_table():
    with tracking.run("x", "train", {}) as run:
        pass
    page = f"http://here:5000/#/experiments/{run.info.experiment_id}/runs?workflowType=machine_learning"
    assert tracking.runs_page("http://here:5000") == page


def test_a_name_has_the_settings_in_which_runs_differ():
    assert tracking.described("train", "small", None) == "train (small)"
    assert tracking.described("cloze") == "cloze"


ECHO = """
import mlflow

class Echo(mlflow.pyfunc.PythonModel):
    def predict(self, model_input: list[str]) -> list[str]:
        return model_input

mlflow.models.set_model(Echo())
"""


def test_each_model_is_the_next_version_of_its_name_and_nothing_is_printed(tmp_path, capfd):
    code = tmp_path / "echo.py"
    code.write_text(ECHO)
    made = []
    for description in ("First.", "Second."):
        with tracking.run("x", "train", {}) as run:
            uri = mlflow.pyfunc.log_model(name="model", python_model=str(code), pip_requirements=[]).model_uri
            capfd.readouterr()
            tracking.register_model(uri, "echo", description)
            assert "".join(capfd.readouterr()) == ""
        made.append((run.info.run_id, uri.removeprefix("models:/")))
    client = mlflow.MlflowClient()
    assert client.get_registered_model("echo").description == "First."
    for version, (run_id, model) in enumerate(made, 1):
        found = client.get_model_version("echo", str(version))
        assert (found.run_id, found.source) == (run_id, f"models:/{model}")
        assert mlflow.pyfunc.load_model(f"models:/echo/{version}").predict(["a"]) == ["a"]
        tags = client.get_logged_model(model).tags
        assert json.loads(tags["mlflow.modelVersions"]) == [{"name": "echo", "version": version}]


def test_the_run_of_a_reproduction_says_what_it_is():
    with tracking.reproduction("reproduce", {}) as run:
        pass
    assert mlflow.get_run(run.info.run_id).data.tags["mlflow.note.content"].startswith("One reproduction of the")
