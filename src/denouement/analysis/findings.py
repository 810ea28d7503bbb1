"""One finding of the statistics: its values, with the words and files that belong to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import pyarrow as pa

Values = TypeVar("Values")

Tables: TypeAlias = Mapping[str, pa.Table]
"""By name of the schema the tables that belong to findings."""


@dataclass(frozen=True)
class ChartFile:
    """A chart of a finding.

    Attributes:
        file: its name, such as `events.svg`; None where there is nothing to draw.
        what: what it shows and how to read it, or why it is not drawn.
    """

    file: str | None
    what: str

    @classmethod
    def where(cls, is_drawn: bool, file: str, what: str, why_not: str) -> "ChartFile":
        """The chart, or the sentence that says why it is not drawn."""
        return cls(file, what) if is_drawn else cls(None, f"The chart {file} is not drawn: {why_not}.")


@dataclass(frozen=True)
class NotWorkedOut:
    """Why a finding has no values."""

    missing: str


@dataclass(frozen=True)
class Finding(Generic[Values]):
    """What one analysis found.

    Attributes:
        title: its heading.
        what: one plain sentence for readers who do not know the papers.
        values: the result.
        figures: its charts.
        data: the files of its tables.
    """

    title: str
    what: str
    values: Values
    figures: tuple[ChartFile, ...] = ()
    data: tuple[str, ...] = ()
