"""`denouement sentiment`. Heavy imports stay inside the command."""

from pathlib import Path

import click

from denouement.cli.options import json_option, print_result
from denouement.errors import UserError
from denouement.files import check_output, existing_file


@click.command()
@click.argument("tables", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TABLE...")
@click.option("--out", type=click.Path(path_type=Path), help="Also write every text's scores to this Parquet file.")
@click.option("--workers", type=click.IntRange(min=1), help="Most processes at a time.  [default: one for each core]")
@json_option
def sentiment(tables: tuple[Path, ...], out: Path | None, workers: int | None, as_json: bool) -> None:
    """Measure the sentiment of endings with VADER: Mori et al. 2019, Table 4, a row for each group.

    TABLE is a cloze table (right and wrong endings), a stories table (last sentences) or an endings table (a group for
    each system), in any number and order.
    """
    from denouement.analysis.sections.sentiment import sentiment_blocks
    from denouement.schemas import table_name
    from denouement.stages.sentiment import SentimentPaths, SentimentSettings, run

    paths: dict[str, list[Path]] = {"stories": [], "cloze": [], "endings": []}
    if out:
        check_output(out, tables)
    for path in tables:
        kind = table_name(existing_file(path))
        if kind not in paths:
            raise UserError(f"{path}: not a table of cloze cases, stories or endings; `denouement ingest` makes them")
        paths[kind].append(path)
    for kind in ("stories", "cloze"):
        if len(paths[kind]) > 1:
            raise UserError(f"{paths[kind][1]}: a second {kind} table; ingest the files of both into one")
    stories, cloze = (next(iter(paths[kind]), None) for kind in ("stories", "cloze"))
    result = run(SentimentSettings(workers), SentimentPaths(stories, cloze, paths["endings"], out))
    print_result(result, sentiment_blocks, as_json)
