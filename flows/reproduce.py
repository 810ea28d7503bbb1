"""The whole graph of `dvc.yaml` as one Prefect flow: `python -m flows.reproduce [--corpus FOLDER]`."""

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click
import mlflow
from prefect import flow
from prefect.states import State
from prefect.task_runners import ThreadPoolTaskRunner

from denouement.errors import UserError
from tasks import ROOT, brought, graph, params, paths, servers, tracking
from tasks.command import INTERRUPTED, told_in_one_line
from tasks.stages import StageError, end_running, run_stage, was_restored


@flow(flow_run_name="reproduce", task_runner=ThreadPoolTaskRunner())
def reproduce() -> None:
    """Bring every stage up to date, independent stages side by side.

    When a stage fails, those that do not need it still run.

    Raises:
        StageError: a stage failed.
        UserError: another reproduction runs in this checkout.
    """
    with only_one(), tracking.reproduction(params.everything()):
        needs = graph.needs()
        futures = {}
        try:
            for stage, needed in needs.items():
                futures[stage] = run_stage.submit(stage, wait_for=[futures[other] for other in needed])
            for future in futures.values():
                future.wait()
        except BaseException:
            end_running()
            raise
        _conclude({stage: future.state for stage, future in futures.items()})


def _conclude(states: Mapping[str, State]) -> None:
    """Log what the reproduction came to in its run, say it, and raise if a stage failed."""
    cached = [stage for stage, state in states.items() if state.name == "Cached"]
    done = [stage for stage, state in states.items() if state.is_completed() and stage not in cached]
    restored = [stage for stage in done if was_restored(stage)]
    ran = [stage for stage in done if stage not in restored]
    failed = [stage for stage, state in states.items() if state.is_failed() or state.is_crashed()]
    skipped = [stage for stage in states if stage not in (*cached, *done, *failed)]
    told = (
        ("up to date", cached),
        ("taken from DVC's cache, which had them from an earlier run", restored),
        ("ran", ran),
        ("failed", failed),
        ("waits for these", skipped),
    )
    for what, stages in told:
        if stages:
            print(f"{what}: {', '.join(stages)}")
    for stage in failed:
        print(f"{stage} | {states[stage].message}")
    ended = {"stages_ran": ran, "stages_cached": [*cached, *restored], "stages_failed": failed}
    mlflow.set_tags({tag: ", ".join(stages) for tag, stages in ended.items()})
    if failed or skipped:
        raise StageError(f"{', '.join(failed)} failed: the lines above say why; run again to go on from there")
    for path in sorted(paths.METRICS.glob("*.json")):
        tracking.log_figures({path.stem: json.loads(path.read_text(encoding="utf-8"))})
    if paths.REPORTS.is_dir():
        mlflow.log_artifacts(str(paths.REPORTS), "reports")


@contextmanager
def only_one() -> Iterator[None]:
    """Hold this checkout for one reproduction.

    Raises:
        UserError: another one holds it.
    """
    path = ROOT / ".dvc" / "tmp" / "reproduce.lock"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(f"another reproduction runs in {ROOT}: wait until it ends") from error
        yield


@click.command()
@click.option("--corpus", metavar="FOLDER", help="Bring this folder's official files; empty: remove those brought.")
def main(corpus: str | None) -> None:
    """Reproduce the whole graph, and print what came out and where it is."""
    with told_in_one_line(INTERRUPTED):
        if corpus is not None:
            with only_one():
                brought.bring(Path(corpus) if corpus else None)
        with servers.prefect_server():
            reproduce()
    summary = (paths.REPORTS / "summary.md").read_text(encoding="utf-8")
    print("\n".join(["", *(line for line in summary.splitlines() if not line.startswith("!["))]))
    pictures = ", ".join(sorted(str(path) for path in paths.REPORTS.glob("*.svg")))
    print(f"\nThis text: {paths.REPORTS}/summary.md. Its pictures: {pictures}. The endings: {paths.ENDINGS}/*.parquet.")
    print("The runs in MLflow and in Prefect: `make pages` opens both and prints their addresses.")


if __name__ == "__main__":
    main()
