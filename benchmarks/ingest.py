"""Ingest of a corpus as large as both ROCStories releases, beside pandas copying the file without any check."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from benchmarks.table import Row, best_of_three
from denouement.corpus.ingest import ingest
from denouement.corpus.sample import stories

STORIES = 98_161  # of spring 2016 and winter 2017 together


def measure() -> list[Row]:
    """Time both on the same file."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "stories.csv"
        with file.open("w", newline="", encoding="utf-8") as opened:
            writer = csv.writer(opened)
            writer.writerow(["storyid", "storytitle", *(f"sentence{number}" for number in range(1, 6))])
            writer.writerows([story.story_id, story.title, *story.sentences] for story in stories(STORIES, seed=1))
        ours, theirs = best_of_three(
            lambda: ingest([file], folder / "tables"),
            lambda: pd.read_csv(file).to_parquet(folder / "copy.parquet"),
        )
    # No slower than one and a half times the time of pandas.
    against = "pandas.read_csv and to_parquet, no check"
    return [Row(f"ingest of {STORIES:,} stories", against, ours, theirs, "s", theirs / ours, at_least=0.67)]
