"""Columns of CSV files that other programs wrote, found by name."""

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from denouement.delimited import header_of, rows_of
from denouement.errors import UserError
from denouement.schemas import shortened


def read_columns(path: Path, columns: Mapping[str, str], required: Collection[str]) -> list[dict[str, str]]:
    """The rows of a delimited text file: by role its cell, and `line` as text; roles the file lacks are left out.

    Args:
        path: comma-, tab- or semicolon-separated, with a header.
        columns: by role the name of its column; case and spaces around do not matter.
        required: roles that must be there.

    Raises:
        UserError: no such file, a column that is missing, is there twice or has two roles, no row, or one of another
            width than the header.
    """
    wanted: dict[str, str] = {}
    for role, name in columns.items():
        if (other := wanted.setdefault(_folded(name), role)) != role:
            raise UserError(f"{path}: {other} and {role} are both the column {name}; name another: --column ROLE=NAME")
    needed = {_folded(columns[role]) for role in required}
    header = header_of(path, lambda names: needed <= {_folded(name) for name in names})
    if header is None:
        some = header_of(path, lambda names: len(names) > 1) or header_of(path, bool)
        names = shortened(some.names) if some else "none"
        there = {_folded(name) for name in some.names} if some else set()
        missing = [f"{role}={columns[role]}" for role in sorted(required) if _folded(columns[role]) not in there]
        raise UserError(
            f"{path}: the header has no column {', '.join(missing)} (it has {names}); name the right one: "
            "--column ROLE=NAME"
        )
    places = {wanted[_folded(name)]: place for place, name in enumerate(header.names) if _folded(name) in wanted}
    if twice := [name for name, n in Counter(map(_folded, header.names)).items() if n > 1 and name in wanted]:
        raise UserError(f"{path}: the header has the column {shortened(twice)} twice; leave out or rename one of them")
    found = []
    for row in rows_of(path, header):
        if problem := header.misfit(row.cells):
            raise UserError(f"{path}: line {row.line} has {problem}; correct the line")
        found.append({role: row.cells[place].strip() for role, place in places.items()} | {"line": str(row.line)})
    if not found:
        raise UserError(f"{path}: no row below the header; give a file with one")
    return found


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()
