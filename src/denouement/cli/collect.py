"""`denouement collect`: collections in the store, and steps of a collection, each alone on files.

Heavy imports stay inside the commands.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli import collect_store, study_life
from denouement.cli.options import json_option, print_result
from denouement.cli.study_serve import serve
from denouement.cli.study_store import is_study, mistakes_as_lines, opened_collections, store_option
from denouement.console import warn
from denouement.errors import UserError
from denouement.files import check_output

if TYPE_CHECKING:  # heavy
    import pyarrow as pa

    from denouement.collect.description import Collection
    from denouement.collect.exported import CollectedWork
    from denouement.collect.store import CollectionStore
    from denouement.collect.watching import EndingWatch, WatchRules

_collection_option = click.option(
    "--collection",
    "described",
    type=click.Path(path_type=Path),
    help="COLLECTION.yaml, whose rules apply.  [default: those of v1.0]",
)
_cache_option = click.option(
    "--cache", type=click.Path(path_type=Path), help="Folder that keeps parses and earlier looks."
)
_accuracy_option = click.option(
    "--max-accuracy",
    type=click.FloatRange(0.5, 1),
    help="Alarm when a model that sees only endings is right more often.  [default: as the collection says, else 0.65]",
)


@click.group()
@click.pass_context
def collect(context: click.Context) -> None:
    """Collect stories and Story Cloze cases: ask people for them, check, filter and export them."""
    context.obj = "collection"


for command in (*collect_store.COMMANDS, serve, *study_life.OF_BOTH):
    collect.add_command(command)


@collect.command()
@click.argument("what", metavar="NAME|FILE")
@_collection_option
@_cache_option
@_accuracy_option
@click.option("--picture", type=click.Path(path_type=Path), help="SVG or PNG file of the curve to write.")
@store_option
@json_option
def check(
    what: str,
    described: Path | None,
    cache: Path | None,
    max_accuracy: float | None,
    picture: Path | None,
    url: str,
    as_json: bool,
) -> None:
    """Check texts of a collection, and what endings give away.

    Of NAME, a collection of the store, the endings that came in so far are checked. FILE has stories or pairs of
    endings, in the order in which they came in: CSV, a table of a collection, an official file, or a table of stories
    or cloze cases. Each text is checked as it would be when it is handed in. From 100 pairs of endings on a model that
    never sees the story is asked which one is right.

    Exit status 1: a text would be refused, or the model is right too often.
    """
    from denouement.collect.checking import check_pairs, check_stories
    from denouement.collect.sections import checked_blocks
    from denouement.collect.work import read_work

    if picture and picture.suffix not in (".svg", ".png"):
        raise UserError(f"{picture}: must end with .svg or .png")
    for path in filter(None, [picture, cache / "file" if cache else None]):
        check_output(path, [Path(what)])
    kind: str
    if is_study(what):
        collection, table = _endings_of(what, described, url)
        kind = "collected_endings"
    else:
        collection = _collection(described)
        kind, table = read_work(Path(what), ["collected_stories", "collected_endings"])
    if kind == "collected_stories":
        if picture:
            raise UserError("--picture: is of endings, and the file holds stories")
        found = check_stories(table, collection)
    else:
        found = check_pairs(table, collection, cache, _rules(collection, max_accuracy))
    if picture and found.watch:
        _save_picture(found.watch, picture)
    print_result(found, checked_blocks, as_json)
    for sentence in found.watch.alarms if found.watch else ():
        click.echo(f"exceeded: {sentence}", err=True)
    if found.is_alarm:
        sys.exit(1)


def _save_picture(watched: "EndingWatch", path: Path) -> None:
    from denouement.charts.output import save
    from denouement.collect.sections import picture_of

    figure = picture_of(watched)
    if figure is None:
        raise UserError(f"--picture: there is nothing to draw ({watched.missing})")
    save(figure, path)


@collect.command(name="filter")
@click.argument("endings", type=click.Path(path_type=Path))
@click.argument("answers", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Parquet file to write.")
@click.option("--earlier", type=click.Path(path_type=Path), help="What this command wrote before: keep its splits.")
@_collection_option
@json_option
def filter_(
    endings: Path, answers: Path, out: Path, earlier: Path | None, described: Path | None, as_json: bool
) -> None:
    """Keep the pairs of endings that verifiers confirm, and divide them into validation and test.

    ENDINGS has the pairs (case_id, story_id, sentence1 to sentence4, right, wrong, writer, story_writer), ANSWERS what
    verifiers said (case_id, ending: right or wrong, verifier, answer), as CSV or as tables of a collection.
    """
    from denouement.collect.exporting import filter_rules
    from denouement.collect.filtering import filter_cases
    from denouement.collect.sections import filter_blocks
    from denouement.collect.work import read_work
    from denouement.schemas import read_table, write_table

    check_output(out, [endings, answers])
    rules = filter_rules(_collection(described))
    _, pairs = read_work(endings, ["collected_endings"])
    _, verifications = read_work(answers, ["verifications"])
    before = read_table(earlier, "filtered_cases") if earlier else None
    filtered, summary = filter_cases(pairs, verifications, rules, before)
    write_table(filtered, out, "filtered_cases")
    print_result(summary, filter_blocks, as_json)


@collect.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--stories", type=click.Path(path_type=Path), help="Stories of the collection.")
@click.option("--endings", type=click.Path(path_type=Path), help="Pairs of endings.")
@click.option("--answers", type=click.Path(path_type=Path), help="What verifiers said of these.")
@click.option("--collection", "described", type=click.Path(path_type=Path), help="COLLECTION.yaml, whose rules apply.")
@click.option("--release", help="Name of the release, such as kitchen-2026.  [default: that of the collection]")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to write to.")
@_cache_option
@_accuracy_option
@store_option
@json_option
def export(
    name: str | None,
    stories: Path | None,
    endings: Path | None,
    answers: Path | None,
    described: Path | None,
    release: str | None,
    out: Path,
    cache: Path | None,
    max_accuracy: float | None,
    url: str,
    as_json: bool,
) -> None:
    """Write a collection as a corpus that `denouement ingest` and `make run CORPUS=OUT/public` read.

    NAME is a collection of the store; without it, files have the work. Nothing but what counts so far is exported.

    OUT/public has files in the official layout, tables and a datasheet, OUT/blind the test cases without labels; both
    say nowhere who wrote what. OUT/private has the rest. A later export to the same folder keeps ids, splits and sides.
    """
    from dataclasses import replace

    from denouement.collect.exporting import export as export_work
    from denouement.collect.sections import export_blocks

    if name:
        if any((stories, endings, answers, described)):
            raise UserError("export: name either a collection of the store, or files with --stories, --endings ...")
        store = opened_collections(url, make=False)
        digest = store.work_digest(name)
        collection, work = store.collection(name), store.collected(name)
    else:
        if not (release or described):
            raise UserError("--release: is missing: name the release, or give --collection")
        collection, work = _collection(described), _work_in(stories, endings, answers)
    if release:
        collection = replace(collection, release=release)
    found = export_work(work, collection, out, cache, _rules(collection, max_accuracy))
    if name:
        _note_export(store, name, digest)
    print_result(found, export_blocks, as_json)


def _work_in(stories: Path | None, endings: Path | None, answers: Path | None) -> "CollectedWork":
    from denouement.collect.exported import CollectedWork
    from denouement.collect.work import read_work

    return CollectedWork(
        stories=read_work(stories, ["collected_stories"])[1] if stories else None,
        endings=read_work(endings, ["collected_endings"])[1] if endings else None,
        verifications=read_work(answers, ["verifications"])[1] if answers else None,
    )


def _note_export(store: "CollectionStore", name: str, digest: str) -> None:
    """Keep in the store that its work was exported, so that it may be deleted later."""
    if store.is_read_only:
        warn("the store can only be read, so that this export is not noted in it")
    else:
        store.collection_exported(name, digest)


def _endings_of(name: str, described: Path | None, url: str) -> "tuple[Collection, pa.Table]":
    """A collection of the store, and its pairs of endings so far."""
    if described:
        raise UserError(f"--collection: is for files; {name} has the rules with which it was made")
    store = opened_collections(url, make=False)
    endings = store.collected(name).endings
    if endings is None:
        raise UserError(f"collection {name}: has no endings to check")
    return store.collection(name), endings


def _collection(path: Path | None) -> "Collection":
    from denouement.collect.description import Collection, read_collection

    with mistakes_as_lines():
        return read_collection(path) if path else Collection()


def _rules(collection: "Collection", max_accuracy: float | None) -> "WatchRules":
    from denouement.collect.watching import WatchRules, watch_rules

    return watch_rules(collection) if max_accuracy is None else WatchRules(max_accuracy)
