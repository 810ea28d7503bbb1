"""The commands for a study that is in the store: its life, its people, its log. Some are also those of collections."""

import os
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.options import json_option, print_result
from denouement.cli.study_rules import exclude_by_rules, fast_option
from denouement.cli.study_store import kind, opened_collections, opened_store, store_of, store_option
from denouement.errors import UserError

if TYPE_CHECKING:  # heavy
    from denouement.present.sections import Block
    from denouement.study.importing.prolific_leavers import ReleasedLeavers
    from denouement.study.store import Released, StudyLog, StudyState

study_argument = click.argument("name", metavar="STUDY")
campaign_argument = click.argument("name", metavar="NAME")
person_argument = click.argument("annotator", metavar="PERSON")


@dataclass(frozen=True)
class Changed:
    """What a command did to a study.

    Attributes:
        what: one sentence.
        counts: numbers that came of it, by name.
    """

    study: str
    what: str
    counts: dict[str, int]


def _changed(study: str, what: str, as_json: bool, **counts: int) -> None:
    from denouement.present.sections import Paragraph

    print_result(Changed(study, what, counts), lambda made: [Paragraph(made.what)], as_json)


@click.command()
@study_argument
@store_option
@json_option
def pause(name: str, url: str, as_json: bool) -> None:
    """Give nobody a new question until `reopen`.

    Who holds a question may still answer it. People who come see that the study is paused.
    """
    _set_state(name, "paused", "is paused", url, as_json)


@click.command()
@study_argument
@store_option
@json_option
def close(name: str, url: str, as_json: bool) -> None:
    """End a study: nobody comes in, and nobody gets a new question.

    Who holds a question may still answer it until its lease ends.
    """
    _set_state(name, "closed", "is closed", url, as_json)


@click.command()
@study_argument
@store_option
@json_option
def reopen(name: str, url: str, as_json: bool) -> None:
    """Open a paused or closed study again."""
    _set_state(name, "open", "is open again", url, as_json)


def _set_state(name: str, state: "StudyState", what: str, url: str, as_json: bool) -> None:
    opened_store(url, make=False).set_state(name, state)
    _changed(name, f"Study {name} {what}.", as_json)


@click.command()
@study_argument
@click.option("--title", help="The title of the pages.")
@click.option("--contact", help="Whom annotators may write to; empty for nobody.")
@click.option("--max-items", type=click.IntRange(1), metavar="N", help="The most questions a person, checks included.")
@store_option
@json_option
def edit(name: str, title: str | None, contact: str | None, max_items: int | None, url: str, as_json: bool) -> None:
    """Change what may change while a study runs. Its questions and items never do."""
    if (title, contact, max_items) == (None, None, None):
        raise UserError("nothing to change: name --title, --contact or --max-items")
    opened_store(url, make=False).edit(name, title, contact, max_items)
    _changed(name, f"Study {name} is changed.", as_json)


@click.command("copy")
@study_argument
@click.argument("new", metavar="NEW_NAME")
@store_option
@json_option
def copy_(name: str, new: str, url: str, as_json: bool) -> None:
    """Make a study of the same design and items under NEW_NAME.

    It has no answers, and links and ids of its own.
    """
    opened_store(url, make=False).copy(name, new)
    _changed(new, f"Study {new} is a copy of {name}, without its answers.", as_json)


@click.command()
@campaign_argument
@click.option("--confirm", metavar="NAME", help="The name again; without it, it is asked for.")
@click.option("--without-export", is_flag=True, help="Delete what is in no export, too.")
@store_option
@json_option
def delete(name: str, confirm: str | None, without_export: bool, url: str, as_json: bool) -> None:
    """Delete what is closed, with all that the store has of it.

    What people answered or wrote must have been exported since the last of it, unless --without-export says that it may
    be lost.
    """
    store = store_of(name, url)
    store.state(name)  # an unknown name is refused before it is asked for again
    if (confirm or click.prompt(f"Type {name} to delete the {kind()}", err=True)) != name:
        raise UserError(f"{kind()} {name}: not deleted, since another name was typed")
    store.delete(name, without_export)
    _changed(name, f"{kind().capitalize()} {name} is deleted.", as_json)


