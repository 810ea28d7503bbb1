"""Only what carries the very mark is ended, and only what is known to be dead is called so."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tasks import ROOT, processes

SLEEP = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(300)"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print(1, flush=True); time.sleep(300)",
]
# starts a child in a session of its own, as a stage or a server does, and waits for it
PARENT = [
    sys.executable,
    "-c",
    "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'], "
    "start_new_session=True).pid, flush=True); import time; time.sleep(300)",
]


@pytest.fixture
def start():
    started = []

    def start(command: list[str], mark: str | None = None) -> subprocess.Popen:
        environment = {name: value for name, value in os.environ.items() if name != processes.MARK}
        if mark is not None:
            environment[processes.MARK] = mark
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        process.first = process.stdout.readline().strip()
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_only_the_very_mark_is_ended_with_all_that_it_started(start, tmp_path):
    token = processes.new_token()
    mark = processes.mark(token, tmp_path)
    ours = start(PARENT, mark)
    others = [start(SLEEP), start(SLEEP, processes.mark(processes.new_token(), tmp_path))]
    child = psutil.Process(int(ours.first))
    assert processes.end(mark) == 2
    assert ours.wait(timeout=10) != 0
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    assert [other.poll() for other in others] == [None, None]


def test_what_ignores_ctrl_c_is_killed(start, tmp_path):
    mark = processes.mark(processes.new_token(), tmp_path)
    deaf = start(DEAF, mark)
    assert processes.end(mark, seconds=0.5) == 1
    assert deaf.wait(timeout=10) == -signal.SIGKILL


def test_a_record_that_was_copied_with_its_folder_names_nothing(start, tmp_path):
    token = processes.new_token()
    original, copy = tmp_path / "original", tmp_path / "copy"
    original.mkdir()
    copy.mkdir()
    running = start(SLEEP, processes.mark(token, original))
    assert processes.end(processes.mark(token, copy)) == 0
    assert running.poll() is None
    (tmp_path / "link").symlink_to(original)  # the same folder by another name
    assert processes.end(processes.mark(token, tmp_path / "link")) == 1


def test_a_process_is_not_among_those_it_finds(tmp_path):
    mark = processes.mark(processes.new_token(), tmp_path)
    program = "import sys; from tasks import processes; print(len(processes.marked(sys.argv[1])))"
    done = subprocess.run(
        [sys.executable, "-c", program, mark],
        env={**os.environ, "PYTHONPATH": str(ROOT), processes.MARK: mark},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0\n"


def test_a_process_is_dead_when_its_id_is_free_or_given_out_again():
    own = processes.this_process()
    assert not processes.is_dead(own)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    pid = f"process {os.getpid()},"
    assert processes.is_dead(own.replace(pid, f"process {ended.pid},"))
    started = psutil.Process().create_time()
    assert processes.is_dead(own.replace(f"started {started:.2f}", f"started {started - 3600:.2f}"))


@pytest.mark.parametrize(
    "named",
    [
        "",
        "nonsense",
        "process x, started 1, on h in /f",
        "process 4000000, started 1.00, on elsewhere in {root}",
        "process 4000000, started 1.00, on {host} in /another/checkout",
    ],
)
def test_of_other_hosts_and_checkouts_nothing_is_known(named):
    import socket

    assert not processes.is_dead(named.format(host=socket.gethostname(), root=ROOT.resolve()))
    assert processes.is_dead(f"process 4000000, started 1.00, on {socket.gethostname()} in {ROOT.resolve()}")


def test_a_zombie_is_dead():
    child = subprocess.Popen([sys.executable, "-c", ""])
    started = psutil.Process(child.pid).create_time()
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE:
        pass
    own = psutil.Process().create_time()
    named = processes.this_process().replace(f"process {os.getpid()},", f"process {child.pid},")
    named = named.replace(f"started {own:.2f}", f"started {started:.2f}")
    assert processes.is_dead(named)
    child.wait()


@pytest.mark.parametrize("content", [None, b"", b"{", b"[1]", b"\xff\xfe"])
def test_a_missing_or_damaged_record_is_empty(tmp_path: Path, content):
    if content is not None:
        (tmp_path / "record").write_bytes(content)
    assert processes.read_record(tmp_path / "record") == {}
