"""Lets one reproduction at a time work in a checkout, and ends what a killed one left running."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from denouement.errors import UserError
from tasks import ROOT, processes

LOCK = ROOT / ".dvc" / "tmp" / "reproduce.lock"  # also the record of the process that holds it

_held = False


@contextmanager
def only_one() -> Iterator[None]:
    """Lock this checkout for one reproduction; the processes that it starts meanwhile carry its mark.

    A second block within the first, in the same process, is let in. A reproduction that is killed releases the lock,
    but the processes that it started go on writing: the next reproduction ends them first.

    Raises:
        UserError: another one holds the checkout.
    """
    global _held
    if _held:
        yield
        return
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with LOCK.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            who = processes.read_record(LOCK).get("process", "")
            raise UserError(f"another reproduction runs in {ROOT}{who and f' ({who})'}: wait until it ends") from error
        _end_leftovers(LOCK)
        token = processes.new_token()
        # written in place: the lock belongs to this very file
        LOCK.write_text(json.dumps({"token": token, "process": processes.this_process()}), encoding="utf-8")
        os.environ[processes.MARK] = processes.mark(token, ROOT)
        _held = True
        try:
            yield
        finally:
            _held = False
            del os.environ[processes.MARK]
            lock.truncate(0)


def end_started() -> None:
    """End every process that this reproduction started, but for the servers, which others may use."""
    processes.end(os.environ[processes.MARK])


def _end_leftovers(record: Path) -> None:
    token = processes.read_record(record).get("token")
    if isinstance(token, str) and (ended := processes.end(processes.mark(token, ROOT))):
        print(f"ended what a killed reproduction left: {ended} process{'es' if ended > 1 else ''}", flush=True)
