"""The commands of `denouement collect` for collections in the store. Heavy imports stay inside the commands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.cli.known_people import print_known, who_option
from denouement.cli.options import json_option, print_result
from denouement.cli.study_store import (
    LOCAL_URL,
    base_url_option,
    mistakes_as_lines,
    opened_collections,
    store_option,
)
from denouement.console import warn
from denouement.errors import UserError
from denouement.files import check_output

if TYPE_CHECKING:  # heavy
    from denouement.collect.crowd import CollectedCrowd
    from denouement.collect.description import Collection
    from denouement.collect.filtering import FilterSummary
    from denouement.collect.paying import PersonPayment
    from denouement.collect.store import CollectionProgress, CollectionStore, TakenFromFiles
    from denouement.present.sections import Block
    from denouement.study.store import StudyState

collection_argument = click.argument("name", metavar="NAME")
step_argument = click.argument("step", metavar="[STEP]", required=False)


@dataclass(frozen=True)
class CollectionLinks:
    """Where people come in.

    Attributes:
        addresses: by the steps to which they lead, joined with commas. A private link is for one person.
    """

    collection: str
    addresses: dict[str, list[str]]


@dataclass(frozen=True)
class CreatedCollection:
    """What `create` made.

    Attributes:
        steps: those of people, in their order.
        taken: from files.
        addresses: as in `CollectionLinks`; empty where nothing was written.
    """

    collection: str
    steps: tuple[str, ...]
    taken: "TakenFromFiles"
    addresses: dict[str, list[str]]


@dataclass(frozen=True)
class CollectionNames:
    """The collections of a store."""

    collections: list[str]


@dataclass(frozen=True)
class CollectionSoFar:
    """How far a collection is, who wrote it, and what verifiers confirmed; see `overview.Overview`."""

    progress: "CollectionProgress"
    crowd: "CollectedCrowd"
    filter: "FilterSummary | None"


@dataclass(frozen=True)
class ChangedCollection:
    """What a command did, in one sentence."""

    collection: str
    what: str


@dataclass(frozen=True)
class WrittenPayments:
    """A list of payments that was written.

    Attributes:
        total: what all get together, with bonuses; exact, in `currency`.
    """

    collection: str
    people: int
    total: str
    currency: str
    file: str


def _one(context: click.Context, option: click.Parameter, given: tuple[Path, ...]) -> Path | None:
    """The file of an option, which would silently be the last one of several."""
    if len(given) > 1:
        raise UserError(f"--{option.name}: is there {len(given)} times; put all rows into one file")
    return given[0] if given else None


_file = partial(click.option, type=click.Path(path_type=Path), multiple=True, callback=_one)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="COLLECTION.yaml")
@_file("--stories", help="Stories to begin with: CSV or a table.")
@_file("--endings", help="Pairs of endings to begin with.")
@click.option("--dry-run", is_flag=True, help="Check the files, and write nothing.")
@base_url_option
@store_option
@json_option
def create(
    file: Path, stories: Path | None, endings: Path | None, dry_run: bool, base_url: str, url: str, as_json: bool
) -> None:
    """Make a collection of COLLECTION.yaml, and print its links.

    It is added to the store. All mistakes in the file are named at once, one a line. Approved stories of a file are
    written on without a review, open ones are reviewed, pairs of endings are verified.
    """
    from tempfile import TemporaryDirectory

    from denouement.collect.description import read_collection
    from denouement.collect.store import open_store
    from denouement.collect.work import read_work

    with mistakes_as_lines():
        collection = read_collection(file)
    tables = (
        read_work(stories, ["collected_stories"])[1] if stories else None,
        read_work(endings, ["collected_endings"])[1] if endings else None,
    )
    if not collection.contact:
        warn("the file has no contact: people read of nobody whom they may ask; add contact: NAME, ADDRESS")
    addresses: dict[str, list[str]] = {}
    if dry_run:
        with TemporaryDirectory() as folder:
            store = open_store(f"sqlite:///{folder}/dry.db")
            taken = store.create_collection(collection, *tables)
            store.close()
    else:
        store = opened_collections(url)
        taken = store.create_collection(collection, *tables)
        addresses = _addresses(store, collection, base_url or LOCAL_URL)
    made = CreatedCollection(collection.name, tuple(collection.of_people), taken, addresses)
    print_result(made, _created_blocks, as_json)


def _created_blocks(made: CreatedCollection) -> "list[Block]":
    from denouement.present.sections import Paragraph

    what = f"Collection {made.collection}{'' if made.addresses else ' (nothing is written)'}: {', '.join(made.steps)}."
    if made.taken.stories or made.taken.pairs:
        what += f" From files: {made.taken.stories:,} stories, {made.taken.pairs:,} pairs of endings."
    if made.taken.left_out:
        what += f" {made.taken.left_out:,} stories are left out, since they are neither approved nor open."
    return [Paragraph(what), *(_address_blocks(made.addresses) if made.addresses else [])]


@click.command()
@collection_argument
@click.option("--step", help="Of this step: stories, review, endings or verification.")
@click.option(
    "--add", type=click.IntRange(1, 10_000), metavar="N", help="Make N more, also while it runs; print those."
)
@base_url_option
@store_option
@json_option
def links(name: str, step: str | None, add: int | None, base_url: str, url: str, as_json: bool) -> None:
    """Print the links of a collection, or make more private ones.

    A private link is for one person, who may do the steps to which it leads.
    """
    from denouement.study.web.addresses import private_link

    store = opened_collections(url, make=False)
    collection = store.collection(name)
    base_url = base_url or LOCAL_URL
    if step is not None and step not in collection.of_people:
        raise UserError(f"--step {step}: must be one of {', '.join(collection.of_people)}")
    if add:
        steps = [step] if step else [*collection.of_all]
        if not steps:
            raise UserError("--add: name the --step")
        tokens = store.add_links(name, add, steps=steps)
        found = {", ".join(steps): [private_link(base_url, name, token) for token in tokens]}
    else:
        found = _addresses(store, collection, base_url, step)
    if not found:
        raise UserError(f"collection {name}: has no private links to {step}; make some with --add")
    print_result(CollectionLinks(name, found), lambda made: _address_blocks(made.addresses), as_json)


def _addresses(
    store: "CollectionStore", collection: "Collection", base_url: str, step: str | None = None
) -> dict[str, list[str]]:
    """The addresses that there are, by the steps to which they lead; those that lead to `step`, where it is named."""
    from denouement.collect.web.addresses import entry_addresses
    from denouement.study.web.addresses import private_link

    entries = entry_addresses(collection, base_url)
    only = (step,) if (step,) in entries else tuple(collection.of_all) if step in collection.of_all else ()
    found = {", ".join(steps): [address] for steps, address in entries.items() if step is None or steps == only}
    for token, steps in store.links_to(collection.name).items():
        if step is None or step in steps:
            found.setdefault(", ".join(steps), []).append(private_link(base_url, collection.name, token))
    return found


def _address_blocks(addresses: Mapping[str, Sequence[str]]) -> "list[Block]":
    from denouement.present.sections import Paragraph

    first = next(iter(addresses.values()))[0]
    where = ""
    if first.startswith(f"{LOCAL_URL}/"):
        where = ", on this computer (of a server elsewhere with --base-url)"
    return [Paragraph("\n".join([f"Addresses for {steps}{where}:", *of])) for steps, of in addresses.items()]


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
@who_option
@store_option
@json_option
def progress(name: str | None, ids: tuple[str, ...], url: str, as_json: bool) -> None:
    """Print how far a collection is, its people, and Tables 2 and 5 of the paper for it.

    Without NAME, the names of the collections.
    """
    from denouement.collect.crowd import crowd_of
    from denouement.collect.overview import filtered_so_far

    store = opened_collections(url, make=False)
    if name is None:
        if ids:
            raise UserError("--who: name the collection before it")
        print_result(CollectionNames(store.collections()), _name_blocks, as_json)
        return
    if ids:
        people = store.collection_progress(name).people
        print_known(store, name, ids, (each.person for each in people), as_json)
        return
    collection, work = store.collection(name), store.collected(name)
    filtered = filtered_so_far(work, collection)
    found = CollectionSoFar(store.collection_progress(name), crowd_of(work, collection, filtered), filtered)
    print_result(found, lambda _: _progress_blocks(found, collection.currency), as_json)


def _name_blocks(names: CollectionNames) -> "list[Block]":
    from denouement.present.sections import Paragraph

    return [Paragraph("\n".join(names.collections) or "no collection yet")]


def _progress_blocks(found: CollectionSoFar, currency: str) -> "list[Block]":
    from denouement.collect.crowd import crowd_table
    from denouement.collect.sections import filter_blocks, progress_blocks
    from denouement.present.sections import Paragraph

    return [
        Paragraph(f"Collection {found.progress.collection}: {found.progress.state}."),
        *progress_blocks(found.progress),
        *(filter_blocks(found.filter)[:1] if found.filter else []),
        replace(crowd_table(found.crowd, currency), title="Writers, beside the paper's"),
    ]


@click.command()
@collection_argument
@step_argument
@store_option
@json_option
def pause(name: str, step: str | None, url: str, as_json: bool) -> None:
    """Give nobody new work, of one STEP or of all, until `resume`.

    What people hold they may still hand in. People who come see that it is paused.
    """
    _set_state(name, step, "paused", "is paused", url, as_json)


@click.command()
@collection_argument
@step_argument
@store_option
@json_option
def close(name: str, step: str | None, url: str, as_json: bool) -> None:
    """End one STEP, or the whole collection: nobody gets new work of it.

    What people hold they may still hand in.
    """
    _set_state(name, step, "closed", "is closed", url, as_json)


@click.command()
@collection_argument
@step_argument
@store_option
@json_option
def resume(name: str, step: str | None, url: str, as_json: bool) -> None:
    """Go on with what was paused or closed: one STEP, or the whole collection."""
    _set_state(name, step, "open", "is open again", url, as_json)


def _set_state(name: str, step: str | None, state: "StudyState", what: str, url: str, as_json: bool) -> None:
    from denouement.present.sections import Paragraph

    store = opened_collections(url, make=False)
    store.collection(name)
    if step is None:
        store.set_state(name, state)
    else:
        store.set_step_state(name, step, state)
    done = ChangedCollection(name, f"{f'The step {step} of collection' if step else 'Collection'} {name} {what}.")
    print_result(done, lambda made: [Paragraph(made.what)], as_json)


@click.command()
@collection_argument
@click.option("--out", required=True, type=click.Path(path_type=Path), help="CSV file to write.")
@store_option
@json_option
def payments(name: str, out: Path, url: str, as_json: bool) -> None:
    """Write what each person is to be paid: pieces, minutes, amount, bonus.

    Stories are paid when they are approved, all else when it is handed in. The work of excluded people is not paid.
    """
    from denouement.collect.paying import payments as payments_of
    from denouement.collect.paying import write_payments
    from denouement.present.sections import Paragraph

    check_output(out)
    store = opened_collections(url, make=False)
    collection = store.collection(name)
    paid = payments_of(store.done_work(name), collection)
    write_payments(out, paid, collection.currency)
    written = WrittenPayments(name, len(paid), str(_total(paid)), collection.currency, str(out))
    print_result(
        written,
        lambda made: [
            Paragraph(
                f"Collection {name}: {made.total} {made.currency} for {made.people:,} people. Written: {made.file}"
            )
        ],
        as_json,
    )


def _total(paid: "Sequence[PersonPayment]") -> Decimal:
    return sum((each.total for each in paid), Decimal(0))


COMMANDS = (create, links, progress, pause, close, resume, payments)
