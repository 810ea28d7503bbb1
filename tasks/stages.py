"""A stage of the graph as a Prefect task: DVC runs it, and DVC alone decides whether it has to run."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from prefect import get_run_logger, task
from prefect.context import TaskRunContext

from denouement.errors import UserError
from tasks import SIDE_BY_SIDE, alone, graph
from tasks.command import ERROR, LOST


class StageError(UserError):
    """A stage failed; what it printed says why."""


# advice of DVC's after each stage, which is not printed: `dvc.lock` is committed once, after the whole graph
ADVICE = (
    "To track the changes with git",
    "\tgit add",
    "To enable auto staging",
    "\tdvc config core.autostage",
    "Use `dvc push`",
    "Updating lock file",
)

BUSY_SECONDS = 2.0  # between two checks whether another DVC command still works on a stage's files

_at_once = threading.BoundedSemaphore(SIDE_BY_SIDE)
_restored: set[str] = set()
_untracked: set[str] = set()
_ended = threading.Event()


def dvc_key(context: TaskRunContext, parameters: dict[str, Any]) -> str | None:
    """The cache key of a stage's task: DVC's hash of the stage, so that Prefect skips what `dvc repro` would skip.

    Prefect's record of the key follows DVC. Where DVC calls the stage fresh but Prefect has no record (the stage ran by
    plain `dvc repro`, or came from a remote), the record is made up for; where DVC would run it again although the
    record is there (its outputs are gone or were changed), there is no key, hence no cached result.
    """
    stage = parameters["stage"]
    key, fresh = _freshness(stage)
    store = context.result_store
    if fresh and not store.exists(key):
        store.write(key, key=key)
    return key if fresh or not store.exists(key) else None


@task(task_run_name="{stage}", cache_key_fn=dvc_key, persist_result=True, result_serializer="json")
def run_stage(stage: str) -> str:
    """Run `stage` by DVC; gives the key it ran with.

    A stage that fails, or is ended, gets its last good outputs back; its entry in `dvc.lock` was never touched.

    Raises:
        StageError: the stage's command failed, or the reproduction was ended.
    """
    key, _ = _freshness(stage)
    _dvc("repro", "--single-item", stage, stage=stage)
    ended_with, _ = _freshness(stage)
    if ended_with != key:
        # DVC hashes what a stage depends on after it ran, and would take the old output for that of the new files
        print(f"{stage} | files it depends on changed while it ran: once more", flush=True)
        _dvc("repro", "--single-item", "--force", stage, stage=stage)
    return ended_with


def was_restored(stage: str) -> bool:
    """Whether DVC had made the stage's outputs before, from the same inputs, and took them from its cache."""
    return stage in _restored


def was_not_tracked(stage: str) -> bool:
    """Whether the tracking server was lost while the stage ran, so that its record there is not complete."""
    return stage in _untracked


def end_running() -> None:
    """End every stage that this process runs, as Ctrl-C would, and start no more. A second Ctrl-C changes nothing."""
    _ended.set()
    handlers = {how: signal.signal(how, signal.SIG_IGN) for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    alone.end_started()
    for how, handler in handlers.items():
        signal.signal(how, handler)


def _freshness(stage: str) -> graph.Freshness:
    """As `graph.freshness`, once no other DVC command works on the stage's files."""
    while (found := graph.freshness(stage)) is None:
        _wait_for_others(stage)
    return found


def _wait_for_others(stage: str) -> None:
    if _ended.wait(BUSY_SECONDS):
        raise _not_started(stage)


def _not_started(stage: str) -> StageError:
    return StageError(f"{stage} was not started: the reproduction was ended")


def _dvc(*arguments: str, stage: str) -> None:
    """Run a DVC command for `stage` until it has what it asks for: another DVC command may work on the same files.

    Raises:
        StageError: it failed; in one line why, as the stage itself said.
    """
    said = False
    while True:
        status, lines = _run_dvc(*arguments, stage=stage)
        if not status:
            return
        if not any(graph.BUSY in line for line in lines):
            break
        if not said:
            print(f"{stage} | waits for the DVC command named above", flush=True)
            said = True
        _wait_for_others(stage)
    if not graph.restore(stage):
        print(f"{stage} | its last outputs are not in DVC's cache, so they are not put back", flush=True)
    errors = [line.removeprefix(ERROR) for line in lines if line.startswith(ERROR)]
    raise StageError(f"{stage} failed: {errors[-1] if errors else 'its lines say why'}")


def _run_dvc(*arguments: str, stage: str) -> tuple[int, list[str]]:
    """Run a DVC command, its output going to the terminal line by line, with the stage's name, and to Prefect's log.

    Gives its exit status and its lines.
    """
    logger = get_run_logger()
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONUNBUFFERED": "1",
    }
    lines = []
    with _at_once:
        if _ended.is_set():
            raise _not_started(stage)
        process = subprocess.Popen(
            [*graph.DVC, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        if _ended.is_set():
            alone.end_started()
        assert process.stdout is not None
        try:
            for line in process.stdout:
                lines.append(line.rstrip("\n"))
                if line.strip() and not line.startswith(ADVICE):
                    print(f"{stage} | {line}", end="", flush=True)
                    logger.info(line.rstrip("\n"))
                if "is cached - skipping run" in line:
                    _restored.add(stage)
                if LOST in line:
                    _untracked.add(stage)
        except OSError:  # no one reads what is printed any more
            alone.end_started()
            raise
        return process.wait(), lines
