"""A small study with its items and people's votes, for tests of judges."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from denouement.answers import QuestionAsked, as_metadata
from denouement.judging.judging import JudgeRecord, as_entry
from denouement.judging.questions import items_digest
from denouement.schemas import TABLES

MINE, PEOPLE = "mine", "human_right"


def items(n: int, study: str = "s", **columns: Any) -> pa.Table:
    """`n` pairs of MINE and PEOPLE; the ending of MINE is longer, that of PEOPLE happier, after a story of its own."""
    rows = [
        {
            "study": study,
            "item_id": f"i{place}",
            "case_id": f"c{place}",
            "kind": "pair",
            "context": [f"Tom had {place} dogs.", "He walked in the park."],
            "systems": [MINE, PEOPLE],
            "endings": [f"Then he went back to house number {place}.", f"He was happy with dog {place}."],
            "is_check": False,
            "is_training": False,
            "expected": None,
            **columns,
        }
        for place in range(n)
    ]
    return pa.Table.from_pylist(rows, TABLES["items"].schema)


def check() -> pa.Table:
    """An attention check, whose first ending is right."""
    return items(1, item_id="check", systems=["check_first", "check_second"], is_check=True, expected="check_first")


def votes(choices: Sequence[Sequence[str]], study: str = "s", kind: str = "person") -> pa.Table:
    """Votes of the annotators p0, p1, ...: for each item the choice of each, MINE on side A for every second."""
    rows = []
    for place, of_item in enumerate(choices):
        for person, choice in enumerate(of_item):
            a, b = (MINE, PEOPLE) if person % 2 == 0 else (PEOPLE, MINE)
            rows.append(
                {
                    "study": study,
                    "item_id": f"i{place}",
                    "case_id": f"c{place}",
                    "annotator_id": f"{kind[0]}{person}",
                    "position_a": a,
                    "position_b": b,
                    "question": "better",
                    "answer": {a: "A", b: "B"}.get(choice, choice),
                    "choice": choice,
                    "reason": f"Because it fits the story of number {place} best.",
                    "is_check": False,
                    "status": "accepted",
                    "kind": kind,
                }
            )
    return pa.Table.from_pylist(rows, TABLES["votes"].schema)


def judge_table(answers: Sequence[Sequence[str]], shown: pa.Table) -> tuple[JudgeRecord, pa.Table]:
    """A judge's votes, as `study judge` writes them: for each item the answers in both orders, empty for none.

    Returns:
        The record and the table.
    """
    rows = []
    for place, of_item in enumerate(answers):
        for order, answer in enumerate(of_item, 1):
            if not answer:
                continue
            a, b = (MINE, PEOPLE) if order == 1 else (PEOPLE, MINE)
            rows.append(
                {
                    "study": "s",
                    "item_id": f"i{place}",
                    "case_id": f"c{place}",
                    "annotator_id": f"model-0123-{order}",
                    "position_a": a,
                    "position_b": b,
                    "question": "better",
                    "answer": answer,
                    "choice": {"A": a, "B": b}.get(answer, answer),
                    "reason": "The machine finds that it fits the dog.",
                    "is_check": False,
                    "status": "accepted",
                    "kind": "model",
                }
            )
    record = JudgeRecord(
        study="s",
        judge="model-0123",
        model="m",
        address="",
        identity="f" * 64,
        prompt="e" * 64,
        temperature=0.0,
        options=("A", "B", "both", "neither"),
        items=items_digest(shown, {(row["study"], row["item_id"]) for row in rows}),
        unreadable=0,
    )
    asked = as_metadata({"s": {"better": QuestionAsked("Which is better?", True)}})
    table = pa.Table.from_pylist(rows, TABLES["votes"].schema)
    return record, table.replace_schema_metadata({**asked, **as_entry(record)})
