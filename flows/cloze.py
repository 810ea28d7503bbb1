"""Stage cloze: measures how often systems choose the right ending of Story Cloze cases."""

import sys

from prefect import flow

from tasks.cloze import ClozeSettings, evaluate_systems
from tasks.command import run
from tasks.params import settings


@flow(flow_run_name="cloze")
def cloze() -> None:
    """Write data/cloze."""
    evaluate_systems(settings("cloze", ClozeSettings))


if __name__ == "__main__":
    run(cloze, sys.argv[1:])
