"""MLflow: one run a reproduction of the graph, and one below it for each stage that ran.

Before work begins, the tracking server has to answer. A server that is lost later costs the record, never the work:
values that cannot be logged are left out with a warning. The same holds for what a task logs by calling MLflow itself,
so a task writes all its outputs before it does that.
"""

import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import mlflow
from mlflow.data.dataset_source_registry import get_dataset_source_from_json
from mlflow.data.meta_dataset import MetaDataset
from mlflow.entities import Metric, Run
from mlflow.exceptions import MlflowException
from mlflow.protos.databricks_pb2 import INVALID_PARAMETER_VALUE, RESOURCE_ALREADY_EXISTS, ErrorCode
from mlflow.utils.credentials import get_default_host_creds
from mlflow.utils.mlflow_tags import MLFLOW_MODEL_VERSIONS, MLFLOW_PARENT_RUN_ID, MLFLOW_RUN_NOTE
from mlflow.utils.rest_utils import http_request
from sqlalchemy.exc import SQLAlchemyError

from denouement import git
from denouement.console import warn
from denouement.documents import flattened
from denouement.files import file_digest, write_text
from tasks import ENVIRONMENT, LAYOUT, ROOT, command, processes

EXPERIMENT = "denouement"
ARTIFACTS = ROOT / "mlartifacts"
PARENT = "DENOUEMENT_PARENT_RUN"  # the environment variable that gives the stages the id of the reproduction's run
PROCESS = "process"  # the tag that names the process of a run
ANSWER_SECONDS = 10  # in which a tracking server has to answer

_DESCRIPTION = "One reproduction of the whole graph; below it is a run for each stage that was not up to date."

_RUN_ID = re.compile(r"[^0-9a-f]")  # characters that are in no id of a run

_lost = False  # whether MLflow was lost during the run that is open


def check() -> None:
    """Make sure that runs can be kept where `MLFLOW_TRACKING_URI` says.

    Raises:
        TrackingError: they cannot; nothing was begun.
    """
    uri = os.environ["MLFLOW_TRACKING_URI"]
    try:
        _open_experiment(uri)
    except _CANNOT as error:
        raise _refused(uri, error) from error


def runs_page(server: str) -> str:
    """The address of the table of this project's runs on the MLflow pages that `server` serves.

    Raises:
        TrackingError: MLflow cannot be reached.
    """
    check()
    experiment = mlflow.get_experiment_by_name(_experiment_name())
    assert experiment is not None  # `check` makes it
    return f"{server}/#/experiments/{experiment.experiment_id}/runs?workflowType=machine_learning"


@contextmanager
def run(name: str, stage: str, parameters: Mapping[str, Any], note: Path | None = None) -> Iterator[Run]:
    """An MLflow run, below that of the reproduction when there is one; marked as failed if the block raises.

    No output of a stage may name a run, or every stage after it would run again each time. Runs are found by their
    tags: `stage`, `parameters` (digest of `parameters`), `git_commit` and `git_dirty`. Runs whose
    process has ended are marked as killed first.

    An error of MLflow's in the block, because it was lost, is not raised: the block has written its outputs by then.

    Args:
        name: what the pages show.
        stage: the stage's name, without the generator; `reproduce` for the run above all.
        parameters: logged, nested ones under names joined with dots.
        note: a file beside the state from which interrupted work goes on. It holds the run's id, and work that goes on
            from that state goes on in that run.

    Raises:
        TrackingError: MLflow cannot be reached, and nothing was begun. Within a reproduction, which has begun, the run
            is kept in the project's own mlflow.db instead.
    """
    global _lost
    _lost = False
    active = _begin(name, stage, parameters, note)
    try:
        yield active
    except Exception as error:
        if not (isinstance(error, MlflowException) and _is_lost(error)):
            _end("FAILED")
            raise
        _lose(error, "what had been written by then stays")
    except BaseException:
        _end("KILLED")
        raise
    _end("FAILED" if _lost else "FINISHED")


@contextmanager
def reproduction(name: str, parameters: Mapping[str, Any]) -> Iterator[Run]:
    """The run of a whole reproduction: runs that other processes start meanwhile go below it."""
    with run(name, "reproduce", parameters) as active:
        log_tags({MLFLOW_RUN_NOTE: _DESCRIPTION})
        os.environ[PARENT] = active.info.run_id
        try:
            yield active
        finally:
            del os.environ[PARENT]
            _record(_close_dead)  # such as those of a stage that the system killed for its memory


def described(work: str, *settings: str | None) -> str:
    """The name of a run: the work, and in parentheses the settings in which such runs differ."""
    given = ", ".join(filter(None, settings))
    return f"{work} ({given})" if given else work


