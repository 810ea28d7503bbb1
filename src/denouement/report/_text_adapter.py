"""Blocks from the functions that still return text; it goes away when they return blocks themselves."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from denouement.present.cells import Cell
from denouement.present.sections import Block, Bullets, Paragraph, Section, Table
from denouement.study.results.tables import Section as StudySection

# A cell that is read as a number: such as `-0.15`, `136 (34.0%)`, `0.450 to 0.550`, `4.91e-04`, `<1e-300`, `3 of 4`.
_NUMBER = re.compile(r"[-+<.(]*\d(?:[\d\s.,:%()+-]|e[-+]?\d|\bto\b|\bof\b)*")
_CELL_ENDS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class _WrittenNumber:
    text: str

    def __str__(self) -> str:
        return self.text


def blocks(text: str) -> list[Block]:
    """The blocks of a text; a paragraph that ends with a colon is the title of the table that follows."""
    made: list[Block] = []
    for part in _parts(text):
        title = made[-1].text if made and isinstance(made[-1], Paragraph) and made[-1].text.endswith(":") else ""
        if isinstance(part, Table) and title:
            made[-1] = Table(part.columns, part.rows, title.removesuffix(":"))
        else:
            made.append(part)
    return made


def study_section(section: StudySection) -> Section:
    """A section of the results of a study."""
    table = [Table(section.header, typed(section.rows))] if section.header else []
    return Section(section.title, section.what, [*table, *map(Paragraph, section.notes)])


def typed(rows: Sequence[Sequence[str]]) -> list[list[Cell]]:
    """Cells of texts, of which those that look like numbers are numbers."""
    return [[cast(Cell, _WrittenNumber(cell)) if _NUMBER.fullmatch(cell) else cell for cell in row] for row in rows]


def _parts(text: str) -> Iterator[Block]:
    for part in re.split(r"\n{2,}", text.strip()):
        lines = part.split("\n")  # the one end of a line that tables are made with
        if part.startswith("|"):
            header, _, *rows = map(_cells, lines)
            yield Table(header, typed(rows))
        elif any(line.startswith("- ") for line in lines):
            title = " ".join(line for line in lines if not line.startswith("- "))
            yield Bullets(title, [line.removeprefix("- ") for line in lines if line.startswith("- ")])
        elif part:
            yield Paragraph(part)


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL_ENDS.split(line)[1:-1]]
