"""Whether a delimited text file quotes its cells as CSV does (RFC 4180), or has quotes that are part of its texts.

A spreadsheet's tab-separated export may have no quoted cells, as no cell can hold a tab. Then the quotes in
`"Stop," said Ann.` are text, and the one in `"Run!` is not left open. Other programs quote cells that hold tabs, line
ends or quotes. Only the cells of a file show which it is.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

import numpy as np

_QUOTE = ord('"')
_LINE_ENDS = "\r\n"


class Written(Enum):
    """How a cell is written, by the rules of CSV."""

    BARE = "without a quote at its beginning"
    QUOTED = "in quotes, and needs them: it holds a delimiter, a line end or a doubled quote"
    NEEDLESS = "in quotes, and does not need them"
    BROKEN = "in quotes that end before the cell does, or never: the quotes would be lost, or rows"


class WrittenCell(NamedTuple):
    """A cell by the rules of CSV: how it is written, how many delimiters it holds, and whether it holds a line end."""

    written: Written
    delimiters: int
    breaks: bool
    empty: bool


def is_quoted(text: str, delimiter: str, width: int) -> bool:
    """Whether quotes in `text` quote cells; otherwise they are part of the texts.

    With another delimiter than a tab they always quote, since a cell could not hold the delimiter otherwise. With tabs,
    the reading counts that spoils fewer rows and cells. A row is spoilt if its width differs from the header's, or if a
    cell holds a line end and as many delimiters as a row (a quote left open). By the rules of CSV a cell is spoilt if
    its quotes end before it does. Without quoting, a cell is spoilt if it holds doubled quotes in quotes, and a row if
    all its cells are in quotes. If both readings are equally good, quotes around cells that need none are text: a
    program that quotes only where needed would not have written them.

    Args:
        text: the rows below the header.
        delimiter: between cells.
        width: cells in the header.
    """
    if delimiter != "\t" or '"' not in text:
        return True
    as_csv = as_text = needless = 0
    for row in _rows(text, delimiter):
        if not all(cell.empty for cell in row):
            as_csv += _misfits(row, width) + sum(cell.written is Written.BROKEN for cell in row)
            needless += sum(cell.written is Written.NEEDLESS for cell in row)
    for line in re.split(r"\r\n|\n|\r", text):
        if line.strip():
            cells = line.split(delimiter)
            ends = [len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells if cell]
            doubled = sum(cell.startswith('"') and _is_doubled(cell) for cell in cells)
            as_text += (len(cells) != width) + doubled + all(ends)
    if as_csv != as_text:
        return as_csv < as_text
    return not needless


def broken_quotes(content: bytes, delimiter: str) -> int:
    """How many cells begin with quotes that end before the cell does, in a file that is read by the rules of CSV.

    A reader drops the quotes of such a cell: `"Stop," said Ann.` becomes `Stop, said Ann.`
    """
    if _follows_csv(content, delimiter):
        return 0
    rows = _rows(content.decode(errors="replace"), delimiter)
    return sum(cell.written is Written.BROKEN for row in rows for cell in row)


def _follows_csv(content: bytes, delimiter: str) -> bool:
    """Whether each opening quote begins a cell, and each closing one ends it; doubled quotes are allowed.

    Nearly every file follows the rules, and one pass over its bytes is much faster than reading each cell.
    """
    data = np.frombuffer(content, np.uint8)
    quotes = np.flatnonzero(data == _QUOTE)
    if len(quotes) % 2:
        return False
    padded = np.concatenate([[ord("\n")], data, [ord("\n")]]).astype(np.uint8)
    may_be_beside = np.zeros(256, bool)
    may_be_beside[[_QUOTE, ord(delimiter), *map(ord, _LINE_ENDS)]] = True
    before_opening, after_closing = padded[quotes[::2]], padded[quotes[1::2] + 2]
    return bool(may_be_beside[before_opening].all() and may_be_beside[after_closing].all())


def _rows(text: str, delimiter: str) -> Iterator[list[WrittenCell]]:
    """The cells of each row by the rules of CSV; text after a closing quote belongs to the cell."""
    plain = f"[^{re.escape(delimiter)}{_LINE_ENDS}]*"
    in_quotes = f'"(?P<inside>(?:[^"]|"")*)(?P<closed>"?)(?P<rest>{plain})'
    written = re.compile(rf"(?:{in_quotes}|{plain})(?P<end>\r\n|[\r\n]|{re.escape(delimiter)}|\Z)")
    row: list[WrittenCell] = []
    at = 0
    while at < len(text):
        found = written.match(text, at)
        assert found, "the last alternatives match anything"
        row.append(_cell(found, delimiter))
        at = found.end()
        if found["end"] != delimiter:
            yield row
            row = []
        elif at == len(text):
            row.append(WrittenCell(Written.BARE, 0, False, True))
    if row:
        yield row


def _cell(found: re.Match[str], delimiter: str) -> WrittenCell:
    inside = found["inside"]
    if inside is None:
        return WrittenCell(Written.BARE, 0, False, found.end() - len(found["end"]) == found.start())
    breaks = any(end in inside for end in _LINE_ENDS)
    if not found["closed"] or found["rest"]:
        written = Written.BROKEN
    elif breaks or delimiter in inside or '"' in inside:
        written = Written.QUOTED
    else:
        written = Written.NEEDLESS
    return WrittenCell(written, inside.count(delimiter), breaks, not inside and not found["rest"])


def _misfits(row: list[WrittenCell], width: int) -> bool:
    return len(row) != width or any(cell.breaks and cell.delimiters >= width - 1 for cell in row)


def _is_doubled(cell: str) -> bool:
    """Whether a cell without a line end is a quoted one with doubled quotes in it."""
    return re.fullmatch(r'"(?:[^"]|"")*""(?:[^"]|"")*"', cell) is not None
