"""A row of the table `table_3` as it is told to people: what was chosen, what is agreed on, and why."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from denouement.legible import printed
from denouement.study.results.results import OUTCOMES

TIES = OUTCOMES[2:4]


def table_3_text(table: pa.Table) -> str:
    """Each item of the table `table_3`: context, endings with their votes, and the reasons by what was chosen.

    What people agree on has a star, be it an ending, both or neither.
    """
    paragraphs = []
    for place, row in enumerate(table.to_pylist(), 1):
        lines = [f"{place}. {' '.join(row['context'])}  [case {row['case_id']}]", ""]
        for name, ending, n, agreed in outcomes_told(row):
            lines.append(
                f"  {'*' if agreed else ' '} {name} ({n})" + (f": {' '.join(ending.split())}" if ending else "")
            )
        lines += [
            *([] if row["agreement"] else ["    no agreement"]),
            *(f"    - {choice}: {' '.join(reason.split())}" for choice, reason in reasons_told(row)),
        ]
        paragraphs.append(printed("\n".join(lines)))
    return "\n\n".join(paragraphs)


def outcomes_told(row: Mapping[str, Any]) -> list[tuple[str, str, int, bool]]:
    """Of a row of `table_3`: whose ending, the ending, its answers, and whether that is what people agree on.

    Both and neither follow, without an ending, where somebody said so or people agree on it: on both also those of whom
    as many prefer either ending.
    """
    told = [(row[side], row[f"ending_{side}"], row[f"n_{side}"]) for side in ("first", "second")]
    told += [(name, "", row[f"n_{name}"]) for name in TIES if row[f"n_{name}"] or row["agreement"] == name]
    return [(name, ending, n, row["agreement"] == name) for name, ending, n in told]


def reasons_told(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Choice and reason of the answers that have one, in the order of first, second, both, neither."""
    order = [row["first"], row["second"], *TIES]
    told = [(choice, reason) for choice, reason in zip(row["choices"], row["reasons"], strict=True) if reason]
    return sorted(told, key=lambda each: order.index(each[0]))
