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

    What has not been run is named with the command that runs it, and so is what was made from other files than those
    that lie beside it now, which is marked as stale. summary.md, the short version, is written beside it
    once data, sentiment, Story Cloze systems and human evaluation are there.
    """
    from denouement.report.html.page import PAGE, missing_text, stale_text, write_page
    from denouement.report.run import Run, commit
    from denouement.report.summary import SUMMARY, write_summary

    run = Run(data, lock)
    found = write_page(run, out, commit(data))
    click.echo(f"report: {out / PAGE}")
    study = run.study / "results.json"
    if all(path.exists() for path in (run.corpus / "ingest.json", run.sentiment, run.story_cloze, study)):
        write_summary(run, out)
        click.echo(f"the short version: {out / SUMMARY}")
    for line in stale_text(found):
        warn(line)
    for line in missing_text(found):
        click.echo(f"not run: {line}")
