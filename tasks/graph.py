"""What DVC knows: the graph's edges, each stage's hash, and whether a stage is up to date.

The one module that reads DVC's Python objects. They are not a documented interface, so every use of them stands here.
"""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from dvc.repo import Repo, lock_repo
from dvc.stage import PipelineStage
from dvc.stage.serialize import to_single_stage_lockfile
from dvc.utils import dict_sha256

DVC = (sys.executable, "-m", "dvc", "--wait-for-lock")  # the lock is free while a stage's own command runs

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


def freshness(stage: str) -> Freshness:
    """What DVC would do with `stage` now, once everything it needs is in place."""
    with _repository() as repo:
        fresh = not repo.status(targets=[stage])
        (loaded,) = repo.stage.collect(stage)
        loaded.save_deps()
        described = to_single_stage_lockfile(loaded)
        described.pop("outs", None)
        return Freshness(dict_sha256({"stage": stage, **described}), fresh)


def restore(stage: str) -> None:
    """Put back the last good outputs of `stage`, if it ever had any."""
    with _repository() as repo:
        (loaded,) = repo.stage.collect(stage)
        if not all(out.hash_info for out in loaded.outs):
            return
    subprocess.run([*DVC, "checkout", "--quiet", "--force", stage], check=True)


@contextmanager
def _repository() -> Iterator[Repo]:
    """The repository as it is now, alone in it: a stage that ends writes `dvc.lock` under the same lock."""
    with _one_thread, Repo(_wait_for_lock=True) as repo, lock_repo(repo):
        yield repo
