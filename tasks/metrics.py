"""Automatic scores of endings."""

from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.metrics.scoring import chief_values, logged_values
from denouement.metrics.sections import score_blocks
from denouement.stages.metrics import MetricsPaths, MetricsSettings, run
from tasks import LAYOUT, artifacts, tracking


@task
def score_endings(settings: MetricsSettings, generators: Sequence[str]) -> None:
    """Score the endings of all generators and of the cases, and log a value a score and system."""
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
        tracking.keep_values("metrics", logged_values(result), chief_values(result))
        mlflow.log_artifacts(str(LAYOUT.scores), "scores")
        artifacts.show_tables("metrics", score_blocks(result))
