"""Small tables of cases and endings, from which items are made."""

import pyarrow as pa

from denouement.schemas import TABLES


def cases(n: int, **columns) -> pa.Table:
    """`n` cases, the first ending right; columns may be set."""
    rows = [
        {
            "case_id": f"c{number}",
            "context": [f"Story {number}.", "It goes on."],
            "endings": [f"Right {number}.", f"Wrong {number}."],
            "language": "en",
            "right_ending": 1,
            "release": "v1.0",
            "split": "validation",
        }
        | columns
        for number in range(n)
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["cloze"].schema)


def endings(system: str, texts: dict[str, str]) -> pa.Table:
    rows = [
        {"case_id": case_id, "system": system, "ending": text, "log_prob": -1.0, "n_tokens": 2}
        for case_id, text in texts.items()
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["endings"].schema)
