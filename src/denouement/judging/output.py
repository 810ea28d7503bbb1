"""Writes how a judge compares with people to files."""

from pathlib import Path

from denouement.charts.output import save
from denouement.documents import write_document
from denouement.files import write_text
from denouement.judging.comparing import JudgeReport
from denouement.judging.sections import CHART, judge_chart, judge_sections
from denouement.present.html import page, render

FILES = ("judged.html", "judged.json", CHART)


def write_judge_report(out: Path, found: JudgeReport) -> None:
    """Write a page, a JSON document and, where there is an interval to draw, a chart; the same result, the same bytes.

    Raises:
        UserError: a folder that cannot be written to.
    """
    if (chart := judge_chart(found)) is not None:
        save(chart, out / CHART)
    else:
        (out / CHART).unlink(missing_ok=True)
    write_document(found, out / "judged.json")
    title = f"{found.record.model} as a judge of study {found.record.study}"
    write_text(out / "judged.html", page(title, render(judge_sections(found))))
