"""The stage `sentiment` as a task."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import mlflow
from prefect import task

from denouement.analysis.sections import sentiment_blocks
from denouement.analysis.sentiment import logged_values
from denouement.documents import document
from denouement.files import write_text
from denouement.layout import Layout
from denouement.present import markdown
from denouement.stages.sentiment import SentimentPaths, SentimentSettings, run
from tasks import tracking


@task
def score_sentiment(settings: SentimentSettings, generators: Sequence[str]) -> None:
    """Score every ending, and log a row a group: Mori et al. 2019, Table 4."""
    layout = Layout()
    endings = [layout.endings(name) for name in generators]
    with tracking.run("sentiment", "sentiment", asdict(settings)):
        tracking.log_inputs(stories=layout.stories, cloze=layout.cloze, **{path.stem: path for path in endings})
        result = run(settings, SentimentPaths(layout.stories, layout.cloze, endings, layout.sentiment))
        values = logged_values(result)
        write_text(layout.metrics("sentiment"), json.dumps(values, indent=2) + "\n")
        tracking.log_figures(values)
        mlflow.log_dict(document(result), "sentiment.json")
        print(markdown.render(sentiment_blocks(result)))
