"""The store. `docs/study.md` has its rules, under *Leases and late answers*.

Nobody gets a story twice while items of other stories are free (`leases`).

Each change of the database is a job of the one `Writer`, and no two jobs run at the same time, not even in two
processes (`database`): a job reads and writes as if it were alone.
"""

from typing import TypeVar

from denouement.study.store import database
from denouement.study.store.leavers import Leavers
from denouement.study.store.life import Life
from denouement.study.store.links import Links
from denouement.study.store.log import Log
from denouement.study.store.people import People
from denouement.study.store.person import Persons
from denouement.study.store.replies import Replies
from denouement.study.store.roster import Roster
from denouement.study.store.sessions import Sessions


class Store(Life, Persons, Links, People, Replies, Leavers, Roster, Log, Sessions):
    """Studies, people, replies, leases and answers.

    Every method may be called from any thread; `now` is the clock, for tests.

    When a method returns, its changes are on the disk. All methods raise `StoreUnavailableError` when the database does
    not answer, and UserError for a study that is not in the store.
    """


AnyStore = TypeVar("AnyStore", bound=Store)


def open_store(url: str, make: bool = True) -> Store:
    """The studies of the store at a database URL; see `opened`."""
    return opened(Store, url, make)


def opened(kind: type[AnyStore], url: str, make: bool = True) -> AnyStore:
    """The store at a database URL, `sqlite:///FILE` or `postgresql+psycopg://USER:PASSWORD@HOST/NAME`.

    Missing tables are made, and those of an earlier version changed to the present form.

    Args:
        kind: the class of the store.
        url: the URL of the database.
        make: whether to make a missing SQLite file.

    Raises:
        UserError: no such database, no database of studies, one of a newer version.
    """
    engine = database.connect(url, make)
    with database.failures_in_one_line(engine):
        database.migrate(engine)
        database.forget(engine)
    return kind(engine)
