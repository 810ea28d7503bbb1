"""One stage run by the real DVC, on a small graph in a git repository of its own."""

import json
import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tasks import alone, graph, processes, stages

DVC_YAML = """
stages:
  copy: {cmd: cp source.txt copy.txt, deps: [source.txt], outs: [copy.txt]}
  fails: {cmd: "echo one; echo 'error: source.txt: wrong' >&2; exit 2", deps: [source.txt], outs: [never.txt]}
  silent: {cmd: "exit 3", deps: [source.txt], outs: [never_either.txt]}
"""


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("source.txt").write_text("one")
    Path("dvc.yaml").write_text(DVC_YAML)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run([*graph.DVC, "init", "-q"], check=True)
    monkeypatch.setattr(stages, "get_run_logger", lambda: logging.getLogger("stage"))
    monkeypatch.setattr(stages, "BUSY_SECONDS", 0.1)
    return tmp_path


def run(stage: str) -> None:
    stages._dvc("repro", "--single-item", stage, stage=stage)


@pytest.mark.parametrize(("stage", "reason"), [("fails", "source.txt: wrong"), ("silent", "its lines say why")])
def test_the_stage_s_own_error_is_why_it_failed(stage, reason):
    with pytest.raises(stages.StageError, match=f"^{stage} failed: {reason}$"):
        run(stage)


def test_where_nothing_can_be_put_back_the_error_is_the_stage_s_own_all_the_same(capfd):
    run("copy")
    subprocess.run(["rm", "-rf", ".dvc/cache", "copy.txt", "source.txt"], check=True)
    with pytest.raises(stages.StageError, match=r"^copy failed"):
        run("copy")
    assert "copy | its last outputs are not in DVC's cache, so they are not put back" in capfd.readouterr().out


def test_it_waits_for_another_dvc_command_on_its_files_and_then_runs(capfd):
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", "dvc"])
    noted = {"pid": other.pid, "cmd": "dvc repro"}
    Path(".dvc/tmp").mkdir(exist_ok=True)
    Path(".dvc/tmp/rwlock").write_text(json.dumps({"write": {str(Path("copy.txt").absolute()): noted}, "read": {}}))
    waits = threading.Thread(target=run, args=["copy"])
    waits.start()
    told = ""
    while "waits for" not in told:
        assert waits.is_alive()
        told += capfd.readouterr().out
        waits.join(0.1)
    assert not Path("copy.txt").exists()
    other.kill()
    other.wait()
    waits.join(60)
    assert Path("copy.txt").read_text() == "one"
    assert f"(PID {other.pid})" in told


def test_no_one_reading_what_it_prints_ends_what_it_runs(monkeypatch, tmp_path):
    Path("dvc.yaml").write_text("stages: {long: {cmd: 'echo begun; sleep 300', deps: [source.txt]}}")
    mark = processes.mark(processes.new_token(), tmp_path)
    monkeypatch.setenv(processes.MARK, mark)
    monkeypatch.setattr(alone, "LOCK", tmp_path / "lock")

    def closed(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("builtins.print", closed)
    with pytest.raises(BrokenPipeError):
        run("long")
    assert processes.marked(mark) == []


def test_a_warning_that_mlflow_is_lost_is_remembered_of_the_stage():
    from tasks.command import LOST

    Path("dvc.yaml").write_text(f"stages: {{lossy: {{cmd: 'echo warning: {LOST}', deps: [source.txt]}}}}")
    run("lossy")
    assert stages.was_not_tracked("lossy")
    assert not stages.was_not_tracked("copy")
