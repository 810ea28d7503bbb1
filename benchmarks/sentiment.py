"""VADER on as many endings as ROCStories has stories."""

import numpy as np
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from benchmarks.table import Row, best_of_three
from denouement.corpus import sample
from denouement.text.sentiment import vader

ENDINGS = 98_161


def measure() -> list[Row]:
    """Ours on two cores and on one, against one process that calls VADER in a loop.

    The endings are those of sample stories with a number behind each: no text is there twice, so no time is saved by
    scoring equal texts once.
    """
    endings = [f"{story.sentences[-1]} {number}" for number, story in enumerate(sample.stories(ENDINGS, seed=1))]
    analyzer = SentimentIntensityAnalyzer()

    def loop() -> np.ndarray:
        scores = [analyzer.polarity_scores(ending) for ending in endings]
        return np.array([(score["compound"], score["neg"], score["neu"], score["pos"]) for score in scores], np.float32)

    assert np.array_equal(vader(endings, workers=2), loop())
    rows = []
    for workers, cores, at_least in ((2, "two cores", 1.6), (1, "one core", None)):
        ours, theirs = best_of_three(lambda workers=workers: vader(endings, workers), loop)
        what = f"sentiment of {ENDINGS:,} endings, {cores}"
        rows.append(Row(what, "one process calling VADER in a loop", ours, theirs, "s", theirs / ours, at_least))
    return rows
