"""Stage sentiment: measures how positive and negative endings are, people's and generators'."""

import sys

from prefect import flow

from tasks.command import run
from tasks.params import settings
from tasks.sentiment import SentimentSettings, score_sentiment


@flow(flow_run_name="sentiment")
def sentiment() -> None:
    """Write data/sentiment.parquet."""
    score_sentiment(settings("sentiment", SentimentSettings))


if __name__ == "__main__":
    run(sentiment, sys.argv[1:])
