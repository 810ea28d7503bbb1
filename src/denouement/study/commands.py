"""`denouement study`: human evaluation. Heavy imports stay inside the commands."""

from pathlib import Path

import click

_STORE = click.option(
    "--store",
    "url",
    default="sqlite:///studies.db",
    show_default=True,
    envvar="DENOUEMENT_STUDY_STORE",
    help="URL of the database: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/NAME.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


@click.group()
def study() -> None:
    """Ask people which ending is better, and why."""


@study.command()
@_STORE
def serve(url: str) -> None:
    """Serve the pages of the studies in the store."""
    raise NotImplementedError


@study.command(name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Votes table to write.")
@_JSON
def import_(file: Path, out: Path, as_json: bool) -> None:
    """Read answers that were collected elsewhere into a votes table."""
    raise NotImplementedError


@study.command()
@click.argument("votes", type=click.Path(path_type=Path))
@_JSON
def results(votes: Path, as_json: bool) -> None:
    """Print what came out: agreement, tests and tables."""
    raise NotImplementedError
