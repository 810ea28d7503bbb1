"""Stories with their endings, the answers, what annotators agree on, and the reasons (Mori et al. 2019, Table 3)."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from denouement.legible import printed
from denouement.present.sections import ShownEnding, ShownStory
from denouement.study.design.names import TIES


def table_3_text(table: pa.Table) -> str:
    """Each item of the table `table_3`: context, endings with their votes, and the reasons by what was chosen.

    The answer on which people agree has a star.
    """
    paragraphs = []
    for place, row in enumerate(table.to_pylist(), 1):
        lines = [f"{place}. {' '.join(row['context'])}  [case {row['case_id']}]", ""]
        for name, ending, n, agreed in _outcomes(row):
            lines.append(
                f"  {'*' if agreed else ' '} {name} ({n})" + (f": {' '.join(ending.split())}" if ending else "")
            )
        lines += [
            *([] if row["agreement"] else ["    no agreement"]),
            *(f"    - {choice}: {' '.join(reason.split())}" for choice, reason in _reasons(row)),
        ]
        paragraphs.append(printed("\n".join(lines)))
    return "\n\n".join(paragraphs)


def shown_story(row: Mapping[str, Any]) -> ShownStory:
    """A row of the table `table_3`: a story with its endings, how many answers each has, and the reasons."""
    endings = [
        ShownEnding(name, ending, f"{n} {'answer' if n == 1 else 'answers'}{', agreed' if agreed else ''}")
        for name, ending, n, agreed in _outcomes(row)
    ]
    remarks = [(f"chose {choice}", why) for choice, why in _reasons(row)]
    return ShownStory(row["case_id"], " ".join(row["context"]), endings, remarks)


def _outcomes(row: Mapping[str, Any]) -> list[tuple[str, str, int, bool]]:
    """A system, its ending, the number of answers for it, and whether people agree on it; both and neither follow.

    These two have no ending. They are left out where nobody gave the answer and people do not agree on it; people agree
    on both also where equally many prefer either ending.
    """
    endings = [(row[side], row[f"ending_{side}"], row[f"n_{side}"]) for side in ("first", "second")]
    ties = [(name, "", row[f"n_{name}"]) for name in TIES if row[f"n_{name}"] or row["agreement"] == name]
    return [(name, ending, n, row["agreement"] == name) for name, ending, n in endings + ties]


def _reasons(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Choice and reason of the answers that have one, in the order of first, second, both, neither."""
    order = [row["first"], row["second"], *TIES]
    given = [(choice, reason) for choice, reason in zip(row["choices"], row["reasons"], strict=True) if reason]
    return sorted(given, key=lambda each: order.index(each[0]))
