"""The summary of a reproduction, for a terminal and for pull requests: its key tables. The page has all tables."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from denouement.charts.output import save
from denouement.files import write_text
from denouement.legible import printed
from denouement.present import markdown
from denouement.present.sections import Block, Bullets, Chart, Fold, Paragraph, Section
from denouement.report.front import PROJECT, Front, front_blocks
from denouement.report.run_folder import RunFolder
from denouement.report.sections import ReportSection

SUMMARY = "summary.md"

STORIES = 3
"""How many stories the summary shows."""

_TITLES = (f"# {PROJECT}: ", "# What went in and what came out\n")  # by which summaries, also earlier ones, are known
_SAMPLE = (
    "The stories are of the embedded **sample corpus**, small stories written by rule: good for a look at every part, "
    "not for values to compare with published ones."
)


def needed(run: RunFolder) -> list[Path]:
    """The files without which there is no summary; the other files of a run may be missing."""
    return [run.layout.ingest, run.layout.sentiment, run.layout.evaluation, run.layout.study / "results.json"]


def write_summary(run: RunFolder, begins: Front, sections: Sequence[ReportSection], out: Path) -> str:
    """Write `summary.md` into `out`, and beside it its charts as SVG.

    The same files of a run give the same bytes: no times, no paths outside the working folder.

    Args:
        run: the folder of a run.
        begins: what `front.front` returned of it.
        sections: what `sections.report_sections` returned of it.
        out: a folder; made if missing.

    Returns:
        The text of `summary.md`.

    Raises:
        UserError: the corpus is missing, or a folder that cannot be written to.
    """
    rest = "`report.html` beside this file has everything, all endings to search, and where each value came from."
    shown: list[Block] = [
        *([Paragraph(_SAMPLE)] if run.ingest.corpus == "sample" else []),
        *stale_blocks(sections),
        *front_blocks(begins, {part.anchor: part.title for part in sections}, STORIES),
        *(Section(part.title, part.what, part.brief) for part in sections if part.brief),
        Section("Where the rest is", "", [Paragraph(rest), Bullets("", list(_places(run)))]),
    ]
    for chart in _charts(shown):
        if not isinstance(chart.picture, str | None):
            save(chart.picture, out / chart.file)
    text = printed(markdown.without_html(f"# {begins.title}\n\n{markdown.render(shown, charts=True)}\n"))
    write_text(out / SUMMARY, text)
    return text


def stale_blocks(sections: Sequence[ReportSection]) -> list[Block]:
    """A paragraph for each stale result, with the command that renews it."""
    return [
        Paragraph(f"**Stale**: {each.what}. Renew it with `{each.renew}`.") for part in sections for each in part.stale
    ]


def clear(out: Path) -> None:
    """Remove the summary of an earlier report from the folder `out`, and the charts that it shows.

    A file of this name that is no summary of this project stays.
    """
    path = out / SUMMARY
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    if text.startswith(_TITLES):
        for name in re.findall(r"(?m)^!\[.*\]\((\w+\.svg)\)$", text):
            (out / name).unlink(missing_ok=True)
        path.unlink()


def _charts(blocks: Iterable[Block]) -> Iterator[Chart]:
    for block in blocks:
        if isinstance(block, Chart):
            yield block
        elif isinstance(block, Section | Fold):
            yield from _charts(block.blocks)


def _places(run: RunFolder) -> Iterator[str]:
    layout = run.layout
    places = {
        "all stories and cases as tables": [layout.corpus],
        "all endings": run.endings,
        "the sentiment of each ending": [layout.sentiment],
        "automatic scores of each ending": [layout.scores] if layout.scores.exists() else [],
        "what each Story Cloze system chose": [layout.story_cloze],
        "what the stories are like, what gives endings away": [layout.statistics] if layout.statistics.exists() else [],
        "what people answered and why (`results.html`)": [layout.study] if run.has_votes or run.scales else [],
    }
    for what, paths in places.items():
        if paths:
            yield f"{what}: {', '.join(f'`{_shown(path)}`' for path in paths)}"


def _shown(path: Path) -> str:
    """`path` within the working folder, else its name alone: a summary must not show where it was made."""
    absolute, here = path.resolve(), Path.cwd()
    return absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else path.name
