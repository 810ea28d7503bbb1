"""`denouement study`: human evaluation. Heavy imports stay inside the commands."""

import os
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.options import named_values
from denouement.cli.study_results import results
from denouement.console import print_json, text_table, warn
from denouement.errors import UserError
from denouement.files import check_output

if TYPE_CHECKING:
    from denouement.study.store import Store

_STORE_URL, _STORE_VARIABLE = "sqlite:///studies.db", "DENOUEMENT_STUDY_STORE"
_STORE = click.option(
    "--store",
    "url",
    default=_STORE_URL,
    show_default=True,
    envvar=_STORE_VARIABLE,
    help="URL of the database: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/NAME.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


@click.group()
def study() -> None:
    """Ask people which ending is better, and why."""


study.add_command(results)


@study.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="STUDY.yaml")
@click.option("--cases", required=True, type=click.Path(path_type=Path), help="Cloze table of the stories.")
@click.option(
    "--endings",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Endings of systems: a table, or CSV with case_id, system, ending; again for each.",
)
@click.option("--dry-run", is_flag=True, help="Check the file and count the items, and write nothing.")
@_STORE
@_JSON
def create(file: Path, cases: Path, endings: tuple[Path, ...], dry_run: bool, url: str, as_json: bool) -> None:
    """Make a study of STUDY.yaml, with its items and links.

    They are added to the store, and the private links of its annotators are printed. All mistakes in the file are
    named at once. What was left out, such as pairs of identical endings, is counted.
    """
    from denouement.provenance import check_contexts
    from denouement.schemas import read_table
    from denouement.study.design.endings import read_endings
    from denouement.study.design.making import make_items
    from denouement.study.design.reading import read_design

    known = read_table(cases, "cloze")
    written = [read_endings(path) for path in endings]
    for path in endings:
        check_contexts(path, known)
    systems = {system for table in written for system in table["system"].unique().to_pylist()}
    design = read_design(file, systems)
    items, counts = make_items(design, known, written)
    if design.entry.links is not None and design.entry.links < design.answers_per_item:
        warn(
            f"{design.entry.links} private links cannot give {design.answers_per_item} answers to each item: raise "
            "entry.links, or make more later with `denouement study links`"
        )
    addresses: list[str] = []
    if not dry_run:
        store = _opened(url)
        store.create(design, items)
        addresses = _link_addresses(design.name, store.links(design.name)) or [f"/s/{design.name}/"]
    summary = {
        "study": design.name,
        "kind": design.kind,
        "counts": counts,
        "answers_wanted": counts["items"] * design.answers_per_item,
        "addresses": addresses,
    }
    if as_json:
        print_json(summary)
        return
    click.echo(
        f"Study {design.name}{' (nothing is written)' if dry_run else ''}: {counts['items']:,} items, "
        f"{design.answers_per_item} answers each, {summary['answers_wanted']:,} in all."
    )
    click.echo(text_table(["counted", "n"], [[_counted(name), f"{n:,}"] for name, n in counts.items()]))
    if addresses:
        click.echo()
        _print_addresses(addresses)


def _counted(name: str) -> str:
    """The words for a count of `make_items`; a system's name stays as it is."""
    what, _, system = name.partition("_")
    return f"mended {system}" if what == "mended" else name.replace("_", " ")


@study.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "--add", type=click.IntRange(1, 10_000), metavar="N", help="Make N more, also while the study runs; print those."
)
@_STORE
@_JSON
def links(name: str, add: int | None, url: str, as_json: bool) -> None:
    """Print a study's private links, or make more."""
    store = _opened(url, make=False)
    tokens = store.add_links(name, add) if add else store.links(name)
    if not tokens:
        raise UserError(f"study {name}: has no private links; everybody comes in by /s/{name}/")
    addresses = _link_addresses(name, tokens)
    print_json({"study": name, "addresses": addresses}) if as_json else _print_addresses(addresses)


def _link_addresses(name: str, tokens: Sequence[str]) -> list[str]:
    return [f"/s/{name}/link/{token}" for token in tokens]


def _print_addresses(addresses: Sequence[str]) -> None:
    click.echo("Addresses, to be put after that of the server (`denouement study serve`):")
    click.echo("\n".join(addresses))


