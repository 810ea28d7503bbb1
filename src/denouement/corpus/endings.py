"""Reads files of endings: those that this package generated, and those made elsewhere."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.delimited import header_of, rows_of
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.json_lines import begins_as_json, objects_of
from denouement.schemas import read_parquet, read_table, shortened, table_name

COLUMNS = ("case_id", "system", "ending")

_CASE_ID = ("case_id", "inputstoryid")
_SENTENCE = re.compile(r"(?:input)?sentence[1-9]\d*")

_PARQUET = b"PAR1"  # the first bytes of each Parquet file


def read_endings(path: Path) -> pa.Table:
    """The columns `case_id`, `system` and `ending` of a file of endings, as text.

    The file is a table `endings`, or any Parquet, CSV (UTF-8; comma, TAB or semicolon) or JSON Lines file with these
    three columns. Further columns are ignored.

    Raises:
        UserError: no such file, a missing column, or a missing case or system in a row; an ending may be empty.
    """
    if table_name(existing_file(path)) is not None:
        return read_table(path, "endings").select(COLUMNS)
    return _of_parquet(path) if _is_parquet(path) else _of_texts(path)


@dataclass(frozen=True)
class MadeEnding:
    """A row of a file of endings made elsewhere.

    Attributes:
        where: the row in the file, such as `line 3`.
        context: the text of all its sentences; None where the file has case ids instead.
        case_id: None where the file has contexts.
        ending: may be empty.
        system: who wrote it; None where the file does not say.
        order: endings of one context are used in this order, and of equal ones in the file's.
    """

    where: str
    context: str | None
    case_id: str | None
    ending: str
    system: str | None
    order: float


def read_made_elsewhere(path: Path) -> list[MadeEnding]:
    """The rows of a Parquet, CSV, TSV or JSON Lines file with a column `ending`, and what the endings are for.

    That is a column `context` (text or a list of sentences), or `sentence1`, `sentence2`, ... (empty cells are left
    out), or `case_id`. `system` may say who wrote an ending. `rank` (1 is the best) or `score` (the highest is the
    best) may order the endings of one context. Names may be those of the official files, in any case; further columns
    are ignored.

    Raises:
        UserError: no such file, another layout, no row, or a row without its context or case id, with a value of the
            wrong type, or of another width; the message names the row.
    """
    names, rows = named_rows(existing_file(path), _is_made_elsewhere)
    if not _is_made_elsewhere(names):
        raise UserError(
            f"{path}: no endings with their contexts among the columns {shortened(names) or 'none'}; it needs ending, "
            "and context, or sentence1, sentence2, ..., or case_id"
        )
    found = [_made(path, where, {name.lower(): value for name, value in row.items()}) for where, row in rows]
    if not found:
        raise UserError(f"{path}: holds no endings")
    return found


def _is_made_elsewhere(names: Sequence[str]) -> bool:
    lowered = [name.lower() for name in names]
    return "ending" in lowered and any(
        name in ("context", *_CASE_ID) or _SENTENCE.fullmatch(name) is not None for name in lowered
    )


def _made(path: Path, where: str, row: Mapping[str, Any]) -> MadeEnding:
    """A row by the lower-case names of its columns."""

    def text(name: str) -> str:
        value = row.get(name)
        if isinstance(value, list) and name == "context":
            value = " ".join(map(str, value))
        if isinstance(value, int) and name in _CASE_ID:
            value = str(value)
        if not isinstance(value, str | None):
            raise UserError(f"{path}: {where}: {name} must be text, not {value!r:.40}")
        return (value or "").strip()

    def number(name: str) -> float:
        try:
            value = float(row[name])
        except (TypeError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise UserError(f"{path}: {where}: {name} must be a number, not {row[name]!r:.40}")
        return value

    sentences = [text(name) for name in row if _SENTENCE.fullmatch(name)]
    context = text("context") or " ".join(filter(None, sentences))
    case_id = "".join(text(name) for name in _CASE_ID)
    if not context and not case_id:
        raise UserError(f"{path}: {where} has no context and no case_id; fill it or leave the row out")
    order = number("rank") if "rank" in row else -number("score") if "score" in row else 0.0
    return MadeEnding(where, context or None, case_id or None, text("ending"), text("system") or None, order)


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as opened:
        return opened.read(len(_PARQUET)) == _PARQUET


def named_rows(
    path: Path, fits: Callable[[Sequence[str]], bool]
) -> tuple[Sequence[str], Iterator[tuple[str, dict[str, Any]]]]:
    """The columns of a file, and by column the values of each row, with the place of the row.

    In CSV all values are text without spaces around; `fits` chooses the delimiter. JSON has the columns of all objects.

    Raises:
        UserError: no such file, no text, or a row of another width, when it is reached.
    """
    if _is_parquet(path):
        table = read_parquet(path)
        return table.column_names, ((f"row {place}", row) for place, row in enumerate(table.to_pylist(), 1))
    if begins_as_json(path):
        objects = objects_of(path)
        names = list(dict.fromkeys(name for _, row in objects for name in row))
        return names, ((f"line {place}", row) for place, row in objects)
    header = header_of(path, fits) or header_of(path, lambda _: True)
    if header is None:
        return [], iter(())

    def rows() -> Iterator[tuple[str, dict[str, Any]]]:
        for row in rows_of(path, header):
            if problem := header.misfit(row.cells):
                raise UserError(f"{path}: line {row.line} has {problem}; correct the line")
            yield f"line {row.line}", dict(zip(header.names, map(str.strip, row.cells), strict=True))

    return header.names, rows()


def _of_parquet(path: Path) -> pa.Table:
    table = read_parquet(path)
    if not set(COLUMNS) <= set(table.column_names):
        raise _no_endings(path, table.column_names)
    columns = {}
    for name in COLUMNS:
        try:
            columns[name] = table[name].cast(pa.string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise UserError(f"{path}: column {name} is {table[name].type}; it must be text") from error
        if empty := columns[name].null_count:
            raise UserError(f"{path}: column {name} is empty in {empty:,} rows; fill them or leave the rows out")
    return pa.table(columns)


def _of_texts(path: Path) -> pa.Table:
    names, rows = named_rows(path, lambda names: set(COLUMNS) <= set(names))
    if not set(COLUMNS) <= set(names):
        raise _no_endings(path, names)
    columns: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for where, row in rows:
        values = {name: row.get(name) for name in COLUMNS}
        if wrong := next((name for name, value in values.items() if not isinstance(value, str | None)), None):
            raise UserError(f"{path}: {where}: {wrong} must be text, not {values[wrong]!r:.40}")
        if not (values["case_id"] and values["system"]):
            raise UserError(f"{path}: {where} lacks its case_id or system; fill it or leave the row out")
        for name, value in values.items():
            columns[name].append(value or "")
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _no_endings(path: Path, found: Sequence[str]) -> UserError:
    lacking = [name for name in COLUMNS if name not in found]
    return UserError(
        f"{path}: no endings: no column {', '.join(lacking)} among {shortened(found) or 'none'}; give a table of "
        f"`denouement generate`, or a CSV, JSON Lines or Parquet file with the columns {', '.join(COLUMNS)} "
        "(system: who wrote it)"
    )