@click.command()
@campaign_argument
@click.option("--annotator", metavar="ID", help="Of this person, by the id in the tables.")
@click.option("--item", metavar="ID", help="Of this item of a study.")
@click.option("--idle", type=float, metavar="MINUTES", help="Of people who did nothing for so long.")
@click.option(
    "--prolific",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Of people who returned their submission or timed out, by Prolific's demographic export.",
)
@click.option("--prolific-api", "study_id", metavar="STUDY_ID", help="The same by Prolific's API, with PROLIFIC_TOKEN.")
@store_option
@json_option
def release(
    name: str,
    annotator: str | None,
    item: str | None,
    idle: float | None,
    prolific: Path | None,
    study_id: str | None,
    url: str,
    as_json: bool,
) -> None:
    """Give what people hold and left to others.

    Who comes back gets it again, if it is still free.
    """
    if item is not None and kind() != "study":
        raise UserError("--item: is of studies; name --annotator or --idle")
    if idle is not None and not 0 <= idle <= _MOST_MINUTES:
        raise UserError(f"--idle: must be minutes from 0 to {_MOST_MINUTES:,}, not {idle}")
    own, reported = (annotator, item, idle), (prolific, study_id)
    if all(each is None for each in (*own, *reported)):
        raise UserError("release: name --annotator, --item, --idle, --prolific or --prolific-api")
    if any(each is not None for each in reported):
        if sum(each is not None for each in (*own, *reported)) > 1:
            raise UserError("release: name --prolific or --prolific-api alone")
        _release_reported(name, prolific, study_id, url, as_json)
        return
    minutes = None if idle is None else timedelta(minutes=idle)
    released = store_of(name, url).release(name, annotator, item, minutes)
    print_result(released, _released_blocks, as_json)


_MOST_MINUTES = 1_000_000  # two years; NaN is not below it


def _release_reported(name: str, file: Path | None, study_id: str | None, url: str, as_json: bool) -> None:
    """Release what people hold of whom Prolific's export or API says that they left."""
    from denouement.study.importing.prolific_api import API_URL, submissions
    from denouement.study.importing.prolific_leavers import release_leavers, submissions_of

    store = store_of(name, url)
    store.state(name)  # an unknown name is refused before Prolific is asked
    if file is not None:
        found, unusable = submissions_of(file)
    else:
        token = os.environ.get("PROLIFIC_TOKEN", "")
        if not token:
            raise UserError("--prolific-api: set PROLIFIC_TOKEN to a token of your account on Prolific")
        found, unusable = submissions(study_id or "", token, os.environ.get("PROLIFIC_API_URL") or API_URL), 0
    print_result(release_leavers(store, name, found, unusable), _reported_blocks, as_json)


def _reported_blocks(released: "ReleasedLeavers") -> "list[Block]":
    from denouement.present.sections import Paragraph

    n = len(released.people)
    texts = [
        f"Prolific: {released.left:,} of {released.participants:,} participants returned their submission or timed "
        f"out; {released.came:,} of them came to {kind()} {released.study}.",
        f"{n:,} {'item is' if n == 1 else 'items are'} released{', of ' + ', '.join(released.people) if n else ''}.",
    ]
    if released.unusable:
        texts.append(f"{released.unusable:,} rows of the file are no submission.")
    return [Paragraph(" ".join(texts))]


def _released_blocks(released: "Released") -> "list[Block]":
    from denouement.present.sections import Paragraph

    n = len(released.people)
    who = f", of {', '.join(released.people)}" if n else ""
    return [
        Paragraph(
            f"{kind().capitalize()} {released.study}: {n:,} {'item is' if n == 1 else 'items are'} released{who}."
        )
    ]


