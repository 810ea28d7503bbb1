"""Stage statistics: what the corpus is like, and what gives endings away."""

import sys

from prefect import flow

from tasks import generators
from tasks.command import run
from tasks.params import settings
from tasks.statistics import StatisticsSettings, work_out_statistics


@flow(flow_run_name="statistics")
def statistics(words: list[str]) -> None:
    """Write data/statistics."""
    work_out_statistics(settings("statistics", StatisticsSettings), generators.named(words))


if __name__ == "__main__":
    run(statistics, [sys.argv[1:]])
