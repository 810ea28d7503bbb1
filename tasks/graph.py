"""Asks DVC for the graph's edges, each stage's hash, and whether a stage is up to date.

DVC's Python objects are not a documented interface, so this is the one module that uses them.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psutil
from dvc.lock import LockError
from dvc.repo import Repo, lock_repo
from dvc.stage import PipelineStage
from dvc.stage.serialize import to_single_stage_lockfile
from dvc.utils import dict_sha256

from denouement.errors import UserError
from tasks import processes

DVC = (sys.executable, "-m", "dvc", "--wait-for-lock")  # the lock is free while a stage's own command runs

BUSY = "it is being blocked by:"  # DVC prints it about a path that another DVC command reads or writes

_one_thread = threading.Lock()


class Freshness(NamedTuple):
    """What DVC would do with a stage now.

    Attributes:
        key: hex digest of the stage's command, the content of what it depends on, and its parameters.
        fresh: the stage ran with this key and its outputs are in place, so `dvc repro` would skip it.
    """

    key: str
    fresh: bool


def needs() -> dict[str, list[str]]:
    """Every stage of `dvc.yaml`, after those it needs, with the names of those it needs."""
    import networkx

    with _repository() as repo:
        graph = repo.index.graph.subgraph([stage for stage in repo.index.graph if isinstance(stage, PipelineStage)])
        order = networkx.lexicographical_topological_sort(graph.reverse(), key=lambda stage: stage.addressing)
        return {stage.addressing: sorted(needed.addressing for needed in graph.successors(stage)) for stage in order}


def freshness(stage: str) -> Freshness | None:
    """What DVC would do with `stage` now, once everything it needs is in place.

    None while another DVC command works on its files: ask again later.
    """
    with _repository() as repo:
        (loaded,) = repo.stage.collect(stage)  # once: to read `dvc.lock` takes DVC half a second
        try:
            fresh = not loaded.status()
        except LockError:
            return None
        loaded.save_deps()
        described = to_single_stage_lockfile(loaded)
        described.pop("outs", None)
        return Freshness(dict_sha256({"stage": stage, **described}), fresh)


def restore(stage: str) -> bool:
    """Put back the last good outputs of `stage`; False where it had some that are not in DVC's cache, as in a clone."""
    with _repository() as repo:
        (loaded,) = repo.stage.collect(stage)
        if not all(out.hash_info for out in loaded.outs):
            return True
    # without the reproduction's mark, so that this is not ended together with the reproduction
    environment = {name: value for name, value in os.environ.items() if name != processes.MARK}
    done = subprocess.run([*DVC, "checkout", "--quiet", "--force", stage], capture_output=True, env=environment)
    return done.returncode == 0


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep all DVC commands from starting, and remove DVC's notes of commands that were killed.

    DVC notes in `.dvc/tmp/rwlock` which process reads or writes which path. A process that was killed leaves its notes,
    and DVC takes them for those of a new process with the same id.

    Raises:
        UserError: another DVC command runs.
    """
    try:
        with _one_thread, Repo() as repo, lock_repo(repo):
            notes = Path(repo.tmp_dir, "rwlock")
            for process, command in _at_work(notes):
                raise UserError(f"`{command}` (process {process.pid}) works in {repo.root_dir}: wait until it ends")
            notes.unlink(missing_ok=True)
            yield
    except LockError as error:
        raise UserError("another DVC command works here: wait until it ends") from error


def _at_work(notes: Path) -> Iterator[tuple[psutil.Process, str]]:
    """The DVC commands in those notes that still run; damaged notes were left by a process that was killed."""
    try:
        noted_there, written = json.loads(notes.read_text(encoding="utf-8")), notes.stat().st_mtime
        readers = [each for several in noted_there["read"].values() for each in several]
        noted = {(int(each["pid"]), str(each["cmd"])) for each in (*noted_there["write"].values(), *readers)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    for pid, command in sorted(noted):
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            # a process that began after the note was written did not write it
            if process.create_time() <= written + 1 and "dvc" in " ".join(process.cmdline()):
                yield process, command


@contextmanager
def _repository() -> Iterator[Repo]:
    """The repository as it is now, alone in it: a stage that ends writes `dvc.lock` under the same lock."""
    with _one_thread, Repo(_wait_for_lock=True) as repo, lock_repo(repo):
        yield repo
