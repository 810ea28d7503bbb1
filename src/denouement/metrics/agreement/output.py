"""Writes how far scores agree with people to files."""

from pathlib import Path

from denouement.charts.output import save
from denouement.documents import write_document
from denouement.files import write_text
from denouement.metrics.agreement.sections import CHART, agreement_chart, agreement_sections
from denouement.metrics.agreement.with_people import Agreement
from denouement.present.html import page, render

FILES = ("agreement.html", "agreement.json", CHART)


def write_agreement(out: Path, found: Agreement) -> None:
    """Write a page, a JSON document and, where there is an interval to draw, a chart; the same result, the same bytes.

    Raises:
        UserError: a folder that cannot be written to.
    """
    if (chart := agreement_chart(found)) is not None:
        save(chart, out / CHART)
    write_document(found, out / "agreement.json")
    write_text(out / "agreement.html", page("How far scores agree with people", render(agreement_sections(found))))
