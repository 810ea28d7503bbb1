"""CSV for spreadsheets: text in a cell is never run as a formula."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from denouement.files import atomic_write

_DANGEROUS = re.compile(r"'*[=+\-@\t\r]")  # what a spreadsheet would run, or what `defused` made of it


def csv_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], bom: bool = False) -> bytes:
    """A CSV file in UTF-8, with a header and lines that end in CR LF.

    Numbers stay numbers, times are written in ISO 8601, truth values as true and false, lists with blanks between their
    parts, an empty list as [], None as nothing. Texts are `defused`.

    Args:
        columns: the names, in their order.
        rows: each with a value for each column.
        bom: begin with the mark by which some spreadsheet programs recognise UTF-8.
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(map(defused, columns))
    writer.writerows([_cell(row[name]) for name in columns] for row in rows)
    return written.getvalue().encode("utf-8-sig" if bom else "utf-8")


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], bom: bool = False) -> None:
    """Write `csv_bytes` to a file, atomically."""
    with atomic_write(path) as part:
        part.write_bytes(csv_bytes(columns, rows, bom))


def defused(text: str) -> str:
    """The text with an apostrophe before it where it begins with = + - @ TAB or CR, after any apostrophes.

    >>> defused("=1+1"), defused("'=1+1"), defused("It's fine")
    ("'=1+1", "''=1+1", "It's fine")
    """
    return f"'{text}" if _DANGEROUS.match(text) else text


def undefused(text: str) -> str:
    """The text from which `defused` made this one."""
    return text[1:] if text.startswith("'") and _DANGEROUS.match(text) else text


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, list | tuple):
        return defused(" ".join(map(str, value))) if value else "[]"
    return defused(value) if isinstance(value, str) else value