@study.command()
@click.argument("name", required=False, metavar="[STUDY]")
@click.option(
    "--who",
    "ids",
    multiple=True,
    metavar="ID",
    help="Print the annotator's id here of the person with this id, such as a Prolific one; again for each.",
)
@_STORE
@_JSON
def progress(name: str | None, ids: tuple[str, ...], url: str, as_json: bool) -> None:
    """Print how far a study is, and its annotators.

    Without STUDY, the names of the studies. Answers are those to items; answers to checks are counted separately.
    """
    from dataclasses import asdict

    store = _opened(url, make=False)
    if name is None:
        if ids:
            raise UserError("--who: name the study before it")
        names = store.studies()
        print_json({"studies": names}) if as_json else click.echo("\n".join(names) or "no study yet")
        return
    found = store.progress(name)
    if ids:
        _print_who(store, name, ids, {person.annotator_id for person in found.people}, as_json)
        return
    if as_json:
        document = asdict(found)
        for person in document["people"]:
            person["last_seen_at"] = person["last_seen_at"].isoformat()
        print_json(document)
        return
    click.echo(
        f"Study {found.study}: {found.accepted:,} of {found.wanted:,} answers, {found.complete:,} of "
        f"{len(found.items):,} items complete, {found.open:,} being answered; not counted: {found.surplus:,} "
        f"surplus, {found.excluded:,} excluded."
    )
    header = ["annotator", "state", "answers", "checks", "failed", "surplus", "median s", "last seen (UTC)"]
    rows = [
        [
            person.annotator_id,
            person.state.replace("_", " "),
            person.answered,
            person.checks,
            person.checks_failed,
            person.surplus,
            "" if person.median_seconds is None else f"{person.median_seconds:.1f}",
            f"{person.last_seen_at:%Y-%m-%d %H:%M}",
        ]
        for person in found.people
    ]
    if rows:
        click.echo("\n" + text_table(header, rows))


def _print_who(store: "Store", name: str, ids: Sequence[str], came: Container[str], as_json: bool) -> None:
    """Print the annotators' ids of people, and how many of them never came."""
    called = {each: store.annotator_id(name, each) for each in ids}
    known = {each: annotator for each, annotator in called.items() if annotator in came}
    absent = len(called) - len(known)
    if as_json:
        print_json({"annotator_ids": known, "never_came": absent})
        return
    for each, annotator in known.items():
        click.echo(f"{each}: {annotator}")
    if absent:
        click.echo(f"never came to study {name}: {absent} of {len(called)}")


@study.command()
@click.argument("name", metavar="STUDY")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the tables to write.")
@_STORE
@_JSON
def export(name: str, out: Path, url: str, as_json: bool) -> None:
    """Write a study's tables, its items and answers.

    They are items.parquet and, by the kind of the study, votes, ratings or orders.parquet.
    """
    from dataclasses import asdict

    from denouement.study.store.export import export as export_study

    check_output(out / "items.parquet")
    summary = export_study(_opened(url, make=False), name, out)
    if as_json:
        print_json(asdict(summary))
        return
    by_status = ", ".join(f"{count:,} {status}" for status, count in summary.answers.items()) or "none"
    checks = sum(summary.checks.values())
    click.echo(f"Study {name}: answers {by_status}; answers to checks {checks:,}. Tables: {out}")


@study.command()
@_STORE
@click.option("--host", default="127.0.0.1", show_default=True, help="Name or address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free one.")
def serve(url: str, host: str, port: int) -> None:
    """Serve the pages of all studies.

    All that are in the store are served, until Ctrl-C. The token that opens the organiser's pages is read from
    DENOUEMENT_ORGANISER_TOKEN; without it, one is made and printed. docs/study_hosting.md describes how to host a
    study behind TLS.
    """
    import secrets

    from denouement.study.web.app import create_app
    from denouement.study.web.app import serve as serve_app

    given = os.environ.get("DENOUEMENT_ORGANISER_TOKEN", "")
    if given and len(given) < 16:
        raise UserError("DENOUEMENT_ORGANISER_TOKEN: must be 16 characters at least; leave it out to have one made")
    token = given or secrets.token_urlsafe(24)
    store = _opened(url, make=False)

    def started(address: str) -> None:
        for name in store.studies():
            only = " (by private links only, which the organiser's page has)" if store.links(name) else ""
            click.echo(f"{name}: {address}/s/{name}/{only}")
        click.echo(f"organiser: {address}/organiser/" + ("" if given else f" (token: {token})"))

    serve_app(create_app(store, token), host, port, started)


