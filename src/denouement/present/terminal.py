"""Sections on a terminal: tables that fit its width, bold headings; in a log or a pipe, Markdown."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from denouement.legible import printed
from denouement.present import markdown
from denouement.present.cells import written
from denouement.present.sections import Block, Bullets, Chart, Fold, Paragraph, Section, Stories, Table

if TYPE_CHECKING:  # heavy
    from rich.console import RenderableType
    from rich.text import Text

_GAP = 2  # blanks between two columns, one of which belongs to the box
_NARROW = 16  # the least width of a column of words in characters, unless its cells are shorter


def show(blocks: Iterable[Block], level: int = 2, file: TextIO | None = None) -> None:
    """Print the blocks: laid out for a terminal; to a file or a pipe as Markdown, which can be copied from a log.

    Args:
        blocks: what to print.
        level: of the first headings, in Markdown.
        file: where to; standard output where it is None.
    """
    out = file or sys.stdout
    if not out.isatty():
        out.write(printed(markdown.render(blocks, level)) + "\n")
        out.flush()
        return
    from rich.console import Console

    console = Console(file=out, highlight=False, markup=False, emoji=False)
    with console.capture() as laid_out:
        for place, part in enumerate(part for block in blocks for part in _parts(block, console.width)):
            if place:
                console.print()
            console.print(part)
    # the command's own output would show codes of styles as text; `_text` has made the texts of the parts legible
    getattr(out, "write_styled", out.write)(laid_out.get())
    out.flush()


def _parts(block: Block, width: int) -> "Iterator[RenderableType]":
    match block:
        case Paragraph(text):
            yield _text(text)
        case Bullets(title, items):
            yield _text("\n".join([*([title] if title else []), *(f"- {item}" for item in items)]))
        case Table(columns, rows, title, note):
            yield from [_text(title, "bold")] if title else []
            yield from (_tables(block, width) if rows else [_text(block.instead)]) if columns else []
            yield from [_text(note, "dim")] if note else []
        case Chart(_, picture, _):
            yield from [_text(block.instead)] if picture is None else []
        case Stories():
            for place, story in enumerate(block.first, 1):
                yield _text(markdown.story_text(place, story))
                yield from _tables(story.values, width) if story.values else []
        case Fold(title, inner):
            yield _text(title, "bold")
            yield from (part for each in inner for part in _parts(each, width))
        case Section(title, what, inner):
            yield _text(title, "bold underline")
            yield from [_text(what)] if what else []
            yield from (part for each in inner for part in _parts(each, width))


def _tables(table: Table, width: int) -> "Iterator[RenderableType]":
    """The table; where its columns do not fit side by side, several tables that all begin with its first column."""
    from rich import box
    from rich.table import Table as RichTable

    for places in _fitting([_least(table, place) for place in range(len(table.columns))], width):
        shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0), show_edge=False)
        for place in places:
            is_of_numbers = table.is_of_numbers(place)
            shown.add_column(
                _text(table.columns[place]),
                justify="right" if is_of_numbers else "left",
                no_wrap=is_of_numbers,
                overflow="fold",
                min_width=_least(table, place),
            )
        for row in table.rows:
            shown.add_row(*(_text(written(row[place])) for place in places))
        yield shown


def _least(table: Table, place: int) -> int:
    """How many characters a column needs at least: numbers are not broken into lines, words may be."""
    from rich.cells import cell_len

    cells = max(cell_len(printed(written(row[place]))) for row in table.rows)
    heading = max(map(cell_len, table.columns[place].split()), default=0)
    return max(heading, cells if table.is_of_numbers(place) else min(cells, _NARROW))


def _fitting(widths: Sequence[int], width: int) -> list[list[int]]:
    """Groups of columns that fit side by side, each after the first column."""
    groups, used = [[0]], widths[0]
    for place in range(1, len(widths)):
        if used + _GAP + widths[place] > width and len(groups[-1]) > 1:
            groups.append([0])
            used = widths[0]
        groups[-1].append(place)
        used += _GAP + widths[place]
    return groups


def _text(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(printed(text), style)
