"""Automatic scores of endings."""

from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.metrics.scoring import chief_values
from denouement.metrics.sections import score_blocks
from denouement.stages.metrics import MetricsPaths, MetricsSettings, endings_with_scores, run
from tasks import LAYOUT, artifacts, tracking


@task
def score_endings(settings: MetricsSettings, generators: Sequence[str]) -> None:
    """Score the endings of all generators and of the cases; log a few values, and the endings with a few scores.

    All values are in the files that are logged.
    """
    paths = MetricsPaths(
        LAYOUT.cloze,
        [LAYOUT.endings(name) for name in generators],
        stories=LAYOUT.stories,
        embeddings=LAYOUT.embeddings,
        models=tuple(map(LAYOUT.model, generators)),
        cache=LAYOUT.work / "metrics",
        out=LAYOUT.ending_scores,
        result=LAYOUT.score_summary,
    )
    with tracking.run("metrics", "metrics", asdict(settings)):
        tracking.log_inputs(**paths.sources())
        result = run(settings, paths)
        tracking.keep_values("metrics", chief_values(result))
        mlflow.log_artifacts(str(LAYOUT.scores), "scores")
        mlflow.log_table(endings_with_scores(paths.endings, LAYOUT.ending_scores), "endings.json")
        artifacts.show_tables("metrics", score_blocks(result))
