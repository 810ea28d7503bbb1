"""Ingest of a corpus as large as both ROCStories releases, beside pandas copying the file without any check."""

import csv
import subprocess
import sys
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
        tables, copy = folder / "tables", folder / "copy.parquet"
        within = best_of_three(
            lambda: ingest([file], tables),
            lambda: pd.read_csv(file).to_parquet(copy),
        )
        code = "import sys, pandas; pandas.read_csv(sys.argv[1]).to_parquet(sys.argv[2])"
        commands = best_of_three(
            lambda: _run("-c", "from denouement.cli import main; main()", "ingest", str(file), "--out", str(tables)),
            lambda: _run("-c", code, str(file), str(copy)),
        )
    what, against = f"ingest of {STORIES:,} stories", "pandas.read_csv and to_parquet, no check"
    return [
        # No slower than one and a half times the time of pandas, as commands that a user waits for.
        _row(f"{what}, the command", f"{against}, a command too", commands, at_least=0.67),
        _row(f"{what}, within a running process", against, within),
    ]


def _row(what: str, against: str, seconds: tuple[float, float], at_least: float | None = None) -> Row:
    ours, theirs = seconds
    return Row(what, against, ours, theirs, "s", theirs / ours, at_least=at_least)


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