@study.command(name="import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Votes table to write.")
@click.option("--items", type=click.Path(path_type=Path), help="Also write the items: stories and endings.")
@click.option("--rejects", type=click.Path(path_type=Path), help="Also write the rows that could not be used.")
@click.option(
    "--study",
    "name",
    help="Name of the study in the tables.  [default: that of the tool, such as mturk or label_studio]",
)
@click.option(
    "--systems",
    nargs=2,
    default=("h_seq2seq", "human_right"),
    show_default=True,
    metavar="GENERATOR HUMAN",
    help="Names for the two systems where a file says only which ending was generated.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=COLUMN",
    help="Which column has a role that its name does not show, such as system_a=Input.left; again for each.",
)
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="TEXT=ANSWER",
    help="Which answer another text means: 1=A, tie=both; again for each.",
)
@click.option("--participants", type=click.Path(path_type=Path), help="Also write what Prolific says about annotators.")
@click.option("--keep-ids", is_flag=True, help="Keep annotators' ids as they are; else they are hashed.")
@_STORE
@_JSON
def import_(
    files: tuple[Path, ...],
    out: Path,
    items: Path | None,
    rejects: Path | None,
    name: str | None,
    systems: tuple[str, str],
    columns: tuple[str, ...],
    values: tuple[str, ...],
    participants: Path | None,
    keep_ids: bool,
    url: str,
    as_json: bool,
) -> None:
    """Read answers that were collected elsewhere.

    FILE is recognised by its content and not by its name: Mechanical Turk batch results, JSON of Label Studio, Argilla
    and Potato, the published answers of Mori et al. 2019 (qualitative_evaluation_results.csv), or our own export; with
    them Prolific's demographic export. Rejected answers are kept but not counted. The order of the files does not
    matter.

    The store is read for Prolific's export alone, to find the participants of our own studies.
    """
    outputs = [output for output in (out, items, rejects, participants) if output]
    for output in outputs:
        check_output(output, files)
    if len({output.resolve() for output in outputs}) < len(outputs):
        raise UserError("--out, --items, --rejects and --participants: must be different files")
    from dataclasses import asdict

    from denouement.schemas import write_table
    from denouement.study.importing import import_answers, imported_text

    found = import_answers(
        files,
        study=name,
        systems=systems,
        columns=named_values("--column", columns, "system_a=Input.left"),
        values=named_values("--value", values, "1=A", last_sign=True),
        keep_ids=keep_ids,
        ids_of=_ids_of(url),
    )
    listed = ", ".join(map(str, files))
    if items and "items" not in found.tables:
        raise UserError(f"{listed}: no stories and endings in it; leave --items out")
    if participants and "participants" not in found.tables:
        raise UserError(f"{listed}: no demographic export of Prolific; leave --participants out")
    if {"ratings", "orders"} & set(found.tables):
        raise UserError(f"{listed}: tables of ratings and orders need no import; give them to denouement study results")
    write_table(found.tables["votes"], out, "votes", found.metadata)
    for path, table in ((items, "items"), (participants, "participants")):
        if path:
            write_table(found.tables[table], path, table)
    if rejects:
        write_table(found.rejects, rejects, "rejects")
    document = {
        "files": found.kinds,
        "taken": found.taken,
        "passed_over": found.passed_over,
        "counts": found.counts,
        "conflicts": [asdict(conflict) for conflict in found.conflicts],
        "notes": found.notes,
        "rejects": found.rejects.to_pylist(),
    }
    print_json(document) if as_json else click.echo(imported_text(found))


def _ids_of(url: str) -> Callable[[str, str], list[str]]:
    """What tells the ids that a person may have in a study of the store; none where there is no store by default."""
    store: list[Store] = []

    def ids(name: str, external_id: str) -> list[str]:
        if not store:
            try:
                store.append(_opened(url, make=False))
            except UserError:
                if url != _STORE_URL:
                    raise
                return []
        try:
            return [store[0].annotator_id(name, external_id)]
        except UserError:  # another study, or no id that anyone could come in with
            return []

    return ids


def _opened(url: str, make: bool = True) -> "Store":
    """The store, closed when the command ends: SQLite then has all of it in its one file."""
    from denouement.study.store import open_store

    store = open_store(url, make)
    click.get_current_context().call_on_close(store.close)
    return store
