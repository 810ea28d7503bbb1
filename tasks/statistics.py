"""The stage `statistics` as a task."""

from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.analysis.statistics import chief_values, logged_values
from denouement.stages.statistics import StatisticsPaths, StatisticsSettings, run
from tasks import LAYOUT, tracking


@task
def work_out_statistics(settings: StatisticsSettings, generators: Sequence[str]) -> None:
    """Measure stories, cases and endings, and log the values."""
    paths = StatisticsPaths(
        stories=LAYOUT.stories,
        cloze=LAYOUT.cloze,
        endings=tuple(LAYOUT.endings(name) for name in generators),
        sentiment=LAYOUT.sentiment,
        cache=LAYOUT.work / "statistics",
        out=LAYOUT.statistics,
    )
    with tracking.run("statistics", "statistics", asdict(settings)):
        inputs = {"stories": LAYOUT.stories, "cloze": LAYOUT.cloze, "sentiment": LAYOUT.sentiment}
        tracking.log_inputs(**inputs, **{path.stem: path for path in paths.endings})
        statistics = run(settings, paths).statistics
        tracking.keep_values("statistics", logged_values(statistics), chief_values(statistics))
        mlflow.log_artifacts(str(LAYOUT.statistics), "statistics")
        print(f"{len(statistics.found)} findings on stories and endings: {LAYOUT.statistics}")
