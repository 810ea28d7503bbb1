"""What is asked of DVC, on a small graph of shell commands in a git repository of its own."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from denouement.errors import UserError
from tasks import graph

DVC_YAML = """
stages:
  first:
    cmd: cp source.txt first.txt
    deps: [source.txt]
    outs: [first.txt]
  second:
    matrix:
      item: [a, b]
    cmd: cp first.txt second_${item.item}.txt
    deps: [first.txt]
    params: ["second.${item.item}"]
    outs: ["second_${item.item}.txt"]
"""


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("source.txt").write_text("one")
    Path("params.yaml").write_text("second: {a: 1, b: 1}")
    Path("dvc.yaml").write_text(DVC_YAML)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run([*graph.DVC, "init", "-q"], check=True)
    return tmp_path


def repro() -> None:
    subprocess.run([sys.executable, "-m", "dvc", "repro", "-q"], check=True)


def test_a_stage_stands_after_those_it_needs():
    needs = graph.needs()
    assert needs == {"first": [], "second@a": ["first"], "second@b": ["first"]}
    assert next(iter(needs)) == "first"


def test_a_stage_is_fresh_once_it_ran_and_until_what_it_depends_on_changes():
    before = graph.freshness("first")
    assert not before.fresh
    repro()
    assert graph.freshness("first") == (before.key, True)
    Path("source.txt").write_text("two")
    after = graph.freshness("first")
    assert not after.fresh
    assert after.key != before.key


def test_a_parameter_changes_the_key_of_its_stage_alone():
    repro()
    before = {stage: graph.freshness(stage).key for stage in ("second@a", "second@b")}
    Path("params.yaml").write_text("second: {a: 2, b: 1}")
    assert graph.freshness("second@a").key != before["second@a"]
    assert graph.freshness("second@b") == (before["second@b"], True)


def test_a_changed_output_is_not_fresh_although_its_key_is_the_same_and_can_be_restored():
    repro()
    key, _ = graph.freshness("first")
    Path("first.txt").write_text("spoilt")
    assert graph.freshness("first") == (key, False)
    graph.restore("first")
    assert Path("first.txt").read_text() == "one"
    assert graph.freshness("first") == (key, True)


def test_there_is_nothing_to_restore_of_a_stage_that_never_ran():
    graph.restore("first")
    assert not Path("first.txt").exists()


def test_outputs_that_the_cache_lacks_are_not_put_back_and_that_is_no_error(repository):
    repro()
    for path in (repository / ".dvc/cache").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.unlink()
    Path("first.txt").unlink()
    assert not graph.restore("first")
    assert graph.restore("second@a")


NOTES = Path(".dvc/tmp/rwlock")


def note(pid: int, seconds_ago: float = 0) -> None:
    """What DVC notes of a command that writes first.txt."""
    noted = {"pid": pid, "cmd": "dvc repro"}
    NOTES.write_text(json.dumps({"write": {str(Path("first.txt").absolute()): noted}, "read": {}}))
    os.utime(NOTES, (time.time() - seconds_ago,) * 2)


@pytest.fixture
def dvc_command():
    """A process that looks like a DVC command."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", "dvc"])
    yield process
    process.kill()
    process.wait()


def test_another_dvc_command_at_work_is_an_error_that_names_it(dvc_command):
    note(dvc_command.pid)
    with pytest.raises(UserError, match=f"`dvc repro` \\(process {dvc_command.pid}\\) works in"), graph.undisturbed():
        pass
    assert NOTES.exists()
    assert graph.freshness("first") is None  # which is to wait for


def test_notes_of_a_killed_command_are_removed_also_when_its_id_was_given_to_another(dvc_command):
    for pid, seconds_ago in ((os.getpid(), 0), (dvc_command.pid, 3600)):
        note(pid, seconds_ago)
        with graph.undisturbed():
            pass
        repro()
    NOTES.write_text('{"write": {')
    with graph.undisturbed():
        pass
    assert graph.freshness("first").fresh


def test_no_dvc_command_starts_meanwhile():
    with graph.undisturbed():
        done = subprocess.run([sys.executable, "-m", "dvc", "repro"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "Unable to acquire lock" in done.stderr


def test_a_real_dvc_command_at_work_is_noticed(repository):
    Path("dvc.yaml").write_text("stages: {slow: {cmd: sleep 60, deps: [source.txt]}}")
    with subprocess.Popen([sys.executable, "-m", "dvc", "repro", "-q"]) as process:
        try:
            deadline = time.monotonic() + 60
            while not (NOTES.exists() and "dvc" in NOTES.read_text()):
                assert time.monotonic() < deadline
                time.sleep(0.2)
            with pytest.raises(UserError, match=r"works (here|in)"), graph.undisturbed():
                pass
        finally:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.wait()
