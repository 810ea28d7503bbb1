"""Stage report: writes the page and the summary of what went in and what came out, with their charts."""

import sys

from prefect import flow

from tasks import generators
from tasks.command import run
from tasks.params import settings
from tasks.report import ReportSettings, write_report


@flow(flow_run_name="report")
def report(words: list[str]) -> None:
    """Write reports."""
    write_report(settings("report", ReportSettings), generators.named(words))


if __name__ == "__main__":
    run(report, [sys.argv[1:]])
