"""The results of a study of 100,000 votes."""

import time
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from benchmarks.table import Row
from denouement.schemas import TABLES, read_table, write_table
from denouement.study.results.output import write_results

VOTES = 100_000
PER_ITEM = 5
SYSTEMS = ("seq2seq", "h_seq2seq", "human_wrong", "human_right")
ANNOTATORS = 500
SECONDS = 10

_REASON = "It goes on from what was said before, and the other one mentions somebody who is not in the story."


def measure() -> list[Row]:
    """Votes read, all results worked out and written, Table 3 with its reasons too; the fastest of three."""
    votes, items = made_study()
    with TemporaryDirectory() as folder:
        paths = {"votes": Path(folder) / "votes.parquet", "items": Path(folder) / "items.parquet"}
        write_table(votes, paths["votes"], "votes")
        write_table(items, paths["items"], "items")
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            results = write_results(
                Path(folder) / "out", read_table(paths["votes"], "votes"), read_table(paths["items"], "items"), {}
            )
            taken.append(time.perf_counter() - start)
    assert results.answers == VOTES
    ours = min(taken)
    return [Row(f"results of {VOTES:,} votes", "what it may take", ours, SECONDS, "s", SECONDS / ours, 1)]


def made_study() -> tuple[pa.Table, pa.Table]:
    """Votes and items of a made-up study: every pair of four systems, five annotators an item, a reason each."""
    generator = np.random.default_rng(1)
    pairs = list(combinations(SYSTEMS, 2))
    started = datetime(2026, 1, 31, 12, tzinfo=UTC)
    votes, items = [], []
    for number in range(VOTES // PER_ITEM):
        first, second = pairs[number % len(pairs)]
        item = {"study": "made", "item_id": f"item-{number}", "case_id": f"case-{number // len(pairs)}"}
        context = [f"Sentence {place} of story {number // len(pairs)}." for place in range(4)]
        endings = [f"Ending {number} of {system}." for system in (first, second)]
        shown = {"kind": "pair", "context": context, "systems": [first, second], "endings": endings}
        items.append({**item, **shown, "is_check": False, "is_training": False, "expected": None})
        for person in generator.choice(ANNOTATORS, PER_ITEM, replace=False).tolist():
            a, b = (first, second) if generator.random() < 0.5 else (second, first)
            answer = str(generator.choice(["A", "B", "both", "neither"], p=[0.4, 0.4, 0.1, 0.1]))
            votes.append(
                {
                    **item,
                    "annotator_id": f"person-{person}",
                    "position_a": a,
                    "position_b": b,
                    "question": "better",
                    "answer": answer,
                    "choice": {"A": a, "B": b}.get(answer, answer),
                    "reason": f"{_REASON} ({number})",
                    "is_check": False,
                    "status": "accepted",
                    "started_at": started,
                    "submitted_at": started + timedelta(seconds=float(generator.gamma(4, 5))),
                    "kind": "person",
                }
            )
    return (
        pa.Table.from_pylist(votes, schema=TABLES["votes"].schema),
        pa.Table.from_pylist(items, schema=TABLES["items"].schema),
    )
