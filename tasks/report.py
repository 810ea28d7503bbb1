"""The stage `report` as a task: what `stages.report` writes, with what MLflow keeps of it."""

from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.errors import UserError
from denouement.stages.report import ReportPaths, ReportSettings, logged_values
from denouement.stages.report import run as write
from tasks import LAYOUT, ROOT, tracking
from tasks.generators import warn_of_leftovers


@task
def write_report(settings: ReportSettings, generators: Sequence[str]) -> None:
    """Write reports/report.html and reports/summary.md with its charts, and log them."""
    with tracking.run("report", "report", asdict(settings)):
        warn_of_leftovers(generators)
        result = write(settings, ReportPaths(LAYOUT, LAYOUT.lock, ROOT, LAYOUT.reports, generators))
        if result.summary is None:
            raise UserError(f"{LAYOUT.folder}: the run is not complete; make what the report lacks: dvc repro")
        tracking.keep_values("report", logged_values(result))
        mlflow.log_artifacts(str(LAYOUT.reports))
        print(f"report, summary and charts: {LAYOUT.reports}")
        for line in (*result.stale, *(f"not run: {line}" for line in result.missing)):
            print(line)
