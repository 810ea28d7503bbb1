"""Writes how a judge compares with people to files."""

from pathlib import Path

from denouement.judging.comparing import JudgeReport
from denouement.judging.sections import CHART, judge_chart, judge_sections
from denouement.present.output import write_result

FILES = ("judged.html", "judged.json", CHART)


def write_judge_report(out: Path, found: JudgeReport) -> None:
    """Write it as `present.output.write_result` does."""
    title = f"{found.record.model} as a judge of study {found.record.study}"
    write_result(out, "judged", title, found, judge_sections(found), judge_chart(found))
