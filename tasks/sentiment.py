"""The sentiment of people's endings and of each generator's."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import mlflow
from prefect import task

from denouement import provenance
from denouement.analysis.sentiment import groups_made_from, right_against_wrong, score_groups, sentiment_table
from denouement.files import write_text
from denouement.report.tables import sentiment_text
from denouement.schemas import write_table
from tasks import LAYOUT, tracking


@dataclass(frozen=True)
class SentimentSettings:
    """How many processes score (None: one a core)."""

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise ValueError(f"workers: must be at least 1, not {self.workers}")


@task
def score_sentiment(settings: SentimentSettings, generators: Sequence[str]) -> None:
    """Score every ending, and log a row a group: Mori et al. 2019, Table 4."""
    endings = [LAYOUT.endings(name) for name in generators]
    with tracking.run("sentiment", "sentiment", asdict(settings)):
        tracking.log_inputs(stories=LAYOUT.stories, cloze=LAYOUT.cloze, **{path.stem: path for path in endings})
        scores = score_groups(LAYOUT.stories, LAYOUT.cloze, endings, settings.workers)
        made_from = groups_made_from(LAYOUT.stories, LAYOUT.cloze, endings)
        write_table(scores, LAYOUT.sentiment, "sentiment", provenance.as_metadata(made_from))
        rows, comparison = sentiment_table(scores), right_against_wrong(scores)
        figures = {row["group"]: {key: row[key] for key in ("n", "mean", "positive", "negative")} for row in rows}
        write_text(LAYOUT.metrics("sentiment"), json.dumps(figures, indent=2) + "\n")
        tracking.log_values(figures)
        mlflow.log_dict({"groups": rows, "right_against_wrong": comparison}, "sentiment.json")
        print(sentiment_text(rows, comparison))
