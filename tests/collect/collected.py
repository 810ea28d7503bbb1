"""Small collections for tests: pairs of endings, and what verifiers say of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from denouement.collect.work import as_table
from denouement.spreadsheets import write_csv

CONTEXT = ["went to the shop.", "It was far away.", "The road was wet.", "A bus came along."]


def endings(n: int, same_story: int = 1, **columns) -> pa.Table:
    """Pairs of endings; every `same_story` of them are to one story."""
    names = [f"Person {at // same_story}" for at in range(n)]
    rows = [
        {
            "case_id": f"c{at}",
            "story_id": f"s{at // same_story}",
            "context": [f"{names[at]} {CONTEXT[0]}", *CONTEXT[1:]],
            "right": f"{names[at]} took the bus number {at}.",
            "wrong": f"{names[at]} swam home {at} times.",
            "writer": f"w{at % 3}",
            "story_writer": f"v{at % 2}",
            **columns,
        }
        for at in range(n)
    ]
    return as_table("collected_endings", rows)


def verifications(given: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> pa.Table:
    """By case the answers about the right and about the wrong ending, by verifiers a, b, c ..."""
    rows = [
        {"case_id": case_id, "ending": ending, "verifier": verifier, "answer": answer}
        for case_id, answers in given.items()
        for ending, of_ending in zip(("right", "wrong"), answers, strict=True)
        for verifier, answer in zip("abcdefgh", of_ending, strict=False)
    ]
    return as_table("verifications", rows)


def all_confirmed(cases: pa.Table) -> pa.Table:
    """Three answers to each ending, all of which confirm it."""
    return verifications({case_id: (["1"] * 3, ["0"] * 3) for case_id in cases["case_id"].to_pylist()})


def write_endings(path: Path, table: pa.Table, bom: bool = False) -> None:
    """Pairs of endings as a CSV file, a sentence a column."""
    rows = [
        {**row, **{f"sentence{at}": text for at, text in enumerate(row["context"], 1)}} for row in table.to_pylist()
    ]
    sentences = [f"sentence{at}" for at in range(1, 5)]
    write_csv(path, ["case_id", "story_id", *sentences, "right", "wrong", "writer", "story_writer"], rows, bom)