def log_values(values: Mapping[str, Any], step: int = 0) -> None:
    """Log all numbers in `values` at once, nested ones under names joined with dots; None is left out."""
    now = int(time.time() * 1000)
    numbers = {key: value for key, value in flattened(values).items() if isinstance(value, int | float)}
    metrics = [Metric(key, float(value), now, step) for key, value in numbers.items()]
    _record(lambda: mlflow.MlflowClient().log_batch(_active().info.run_id, metrics=metrics))


def logged_steps(metric: str) -> set[int]:
    """The steps at which the run has `metric`: those before an interruption, in a run that goes on."""
    history: list[Metric] = []
    _record(lambda: history.extend(mlflow.MlflowClient().get_metric_history(_active().info.run_id, metric)))
    return {value.step for value in history}


def keep_values(name: str, values: Mapping[str, Any], chief: Mapping[str, Any] | None = None) -> None:
    """Log the values of a stage, and write the chief ones to its file of metrics, which DVC shows.

    Args:
        name: the stage's name in the graph.
        values: nested numbers.
        chief: the few by which states of the graph are compared; None: all.
    """
    write_text(LAYOUT.metrics(name), json.dumps(values if chief is None else chief, indent=2) + "\n")
    log_values(values)


def keep_plot(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the rows of a stage's plot, which DVC draws; all have the same columns."""
    write_text(LAYOUT.plot(name), json.dumps(rows, indent=2) + "\n")


def register_model(uri: str, name: str, description: str) -> None:
    """Give the model that the run has just logged the next version of a registered name.

    Args:
        uri: `models:/` and the model's id, as MLflow returns it.
        name: the registered name.
        description: one sentence for its page, unless somebody has written another one there.
    """
    _record(partial(_register, uri, name, description))


def log_tags(tags: Mapping[str, str]) -> None:
    """Add tags to the run."""
    _record(lambda: mlflow.set_tags(dict(tags)))


def log_folder(folder: Path, under: str) -> None:
    """Keep all files in `folder` with the run, under that name."""
    _record(lambda: mlflow.log_artifacts(str(folder), under))


def log_inputs(**tables: Path) -> None:
    """Log which tables a run read: path and digest of the content, under the table's name."""
    for name, path in tables.items():
        source = get_dataset_source_from_json(json.dumps({"uri": str(path)}), source_type="local")
        dataset = MetaDataset(source, name=name, digest=file_digest(path)[:36])  # MLflow keeps 36 characters
        _record(partial(mlflow.log_input, dataset))


def _register(uri: str, name: str, description: str) -> None:
    """`mlflow.register_model`, which would print what it does among the lines of the stage."""
    client = mlflow.MlflowClient()
    try:
        found = client.create_registered_model(name)
    except MlflowException as error:
        if error.error_code != ErrorCode.Name(RESOURCE_ALREADY_EXISTS):
            raise
        found = client.get_registered_model(name)
    if not found.description:
        client.update_registered_model(name, description)
    model = uri.removeprefix("models:/")
    made = client.create_model_version(name, uri, _active().info.run_id, await_creation_for=0, model_id=model)
    link = json.dumps([{"name": name, "version": made.version}])  # by which the model's page names its version
    client.set_logged_model_tags(model, {MLFLOW_MODEL_VERSIONS: link})


def _begin(name: str, stage: str, parameters: Mapping[str, Any], note: Path | None) -> Run:
    uri, above = os.environ["MLFLOW_TRACKING_URI"], os.environ.get(PARENT)
    tags = {"stage": stage, "parameters": _digest(parameters), PROCESS: processes.this_process(), **_git()}
    logged = {key: "null" if value is None else value for key, value in flattened(parameters).items() if value != {}}
    try:
        return _start(uri, name, above, tags, logged, note)
    except _CANNOT as error:
        local = ENVIRONMENT["MLFLOW_TRACKING_URI"]
        if above is None or uri == local:
            raise _refused(uri, error) from error
        command.lose(f"{_reason(uri, error)}; the work goes on, and this run is kept in {local}")
        return _start(local, name, None, tags, logged, note)


def _start(
    uri: str, name: str, above: str | None, tags: Mapping[str, str], parameters: Mapping[str, Any], note: Path | None
) -> Run:
    _open_experiment(uri)
    _close_dead()
    if interrupted := _interrupted(note):
        active = mlflow.start_run(run_id=interrupted)
        mlflow.set_tags(dict(tags) | ({MLFLOW_PARENT_RUN_ID: above} if above else {}))
    else:
        active = mlflow.start_run(run_name=name, parent_run_id=above, tags=dict(tags))
        mlflow.log_params(dict(parameters))
    if note is not None:
        write_text(note, active.info.run_id + "\n")
    return active


def _interrupted(note: Path | None) -> str | None:
    """The id in a note, if this tracking server has that run and it did not end well; else None."""
    if note is None or not note.exists():
        return None
    told = note.read_text(encoding="utf-8", errors="replace")  # what a damaged note has is no run's id
    found = mlflow.search_runs(filter_string=f"attributes.run_id = '{_RUN_ID.sub('', told)}'", output_format="list")
    return found[0].info.run_id if found and found[0].info.status in ("FAILED", "KILLED") else None


def _end(status: str) -> None:
    with suppress(*(_CANNOT if _lost else ())):
        mlflow.end_run(status)


def _active() -> Run:
    active = mlflow.active_run()
    assert active is not None
    return active


def _record(log: Callable[[], object]) -> None:
    """Log something, unless MLflow is lost or is lost by it."""
    if _lost:
        return
    try:
        log()
    except MlflowException as error:
        if not _is_lost(error):
            raise
        _lose(error, "the work goes on, and what follows is not recorded")


_CANNOT = (MlflowException, SQLAlchemyError, OSError)
"""Errors that mean that no run can be kept there: of a server, of a database, and of the network or the disk."""


def _is_lost(error: MlflowException) -> bool:
    """Whether MLflow failed to log something right; else it was given something wrong, which is a defect of ours."""
    return error.error_code != ErrorCode.Name(INVALID_PARAMETER_VALUE)


def _lose(error: Exception, consequence: str) -> None:
    global _lost
    if _lost:
        return
    _lost = True
    os.environ["MLFLOW_HTTP_REQUEST_MAX_RETRIES"] = "0"  # a call that comes nevertheless fails at once
    command.lose(f"{_reason(os.environ['MLFLOW_TRACKING_URI'], error)}; {consequence}")


def _refused(uri: str, error: Exception) -> command.TrackingError:
    local = ENVIRONMENT["MLFLOW_TRACKING_URI"]
    advice = "" if uri == local else f": mend that, or unset MLFLOW_TRACKING_URI to keep runs in {local}"
    return command.TrackingError(f"{_reason(uri, error)}; nothing was begun{advice}")


def _reason(uri: str, error: Exception) -> str:
    """Where runs were to be kept, without the password in the address, and why that failed, in one line."""
    said = (str(error).splitlines() or [type(error).__name__])[0][:200]
    cause: BaseException | None = error
    while cause is not None:  # the request's own error, and the socket's, are below MLflow's
        if isinstance(cause, OSError) and cause.strerror:
            said = f"does not answer ({cause.strerror})"
        cause = cause.__cause__ or cause.__context__
    return f"{re.sub(r'//[^/@]*@', '//', uri)}: {said}"


def _close_dead() -> None:
    """Mark as killed the runs that still say they are running, whose process, of this checkout and host, has ended."""
    for found in mlflow.search_runs(filter_string="attributes.status = 'RUNNING'", output_format="list"):
        if processes.is_dead(found.data.tags.get(PROCESS, "")):
            mlflow.MlflowClient().set_terminated(found.info.run_id, "KILLED")


def _open_experiment(uri: str) -> None:
    """Make runs go to `uri`: a server, or mlflow.db and mlartifacts/ in the project.

    MLflow keeps absolute paths. In a project that was moved or copied with its mlflow.db, new runs go to an experiment
    of their own, lest their files land in the old folder.
    """
    for chatty in ("alembic", "mlflow"):
        logging.getLogger(chatty).setLevel(logging.ERROR)
    mlflow.set_tracking_uri(uri)
    if uri.startswith(("http://", "https://")):  # any answer is enough; MLflow's own calls would be repeated many times
        http_request(get_default_host_creds(uri), "/health", "GET", timeout=ANSWER_SECONDS, max_retries=0)
    if uri != ENVIRONMENT["MLFLOW_TRACKING_URI"]:
        mlflow.set_experiment(EXPERIMENT)
        return
    with processes.one_at_a_time(ROOT / ".dvc" / "tmp" / "mlflow.lock"):  # two at once cannot both make the database
        name = _experiment_name()
        if name != EXPERIMENT:
            warn(f"mlflow.db holds runs made in another folder than {ROOT}: new ones go to '{name}'")
        if mlflow.get_experiment_by_name(name) is None:
            mlflow.create_experiment(name, artifact_location=str(ARTIFACTS))
        mlflow.set_experiment(name)


def _experiment_name() -> str:
    """The experiment that new runs go to: in a database that came from another folder, one of its own."""
    found = mlflow.get_experiment_by_name(EXPERIMENT)
    if mlflow.get_tracking_uri() != ENVIRONMENT["MLFLOW_TRACKING_URI"] or found is None:
        return EXPERIMENT
    return EXPERIMENT if found.artifact_location == str(ARTIFACTS) else f"{EXPERIMENT} in {ROOT}"


def _digest(parameters: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parameters, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _git() -> dict[str, str]:
    """The commit, and whether a tracked file differs from it, as tags."""
    commit = git.commit(ROOT)
    return {"git_commit": commit.name, "git_dirty": str(commit.is_changed).lower()} if commit else {}
