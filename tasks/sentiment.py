"""The stage `sentiment` as a task."""

from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.analysis.sections.sentiment import sentiment_blocks
from denouement.analysis.sentiment import chief_values, logged_values, plotted
from denouement.documents import document
from denouement.stages.sentiment import SentimentPaths, SentimentSettings, run
from tasks import LAYOUT, artifacts, tracking


@task
def score_sentiment(settings: SentimentSettings, generators: Sequence[str]) -> None:
    """Score every ending, and log a row a group: Mori et al. 2019, Table 4."""
    endings = [LAYOUT.endings(name) for name in generators]
    with tracking.run("sentiment", "sentiment", asdict(settings)):
        tracking.log_inputs(stories=LAYOUT.stories, cloze=LAYOUT.cloze, **{path.stem: path for path in endings})
        result = run(settings, SentimentPaths(LAYOUT.stories, LAYOUT.cloze, endings, LAYOUT.sentiment))
        tracking.keep_values("sentiment", logged_values(result), chief_values(result))
        tracking.keep_plot("sentiment", plotted(result))
        mlflow.log_dict(document(result), "sentiment.json")
        artifacts.show_tables("sentiment", sentiment_blocks(result))
