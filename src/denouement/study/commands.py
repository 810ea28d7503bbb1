"""`denouement study`: human evaluation. Heavy imports stay inside the commands."""

from pathlib import Path

import click

from denouement.console import print_json
from denouement.errors import UserError
from denouement.files import check_output

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
@click.option("--host", default="127.0.0.1", show_default=True, help="Name or address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free one.")
def serve(url: str, host: str, port: int) -> None:
    """Serve the pages of all studies in the store, until Ctrl-C.

    The token that opens the organiser's pages is read from DENOUEMENT_ORGANISER_TOKEN; without it, one is made and
    printed. docs/study_hosting.md tells how to host a study behind TLS.
    """
    import os
    import secrets

    from denouement.study.store import open_store
    from denouement.study.web.app import create_app
    from denouement.study.web.app import serve as serve_app

    given = os.environ.get("DENOUEMENT_ORGANISER_TOKEN", "")
    if given and len(given) < 16:
        raise UserError("DENOUEMENT_ORGANISER_TOKEN: must be 16 characters at least; leave it out to have one made")
    token = given or secrets.token_urlsafe(24)
    store = open_store(url, make=False)

    def started(address: str) -> None:
        for name in store.studies():
            click.echo(f"{name}: {address}/s/{name}/")
        click.echo(f"organiser: {address}/organiser/" + ("" if given else f" (token: {token})"))

    try:
        serve_app(create_app(store, token), host, port, started)
    finally:
        store.close()


@study.command(name="import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Votes table to write.")
@click.option("--items", type=click.Path(path_type=Path), help="Also write the items: stories and endings.")
@click.option("--rejects", type=click.Path(path_type=Path), help="Also write the rows that could not be used.")
@click.option("--study", "name", help="Name of the study in the tables.  [default: mturk or mori_2019]")
@click.option(
    "--systems",
    nargs=2,
    default=("h_seq2seq", "human_right"),
    show_default=True,
    metavar="GENERATOR HUMAN",
    help="Names for the two systems where a file tells only which ending is the generated one.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=COLUMN",
    help="Of a Mechanical Turk batch, such as system_a=Input.left; again for each.",
)
@click.option("--keep-ids", is_flag=True, help="Keep worker ids as they are; else they are hashed.")
@_JSON
def import_(
    files: tuple[Path, ...],
    out: Path,
    items: Path | None,
    rejects: Path | None,
    name: str | None,
    systems: tuple[str, str],
    columns: tuple[str, ...],
    keep_ids: bool,
    as_json: bool,
) -> None:
    """Read answers that were collected elsewhere into a votes table.

    FILE is known by its header, whatever its name: Mechanical Turk batch results, the published answers of Mori et al.
    2019 (qualitative_evaluation_results.csv), or our own export. Answers that the requester rejected on Mechanical Turk
    keep the status rejected and count nowhere.
    """
    for output in filter(None, (out, items, rejects)):
        check_output(output, files)
    from denouement.schemas import write_table
    from denouement.study.importing import import_answers, imported_text

    roles = dict(_role_and_column(word) for word in columns)
    found = import_answers(files, study=name, systems=systems, columns=roles, keep_ids=keep_ids)
    if items and "items" not in found.tables:
        raise UserError(f"{', '.join(map(str, files))}: no stories and endings in it; leave --items out")
    write_table(found.tables["votes"], out, "votes")
    if items:
        write_table(found.tables["items"], items, "items")
    if rejects:
        write_table(found.rejects, rejects, "rejects")
    document = {"files": found.kinds, "counts": found.counts, "rejects": found.rejects.to_pylist()}
    print_json(document) if as_json else click.echo(imported_text(found))


def _role_and_column(word: str) -> tuple[str, str]:
    role, sign, column = word.partition("=")
    if not (role and sign and column):
        raise UserError(f"--column {word}: must be like system_a=Input.left")
    return role, column


@study.command()
@click.argument("votes", type=click.Path(path_type=Path))
@click.option("--items", type=click.Path(path_type=Path), help="Items table: stories and endings, checks' answers.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for all tables, as Parquet and as a page.")
@click.option("--reasons", "with_reasons", is_flag=True, help="Also print Table 3: stories, endings, all reasons.")
@_JSON
def results(votes: Path, items: Path | None, out: Path | None, with_reasons: bool, as_json: bool) -> None:
    """Print what came out: agreement, tests and tables (Mori et al. 2019, Tables 2 and 3).

    --out writes results.html, results.json, and as Parquet pairs, agreements, strengths, annotators and table_3.
    """
    if with_reasons and not items:
        raise UserError("--reasons: stories and endings stand in the items table; give it with --items")
    from denouement.schemas import read_table
    from denouement.study.output import write_results
    from denouement.study.results import count, study_results, table_3
    from denouement.study.tables import results_text, table_3_text

    answers = read_table(votes, "votes")
    shown = read_table(items, "items") if items else None
    found = write_results(out, answers, shown) if out else study_results(answers, shown)
    if as_json:
        print_json(found)
        return
    click.echo(results_text(found))
    if with_reasons and shown is not None:
        click.echo(f"\n## Table 3: stories, endings and reasons\n\n{table_3_text(table_3(count(answers), shown))}")
    if out:
        click.echo(f"\nTables and the page results.html: {out}")
