"""The store. `docs/study.md` has its rules, under *Leases and late answers*.

Nobody gets a story twice while items of other stories are free (`leases`).

Whatever changes the database is a job of the one `Writer`, and no two jobs run at once in any process (`database`): a
job reads and writes as if it were alone.
"""

from denouement.study.store import database
from denouement.study.store.answering import Answering
from denouement.study.store.links import Links
from denouement.study.store.people import People
from denouement.study.store.sessions import Sessions
from denouement.study.store.studies import Studies


class Store(Studies, Links, People, Answering, Sessions):
    """Studies, people, leases and answers. Every method may be called from any thread; `now` is the clock, for tests.

    An outcome that a method returned is on the disk. All methods raise `StoreUnavailableError` when the database does
    not answer, and UserError for a study that is not there.
    """


def open_store(url: str, make: bool = True) -> Store:
    """The store at a database URL, `sqlite:///FILE` or `postgresql+psycopg://USER:PASSWORD@HOST/NAME`.

    Its tables are made, or brought to this version's form.

    Args:
        url: of the database.
        make: whether an SQLite file that is not there is made.

    Raises:
        UserError: no such database, no database of studies, one of a newer version.
    """
    engine = database.connect(url, make)
    with database.failures_in_one_line(engine):
        database.migrate(engine)
        database.forget(engine)
    return Store(engine)
