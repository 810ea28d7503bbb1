"""The commands of `denouement study` for a study that is in the store: its life, its people, its log."""

import os
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.options import json_option, print_result
from denouement.cli.study_rules import exclude_by_rules, fast_option
from denouement.cli.study_store import opened_store, store_option
from denouement.errors import UserError

if TYPE_CHECKING:  # heavy
    from denouement.present.sections import Block
    from denouement.study.importing.prolific_leavers import ReleasedLeavers
    from denouement.study.store import Released, StudyLog, StudyState

study_argument = click.argument("name", metavar="STUDY")
person_argument = click.argument("annotator", metavar="ANNOTATOR")


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
@study_argument
@click.option("--confirm", metavar="STUDY", help="The name again; without it, it is asked for.")
@click.option("--without-export", is_flag=True, help="Delete answers that are in no export, too.")
@store_option
@json_option
def delete(name: str, confirm: str | None, without_export: bool, url: str, as_json: bool) -> None:
    """Delete a closed study with all that the store has of it.

    Its answers must have been exported since the last of them, unless --without-export says that they may be lost.
    """
    store = opened_store(url, make=False)
    store.state(name)  # an unknown study is refused before the name is asked for
    if (confirm or click.prompt(f"Type {name} to delete the study", err=True)) != name:
        raise UserError(f"study {name}: not deleted, since another name was typed")
    store.delete(name, without_export)
    _changed(name, f"Study {name} is deleted.", as_json)


@click.command()
@study_argument
@click.option("--annotator", metavar="ID", help="Of this person, by the id in the tables.")
@click.option("--item", metavar="ID", help="Of this item.")
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
    """Give the items that people hold and left to others.

    Who comes back gets the item again, if it is still free.
    """
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
    released = opened_store(url, make=False).release(name, annotator, item, minutes)
    print_result(released, _released_blocks, as_json)


_MOST_MINUTES = 1_000_000  # two years; NaN is not below it


def _release_reported(name: str, file: Path | None, study_id: str | None, url: str, as_json: bool) -> None:
    """Release what people hold of whom Prolific's export or API says that they left."""
    from denouement.study.importing.prolific_api import API_URL, submissions
    from denouement.study.importing.prolific_leavers import release_leavers, submissions_of

    store = opened_store(url, make=False)
    store.design(name)  # an unknown study is refused before Prolific is asked
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
        f"out; {released.came:,} of them came to study {released.study}.",
        f"{n:,} {'item is' if n == 1 else 'items are'} released{', of ' + ', '.join(released.people) if n else ''}.",
    ]
    if released.unusable:
        texts.append(f"{released.unusable:,} rows of the file are no submission.")
    return [Paragraph(" ".join(texts))]


def _released_blocks(released: "Released") -> "list[Block]":
    from denouement.present.sections import Paragraph

    n = len(released.people)
    who = f", of {', '.join(released.people)}" if n else ""
    return [Paragraph(f"Study {released.study}: {n:,} {'item is' if n == 1 else 'items are'} released{who}.")]


@click.command()
@study_argument
@click.argument("annotator", metavar="[ANNOTATOR]", required=False)
@click.option("--reason", default="", help="Why, for the log and the organiser's page.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="In place of ANNOTATOR: all for whom this holds, such as failed_checks>1; may be repeated.",
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

    ANNOTATOR is the id in the tables. Answers stay, do not count, and are asked of others; `readmit` undoes it. With
    --rule people are only listed, and excluded with --yes: the rule is then the reason.
    """
    if bool(annotator) == bool(rules):
        raise UserError("exclude: name either an annotator or --rule")
    if rules:
        if reason:
            raise UserError("exclude: with --rule the rule is the reason; leave --reason out")
        exclude_by_rules(name, rules, yes, fast, url, as_json)
        return
    n = opened_store(url, make=False).exclude(name, annotator or "", reason)
    _changed(name, f"{annotator} is excluded, with {n:,} answers.", as_json, answers=n)


@click.command()
@study_argument
@person_argument
@store_option
@json_option
def readmit(name: str, annotator: str, url: str, as_json: bool) -> None:
    """Undo an exclusion.

    Answers count again where others did not answer in between.
    """
    became = opened_store(url, make=False).readmit(name, annotator)
    what = f"{annotator} is not excluded any more: {became['accepted']:,} answers count, {became['surplus']:,} do not."
    _changed(name, what, as_json, **became)


@click.command()
@study_argument
@person_argument
@click.option("--out", required=True, type=click.Path(path_type=Path), help="JSON file to write.")
@store_option
@json_option
def person(name: str, annotator: str, out: Path, url: str, as_json: bool) -> None:
    """Write all that the store has about one person."""
    from denouement.documents import write_document
    from denouement.files import check_output

    check_output(out)
    found = opened_store(url, make=False).person(name, annotator)
    write_document(found, out)
    n = len(found.answers)
    _changed(name, f"{annotator}: {n:,} answers are written to {out}.", as_json, answers=n)


@click.command()
@study_argument
@person_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@store_option
@json_option
def withdraw(name: str, annotator: str, yes: bool, url: str, as_json: bool) -> None:
    """Delete the answers of a person who asked for it. This cannot be undone."""
    if not yes:
        click.confirm(f"Delete all answers of {annotator}?", abort=True, err=True)
    n = opened_store(url, make=False).withdraw_for(name, annotator)
    _changed(name, f"{n:,} answers of {annotator} are deleted.", as_json, answers=n)


@click.command()
@study_argument
@store_option
@json_option
def log(name: str, url: str, as_json: bool) -> None:
    """Print what was done to a study: when, by whom, and about whom."""
    print_result(opened_store(url, make=False).log(name), _log_blocks, as_json)


def _log_blocks(found: "StudyLog") -> "list[Block]":
    from denouement.present.sections import Paragraph, Table

    if not found.entries:
        return [Paragraph(f"Study {found.study}: its log is empty; it was made by an earlier version.")]
    rows = [
        [f"{entry.at:%Y-%m-%d %H:%M:%S}", entry.by, entry.what, entry.about or "", entry.detail or ""]
        for entry in found.entries
    ]
    return [Table(["when (UTC)", "by", "what", "about", "detail"], rows)]


COMMANDS = (pause, close, reopen, edit, copy_, delete, release, exclude, readmit, person, withdraw, log)