@click.command()
@campaign_argument
@click.argument("annotator", metavar="[PERSON]", required=False)
@click.option("--reason", default="", help="Why, for the log and the organiser's page.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="In place of PERSON, in a study: all for whom this holds, such as failed_checks>1; may be repeated.",
)
@click.option("--yes", is_flag=True, help="Exclude those for whom a rule holds; without it they are listed.")
@fast_option
@store_option
@json_option
def exclude(
    name: str,
    annotator: str | None,
    reason: str,
    rules: tuple[str, ...],
    yes: bool,
    fast: float,
    url: str,
    as_json: bool,
) -> None:
    """Exclude a person, or all for whom a rule holds.

    PERSON is the id in the tables. What they answered or wrote stays, does not count, and is asked of others; `readmit`
    undoes it. With --rule people are only listed, and excluded with --yes: the rule is then the reason.
    """
    if rules and kind() != "study":
        raise UserError("--rule: is of studies; name the person")
    if bool(annotator) == bool(rules):
        raise UserError("exclude: name either an annotator or --rule")
    if rules:
        if reason:
            raise UserError("exclude: with --rule the rule is the reason; leave --reason out")
        exclude_by_rules(name, rules, yes, fast, url, as_json)
        return
    n = store_of(name, url).exclude(name, annotator or "", reason)
    _changed(name, f"{annotator} is excluded, with {_pieces(n)}.", as_json, answers=n)


@click.command()
@campaign_argument
@person_argument
@store_option
@json_option
def readmit(name: str, annotator: str, url: str, as_json: bool) -> None:
    """Undo an exclusion.

    What they did counts again where others did not do the same in between.
    """
    became = store_of(name, url).readmit(name, annotator)
    what = f"{annotator} is not excluded any more: {_pieces(became['accepted'])} "
    what += f"{'counts' if became['accepted'] == 1 else 'count'}, {became['surplus']:,} not."
    _changed(name, what, as_json, **became)


@click.command()
@campaign_argument
@person_argument
@click.option("--out", required=True, type=click.Path(path_type=Path), help="JSON file to write.")
@store_option
@json_option
def person(name: str, annotator: str, out: Path, url: str, as_json: bool) -> None:
    """Write all that the store has about one person."""
    from denouement.documents import write_document
    from denouement.files import check_output

    check_output(out)
    if kind() == "study":
        of_study = opened_store(url, make=False).person(name, annotator)
        write_document(of_study, out)
        n = len(of_study.answers)
    else:
        of_collection = opened_collections(url, make=False).collector(name, annotator)
        write_document(of_collection, out)
        n = len(of_collection.handed_in)
    _changed(name, f"{annotator}: {_pieces(n)} are written to {out}.", as_json, answers=n)


@click.command()
@campaign_argument
@person_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@store_option
@json_option
def withdraw(name: str, annotator: str, yes: bool, url: str, as_json: bool) -> None:
    """Delete what a person answered or wrote, who asked for it. This cannot be undone.

    What was approved in a collection stays, if the consent said so.
    """
    if not yes:
        whose = f"all answers of {annotator}" if kind() == "study" else f"what {annotator} wrote and judged"
        click.confirm(f"Delete {whose}?", abort=True, err=True)
    from denouement.collect.store import CollectionStore

    store = store_of(name, url)
    n = store.withdraw_for(name, annotator)
    what = f"{_pieces(n)} of {annotator} {'is' if n == 1 else 'are'} deleted."
    if isinstance(store, CollectionStore) and store.collection(name).keeps_approved:
        what += " What was approved stays, as the consent says."
    _changed(name, what, as_json, answers=n)


@click.command()
@campaign_argument
@store_option
@json_option
def log(name: str, url: str, as_json: bool) -> None:
    """Print what was done: when, by whom, and about whom."""
    print_result(store_of(name, url).log(name), _log_blocks, as_json)


def _log_blocks(found: "StudyLog") -> "list[Block]":
    from denouement.present.sections import Paragraph, Table

    if not found.entries:
        return [Paragraph(f"{kind().capitalize()} {found.study}: its log is empty; it was made by an earlier version.")]
    rows = [
        [f"{entry.at:%Y-%m-%d %H:%M:%S}", entry.by, entry.what, entry.about or "", entry.detail or ""]
        for entry in found.entries
    ]
    return [Table(["when (UTC)", "by", "what", "about", "detail"], rows)]


def _pieces(n: int) -> str:
    """So many of what people hand in."""
    one, several = ("answer", "answers") if kind() == "study" else ("piece of work", "pieces of work")
    return f"{n:,} {one if n == 1 else several}"


OF_BOTH = (delete, release, exclude, readmit, person, withdraw, log)
"""The commands that are about a collection where they are called as such."""

COMMANDS = (pause, close, reopen, edit, copy_, *OF_BOTH)
