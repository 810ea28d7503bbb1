"""Stage cloze: measures how often systems choose the right ending of Story Cloze cases."""

import sys

from prefect import flow

from denouement.stages.cloze import ClozeSettings
from tasks import generators
from tasks.cloze import evaluate_systems
from tasks.command import run
from tasks.params import settings


@flow(flow_run_name="cloze")
def cloze(words: list[str]) -> None:
    """Write data/cloze."""
    evaluate_systems(settings("cloze", ClozeSettings), generators.named(words))


if __name__ == "__main__":
    run(cloze, [sys.argv[1:]])
