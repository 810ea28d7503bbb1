"""One reproduction at a time in a checkout, and what one that was killed left behind."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from denouement.errors import UserError
from tasks import ROOT, processes

LOCK = ROOT / ".dvc" / "tmp" / "reproduce.lock"  # also the record of who holds it

_held = False


@contextmanager
def only_one() -> Iterator[None]:
    """Hold this checkout for one reproduction; what it starts meanwhile carries its mark.

    A block within the block, in the same process, is let in. A reproduction that is killed releases the lock, but what
    it started goes on writing: the next one ends that first.

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
        # not by a file put in its place: the lock is the file's
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
    """End everything that this reproduction started, the servers apart, which others may use."""
    processes.end(os.environ[processes.MARK])


def _end_leftovers(record: Path) -> None:
    token = processes.read_record(record).get("token")
    if isinstance(token, str) and (ended := processes.end(processes.mark(token, ROOT))):
        print(f"ended what a killed reproduction left: {ended} process{'es' if ended > 1 else ''}", flush=True)
