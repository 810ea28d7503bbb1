"""What a result is shown as: sections of paragraphs, tables, charts and stories, the same for every renderer.

The functions that make sections are in the domains whose results they show; this module imports none of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from denouement.present.cells import NO_VALUE, Cell, is_number, written

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
        columns: their headings; empty for a title with its note alone.
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

    @property
    def instead(self) -> str:
        """The line that is shown in place of a table without rows."""
        return "None." if self.title else f"None: {', '.join(filter(None, self.columns))}."

    def is_of_numbers(self, column: int) -> bool:
        """Whether a column is set to the right: most of its cells that say something are numbers, not texts."""
        cells = [row[column] for row in self.rows if written(row[column]) not in ("", NO_VALUE)]
        return sum(map(is_number, cells)) > len(cells) / 2


@dataclass(frozen=True)
class Chart:
    """A picture, and a sentence that says what it shows.

    Attributes:
        file: its name where it is written to a file, such as `events.svg`.
        picture: of matplotlib, or the text of an SVG file; None where there is nothing to draw; a line then says so.
        caption: what it shows and how to read it.
    """

    file: str
    picture: "Figure | str | None"
    caption: str

    @property
    def instead(self) -> str:
        """The line that is shown in place of a chart with nothing to draw."""
        return f"Not drawn, since there is nothing to show: {self.caption}"


@dataclass(frozen=True)
class ShownEnding:
    """An ending of a story.

    Attributes:
        whose: the system, or `right`.
        text: the ending; empty for an outcome without one, such as `both`.
        remark: such as `positive, 0.62` or `3 answers, agreed`; may be empty. Pages mark sentiments by its first word.
    """

    whose: str
    text: str
    remark: str = ""


@dataclass(frozen=True)
class ShownStory:
    """A story with its endings.

    Attributes:
        case_id: may be empty where a reader has no use for it.
        context: the sentences before the ending.
        endings: in the order of reading.
        remarks: of people: by whom or about what, and the text.
        values: what was measured of the endings; a page shows it when it is asked for.
    """

    case_id: str
    context: str
    endings: Sequence[ShownEnding]
    remarks: Sequence[tuple[str, str]] = ()
    values: Table | None = None


@dataclass(frozen=True)
class Stories:
    """Stories to read, one after the other.

    Attributes:
        stories: in the order of reading.
        compared_with: where it is not empty, a page lets its reader search the stories, and compare each ending with
            that of this system; until a search, and in every other medium, the first `SHOWN` are shown.
        side_by_side: whether a page that is wide enough shows the endings of a story beside each other.
    """

    stories: Sequence[ShownStory]
    compared_with: str = ""
    side_by_side: bool = False

    @property
    def first(self) -> Sequence[ShownStory]:
        """Those that are shown without a search."""
        return self.stories[:SHOWN] if self.compared_with else self.stories


SHOWN = 10


@dataclass(frozen=True)
class Fold:
    """Blocks that a page shows when their title is clicked on, and paper and terminals always."""

    title: str
    blocks: Sequence["Block"]


@dataclass(frozen=True)
class Section:
    """A heading, one plain sentence on what follows (may be empty), and what follows; sections may hold sections."""

    title: str
    what: str
    blocks: Sequence["Block"]


Block: TypeAlias = Paragraph | Bullets | Table | Chart | Stories | Fold | Section
