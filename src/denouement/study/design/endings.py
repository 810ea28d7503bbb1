"""Reads endings to judge: those that this package generated, and those from elsewhere."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from denouement.delimited import header_of, rows_of
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.schemas import read_parquet, read_table, shortened, table_name

COLUMNS = ("case_id", "system", "ending")

_PARQUET = b"PAR1"  # the first bytes of each Parquet file


def read_endings(path: Path) -> pa.Table:
    """The columns `case_id`, `system` and `ending` of a file of endings, as text.

    The file is a table `endings`, or any Parquet or CSV file (UTF-8; comma, TAB or semicolon) with these three columns.
    Further columns are ignored.

    Raises:
        UserError: no such file, a missing column, or a missing case or system in a row; an ending may be empty.
    """
    if table_name(existing_file(path)) is not None:
        return read_table(path, "endings").select(COLUMNS)
    with path.open("rb") as opened:
        is_parquet = opened.read(len(_PARQUET)) == _PARQUET
    return _of_parquet(path) if is_parquet else _of_csv(path)


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


def _of_csv(path: Path) -> pa.Table:
    header = header_of(path, lambda names: set(COLUMNS) <= set(names))
    if header is None:
        first = header_of(path, lambda _: True)
        raise _no_endings(path, first.names if first else [])
    places = [header.names.index(name) for name in COLUMNS]
    rows = []
    for row in rows_of(path, header):
        if problem := header.misfit(row.cells):
            raise UserError(f"{path}: line {row.line} has {problem}; correct the line")
        case_id, system, ending = (row.cells[place].strip() for place in places)
        if not (case_id and system):
            raise UserError(f"{path}: line {row.line} lacks its case_id or system; fill it or leave the row out")
        rows.append((case_id, system, ending))
    return pa.table({name: pa.array([row[place] for row in rows], pa.string()) for place, name in enumerate(COLUMNS)})


def _no_endings(path: Path, found: Sequence[str]) -> UserError:
    lacking = [name for name in COLUMNS if name not in found]
    return UserError(
        f"{path}: no endings: no column {', '.join(lacking)} among {shortened(found) or 'none'}; give a table of "
        f"`denouement generate`, or a CSV or Parquet file with the columns {', '.join(COLUMNS)} (system: who wrote it)"
    )
