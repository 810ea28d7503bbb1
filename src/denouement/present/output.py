"""Writes a result to a folder: a page, a JSON document and a chart."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from denouement.charts.output import save
from denouement.documents import Dataclass, write_document
from denouement.files import write_text
from denouement.present.html import page, render
from denouement.present.sections import Block

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure


def write_result(
    out: Path, name: str, title: str, result: Dataclass, blocks: Sequence[Block], figure: "Figure | None" = None
) -> None:
    """Write `NAME.html`, `NAME.json` and, where there is something to draw, `NAME.svg`.

    The same result gives the same bytes. A chart that an earlier result left is removed where this one has none.

    Args:
        out: the folder.
        name: what the files are called.
        title: of the page.
        result: what is written as JSON.
        blocks: what the page shows.
        figure: the chart.

    Raises:
        UserError: a folder that cannot be written to.
    """
    chart = out / f"{name}.svg"
    if figure is not None:
        save(figure, chart)
    else:
        chart.unlink(missing_ok=True)
    write_document(result, out / f"{name}.json")
    write_text(out / f"{name}.html", page(title, render(blocks)))
