"""Covering arrays: few rows of settings in which every two values of two settings stand together at least once.

Most faults of settings show with one value, or with two together (Kuhn et al. 2004, "Software fault interactions and
implications for software testing"), and all pairs take a dozen rows where all combinations would take thousands.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

Pair = tuple[tuple[str, Any], tuple[str, Any]]


def pairs_of(row: Mapping[str, Any]) -> set[Pair]:
    """Every two settings of a row with their values, in the order of the row."""
    return set(combinations(row.items(), 2))


def covering_rows(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows with a value for each setting: each pair of values of two settings stands in one of them.

    Greedy: a row begins with a pair that is still missing, and each other setting takes the value that makes most
    missing pairs with those already in the row.
    """
    missing = {
        ((one, first), (other, second)): None  # a dict: in a fixed order
        for one, other in combinations(values, 2)
        for first in values[one]
        for second in values[other]
    }
    place = {name: number for number, name in enumerate(values)}

    def still_missing(row: Mapping[str, Any], name: str, value: Any) -> int:
        """How many missing pairs `value` would make with the settings of a row."""
        made = (sorted(((name, value), known), key=lambda setting: place[setting[0]]) for known in row.items())
        return sum(tuple(pair) in missing for pair in made)

    rows = []
    while missing:
        row = dict(next(iter(missing)))
        for name in values:
            if name not in row:
                row[name] = max(values[name], key=lambda value, name=name, row=row: still_missing(row, name, value))
        row = {name: row[name] for name in values}
        for pair in pairs_of(row):
            missing.pop(pair, None)
        rows.append(row)
    return rows
