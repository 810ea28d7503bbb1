"""Findings as sections: tables and figures with a sentence each, as text, as JSON and as files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denouement import provenance
from denouement.console import text_table
from denouement.files import write_text
from denouement.legible import printed
from denouement.provenance import MadeFrom
from denouement.schemas import write_table

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

FILE = "statistics.json"


@dataclass(frozen=True)
class Table:
    """A table for people.

    Attributes:
        title: what it shows.
        header: names of columns.
        rows: cells as text, the first one naming the row.
        note: how its figures are to be read; may be empty.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """A figure with what it shows.

    Attributes:
        figure: of matplotlib, or the text of an SVG file; None where there is nothing to draw.
        what: a sentence that says how to read it.
    """

    figure: "Figure | str | None"
    what: str


@dataclass(frozen=True)
class Section:
    """What one analysis found.

    Attributes:
        title: its heading.
        what: one plain sentence for readers who do not know the papers.
        tables: for people.
        figures: by file name.
        data: by name of the schema, the same figures as tables to go on with.
        values: the figures as numbers, ready for JSON.
    """

    title: str
    what: str
    tables: Sequence[Table] = ()
    figures: Mapping[str, Chart] = field(default_factory=dict)
    data: Mapping[str, "pa.Table"] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


def document(sections: Mapping[str, Section]) -> dict[str, Any]:
    """The sections by name, ready for JSON; of figures and data the names of their files, of figures what they show."""
    return {
        name: {
            "title": section.title,
            "what": section.what,
            "tables": [asdict(table) for table in section.tables],
            "figures": [{"file": name, "what": chart.what} for name, chart in section.figures.items() if chart.figure],
            "data": [f"{table}.parquet" for table in section.data],
            "values": dict(section.values),
        }
        for name, section in sections.items()
    }


def sections_text(sections: Mapping[str, Section], level: int = 2, figures: bool = False) -> str:
    """The sections as Markdown, readable on a terminal; `figures`: with the links to them."""
    return printed("\n\n".join(part for section in sections.values() for part in _parts(section, level, figures)))


def write_sections(sections: Mapping[str, Section], out: Path, made_from: MadeFrom) -> None:
    """Write `statistics.json`, every figure and every table into the folder `out`; the same findings, the same bytes.

    What they were made from stands in `made_from.json` and in each table.

    Raises:
        UserError: a folder that cannot be written to.
    """
    from denouement.charts.output import save

    for section in sections.values():
        for file_name, chart in section.figures.items():
            if isinstance(chart.figure, str):
                write_text(out / file_name, chart.figure)
            elif chart.figure:
                save(chart.figure, out / file_name)
        for name, table in section.data.items():
            write_table(table, out / f"{name}.parquet", name, provenance.as_metadata(made_from))
    text = json.dumps(document(sections), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(out / FILE, text + "\n")
    provenance.write_record(out, made_from)


def _parts(section: Section, level: int, figures: bool) -> list[str]:
    parts = [f"{'#' * level} {section.title}", section.what]
    for table in section.tables:
        parts.append(f"{'#' * (level + 1)} {table.title}")
        if table.rows:
            parts.append(text_table(table.header, table.rows))
        if table.note:
            parts.append(table.note)
    if figures:
        parts += [f"![{chart.what}]({name})" for name, chart in section.figures.items() if chart.figure]
    return parts
