"""`denouement ingest`. Heavy imports stay inside the command."""

from pathlib import Path

import click

from denouement.cli.options import json_option, keep_arrow_from_pandas, print_result
from denouement.errors import UserError


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the tables to write.")
@click.option("--release", help="Release of cases in files whose names do not say it, such as v1.0.")
@click.option("--language", help="Language of cases in files that do not say it, such as es.  [default: en]")
@click.option("--exclude-overlap", is_flag=True, help="Leave out stories and validation cases that are in a test file.")
@click.option(
    "--validation-share",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.05,
    show_default=True,
    help="Share of the stories held out to measure each epoch on.",
)
@json_option
def ingest(
    files: tuple[Path, ...],
    out: Path,
    release: str | None,
    language: str | None,
    exclude_overlap: bool,
    validation_share: float,
    as_json: bool,
) -> None:
    """Read official ROCStories and Story Cloze files into checked tables, and report which stories are in two of them.

    A FILE is recognised by its header, not by its name; comma- or tab-separated, UTF-8. Cases of XStoryCloze, Possible
    Stories, HellaSwag, SWAG, COPA and ART are read as published, and those of your own as CSV or JSON Lines with
    context, ending_1, ending_2 and so on, and right. The command writes
    stories.parquet, cloze.parquet, rejects.parquet (every row that could not be used, with its file, line and reason)
    and ingest.json.

    --exclude-overlap leaves out stories that are in a Story Cloze file, and validation cases that are in a test file.
    """
    keep_arrow_from_pandas()
    from denouement.corpus.ingest import IngestSettings
    from denouement.corpus.sections import ingest_blocks
    from denouement.schemas import read_table
    from denouement.stages.ingest import IngestPaths, run

    try:
        settings = IngestSettings(release, validation_share, exclude_overlap, language)
    except ValueError as error:  # click takes NaN for a number in the range
        raise UserError(str(error)) from error
    summary = run(settings, IngestPaths(files, out))
    rejects = out / "rejects.parquet"
    print_result(summary, lambda ingested: ingest_blocks(ingested, read_table(rejects, "rejects")), as_json)
