"""Sections as Markdown that is also readable as text, such as in a log."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from textwrap import indent

from denouement.present.cells import Cell, written
from denouement.present.sections import (
    Block,
    Bullets,
    Chart,
    Fold,
    Paragraph,
    Section,
    ShownStory,
    Stories,
    Table,
)


def render(blocks: Iterable[Block], level: int = 2, charts: bool = False) -> str:
    """The blocks as Markdown, headings from `level` on; `charts`: with links to the files of charts."""
    return "\n\n".join(part for block in blocks for part in _parts(block, level, charts))


def without_html(markdown: str) -> str:
    """The same with every tag shown as text: file names, cells and endings hold texts of people and systems."""
    return re.sub(r"<(?=[a-z/!?])", r"\\<", markdown, flags=re.IGNORECASE)


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], left: Collection[int] | None = None) -> str:
    """A table padded to be read as text, too: columns of texts to the left, those of numbers to the right.

    Args:
        columns: their headings.
        rows: each as long as `columns`.
        left: the places of the columns of texts, where all cells are; None: the kinds of the cells decide.
    """
    rows = list(rows)
    typed = Table(columns, rows)
    to_the_right = [typed.is_of_numbers(place) if left is None else place not in left for place in range(len(columns))]
    texts = [[_cell(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(3, *(len(row[place]) for row in texts)) for place in range(len(columns))]
    lines = [
        [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, to_the_right, strict=True)
        ]
        for row in texts
    ]
    rule = ["-" * (width - right) + ":" * right for width, right in zip(widths, to_the_right, strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))


def _parts(block: Block, level: int, charts: bool) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield text
        case Bullets(title, items):
            yield "\n".join([*([title] if title else []), *(f"- {item}" for item in items)])
        case Table(columns, rows, title, note):
            yield from [f"{'#' * level} {title}"] if title else []
            yield from [table(columns, rows) if rows else block.instead] if columns else []
            yield from [note] if note else []
        case Chart(file, picture, caption) if picture is not None:
            yield from [f"![{caption}]({file})"] if charts else []
        case Chart():
            yield block.instead
        case Stories():
            for place, story in enumerate(block.first, 1):
                yield story_text(place, story)
                if story.values:
                    yield indent(table(story.values.columns, story.values.rows), "   ")
        case Fold(title, inner):
            yield f"{'#' * level} {title}"
            yield from (part for each in inner for part in _parts(each, level + 1, charts))
        case Section(title, what, inner):
            yield f"{'#' * level} {title}"
            yield from [what] if what else []
            yield from (part for each in inner for part in _parts(each, level + 1, charts))
        case _:
            raise TypeError(f"not a block: {block!r}")


def story_text(place: int, story: ShownStory) -> str:
    """An item of a list: the story, and below it its endings and remarks."""
    named = f"`{story.case_id}` " if story.case_id else ""
    lines = [f"{place}. {named}{_literal(story.context)}"]
    for each in story.endings:
        whose = f"{each.whose} ({each.remark})" if each.remark else each.whose
        lines.append(f"   - {whose}: {_literal(each.text)}" if each.text else f"   - {whose}")
    return "\n".join([*lines, *(f"   - {who}: {_literal(remark)}" for who, remark in story.remarks)])


def _cell(cell: Cell) -> str:
    return written(cell).replace("|", "\\|").replace("\n", " ")


def _literal(text: str) -> str:
    """Text of a story as Markdown that shows it as it is."""
    return re.sub(r"[\\`*\[]", r"\\\g<0>", text)
