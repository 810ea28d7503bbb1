"""The `denouement` command: a thin shell over the library.

Heavy imports stay inside the commands, so that `denouement --help` answers at once.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from denouement.errors import UserError


class _Commands(click.Group):
    """Prints a UserError as one line on standard error and exits with status 2, as click does for its own."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(2)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="denouement")
def main() -> None:
    """Train story ending generators, compare endings, and measure scores against people."""


def _json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


def _print_json(document: object) -> None:
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


@main.command()
@click.argument("tables", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TABLE...")
@click.option("--out", type=click.Path(path_type=Path), help="Also write every text's scores to this Parquet file.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes at most.  [default: one a core]")
@_json_option
def sentiment(tables: tuple[Path, ...], out: Path | None, workers: int | None, as_json: bool) -> None:
    """Measure the sentiment of endings with VADER: Mori et al. 2019, Table 4, a row a group.

    TABLE is a cloze table (right and wrong endings), a stories table (last sentences) or an endings table (a group a
    system), in any number and order.
    """
    from denouement.analysis.sentiment import right_against_wrong, score_groups, sentiment_table
    from denouement.report.tables import sentiment_text
    from denouement.schemas import table_name, write_table

    paths: dict[str, list[Path]] = {"stories": [], "cloze": [], "endings": []}
    for path in tables:
        if not path.is_file():
            raise UserError(f"{path}: {'a folder' if path.is_dir() else 'no such file'}; name a Parquet table")
        kind = table_name(path)
        if kind not in paths:
            raise UserError(f"{path}: not a table of cloze cases, stories or endings; `denouement ingest` makes them")
        paths[kind].append(path)
    for kind in ("stories", "cloze"):
        if len(paths[kind]) > 1:
            raise UserError(f"{paths[kind][1]}: a second {kind} table; ingest the files of both into one")
    scores = score_groups(
        next(iter(paths["stories"]), None), next(iter(paths["cloze"]), None), paths["endings"], workers
    )
    if not scores.num_rows:
        raise UserError(f"{', '.join(map(str, tables))}: no ending to measure")
    rows, comparison = sentiment_table(scores), right_against_wrong(scores)
    if out:
        write_table(scores, out, "sentiment")
    if as_json:
        _print_json({"groups": rows, "right_against_wrong": comparison})
    else:
        click.echo(sentiment_text(rows, comparison))
