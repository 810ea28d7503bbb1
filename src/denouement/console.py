"""What a person sees while the program works: progress on a terminal, and tables as text."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

from denouement.errors import printable

Item = TypeVar("Item")


def progress(items: Iterable[Item], what: str, total: int | None = None, unit: str = "") -> Iterable[Item]:
    """`items`, with a progress bar on standard error if that is a terminal."""
    from tqdm import tqdm

    return tqdm(items, desc=what, total=total, unit=f" {unit}" if unit else "it", disable=None, leave=False)


def warn(message: str) -> None:
    """Print a warning, one line on standard error."""
    sys.stderr.write(f"warning: {printable(message)}\n")
    sys.stderr.flush()


def print_json(document: object) -> None:
    """Print one JSON document on standard output, in ASCII if its encoding is not UTF-8."""
    as_ascii = (getattr(sys.stdout, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")
    sys.stdout.write(json.dumps(document, ensure_ascii=as_ascii, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table for a terminal, also valid Markdown: the first column left-aligned, the others right-aligned."""
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in (header, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(header))]

    def line(row: Sequence[str]) -> str:
        padded = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        return f"| {' | '.join(padded)} |"

    rule = f"| {'-' * widths[0]} | {' | '.join('-' * (width - 1) + ':' for width in widths[1:])} |"
    if len(header) == 1:
        rule = f"| {'-' * widths[0]} |"
    return "\n".join([line(cells[0]), rule, *map(line, cells[1:])])
