"""The rows of a delimited text file as written: every cell is text, also `NA` and `1`."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from denouement.console import warn
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.quoting import is_quoted

DELIMITERS = (",", "\t", ";")
UTF16 = "utf-16"
WINDOWS = "cp1252"
"""The encoding in which spreadsheets on Windows write CSV by default."""

_HEAD_BYTES = 1 << 16  # a header is far shorter
_UTF32_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Which of the first four bytes are NUL in a text without a mark that begins with two ASCII characters.
_NULS: dict[tuple[bool, ...], str] = {
    (False, True, True, True): "UTF-32",
    (True, True, True, False): "UTF-32",
    (False, True, False, True): "UTF-16",
    (True, False, True, False): "UTF-16",
}


@dataclass(frozen=True)
class Header:
    """A file's first row that is not blank.

    Attributes:
        names: the columns' names as written, without spaces around.
        delimiter: what separates cells.
    """

    names: tuple[str, ...]
    delimiter: str

    def misfit(self, cells: Sequence[str]) -> str | None:
        """What is wrong with the width of a row, such as `1 cell where the header has 3`; None if it is right."""
        return (
            None if len(cells) == len(self.names) else f"{n_cells(len(cells))} where the header has {len(self.names)}"
        )


@dataclass(frozen=True)
class Row:
    """A row below the header: the line where it starts (the header's first line is 1), and its cells."""

    line: int
    cells: list[str]


def header_of(path: Path, known: Callable[[Sequence[str]], bool]) -> Header | None:
    """The header of the text file `path`, with the delimiter for which `known` accepts its names; None without one.

    Raises:
        UserError: no such file, or text in UTF-32, or in UTF-16 without a byte order mark.
    """
    with existing_file(path).open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
    encoding = encoding_of(head, path)
    if encoding != UTF16 and b"\0" in head:
        return None
    text = head.decode(encoding, errors="replace")
    for delimiter in DELIMITERS:
        names = tuple(" ".join(name.split()) for name in first_row(text, delimiter).cells)
        if known(names):
            return Header(names, delimiter)
    return None


class FirstRow(NamedTuple):
    """The cells of a text's first row that is not blank, and the lines and characters up to its end."""

    cells: list[str]
    lines: int
    characters: int


def first_row(text: str, delimiter: str) -> FirstRow:
    """The first row that is not blank; without cells if there is none."""
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        cells = next((row for row in reader if any(cell.strip() for cell in row)), [])
    except csv.Error:
        return FirstRow([], 0, 0)
    return FirstRow(cells, reader.line_num, lines.tell())


def rows_of(path: Path, header: Header, otherwise: str | None = None) -> Iterator[Row]:
    """The rows below the header that are not empty; some may be of another width.

    In a file with tabs, quotes that do not quote as in CSV are text (`quoting.is_quoted`), with a warning. A row that
    repeats the header, because two files were joined, is left out, with a warning.

    Args:
        path: the file.
        header: its header.
        otherwise: the encoding of a file that is not Unicode, such as `WINDOWS`.

    Raises:
        UserError: not text, or a quote that is left open; the message names the line.
    """
    text = text_of(path, otherwise)
    body = text[first_row(text, header.delimiter).characters :]
    quoted = is_quoted(body, header.delimiter, len(header.names))
    if not quoted:
        warn_of_quotes(path)
    quoting: Any = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=header.delimiter, strict=True, quoting=quoting)
    seen_header = False
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if seen_header and is_again(cells, header.names):
                    warn(f"{path}: line {line} repeats the header and is left out; does it hold several files?")
                elif seen_header:
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


def text_of(path: Path, otherwise: str | None = None) -> str:
    """The text of a file in UTF-8, or in UTF-16 with a byte order mark, without the mark.

    Args:
        path: the file.
        otherwise: the encoding of a file that is neither.

    Raises:
        UserError: no such file, and as `decoded`.
    """
    content = existing_file(path).read_bytes()
    try:
        return decoded(content, path)
    except UserError:
        if otherwise is None or b"\0" in content:
            raise
        with suppress(UnicodeDecodeError):
            return content.decode(otherwise)
        raise


def is_unicode(path: Path) -> bool:
    """Whether `text_of` reads the file without another encoding."""
    try:
        text_of(path)
    except UserError:
        return False
    return True


def decoded(content: bytes, path: Path, errors: str = "strict") -> str:
    """The text of `content`, which is UTF-8, or UTF-16 with a byte order mark; without the mark.

    Args:
        content: of the file `path`, which messages name.
        path: the file.
        errors: as in `bytes.decode`, for the beginning of a file, which may end within a character.

    Raises:
        UserError: UTF-32, UTF-16 without a mark, or bytes that are no text in the encoding, with their line.
    """
    encoding = encoding_of(content, path)
    try:
        return content.decode(encoding, errors)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, errors="replace")
        line = len(re.findall(r"\r\n|\r|\n", before)) + 1
        name = "UTF-16" if encoding == UTF16 else f"UTF-8 (byte 0x{content[error.start]:02x})"
        raise UserError(f"{path}: line {line} is not {name}; save the file as UTF-8") from error


def encoding_of(head: bytes, path: Path) -> str:
    """The codec of a text that begins with `head`: `UTF16` or UTF-8; decoding with it removes the byte order mark.

    Raises:
        UserError: UTF-32, or UTF-16 without a byte order mark.
    """
    wide = _wide_encoding(head)
    if wide == "UTF-32" or (wide and not head.startswith(_UTF16_MARKS)):
        raise UserError(f"{path}: {wide} text; save the file as UTF-8 (a spreadsheet calls it CSV UTF-8)")
    return UTF16 if wide else "utf-8-sig"


def is_again(cells: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the cells of a row are the header's names, so that the row is the header of another, appended file."""
    return len(cells) == len(names) > 1 and [_plain(cell) for cell in cells] == [_plain(name) for name in names]


def _plain(name: str) -> str:
    return " ".join(name.replace("\ufeff", "").split())


def _wide_encoding(head: bytes) -> str | None:
    """UTF-16 or UTF-32 if a file's first bytes are such text, with a byte order mark or without; else None."""
    if head.startswith(_UTF32_MARKS):
        return "UTF-32"
    if head.startswith(_UTF16_MARKS):
        return "UTF-16"
    return _NULS.get(tuple(byte == 0 for byte in head[:4]))


def warn_of_quotes(name: object) -> None:
    """Warn that quotes in the file `name` are read as text."""
    warn(f"{name}: its quotes do not quote cells as CSV's do, so they are read as part of the texts")


def n_cells(n: int) -> str:
    """`1 cell`, `2 cells`."""
    return "1 cell" if n == 1 else f"{n} cells"
