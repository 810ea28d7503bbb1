"""Stage study: works out what people answered to pairs of endings, where data/raw holds answers."""

import sys

from prefect import flow

from tasks.command import run
from tasks.params import settings
from tasks.study import StudySettings, work_out_results


@flow(flow_run_name="study")
def study() -> None:
    """Write data/study."""
    work_out_results(settings("study", StudySettings))


if __name__ == "__main__":
    run(study, sys.argv[1:])
