"""Writes a plan to files."""

from pathlib import Path

from denouement.charts.output import save
from denouement.documents import write_document
from denouement.files import write_text
from denouement.present.html import page, render
from denouement.study.planning.plan import StudyPlan
from denouement.study.planning.sections import CHART, plan_blocks, plan_chart

FILES = ("plan.html", "plan.json", CHART)


def write_plan(out: Path, plan: StudyPlan) -> None:
    """Write a page, a JSON document and the picture; the same plan, the same bytes.

    Raises:
        UserError: a folder that cannot be written to.
    """
    if (chart := plan_chart(plan)) is not None:
        save(chart, out / CHART)
    write_document(plan, out / "plan.json")
    write_text(out / "plan.html", page("How large the study has to be", render(plan_blocks(plan))))
