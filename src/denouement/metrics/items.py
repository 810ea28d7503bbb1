"""The items of studies as cases, and the endings that they ask about."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from denouement.errors import UserError
from denouement.schemas import TABLES, read_table
from denouement.study.design.names import HUMAN_RIGHT

_KINDS_OF_ENDINGS = ("pair", "rating", "best_worst", "ranking")  # the items of `order` have sentences of a story


def cases_of_items(path: Path, left_out: list[str]) -> tuple[pa.Table, dict[str, dict[str, str]]]:
    """The stories of a table `items` with the endings of each system.

    Attention checks and practice items are left out. A story that is in several items counts once.

    Args:
        path: of the table.
        left_out: gets a sentence with the number of items that are left out.

    Returns:
        A table `cloze` in which each story has its right human ending, where it was asked about, and else none; and by
        system the ending of each case. `release` is the study's name.

    Raises:
        UserError: no such table, a study of no endings, or an id or a system's ending that is not the same in all
            items.
    """
    rows = read_table(path, "items").to_pylist()
    used = [row for row in rows if not row["is_check"] and not row["is_training"]]
    if len(used) < len(rows):
        left_out.append(f"{path.name}: {len(rows) - len(used):,} attention checks and practice items are left out")
    if strange := [row["kind"] for row in used if row["kind"] not in _KINDS_OF_ENDINGS]:
        raise UserError(f"{path}: its items are of the kind {strange[0]}, in which no endings are judged")
    studies: dict[str, str] = {}
    contexts: dict[str, list[str]] = {}
    of_system: dict[str, dict[str, str]] = {}
    for row in used:
        case = row["case_id"]
        studies.setdefault(case, row["study"])
        if contexts.setdefault(case, row["context"]) != row["context"]:
            raise UserError(f"{path}: items with other stories have the same id {case}: give one study's items alone")
        for system, ending in zip(row["systems"], row["endings"], strict=True):
            if of_system.setdefault(system, {}).setdefault(case, ending) != ending:
                raise UserError(f"{path}: items of the story {case} have different endings of {system}")
    return _as_cases(studies, contexts, of_system.get(HUMAN_RIGHT, {})), of_system


def _as_cases(studies: Mapping[str, str], contexts: Mapping[str, list[str]], right: Mapping[str, str]) -> pa.Table:
    columns = {
        "case_id": [*contexts],
        "context": [*contexts.values()],
        "question": [None] * len(contexts),
        "endings": [[right[case]] if case in right else [] for case in contexts],
        "right_ending": [1 if case in right else None for case in contexts],
        "language": ["en"] * len(contexts),
        "release": [studies[case] for case in contexts],
        "split": ["test"] * len(contexts),
    }
    schema = TABLES["cloze"].schema
    return pa.table({name: columns[name] for name in schema.names}, schema=schema)
