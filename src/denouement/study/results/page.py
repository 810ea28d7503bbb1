"""A study's results as a page, with the parts and the look of the report."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from denouement.present import html
from denouement.present import sections as present
from denouement.report._text_adapter import study_section
from denouement.study.results.table_3 import outcomes_told, reasons_told
from denouement.study.results.tables import Section, sections


def results_html(results: Mapping[str, Any], table: pa.Table | None) -> str:
    """A page of the results of `results.study_results`, and of the table `table_3`, if there is one."""
    shown = [study_section(section) for section in sections(results)]
    if table is not None:
        what = "Each story with its two endings, what people answered, and why; in the order of the answers."
        stories = present.Stories([judged(row) for row in table.to_pylist()])
        shown.append(present.Section("Stories, endings and reasons", what, [stories]))
    return _page(results["studies"], shown)


def sections_html(studies: Sequence[str], shown: Sequence[Section]) -> str:
    """A page of sections of the results of `studies`."""
    return _page(studies, [study_section(section) for section in shown])


def judged(row: Mapping[str, Any]) -> present.ShownStory:
    """A row of `table_3`: a story with its endings, how many answers each has, and the reasons."""
    endings = [
        present.ShownEnding(name, ending, f"{n} {'answer' if n == 1 else 'answers'}{', agreed' if agreed else ''}")
        for name, ending, n, agreed in outcomes_told(row)
    ]
    remarks = [(f"chose {choice}", why) for choice, why in reasons_told(row)]
    return present.ShownStory(row["case_id"], " ".join(row["context"]), endings, remarks)


def _page(studies: Sequence[str], shown: Sequence[present.Section]) -> str:
    which = "study" if len(studies) == 1 else "studies"
    title = f"Results of the {which} {', '.join(studies)}" if studies else "Results of no study"
    return html.page(title, html.render(shown))
