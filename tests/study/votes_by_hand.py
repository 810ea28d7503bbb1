"""Small votes tables, written as `pair: answers`."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from denouement.schemas import TABLES


def votes(items: Mapping[str, tuple[str, str, Sequence[str]]], **columns: Any) -> pa.Table:
    """The table `votes` of a study "s" in which the annotators p0, p1, ... answer each item in turn.

    Args:
        items: by id the first system, the second one, and the choices in the order of the annotators; an empty one is
            no answer. Sides are swapped for every second annotator.
        columns: values that all rows have in place of the usual ones.
    """
    rows = []
    for item_id, (first, second, choices) in items.items():
        for place, choice in enumerate(choices):
            if not choice:
                continue
            a, b = (first, second) if place % 2 == 0 else (second, first)
            row = {
                "study": "s",
                "item_id": item_id,
                "case_id": f"case-{item_id}",
                "annotator_id": f"p{place}",
                "position_a": a,
                "position_b": b,
                "answer": {a: "A", b: "B"}.get(choice, choice),
                "question": "better",
                "choice": choice,
                "reason": None,
                "is_check": False,
                "status": "accepted",
                "started_at": None,
                "submitted_at": None,
                "kind": "person",
            }
            rows.append(row | columns)
    return pa.Table.from_pylist(rows, schema=TABLES["votes"].schema)
