"""MLflow: one run a reproduction of the graph, one below it for each training, generation, measurement and report."""

import hashlib
import json
import logging
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mlflow
from mlflow.data.dataset_source_registry import get_dataset_source_from_json
from mlflow.data.meta_dataset import MetaDataset
from mlflow.entities import Metric, Run

from denouement.console import warn
from denouement.files import file_digest
from tasks import ENVIRONMENT, ROOT

EXPERIMENT = "denouement"
ARTIFACTS = ROOT / "mlartifacts"
PARENT = "DENOUEMENT_PARENT_RUN"  # the environment variable that tells a stage's process the reproduction's run


@contextmanager
def run(name: str, stage: str, parameters: Mapping[str, Any]) -> Iterator[Run]:
    """An MLflow run, below that of the reproduction when there is one; marked as failed if the block raises.

    No output of a stage may name a run, or all that follows would be made again each time. Runs are found by their
    tags: `stage`, `parameters` (digest of `parameters`), `git_commit` and `git_dirty`.

    Args:
        name: what the pages show.
        stage: the stage's name, without the generator; `reproduce` for the run above all.
        parameters: logged, nested ones under names joined with dots.
    """
    _open_experiment()
    tags = {"stage": stage, "parameters": _digest(parameters), **_git()}
    with mlflow.start_run(run_name=name, parent_run_id=os.environ.get(PARENT), tags=tags) as active:
        flat = flattened(parameters)
        mlflow.log_params({key: value if value is not None else "null" for key, value in flat.items()})
        yield active


@contextmanager
def reproduction(parameters: Mapping[str, Any]) -> Iterator[Run]:
    """The run of a whole reproduction: runs that other processes start meanwhile go below it."""
    with run("reproduce", "reproduce", parameters) as active:
        os.environ[PARENT] = active.info.run_id
        try:
            yield active
        finally:
            del os.environ[PARENT]


def log_figures(figures: Mapping[str, Any], step: int = 0) -> None:
    """Log all numbers in `figures` at once, nested ones under names joined with dots; None is left out."""
    active = mlflow.active_run()
    assert active is not None
    now = int(time.time() * 1000)
    numbers = {key: value for key, value in flattened(figures).items() if isinstance(value, int | float)}
    metrics = [Metric(key, float(value), now, step) for key, value in numbers.items()]
    mlflow.MlflowClient().log_batch(active.info.run_id, metrics=metrics)


def log_inputs(**tables: Path) -> None:
    """Log which tables a run read: path and digest of the content, under the table's name."""
    for name, path in tables.items():
        source = get_dataset_source_from_json(json.dumps({"uri": str(path)}), source_type="local")
        mlflow.log_input(MetaDataset(source, name=name, digest=file_digest(path)[:36]))  # MLflow keeps 36 characters


def flattened(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Mappings within mappings as one, the keys joined with dots."""
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        if isinstance(value, Mapping):
            flat |= flattened(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _open_experiment() -> None:
    """Make runs go to the server that `MLFLOW_TRACKING_URI` names, or to mlflow.db and mlartifacts/ in the project.

    MLflow keeps absolute paths. In a project that was moved or copied with its mlflow.db, new runs go to an experiment
    of their own, lest their files land in the old folder.
    """
    for chatty in ("alembic", "mlflow"):
        logging.getLogger(chatty).setLevel(logging.ERROR)
    uri = os.environ["MLFLOW_TRACKING_URI"]
    mlflow.set_tracking_uri(uri)
    name = EXPERIMENT
    if uri == ENVIRONMENT["MLFLOW_TRACKING_URI"]:
        found = mlflow.get_experiment_by_name(name)
        if found is not None and found.artifact_location != str(ARTIFACTS):
            name = f"{EXPERIMENT} in {ROOT}"
            warn(f"mlflow.db holds runs made in {Path(found.artifact_location).parent}: new ones go to '{name}'")
        if mlflow.get_experiment_by_name(name) is None:
            mlflow.create_experiment(name, artifact_location=str(ARTIFACTS))
    mlflow.set_experiment(name)


def _digest(parameters: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parameters, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _git() -> dict[str, str]:
    """The commit, and whether a tracked file differs from it; dvc.lock apart, which a reproduction itself writes."""
    commit = _git_says("rev-parse", "HEAD")
    if not commit:
        return {}
    changed = _git_says("status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)dvc.lock")
    return {"git_commit": commit, "git_dirty": str(bool(changed)).lower()}


def _git_says(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT)
    return done.stdout.strip() if done.returncode == 0 else ""
