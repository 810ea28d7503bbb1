"""`denouement report`: everything that a run has, as one page. Heavy imports stay inside the command."""

from pathlib import Path

import click

from denouement.console import warn


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to write the report to.")
@click.option(
    "--data",
    default=Path("data"),
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder of the run, laid out as `make run` does it.",
)
@click.option(
    "--lock",
    default=Path("dvc.lock"),
    show_default=True,
    type=click.Path(path_type=Path),
    help="DVC's record of the commands and parameters that made the files.",
)
def report(out: Path, data: Path, lock: Path) -> None:
    """Write everything that a run has as one page, report.html, that opens from disk without a network.

    Where a part has not been run, the page names the command that runs it. A result that was made from other files
    than those beside it now is marked as stale, with the command that renews it. The short version, summary.md, is
    written beside the page once data, sentiment, Story Cloze systems and human evaluation are there. What both begin
    with is printed: the findings, a table of systems, three stories.
    """
    from denouement.layout import Layout
    from denouement.present.sections import Section
    from denouement.present.terminal import show
    from denouement.report.front import front_blocks
    from denouement.report.summary import STORIES
    from denouement.stages.report import ReportPaths, ReportSettings, run

    written = run(ReportSettings(), ReportPaths(Layout(data), lock, data, out))
    show([Section(written.front.title, "", front_blocks(written.front, written.titles, STORIES))], level=1)
    click.echo(f"\nreport: {written.page}")
    if written.summary:
        click.echo(f"the short version: {written.summary}")
    for line in written.stale:
        warn(line)
    for line in written.missing:
        click.echo(f"not run: {line}")
