"""The whole graph of `dvc.yaml` as one Prefect flow: `python -m flows.reproduce [--corpus FOLDER]`."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click
from prefect import flow
from prefect.states import State
from prefect.task_runners import ThreadPoolTaskRunner

from denouement.corpus.readers import find_files
from denouement.errors import UserError
from denouement.generators import GENERATORS
from denouement.generators.base import generator_class
from tasks import LAYOUT, ROOT, artifacts, brought, flow_runs, graph, params, servers, tracking
from tasks.alone import only_one
from tasks.command import INTERRUPTED, errors_as_lines, lose
from tasks.stages import StageError, end_running, run_stage, was_not_tracked, was_restored


def _offered() -> tuple[str, ...]:
    """The names that the page's form offers: of the generators in params.yaml, and of all kinds."""
    try:
        return tuple(dict.fromkeys((*params.kinds(), *GENERATORS)))
    except UserError:  # the run says what is wrong with the file
        return tuple(GENERATORS)


GeneratorName = Literal[_offered()]  # type: ignore[valid-type]


@flow(flow_run_name="reproduce", task_runner=ThreadPoolTaskRunner())
def reproduce(
    corpus: str | None = None,
    decoding: Literal["greedy", "beam", "sample"] | None = None,
    generators: list[GeneratorName] | None = None,
) -> None:
    """Bring every stage up to date, independent stages side by side.

    When a stage fails, those that do not need it still run. Without arguments the run is of the files and settings that
    are in the checkout. Arguments change them first, all or none, and they stay so.

    Args:
        corpus: folder with official files, which are copied to data/raw/brought.
        decoding: how endings are chosen; written to params.yaml as generate.decoding.method.
        generators: which ones are trained and write endings; written to params.yaml as generators. One that is there
            keeps its entry.

    Raises:
        StageError: a stage failed.
        TrackingError: MLflow cannot be reached; nothing was begun or changed.
        UserError: another reproduction, or another DVC command, runs in this checkout, or the folder is missing or has
            no official file; nothing was changed.
    """
    flow_runs.name_process()
    with only_one():
        _change(Path(corpus) if corpus else None, _settings(decoding, generators))
        _bring_up_to_date()


def _change(corpus: Path | None, settings: Mapping[tuple[str, ...], Any]) -> None:
    """Bring the files of a folder and write the settings, once it is known that nothing hinders that or the run."""
    if corpus is None and not settings:
        return
    tracking.check()
    with graph.undisturbed():
        if corpus:
            brought.files_in(corpus)
        for key in params.change(settings):
            print(f"{params.FILE}: {key} is changed")
        if corpus:
            brought.bring(corpus)


def _settings(decoding: str | None, generators: Sequence[str] | None) -> dict[tuple[str, ...], Any]:
    """The arguments of the flow as values of `params.yaml`."""
    values: dict[tuple[str, ...], Any] = {}
    if decoding:
        values["generate", "decoding", "method"] = decoding
    if generators:
        tables = {True: LAYOUT.embeddings.as_posix(), False: LAYOUT.stories.as_posix()}
        there = params.section("generators")
        values["generators",] = {
            name: there.get(name) or {"kind": name, "reads": tables[generator_class(name).reads_vectors]}
            for name in generators
        }
    return values


def _bring_up_to_date() -> None:
    settings = params.everything()
    params.kinds()  # DVC's words about a mistake there would not name it
    with tracking.reproduction(_name(settings), settings) as run:
        flow_runs.close_dead()
        with graph.undisturbed():
            pass
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
        artifacts.keep_text("report", _summary(), f"All of it is in {(ROOT / LAYOUT.reports).resolve()}/report.html")
        if (pages := os.environ["MLFLOW_TRACKING_URI"]).startswith(("http://", "https://")):
            address = f"{pages}/#/experiments/{run.info.experiment_id}/runs/{run.info.run_id}"
            artifacts.keep_link("mlflow-run", address, "The parameters and values of this run")


