"""Findings as files, and back."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from denouement import provenance
from denouement.analysis.sections.statistics import statistics_sections
from denouement.analysis.statistics import Findings, Statistics
from denouement.documents import read_document, write_document
from denouement.files import write_text
from denouement.legible import printed
from denouement.present import markdown
from denouement.provenance import MadeFrom
from denouement.schemas import read_table, write_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

FILE = "statistics.json"
TABLES = ("event_counts", "ngram_odds", "bias_cases")


def write_findings(found: Findings, out: Path, made_from: MadeFrom) -> None:
    """Write `statistics.json`, all charts and tables, and pages in Markdown into the folder `out`.

    `statistics.md` has all findings, `bias_monitor.md` the bias monitor alone. The same findings give the same bytes.
    What they were made from is recorded in `made_from.json` and in each table.

    Raises:
        UserError: a folder that cannot be written to.
    """
    from denouement.analysis.drawing import pictures
    from denouement.charts.output import save

    drawn = pictures(found)
    for name, picture in drawn.items():
        if isinstance(picture, str):
            write_text(out / name, picture)
        else:
            save(picture, out / name)
    for name, table in found.tables.items():
        write_table(table, out / f"{name}.parquet", name, provenance.as_metadata(made_from))
    _write_pages(found, drawn, out)
    write_document(found.statistics, out / FILE)
    provenance.write_record(out, made_from)


def read_findings(folder: Path) -> Findings:
    """What `write_findings` wrote into a folder; its charts stay files of that folder, which the findings name.

    Raises:
        UserError: a file is missing, damaged, or not what is written there.
    """
    statistics = read_document(folder / FILE, Statistics, "statistics")
    named = {file for finding in statistics.found.values() for file in finding.data}
    tables = {name: read_table(folder / f"{name}.parquet", name) for name in TABLES if f"{name}.parquet" in named}
    return Findings(statistics, tables, Counter())


def _write_pages(found: Findings, drawn: "Mapping[str, Figure | str]", out: Path) -> None:
    sections = statistics_sections(found, drawn)
    pages = {"statistics": list(sections.values())}
    if "bias_monitor" in sections:
        pages["bias_monitor"] = [sections["bias_monitor"]]
    for name, shown in pages.items():
        write_text(out / f"{name}.md", printed(markdown.render(shown, level=1, charts=True)) + "\n")
