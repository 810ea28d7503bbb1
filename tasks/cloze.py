"""How often Story Cloze systems choose the right ending."""

from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.cloze.evaluation.results import chief_values, logged_values, plotted
from denouement.cloze.evaluation.sections import evaluation_blocks
from denouement.stages.cloze import ClozePaths, ClozeSettings, run
from tasks import LAYOUT, artifacts, tracking


@task
def evaluate_systems(settings: ClozeSettings, generators: Sequence[str]) -> None:
    """Score all cases with each system, and log a row a system, release and split."""
    paths = ClozePaths(
        train=LAYOUT.cloze,
        stories=LAYOUT.stories,
        embeddings=LAYOUT.embeddings,
        models=tuple(map(LAYOUT.model, generators)),
        cache=LAYOUT.work / "cloze",
        scores=LAYOUT.story_cloze / "scores.parquet",
        predictions=LAYOUT.story_cloze / "predictions",
        result=LAYOUT.evaluation,
    )
    with tracking.run("cloze", "cloze", asdict(settings)):
        tracking.log_inputs(**paths.sources())
        evaluation = run(settings, paths)
        tracking.keep_values("cloze", logged_values(evaluation.result), chief_values(evaluation.result))
        tracking.keep_plot("cloze", plotted(evaluation.result))
        mlflow.log_artifacts(str(LAYOUT.story_cloze), "cloze")
        artifacts.show_tables("cloze", evaluation_blocks(evaluation.result))
        evaluation.raise_failures()  # a stage that ended well would not be run again; scores of the others are kept
