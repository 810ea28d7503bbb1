"""The page as a file: no network, no clock times, no path outside the run."""

from collections.abc import Sequence
from pathlib import Path

from denouement.files import write_text
from denouement.present.html import environment, render
from denouement.report.front import Front
from denouement.report.run_folder import RunFolder
from denouement.report.sections import ReportSection

PAGE = "report.html"

_SAMPLE = (
    "The stories are of the embedded sample corpus: small stories written by rule, good for a look at every part. No "
    "published value is set beside those of such stories."
)


def write_page(run: RunFolder, begins: Front, sections: Sequence[ReportSection], out: Path, commit: str | None) -> None:
    """Write `report.html` into the folder `out`: everything that `run` has, and the commands for what it has not.

    The same files of a run and the same commit give the same bytes.

    Args:
        run: the folder of a run.
        begins: what `front.front` returned of it.
        sections: what `sections.report_sections` returned of it.
        out: a folder; made if missing.
        commit: of the code that makes the page, as `run_folder.commit` returns it.

    Raises:
        UserError: an unreadable file of the run, or a folder that cannot be written to.
    """
    bodies = {
        section.anchor: render(section.content.full, 3, section.anchor) for section in sections if section.content
    }
    is_sample = run.layout.ingest.exists() and not run.is_official
    page = (
        environment("denouement.report")
        .get_template("report.html")
        .render(
            title=begins.title,
            front=begins,
            systems=render([begins.systems], 3) if begins.systems else "",
            stories=render(begins.story_blocks(), 3),
            sections=sections,
            titles={section.anchor: section.title for section in sections},
            bodies=bodies,
            corpus=_SAMPLE if is_sample else "",
            commit=commit,
            scripted=True,
        )
    )
    write_text(out / PAGE, page)
