"""A study's results as a page, with the parts and the look of the report."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from denouement.report.html.blocks import Block, Paragraph, Story, Table
from denouement.report.html.rendering import asset, environment
from denouement.study.results.table_3 import outcomes_told, reasons_told
from denouement.study.results.tables import Section, sections


def results_html(results: Mapping[str, Any], table: pa.Table | None) -> str:
    """A page of what `results.study_results` found, and of the table `table_3`, if there is one."""
    shown = [(section.title, section_blocks(section)) for section in sections(results)]
    if table is not None:
        what = Paragraph("Each story with its two endings, what people answered, and why; in the order of the answers.")
        shown.append(("Stories, endings and reasons", [what, *map(judged, table.to_pylist())]))
    return _page(results["studies"], shown)


def sections_html(studies: Sequence[str], shown: Sequence[Section]) -> str:
    """A page of sections of the results of `studies`."""
    return _page(studies, [(section.title, section_blocks(section)) for section in shown])


def section_blocks(section: Section) -> list[Block]:
    """What a section has below its title."""
    blocks: list[Block] = [Paragraph(section.what)] if section.what else []
    if section.header:
        blocks.append(Table(section.header, section.rows))
    return blocks + [Paragraph(note) for note in section.notes]


def judged(row: Mapping[str, Any]) -> Story:
    """A row of `table_3`: a story with its endings, how many answers each has, and the reasons."""
    endings = [
        (name, ending, f"{n} {'answer' if n == 1 else 'answers'}{', agreed' if agreed else ''}")
        for name, ending, n, agreed in outcomes_told(row)
    ]
    told = [(f"chose {choice}", why) for choice, why in reasons_told(row)]
    return Story(row["case_id"], " ".join(row["context"]), endings, told)


def _page(studies: Sequence[str], shown: Sequence[tuple[str, Sequence[Block]]]) -> str:
    template = environment("denouement.study.results").get_template("results.html")
    which = "study" if len(studies) == 1 else "studies"
    title = f"Results of the {which} {', '.join(studies)}" if studies else "Results of no study"
    return template.render(title=title, sections=shown, style=asset("report.css"))
