"""The stage `statistics` as a task."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.analysis.statistics import logged_values
from denouement.files import write_text
from denouement.layout import Layout
from denouement.stages.statistics import StatisticsPaths, StatisticsSettings, run
from tasks import tracking


@task
def work_out_statistics(settings: StatisticsSettings, generators: Sequence[str]) -> None:
    """Measure stories, cases and endings, and log the values."""
    layout = Layout()
    paths = StatisticsPaths(
        stories=layout.stories,
        cloze=layout.cloze,
        endings=tuple(layout.endings(name) for name in generators),
        sentiment=layout.sentiment,
        cache=layout.work / "statistics",
        out=layout.statistics,
    )
    with tracking.run("statistics", "statistics", asdict(settings)):
        inputs = {"stories": layout.stories, "cloze": layout.cloze, "sentiment": layout.sentiment}
        tracking.log_inputs(**inputs, **{path.stem: path for path in paths.endings})
        statistics = run(settings, paths).statistics
        values = logged_values(statistics)
        write_text(layout.metrics("statistics"), json.dumps(values, indent=2) + "\n")
        tracking.log_figures(values)
        mlflow.log_artifacts(str(layout.statistics), "statistics")
        print(f"{len(statistics.found)} findings on stories and endings: {layout.statistics}")
