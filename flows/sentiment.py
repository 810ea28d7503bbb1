"""Stage sentiment: measures how positive and negative endings are, people's and generators'."""

import sys

from prefect import flow

from tasks import generators
from tasks.command import run
from tasks.params import settings
from tasks.sentiment import SentimentSettings, score_sentiment


@flow(flow_run_name="sentiment")
def sentiment(words: list[str]) -> None:
    """Write data/sentiment.parquet."""
    score_sentiment(settings("sentiment", SentimentSettings), generators.named(words))


if __name__ == "__main__":
    run(sentiment, [sys.argv[1:]])
