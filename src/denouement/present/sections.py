"""What a result is shown as: sections of paragraphs, tables and charts, the same for every renderer.

The functions that make sections are beside the analyses whose results they show; this module knows none of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from denouement.present.cells import Cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of plain texts, after a line that says of what."""

    title: str
    items: Sequence[str]


@dataclass(frozen=True)
class Table:
    """A table of typed cells.

    Attributes:
        columns: their headings.
        rows: each as long as `columns`; the first cell names the row.
        title: what it shows; may be empty.
        note: how its values are to be read; may be empty.

    Raises:
        ValueError: a row that is not as long as `columns`.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells in a table of {len(self.columns)} columns: {row}")


@dataclass(frozen=True)
class Chart:
    """A picture, and a sentence that says what it shows.

    Attributes:
        file: its name where it is written to a file, such as `events.svg`.
        picture: of matplotlib, or the text of an SVG file.
        caption: what it shows and how to read it.
    """

    file: str
    picture: "Figure | str"
    caption: str


@dataclass(frozen=True)
class Section:
    """A heading, one plain sentence on what follows (may be empty), and what follows; sections may hold sections."""

    title: str
    what: str
    blocks: Sequence["Block"]


Block: TypeAlias = Paragraph | Bullets | Table | Chart | Section
