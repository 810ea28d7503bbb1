"""Which id in the tables a person has, whom another service knows by an id of its own: `progress --who`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from denouement.cli.options import print_result

if TYPE_CHECKING:  # heavy
    from denouement.present.sections import Block
    from denouement.study.store import Store

who_option = click.option(
    "--who",
    "ids",
    multiple=True,
    metavar="ID",
    help="Print the id in the tables of the person to whom another service, such as Prolific, gave this id; may be "
    "repeated.",
)


@dataclass(frozen=True)
class KnownPeople:
    """The ids in the tables of people who came, by the id that was asked for, and how many never came."""

    annotator_ids: dict[str, str]
    never_came: int


def print_known(store: "Store", name: str, ids: Sequence[str], came: Iterable[str], as_json: bool) -> None:
    """Print which of the people of a study or a collection, whose ids in the tables are in `came`, have these ids.

    Raises:
        UserError: an id with which nobody can enter.
    """
    people = frozenset(came)
    asked = {each: store.annotator_id(name, each) for each in ids}
    known = {each: annotator for each, annotator in asked.items() if annotator in people}
    found = KnownPeople(known, len(asked) - len(known))
    print_result(found, lambda _: _blocks(found, name), as_json)


def _blocks(people: KnownPeople, name: str) -> "list[Block]":
    from denouement.present.sections import Paragraph

    lines = [f"{each}: {annotator}" for each, annotator in people.annotator_ids.items()]
    if absent := people.never_came:
        lines.append(f"never came to {name}: {absent} of {absent + len(people.annotator_ids)}")
    return [Paragraph("\n".join(lines))]
