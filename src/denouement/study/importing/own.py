"""Our own export: the Parquet tables that `denouement study export` writes, or their columns as CSV."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.answers import SCALES
from denouement.errors import UserError
from denouement.schemas import TABLES, read_table
from denouement.spreadsheets import undefused
from denouement.study.design.questions import MUCH, SLIGHTLY
from denouement.study.importing.answers import moment
from denouement.study.importing.records import FileRead
from denouement.study.reasons import ELEMENTS
from denouement.study.results.agreement import like_an_answer

NAMES = ("votes", "items", *SCALES)
"""The tables of an export that are read here."""

_TIMES = ("started_at", "submitted_at")
_STRENGTHS = {str(strength): strength for strength in (SLIGHTLY, MUCH)}
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def other_table(names: Sequence[str]) -> str | None:
    """Which table of answers other than votes has these columns, in any order; None where none has."""
    return next((name for name in SCALES if _is_table(names, name)), None)


def is_votes(names: Sequence[str]) -> bool:
    """Whether these are columns of the table `votes`, in any order: those of its first version, and any later ones."""
    return _is_table(names, "votes")


def _is_table(names: Sequence[str], table: str) -> bool:
    kind = TABLES[table]
    first = kind.earlier[min(kind.earlier)] if kind.earlier else kind.schema
    return set(first.names) <= set(names) <= set(kind.schema.names)


def read_votes(file: FileRead) -> pa.Table:
    """The votes of a CSV file, with all copies of an answer; rows that are no vote are refused."""
    rows: list[dict[str, Any]] = []
    for line, cells in file.rows():
        try:
            rows.append(_vote(cells))
        except ValueError as error:
            file.refuse(line, str(error))
    return pa.Table.from_pylist(rows, schema=TABLES["votes"].schema)


def _vote(cells: dict[str, str]) -> dict[str, Any]:
    kind = TABLES["votes"]
    given = {name: undefused(cell.strip()) for name, cell in cells.items()}
    vote: dict[str, Any] = {**kind.filled, "strength": "", **given}
    for name, choices in kind.choices.items():
        if vote[name] not in choices:
            raise ValueError(f"{name} is '{vote[name]}', not {', '.join(choices)}")
    if vote["is_check"].lower() not in _BOOLEANS:
        raise ValueError(f"is_check is '{vote['is_check']}', not true or false")
    vote["is_check"] = _BOOLEANS[vote["is_check"].lower()]
    for name in _TIMES:
        written, vote[name] = vote[name], moment(vote[name])
        if written and vote[name] is None:
            raise ValueError(f"{name} is '{written}', not a time such as 2026-01-31 12:00:00Z")
    if vote["strength"] not in ("", *_STRENGTHS):
        raise ValueError(f"strength is '{vote['strength']}', not {' or '.join(_STRENGTHS)}, or empty")
    vote["strength"] = _STRENGTHS.get(vote["strength"])
    vote["reason"] = vote["reason"] or None
    vote["elements"] = _elements(vote.get("elements"))
    if empty := [name for name in vote if vote[name] == "" and not kind.schema.field(name).nullable]:
        raise ValueError(f"empty: {', '.join(empty)}")
    if problem := like_an_answer((vote["position_a"], vote["position_b"])):
        raise ValueError(problem)
    said = {"A": vote["position_a"], "B": vote["position_b"]}.get(vote["answer"], vote["answer"])
    if said != vote["choice"]:
        raise ValueError(f"choice is '{vote['choice']}', but answer {vote['answer']} is {said}")
    return vote


def _elements(cell: str | None) -> list[str] | None:
    """The boxes in a cell: their names, whatever is between; None where the cell is empty.

    `[]` says that none was ticked. pandas writes `['logic' 'emotion']`, others `logic emotion` or
    `["logic", "emotion"]`.
    """
    if not cell:
        return None
    names = re.findall("[a-z_]+", cell)
    if strange := [name for name in names if name not in ELEMENTS]:
        raise ValueError(f"elements has '{strange[0]}', not {', '.join(ELEMENTS)}")
    return names


def read_own(path: Path, name: str) -> pa.Table:
    """The table `name` of an export, checked.

    Raises:
        UserError: damaged, or another version; votes in which a system is called as an answer is.
    """
    try:
        table = read_table(path, name)
    except UserError as error:
        raise UserError(f"{error}; export the study again") from error
    if name == "votes":
        sides = (table[side].unique().to_pylist() for side in ("position_a", "position_b"))
        if problem := like_an_answer(system for systems in sides for system in systems):
            raise UserError(f"{path}: {problem}; give it another name")
    return table