def _name(settings: Mapping[str, Any]) -> str:
    """The name of the run: by what reproductions differ."""
    corpus = "official corpus" if find_files(LAYOUT.raw)[0] else "sample corpus"
    decoding = settings.get("generate", {}).get("decoding", {}).get("method")
    return tracking.described("reproduce", corpus, " and ".join(settings.get("generators", {})), decoding)


def _conclude(states: Mapping[str, State]) -> None:
    """Log and print which stages ran, and raise an error if one failed."""
    cached = [stage for stage, state in states.items() if state.name == "Cached"]
    done = [stage for stage, state in states.items() if state.is_completed() and stage not in cached]
    restored = [stage for stage in done if was_restored(stage)]
    ran = [stage for stage in done if stage not in restored]
    failed = [stage for stage, state in states.items() if state.is_failed() or state.is_crashed()]
    skipped = [stage for stage in states if stage not in (*cached, *done, *failed)]
    outcomes = (
        ("up to date", cached),
        ("taken from DVC's cache, where an earlier run left them", restored),
        ("ran", ran),
        ("failed", failed),
        ("not run, since they need a stage that failed", skipped),
    )
    for what, stages in outcomes:
        if stages:
            print(f"{what}: {', '.join(stages)}")
    for stage in failed:
        print(f"{stage} | {_why(states[stage])}")
    untracked = [stage for stage in states if was_not_tracked(stage)]
    if untracked:
        lose(f"the records of {', '.join(untracked)} there are not complete; all outputs are complete")
    ended = {"stages_ran": ran, "stages_cached": [*cached, *restored], "stages_failed": failed}
    tracking.log_tags({tag: ", ".join(stages) for tag, stages in ended.items()})
    if len(failed) == 1:
        raise StageError(f"{_why(states[failed[0]])}; run again to go on from there")
    if failed or skipped:
        raise StageError(f"{', '.join(failed)} failed: the lines above say why; run again to go on from there")
    for path in map(LAYOUT.metrics, states):  # a stage that was taken out of the graph may have left a file, too
        if path.exists():
            tracking.log_values({path.stem: json.loads(path.read_text(encoding="utf-8"))})
    tracking.log_inputs(**{path.stem: path for path in (LAYOUT.stories, LAYOUT.cloze) if path.exists()})
    if LAYOUT.reports.is_dir():
        tracking.log_folder(LAYOUT.reports, "reports")


def _why(state: State) -> str:
    """Why a task failed: the message of its StageError, without Prefect's words before it."""
    message = state.message or state.name or ""
    return message.partition(f"{StageError.__name__}: ")[2] or message


@click.command()
@click.option(
    "--corpus",
    metavar="FOLDER",
    help="Bring this folder's official files; empty: remove the copies.",
)
def main(corpus: str | None) -> None:
    """Reproduce the whole graph, and print the results and where they are."""
    with errors_as_lines(INTERRUPTED), only_one():
        tracking.check()
        with graph.undisturbed():
            if corpus is not None:
                brought.bring(Path(corpus) if corpus else None)
        with servers.prefect_server():
            reproduce()
        _show()


def _show() -> None:
    """Print the summary, and where the files and pages are."""
    print(f"\n{_summary()}")
    pictures = ", ".join(sorted(str(path) for path in LAYOUT.reports.glob("*.svg")))
    print(
        f"\nThis text: {LAYOUT.reports}/summary.md. Its pictures: {pictures}. The endings: {LAYOUT.written}/*.parquet."
    )
    print("The runs in MLflow and in Prefect: `make pages` opens both and prints their addresses.")


def _summary() -> str:
    """The summary without its pictures."""
    summary = (LAYOUT.reports / "summary.md").read_text(encoding="utf-8")
    return "\n".join(line for line in summary.splitlines() if not line.startswith("!["))


if __name__ == "__main__":
    main()
