"""Writes a plan to files."""

from pathlib import Path

from denouement.present.output import write_result
from denouement.study.planning.plan import StudyPlan
from denouement.study.planning.sections import CHART, plan_blocks, plan_chart

FILES = ("plan.html", "plan.json", CHART)


def write_plan(out: Path, plan: StudyPlan) -> None:
    """Write it as `present.output.write_result` does."""
    write_result(out, "plan", "How large the study has to be", plan, plan_blocks(plan), plan_chart(plan))
