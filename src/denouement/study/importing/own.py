"""Our own export: the Parquet tables that `denouement study export` writes, or their columns as CSV."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.delimited import Header, rows_of
from denouement.errors import UserError
from denouement.schemas import TABLES, read_table
from denouement.study.agreement import like_an_answer
from denouement.study.counted import ANSWER, SCALES
from denouement.study.importing.answers import Unusable, moment
from denouement.study.importing.copies import Conflict, Copy, settle

NAMES = ("votes", "items", *SCALES)
"""The tables of an export that are read here."""

_TIMES = ("started_at", "submitted_at")
_STATE = ("status", "reason", *_TIMES)
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def other_table(names: Sequence[str]) -> str | None:
    """Which table of answers other than votes has these columns, in any order; None when it is none."""
    return next((name for name in SCALES if sorted(names) == sorted(TABLES[name].schema.names)), None)


def is_votes(names: Sequence[str]) -> bool:
    """Whether these are the columns of the table `votes`, in any order."""
    return sorted(names) == sorted(TABLES["votes"].schema.names)


def read_votes(path: Path, label: str, header: Header) -> tuple[pa.Table, list[Unusable], Counter[str]]:
    """The votes of a CSV file, copies of one answer and all, the rows that are none, and counts (`rows`)."""
    rows: list[dict[str, Any]] = []
    unusable, counts = [], Counter[str]()
    for row in rows_of(path, header):
        counts["rows"] += 1
        try:
            vote = _vote(dict(zip(header.names, row.cells, strict=True)))
        except ValueError as error:
            problem = (
                str(error)
                if len(row.cells) == len(header.names)
                else f"{len(row.cells)} cells, not {len(header.names)}"
            )
            unusable.append(Unusable(label, row.line, problem))
            continue
        rows.append(vote)
    return pa.Table.from_pylist(rows, schema=TABLES["votes"].schema), unusable, counts


def _vote(cells: dict[str, str]) -> dict[str, Any]:
    kind = TABLES["votes"]
    vote: dict[str, Any] = {name: cell.strip() for name, cell in cells.items()}
    for name, choices in kind.choices.items():
        if vote[name] not in choices:
            raise ValueError(f"{name} is '{vote[name]}', not {', '.join(choices)}")
    if vote["is_check"].lower() not in _BOOLEANS:
        raise ValueError(f"is_check is '{vote['is_check']}', not true or false")
    vote["is_check"] = _BOOLEANS[vote["is_check"].lower()]
    for name in _TIMES:
        told, vote[name] = vote[name], moment(vote[name])
        if told and vote[name] is None:
            raise ValueError(f"{name} is '{told}', not a time such as 2026-01-31 12:00:00Z")
    vote["reason"] = vote["reason"] or None
    if empty := [name for name in kind.schema.names if vote[name] == "" and not kind.schema.field(name).nullable]:
        raise ValueError(f"empty: {', '.join(empty)}")
    if problem := like_an_answer((vote["position_a"], vote["position_b"])):
        raise ValueError(problem)
    said = {"A": vote["position_a"], "B": vote["position_b"]}.get(vote["answer"], vote["answer"])
    if said != vote["choice"]:
        raise ValueError(f"choice is '{vote['choice']}', but answer {vote['answer']} is {said}")
    return vote


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


def merged(name: str, parts: Sequence[tuple[str, pa.Table]]) -> tuple[pa.Table, Counter[str], list[Conflict]]:
    """Tables of answers as one, whatever their order: of copies of one answer one counts (`copies.settle`).

    A person answers an item of a study once, so copies have the same study, item and annotator.

    Args:
        name: of the tables: `votes`, `ratings` or `orders`.
        parts: the tables, each with what messages call its file.

    Returns:
        The table, how many rows were left out (`duplicate_rows`), and how copies differ.

    Raises:
        UserError: copies with different answers, no time of which tells which is later.
    """
    together = pa.concat_tables(table for _, table in parts)
    keys = list(zip(*(together[column].to_pylist() for column in ANSWER), strict=True))
    files = [label for label, table in parts for _ in range(table.num_rows)]
    is_scale = "question" in together.column_names  # an answer has a row for each question
    copies: dict[tuple[str, ...], list[list[int]]] = {}
    latest: dict[tuple[str, ...], str] = {}
    for row, (key, file) in enumerate(zip(keys, files, strict=True)):
        its = copies.setdefault(key, [])
        if is_scale and latest.get(key) == file:
            its[-1].append(row)
        else:
            its.append([row])
        latest[key] = file
    if all(len(its) == 1 for its in copies.values()):
        return together, Counter(), []
    several = [row for its in copies.values() if len(its) > 1 for rows in its for row in rows]
    row_of = dict(zip(several, together.take(several).to_pylist(), strict=True))
    kept, conflicts = [], []
    for key, its in copies.items():
        best = 0
        if len(its) > 1:
            told = [_copy(files[rows[0]], [row_of[row] for row in rows]) for rows in its]
            best, conflict = settle(told, f"study {key[0]}, item {key[1]}, annotator {key[2]}")
            conflicts += [conflict] if conflict else []
        kept += its[best]
    return together.take(kept), Counter(duplicate_rows=together.num_rows - len(kept)), conflicts


def _copy(file: str, rows: Sequence[Mapping[str, Any]]) -> Copy:
    """A copy of an answer: one row, or of ratings a row for each question."""
    names = [name for name in rows[0] if name not in (*_STATE, *ANSWER)]
    first = rows[0]
    return Copy(
        place=file,
        told={name: [row[name] for row in rows] for name in names},
        status=first["status"],
        reason=first.get("reason"),
        started_at=first["started_at"],
        submitted_at=first["submitted_at"],
    )


def merged_items(parts: Sequence[tuple[str, pa.Table]]) -> pa.Table:
    """Tables of items as one, whatever their order.

    Raises:
        UserError: two items of one study and id that are not the same: they are of two studies of one name.
    """
    found: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
    for label, table in parts:
        for row in table.to_pylist():
            key = row["study"], row["item_id"]
            file, other = found.setdefault(key, (label, row))
            if other != row:
                differs = ", ".join(name for name in row if row[name] != other[name])
                raise UserError(
                    f"{file} and {label}: item {key[1]} of study {key[0]} differs in {differs}: these are two studies "
                    "of one name; import each by itself"
                )
    return pa.Table.from_pylist([row for _, row in found.values()], schema=TABLES["items"].schema)


def check_items(votes: pa.Table, items: pa.Table) -> list[str]:
    """Make sure that votes and items belong together; what to say of them.

    Raises:
        UserError: a vote compares other systems, or is of another story, than its item.
    """
    known = {
        (row["study"], row["item_id"]): (frozenset(row["systems"]), row["case_id"])
        for row in items.select(["study", "item_id", "systems", "case_id"]).to_pylist()
    }
    columns = (votes[name].to_pylist() for name in ("study", "item_id", "position_a", "position_b", "case_id"))
    studies = {study for study, _ in known}
    absent: Counter[str] = Counter()
    for study, item_id, a, b, case_id in zip(*columns, strict=True):
        item = known.get((study, item_id))
        if item is None:
            absent[study] += study in studies
        elif item != (frozenset((a, b)), case_id):
            raise UserError(
                f"item {item_id} of study {study}: its answers compare {a} and {b} on case {case_id}, but the table of "
                f"items has {' and '.join(sorted(item[0]))} on case {item[1]}: they are of two studies of one name"
            )
    return [
        f"study {study}: {n:,} answers are to items that are in no table of items"
        for study, n in sorted(absent.items())
        if n
    ]
