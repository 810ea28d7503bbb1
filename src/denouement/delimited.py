"""The rows of a delimited text file as they are written: every cell is text, `NA` and `1` alike."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from denouement.errors import UserError
from denouement.files import existing_file

DELIMITERS = (",", "\t", ";")

_HEAD_BYTES = 1 << 16  # a header is far shorter
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Header:
    """A file's first row that is not blank.

    Attributes:
        names: the columns' names as written, without spaces around.
        delimiter: what stands between cells.
    """

    names: tuple[str, ...]
    delimiter: str


@dataclass(frozen=True)
class Row:
    """A row below the header: the line it starts on (the header's first line is 1), and its cells."""

    line: int
    cells: list[str]


def header_of(path: Path, known: Callable[[Sequence[str]], bool]) -> Header | None:
    """The header of the text file `path` for which `known` holds, whatever delimiter it has; None where there is none.

    Raises:
        UserError: no such file, or UTF-16 text.
    """
    with existing_file(path).open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
    if head.startswith(_UTF16_MARKS):
        raise _utf16(path)
    if b"\0" in head:
        return None
    text = head.decode("utf-8-sig", errors="replace")
    for delimiter in DELIMITERS:
        try:
            first: list[str] = next((row for row in _reader(text, delimiter) if any(map(str.strip, row))), [])
        except csv.Error:
            continue
        names = tuple(" ".join(name.split()) for name in first)
        if known(names):
            return Header(names, delimiter)
    return None


def rows_of(path: Path, header: Header) -> Iterator[Row]:
    """The rows below the header that hold anything; some may be of another width.

    Raises:
        UserError: not UTF-8, or a quote left open; the message names the line.
    """
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}: line {line} is not UTF-8; save the file as UTF-8") from error
    reader = _reader(text, header.delimiter, strict=True)
    seen_header = False
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if seen_header:
                    yield Row(line, cells)
                seen_header = True
            line = reader.line_num + 1
    except csv.Error as error:
        if "field larger than" in str(error):
            raise UserError(
                f"{path}: the row of line {line} has a cell of more than {csv.field_size_limit():,} characters; close "
                "the quote that is left open in it, or shorten the cell"
            ) from error
        raise UserError(f"{path}: the row of line {line} is not CSV ({error}); mend the quotes in it") from error


def _utf16(path: Path) -> UserError:
    return UserError(f"{path}: UTF-16 text; save the file as UTF-8 (a spreadsheet calls it CSV UTF-8)")


def _reader(text: str, delimiter: str, strict: bool = False) -> Any:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
