"""The report for people: the page and the summary."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import mlflow
from prefect import task

from denouement.analysis.endings import endings_table
from denouement.analysis.named_tables import read_tables
from denouement.files import write_text
from denouement.report.html.page import missing_text, stale_text, write_page
from denouement.report.run import Run, commit
from denouement.report.summary import write_summary
from denouement.schemas import read_table
from tasks import LAYOUT, ROOT, tracking
from tasks.generators import warn_of_leftovers


@dataclass(frozen=True)
class ReportSettings:
    """Nothing to set so far."""


@task
def write_report(settings: ReportSettings, generators: Sequence[str]) -> None:
    """Write reports/report.html and reports/summary.md with its figures, and log them."""
    with tracking.run("report", "report", asdict(settings)):
        warn_of_leftovers(generators)
        run = Run(LAYOUT.folder, LAYOUT.lock, generators)
        write_summary(run, LAYOUT.reports)
        found = write_page(run, LAYOUT.reports, commit(ROOT))
        rows = endings_table(read_tables(run.endings, "endings"), read_table(LAYOUT.cloze, "cloze"))
        figures = {
            row.system: {"n": row.n, "distinct_share": row.distinct_share, "mean_words": row.mean_words} for row in rows
        }
        write_text(LAYOUT.metrics("report"), json.dumps(figures, indent=2) + "\n")
        tracking.log_values(figures)
        mlflow.log_artifacts(str(LAYOUT.reports))
        print(f"report, summary and figures: {LAYOUT.reports}")
        for line in stale_text(found):
            print(line)
        for line in missing_text(found):
            print(f"not run: {line}")
