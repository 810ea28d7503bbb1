"""Finds and ends processes that this project started, and only these, and says whether a recorded process still runs.

A process id proves nothing: the system uses it again, and a copy of a folder holds the records of the original. So each
process that is started here has a mark in its environment, a random token and the folder it works for, which its own
children inherit. Only processes with exactly this mark are ever ended. In a copy of the folder, a record gives another
mark, which no process has.
"""

import fcntl
import json
import os
import re
import secrets
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tasks import ROOT

MARK = "DENOUEMENT_STARTED_FOR"  # the environment variable that holds the mark
ENDING_SECONDS = 20.0  # after which a process that did not end on Ctrl-C is killed
CLOCK_SECONDS = 10.0  # the start of a process is counted from the boot, and moves when the clock is set

_NAMED = re.compile(r"process (\d+), started ([\d.]+), on (\S+) in (.+)")


def new_token() -> str:
    """A token that no process has yet."""
    return secrets.token_hex(16)


def mark(token: str, folder: Path) -> str:
    """The mark of what is started for `folder` under `token`."""
    return f"{token} {folder.resolve()}"


def marked(wanted: str) -> list[psutil.Process]:
    """The running processes with this mark, without this one, and without those whose environment is hidden."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # it ended meanwhile, or is another user's
            if process.pid != os.getpid() and process.environ().get(MARK) == wanted:
                found.append(process)
    return found


def end(wanted: str, seconds: float = ENDING_SECONDS) -> int:
    """End every process with this mark, as Ctrl-C does and after `seconds` by force; returns how many."""
    ended: set[psutil.Process] = set()
    for how in (signal.SIGINT, signal.SIGKILL):
        deadline = time.monotonic() + seconds
        signalled: set[psutil.Process] = set()
        while (found := set(marked(wanted))) and time.monotonic() < deadline:
            for process in found - signalled:
                with suppress(psutil.Error):
                    process.send_signal(how)  # psutil makes sure that it is still the same process
            signalled |= found
            time.sleep(0.1)
        ended |= signalled
    return len(ended)


def listens(wanted: str, port: int) -> bool:
    """Whether a process with this mark listens on the TCP port."""
    for process in marked(wanted):
        with suppress(psutil.Error):
            for connection in process.net_connections("tcp"):
                if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
                    return True
    return False


def this_process() -> str:
    """This process in words that `is_dead` understands: its id, start (seconds since 1970), host and checkout."""
    process = psutil.Process()
    return f"process {process.pid}, started {process.create_time():.2f}, on {socket.gethostname()} in {ROOT.resolve()}"


def is_dead(named: str) -> bool:
    """Whether `named` is a process of this checkout on this host that has ended; False for all others."""
    if not (parts := _NAMED.fullmatch(named)) or parts.group(3, 4) != (socket.gethostname(), str(ROOT.resolve())):
        return False
    try:
        process = psutil.Process(int(parts[1]))
        # a child that ended remains as a zombie until its parent asks
        gone = process.status() == psutil.STATUS_ZOMBIE
        return gone or abs(process.create_time() - float(parts[2])) > CLOCK_SECONDS
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False


def read_record(path: Path) -> dict[str, Any]:
    """The record of a process in a file; an empty one where there is none or it is damaged."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Wait until no other process is in a block with this lock file, then run the block alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
