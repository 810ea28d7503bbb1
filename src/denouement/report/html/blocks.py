"""What a section of the page is made of; `templates/report.html` shows each kind."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from markupsafe import Markup

# A cell that is read as a number: such as `-0.15`, `136 (34.0%)`, `0.450 to 0.550`, `4.91e-04`, `<1e-300`, `3 of 4`.
_NUMBER = re.compile(r"[-+<.(]*\d(?:[\d\s.,:%()+-]|e[-+]?\d|\bto\b|\bof\b)*")
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_NO_VALUE = ("", "-")
_LONG = 28  # characters from which on a cell of words may break into lines


@dataclass(frozen=True)
class Heading:
    """A heading within a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of plain texts, after a line that says of what."""

    kind: ClassVar[str] = "bullets"
    title: str
    items: Sequence[str]


@dataclass(frozen=True)
class Table:
    """A table of plain texts, all rows as long as the header."""

    kind: ClassVar[str] = "table"
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    note: str = ""

    @property
    def styles(self) -> list[str]:
        """By column how it is set: `number` to the right, `long` words in lines, `short` ones in one line."""
        return [self._style([str(row[column]) for row in self.rows]) for column in range(len(self.header))]

    @staticmethod
    def _style(cells: Sequence[str]) -> str:
        told = [cell for cell in cells if cell not in _NO_VALUE]
        # text among numbers, such as the mark of a blind test, makes no column of words
        if told and sum(_NUMBER.fullmatch(cell) is not None for cell in told) > len(told) / 2:
            return "number"
        return "long" if any(len(cell) > _LONG for cell in told) else "short"


@dataclass(frozen=True)
class Picture:
    """A figure, already fit to stand in a page (`svg.inline`), with what it shows."""

    kind: ClassVar[str] = "picture"
    svg: Markup
    what: str


@dataclass(frozen=True)
class Fold:
    """Blocks that are shown when their title is clicked on, and always on paper."""

    kind: ClassVar[str] = "fold"
    title: str
    blocks: Sequence["Block"]


@dataclass(frozen=True)
class Story:
    """A story with its endings, and what was said of them."""

    kind: ClassVar[str] = "story"
    case_id: str
    context: str
    endings: Sequence[tuple[str, str, str]]  # whose, the ending, what is told of it
    remarks: Sequence[tuple[str, str]] = ()  # by whom or what, and what


@dataclass(frozen=True)
class Browser:
    """The endings of all systems, to search: the first stories, and all of them as JSON."""

    kind: ClassVar[str] = "browser"
    data: Markup
    systems: Sequence[str]
    total: int
    first: Sequence[Story]


Block: TypeAlias = Heading | Paragraph | Bullets | Table | Picture | Fold | Story | Browser


def blocks(text: str) -> list[Block]:
    """The blocks of a text that `report.tables` and its like make: headings, tables, lists and paragraphs.

    These functions are the one description of each table: terminal, summary and page show the same. A paragraph that
    ends with a colon is the title of the table that follows.
    """
    found: list[Block] = []
    for part in _parts(text):
        title = found[-1].text if found and isinstance(found[-1], Paragraph) and found[-1].text.endswith(":") else ""
        if isinstance(part, Table) and title:
            found[-1] = Table(part.header, part.rows, title.removesuffix(":"))
        else:
            found.append(part)
    return found


def _parts(text: str) -> Iterator[Block]:
    for part in re.split(r"\n{2,}", text.strip()):
        lines = part.split("\n")  # the one end of a line that tables are made with
        if part.startswith("|"):
            header, _, *rows = map(_cells, lines)
            yield Table(header, rows)
        elif part.startswith("#"):
            yield Heading(part.lstrip("#").strip())
        elif any(line.startswith("- ") for line in lines):
            title = " ".join(line for line in lines if not line.startswith("- "))
            yield Bullets(title, [line.removeprefix("- ") for line in lines if line.startswith("- ")])
        elif part:
            yield Paragraph(part)


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL_ENDS.split(line)[1:-1]]
