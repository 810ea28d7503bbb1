"""Writes how far scores agree with people to files."""

from pathlib import Path

from denouement.metrics.agreement.sections import CHART, agreement_chart, agreement_sections
from denouement.metrics.agreement.with_people import Agreement
from denouement.present.output import write_result

FILES = ("agreement.html", "agreement.json", CHART)


def write_agreement(out: Path, found: Agreement) -> None:
    """Write it as `present.output.write_result` does."""
    title = "How far scores agree with people"
    write_result(out, "agreement", title, found, agreement_sections(found), agreement_chart(found))
