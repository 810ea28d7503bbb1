"""Sections as Markdown."""

from collections.abc import Iterable, Sequence

from denouement.present.cells import written
from denouement.present.sections import Block, Bullets, Chart, Paragraph, Section, Stories, Table


def render(blocks: Iterable[Block], level: int = 2, charts: bool = False) -> str:
    """The blocks as Markdown, headings from `level` on; `charts`: with links to the files of charts."""
    return "\n\n".join(part for block in blocks for part in _parts(block, level, charts))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts: the first column to the left, the others to the right, padded to be read as text, too."""
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in (columns, *rows)]
    widths = [max(3, *(len(row[place]) for row in cells)) for place in range(len(columns))]
    lines = [
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        for row in cells
    ]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))


def _parts(block: Block, level: int, charts: bool) -> list[str]:
    match block:
        case Paragraph(text):
            return [text]
        case Bullets(title, items):
            return [f"{title}\n" + "\n".join(f"- {item}" for item in items)]
        case Table():
            heading = [f"{'#' * level} {block.title}"] if block.title else []
            shown = (
                [table(block.columns, ([written(cell) for cell in row] for row in block.rows))] if block.rows else []
            )
            return [*heading, *shown, *([block.note] if block.note else [])]
        case Stories(stories):
            return [
                "\n".join(
                    [
                        f"{place}. `{story.case_id}` {story.context}",
                        *(f"   - {each.whose} ({each.remark}): {each.text}" for each in story.endings),
                        *(f"   - {who}: {remark}" for who, remark in story.remarks),
                    ]
                )
                for place, story in enumerate(stories, 1)
            ]
        case Chart(file, _, caption):
            return [f"![{caption}]({file})"] if charts else []
        case Section(title, what, inner):
            text = render(inner, level + 1, charts)
            return [part for part in (f"{'#' * level} {title}", what, text) if part]
