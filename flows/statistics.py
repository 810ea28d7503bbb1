"""Stage statistics: what the corpus is like, and what gives endings away."""

import sys

from prefect import flow

from tasks.command import run
from tasks.params import settings
from tasks.statistics import StatisticsSettings, work_out_statistics


@flow(flow_run_name="statistics")
def statistics() -> None:
    """Write data/statistics."""
    work_out_statistics(settings("statistics", StatisticsSettings))


if __name__ == "__main__":
    run(statistics, sys.argv[1:])
