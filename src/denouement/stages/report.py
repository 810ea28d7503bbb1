"""The report for people: the page and the summary of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from denouement import git
from denouement.analysis.endings import SystemEndings
from denouement.errors import UserError
from denouement.layout import Layout
from denouement.report.front import Front, front
from denouement.report.page import PAGE, write_page
from denouement.report.run_folder import RunFolder
from denouement.report.sections import report_sections
from denouement.report.stale import find_stale
from denouement.report.summary import SUMMARY, clear, needed, write_summary


@dataclass(frozen=True)
class ReportSettings:
    """Nothing to set so far."""


@dataclass(frozen=True)
class ReportPaths:
    """What the report reads and writes.

    Attributes:
        layout: the files of the run, any of which may be missing.
        lock: DVC's record; may be missing.
        code: a folder within the project, whose commit the page names.
        out: the folder of the report.
        generators: whose models and endings count; None: those of every file in the folder.
    """

    layout: Layout
    lock: Path
    code: Path
    out: Path
    generators: Sequence[str] | None = None


@dataclass(frozen=True)
class ReportResult:
    """What was written.

    Attributes:
        front: the findings, the systems and the stories that the report begins with.
        titles: of the sections by anchor.
        page: the page.
        summary: the summary; None where the run does not have what it needs.
        repetition: how far the endings of each system repeat themselves.
        stale: a line for each result that does not belong to what is beside it, with the command that renews it.
        missing: a line for each section that has nothing to show: what it needs, and the command.
    """

    front: Front
    titles: Mapping[str, str]
    page: Path
    summary: Path | None
    repetition: Sequence[SystemEndings]
    stale: Sequence[str]
    missing: Sequence[str]


def run(settings: ReportSettings, paths: ReportPaths) -> ReportResult:
    """Write `report.html`, and once data, sentiment, Story Cloze systems and answers are there `summary.md`.

    Raises:
        UserError: no such folder, an unreadable file of it, or a folder that cannot be written to.
    """
    folder = paths.layout.folder
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; name the folder of a run, such as data, or make one: make run")
    read = RunFolder(paths.layout, paths.lock, paths.generators)
    stale = find_stale(read)
    begins, sections = front(read, stale), report_sections(read, stale)
    commit = git.commit(paths.code)
    clear(paths.out)
    write_page(read, begins, sections, paths.out, str(commit) if commit else None)
    complete = all(path.exists() for path in needed(read))
    if complete:
        write_summary(read, begins, sections, paths.out)
    return ReportResult(
        begins,
        {section.anchor: section.title for section in sections},
        paths.out / PAGE,
        paths.out / SUMMARY if complete else None,
        read.repetition,
        [str(each) for section in sections for each in section.stale],
        [f"{part.title}: {part.missing[1]} `{part.missing[0]}`" for part in sections if part.missing],
    )


def logged_values(result: ReportResult) -> dict[str, dict[str, float]]:
    """By system how far its endings repeat themselves."""
    return {
        row.system: {"n": row.n, "distinct_share": row.distinct_share, "mean_words": row.mean_words}
        for row in result.repetition
    }
