"""The option that names the store of studies and collections, and how commands open it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from denouement.errors import UserError, printable

if TYPE_CHECKING:  # heavy
    from denouement.collect.store import CollectionStore
    from denouement.study.store import Store

STORE_URL = "sqlite:///studies.db"

PORT = 8000
"""Where `study serve` listens unless told otherwise."""

LOCAL_URL = f"http://127.0.0.1:{PORT}"
"""The address of that server on this computer, of which links are where no other address is given."""

store_option = click.option(
    "--store",
    "url",
    default=STORE_URL,
    show_default=True,
    envvar="DENOUEMENT_STUDY_STORE",
    help="URL of the database: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/NAME.",
)


def _base_url(_: click.Context, __: click.Parameter, given: str) -> str:
    """The address without its last slash; empty where none is given."""
    from denouement.study.web.addresses import base_url

    return base_url(given)


base_url_option = click.option(
    "--base-url",
    default="",
    metavar="URL",
    envvar="DENOUEMENT_BASE_URL",
    callback=_base_url,
    help="The address at which people reach the server, such as https://study.example.org.",
)


def opened_store(url: str, make: bool = True) -> "Store":
    """The store, closed when the command ends: SQLite then has all of it in its one file."""
    from denouement.study.store import open_store

    store = open_store(url, make)
    click.get_current_context().call_on_close(store.close)
    return store


def opened_collections(url: str, make: bool = True) -> "CollectionStore":
    """As `opened_store`, with collections beside the studies."""
    from denouement.collect.store import open_store

    store = open_store(url, make)
    click.get_current_context().call_on_close(store.close)
    return store


def kind() -> str:
    """What the command is about: a `study`, or a `collection` in the group of commands of these."""
    return click.get_current_context().obj or "study"


def store_of(name: str, url: str) -> "Store":
    """The store, for a command about the study or the collection `name`, as the command's group says.

    Raises:
        UserError: it has none of this name, or one of the other kind.
    """
    if kind() == "study":
        return opened_store(url, make=False)  # which knows studies alone
    store = opened_collections(url, make=False)
    store.collection(name)
    return store


@contextmanager
def mistakes_as_lines() -> Iterator[None]:
    """Print all mistakes of a description, one a line."""
    from denouement.study.design.reading import DesignError

    try:
        yield
    except DesignError as error:
        for mistake in error.mistakes[:-1]:
            click.echo(f"error: {printable(mistake)}", err=True)
        raise UserError(error.mistakes[-1]) from error


def is_study(what: str) -> bool:
    """Whether an argument is the name of a study; that of a file has an ending."""
    return not Path(what).suffix
