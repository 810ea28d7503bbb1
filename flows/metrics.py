"""Stage metrics: scores the endings of people and generators automatically."""

import sys

from prefect import flow

from denouement.stages.metrics import MetricsSettings
from tasks import generators
from tasks.command import run
from tasks.metrics import score_endings
from tasks.params import settings


@flow(flow_run_name="metrics")
def metrics(words: list[str]) -> None:
    """Write data/scores."""
    score_endings(settings("metrics", MetricsSettings), generators.named(words))


if __name__ == "__main__":
    run(metrics, [sys.argv[1:]])
