"""One reproduction a checkout, and the next one ends what a killed one left."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from denouement.errors import UserError
from tasks import ROOT, alone, processes

# holds the checkout and runs a process in a session of its own, as a stage is
HOLD = """
import subprocess, sys
from tasks import alone
from pathlib import Path
alone.LOCK = Path(sys.argv[1])
with alone.only_one():
    stage = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
    print(stage.pid, flush=True)
    sys.stdin.readline()
    stage.kill()
"""


@pytest.fixture
def lock(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(alone, "LOCK", tmp_path / "reproduce.lock")
    return tmp_path / "reproduce.lock"


@pytest.fixture
def holder(lock):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    process.stage = int(process.stdout.readline())
    yield process
    process.kill()
    process.wait()


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_a_second_one_is_refused_in_one_line_that_names_the_first(holder):
    with (
        pytest.raises(UserError, match=f"another reproduction runs in .*process {holder.pid}, .*: wait"),
        alone.only_one(),
    ):
        pass
    assert lives(holder.stage)


def test_after_the_first_one_ended_there_is_room_and_nothing_to_end(holder, lock, capsys):
    holder.communicate("\n", timeout=30)
    assert lock.read_text() == ""
    with alone.only_one():
        assert json.loads(lock.read_text())["process"] == processes.this_process()
    assert capsys.readouterr().out == ""


def test_what_a_killed_one_left_is_ended_by_the_next(holder, capsys):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert lives(holder.stage)
    with alone.only_one():
        assert not lives(holder.stage)
    assert capsys.readouterr().out == "ended what a killed reproduction left: 1 process\n"


def test_a_copy_of_the_checkout_leaves_what_the_original_runs(holder, lock, tmp_path, monkeypatch):
    (tmp_path / "copy.lock").write_text(lock.read_text())
    monkeypatch.setattr(alone, "LOCK", tmp_path / "copy.lock")
    monkeypatch.setattr(alone, "ROOT", tmp_path)
    with alone.only_one():
        assert lives(holder.stage)


@pytest.mark.parametrize("record", ["", "{", '{"token": 5}', '{"token": "x"}', '"x"'])
def test_a_damaged_record_is_no_obstacle(lock, record):
    lock.write_text(record)
    with alone.only_one(), alone.only_one():  # and a block within is let in
        assert processes.MARK in os.environ
    assert processes.MARK not in os.environ
