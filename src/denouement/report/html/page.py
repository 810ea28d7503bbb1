"""The page as a file: no network, no clock times, no path outside the run."""

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path

from denouement.errors import UserError
from denouement.files import write_text
from denouement.report.html.glance import glance
from denouement.report.html.rendering import asset, environment
from denouement.report.html.sections import Section, sections
from denouement.report.run import Run, read_json

PAGE = "report.html"

_CORPUS = {
    "sample": (
        "The stories are of the embedded sample corpus: small stories written by rule, good for a look at every part. "
        "No published figure is set beside those of such stories."
    ),
    "official": "The stories are of the official files that are named under Data.",
}


def write_page(run: Run, out: Path, commit: str | None) -> list[Section]:
    """Write `report.html` into the folder `out`: everything that `run` has, and the commands for what it has not.

    The same run and commit give the same bytes.

    Args:
        run: the folder of a run.
        out: a folder; made if missing.
        commit: of the code that makes the page, as `run.commit` gives it.

    Returns:
        The sections of the page.

    Raises:
        UserError: no run, an unreadable file of it, or a folder that cannot be written to.
    """
    if not run.folder.is_dir():
        raise UserError(f"{run.folder}: no such folder; name the folder of a run, such as data, or make one: make run")
    found = sections(run)
    ingest = run.corpus / "ingest.json"
    script = asset("report.js")
    page = (
        environment()
        .get_template("report.html")
        .render(
            title="What went in and what came out",
            sections=found,
            glance=glance(run),
            corpus=_CORPUS[read_json(ingest)["corpus"]] if ingest.exists() else "",
            commit=commit,
            style=asset("report.css"),
            script=script,
            script_digest=_csp_digest(script),
        )
    )
    write_text(out / PAGE, page)
    return found


def stale_text(found: Iterable[Section]) -> list[str]:
    """A line for each result that does not belong to what lies beside it, with the command that renews it."""
    return [str(each) for section in found for each in section.stale]


def missing_text(found: Iterable[Section]) -> list[str]:
    """A line for each section that has nothing to show: what it needs, and the command."""
    return [f"{section.title}: {' `'.join(reversed(section.missing))}`" for section in found if section.missing]


def _csp_digest(script: str) -> str:
    """What a page's policy knows a script by, so that the browser runs this one and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
