"""The stage `report` as a task: what `stages.report` writes, with what MLflow keeps of it."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.errors import UserError
from denouement.files import write_text
from denouement.layout import Layout
from denouement.stages.report import ReportPaths, ReportSettings, logged_values
from denouement.stages.report import run as write
from tasks import ROOT, paths, tracking
from tasks.generators import warn_of_leftovers


@task
def write_report(settings: ReportSettings, generators: Sequence[str]) -> None:
    """Write reports/report.html and reports/summary.md with its charts, and log them."""
    layout = Layout(paths.DATA)
    with tracking.run("report", "report", asdict(settings)):
        warn_of_leftovers(generators)
        result = write(settings, ReportPaths(layout, paths.LOCK, ROOT, layout.reports, generators))
        if result.summary is None:
            raise UserError(f"{layout.folder}: the run is not complete; make what the report lacks: dvc repro")
        values = logged_values(result)
        write_text(layout.metrics("report"), json.dumps(values, indent=2) + "\n")
        tracking.log_figures(values)
        mlflow.log_artifacts(str(layout.reports))
        print(f"report, summary and charts: {layout.reports}")
        for line in (*result.stale, *(f"not run: {line}" for line in result.missing)):
            print(line)
