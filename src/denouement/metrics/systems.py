"""Story Cloze systems as scores of single endings."""

from collections.abc import Sequence

import pyarrow as pa

from denouement.cloze.base import ClozeSystem
from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingRows, Values
from denouement.schemas import ENGLISH, TABLES


def single_endings(system: ClozeSystem, rows: EndingRows, resources: Resources) -> dict[str, Values]:
    """The scores of a prepared system, by variant: float64 [endings].

    Each ending is a case with one ending alone, so a system that compares the endings of a case cannot be asked.
    """
    return {variant: scores[:, 0] for variant, scores in system.score(_cases(rows), resources).items()}


def _cases(rows: EndingRows) -> pa.Table:
    n = len(rows)
    columns: dict[str, Sequence[object]] = {
        "case_id": [str(row) for row in range(n)],
        "context": rows.contexts,
        "endings": [[ending] for ending in rows.endings],
        "right_ending": [None] * n,
        "question": [None] * n,
        "language": [ENGLISH] * n,
        "release": ["scored"] * n,
        "split": ["test"] * n,
    }
    return pa.table(columns, schema=TABLES["cloze"].schema)
