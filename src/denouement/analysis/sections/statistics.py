"""The findings of the statistics as sections to show."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from denouement.analysis.findings import Finding, NotWorkedOut, Tables
from denouement.analysis.sections.cases import bias_tables, features_tables, ngrams_tables
from denouement.analysis.sections.sentiment import spread_tables
from denouement.analysis.sections.stories import (
    duplicates_tables,
    events_tables,
    lengths_tables,
    orders_tables,
    titles_tables,
    tlinks_tables,
    vocabulary_tables,
    workers_tables,
)
from denouement.analysis.statistics import Findings
from denouement.present.sections import Block, Chart, Paragraph, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Picture: TypeAlias = "Figure | str"

_TABLES: Mapping[str, Callable[[Any, Tables], Sequence[Table]]] = {
    "sentence_lengths": lengths_tables,
    "vocabulary": vocabulary_tables,
    "duplicates": duplicates_tables,
    "events": events_tables,
    "titles": titles_tables,
    "workers": workers_tables,
    "orders": orders_tables,
    "tlinks": tlinks_tables,
    "ending_features": features_tables,
    "ngrams": ngrams_tables,
    "bias_monitor": bias_tables,
    "sentiment": spread_tables,
}
"""By finding what makes its tables."""


def statistics_sections(found: Findings, pictures: Mapping[str, Picture] | None = None) -> dict[str, Section]:
    """A section a finding, by its name.

    Args:
        found: of `statistics.find_statistics`, or read back by `statistics_files.read_findings`.
        pictures: charts by their file; those that are not among them are left out.
    """
    return {
        name: _section(name, finding, found.tables, pictures or {}) for name, finding in found.statistics.found.items()
    }


def _section(name: str, finding: Finding[Any], tables: Tables, pictures: Mapping[str, Picture]) -> Section:
    blocks: list[Block] = []
    if isinstance(finding.values, NotWorkedOut):
        why = finding.values.missing
        blocks.append(Table((), (), "Not worked out", f"{why[0].upper()}{why[1:]}."))
    else:
        blocks += _TABLES[name](finding.values, tables)
    for chart in finding.figures:
        if chart.file is None:
            blocks.append(Paragraph(chart.what))
        elif chart.file in pictures:
            blocks.append(Chart(chart.file, pictures[chart.file], chart.what))
    return Section(finding.title, finding.what, blocks)
