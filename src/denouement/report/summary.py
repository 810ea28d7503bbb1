"""The summary of a reproduction, for a terminal and for pull requests: its key tables. The page has all tables."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from denouement.charts.output import save
from denouement.files import write_text
from denouement.legible import printed
from denouement.present import markdown
from denouement.present.sections import Block, Bullets, Chart, Fold, Paragraph, Section
from denouement.report.run_folder import RunFolder
from denouement.report.sections import ReportSection

SUMMARY = "summary.md"

_CORPUS = {
    "sample": "the embedded **sample corpus**, small stories written by rule: good for a look at every part, not for "
    "values to compare with published ones",
    "official": "**the official files** named below",
}


def needed(run: RunFolder) -> list[Path]:
    """The files without which there is no summary; the other files of a run may be missing."""
    return [run.layout.ingest, run.layout.sentiment, run.layout.evaluation, run.layout.study / "results.json"]


def write_summary(run: RunFolder, sections: Sequence[ReportSection], out: Path) -> str:
    """Write `summary.md` into `out`, and beside it its charts as SVG.

    The same run gives the same bytes: no times, no paths outside the working folder.

    Args:
        run: the folder of a run.
        sections: what `sections.report_sections` returned of it.
        out: a folder; made if missing.

    Returns:
        The text of `summary.md`.

    Raises:
        UserError: the corpus is missing, or a folder that cannot be written to.
    """
    intro = (
        f"Story ending generators were trained on {_CORPUS[run.ingest.corpus]}, and wrote endings for the Story "
        "Cloze contexts; the endings of the cases and theirs are compared below. These are the key tables; "
        "`report.html` beside this file has everything, all endings to search, and where each value came from."
    )
    shown: list[Block] = [
        Paragraph(intro),
        *(
            Paragraph(f"**Stale**: {each.what}. Renew it with `{each.renew}`.")
            for part in sections
            for each in part.stale
        ),
        *(Section(part.title, part.what, part.brief) for part in sections if part.brief),
        Section("Where the rest is", "", [Bullets("", list(_places(run)))]),
    ]
    for chart in _charts(shown):
        if not isinstance(chart.picture, str | None):
            save(chart.picture, out / chart.file)
    title = "# What went in and what came out"
    text = printed(markdown.without_html(f"{title}\n\n{markdown.render(shown, charts=True)}\n"))
    write_text(out / SUMMARY, text)
    return text


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
        "what each Story Cloze system chose": [layout.story_cloze],
        "what the stories are like, what gives endings away": [layout.statistics] if layout.statistics.exists() else [],
        "what people answered and why (`results.html`)": [layout.study],
    }
    for what, paths in places.items():
        if paths:
            yield f"{what}: {', '.join(f'`{_shown(path)}`' for path in paths)}"


def _shown(path: Path) -> str:
    """`path` within the working folder, else its name alone: a summary must not show where it was made."""
    absolute, here = path.resolve(), Path.cwd()
    return absolute.relative_to(here).as_posix() if absolute.is_relative_to(here) else path.name
