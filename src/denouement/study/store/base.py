"""The base of all parts of the store: the database, its one writer, and the studies that were read from it."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.design.campaign import Campaign
from denouement.study.design.reading import from_json
from denouement.study.store import database
from denouement.study.store.database import StoreUnavailableError
from denouement.study.store.models import STUDY, items, studies
from denouement.study.store.stored_study import StoredCampaign, StoredStudy, could_be_id, item_of
from denouement.study.store.writing import Writer

Result = TypeVar("Result")

_EDITION = sa.select(studies.c.id, studies.c.salt, studies.c.edition).where(studies.c.name == sa.bindparam("name"))


class StoreBase:
    """An open database of studies, with the methods that all parts of the store use."""

    _kinds = "study"  # what it knows, for messages

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._writer = Writer(database.writer(engine))
        self._campaigns: dict[str, tuple[tuple[Any, ...], StoredCampaign]] = {}  # with the edition that was read

    def close(self) -> None:
        """Close the connections to the database. No answer is lost where this is not called."""
        self._writer.close()
        self._engine.dispose()

    @property
    def is_read_only(self) -> bool:
        """Whether the store can only be read, since its file or folder cannot be written to."""
        return database.is_read_only(self._engine)

    def campaign(self, name: str) -> Campaign:
        """What the study or collection of this name asks."""
        return self._campaign(name).design

    def _study(self, name: str, connection: sa.Connection | None = None) -> StoredStudy:
        """`_campaign`, where it is a study.

        Raises:
            UserError: it is a collection, or there is none of this name.
        """
        found = self._campaign(name, connection)
        if not isinstance(found, StoredStudy):
            raise UserError(f"{name}: is a collection; `denouement collect` has its commands")
        return found

    def _campaign(self, name: str, connection: sa.Connection | None = None) -> StoredCampaign:
        """The study or collection of this name; read again where another process edited it, or made a new one.

        Args:
            name: its name.
            connection: inside a job, the job's.
        """
        if connection is None:
            with self._reading() as reading:
                return self._campaign(name, reading)
        edition = connection.execute(_EDITION, {"name": name}).one_or_none() if could_be_id(name) else None
        if edition is None:
            self._campaigns.pop(name, None)
            there = list(connection.scalars(sa.select(studies.c.name).order_by(studies.c.name)))
            holds = shortened(there) or "none"
            raise UserError(f"no {self._kinds} {shortened([name])} in the store; it holds {holds}")
        known = self._campaigns.get(name)
        if known is None or known[0] != tuple(edition):
            row = connection.execute(sa.select(studies).where(studies.c.id == edition.id)).one()
            known = self._campaigns[name] = (tuple(edition), self._stored(row, connection))
        return known[1]

    def _stored(self, row: Any, connection: sa.Connection) -> StoredCampaign:
        """What a row of `studies` describes."""
        if row.kind != STUDY:
            raise UserError(f"{row.name}: is a collection; `denouement collect` has its commands")
        design = from_json(row.design, f"study {row.name}")
        rows = connection.execute(sa.select(items).where(items.c.study_id == row.id).order_by(items.c.number))
        of = {each.id: item_of(each, design) for each in rows}
        return StoredStudy(row.id, row.name, design, row.salt, of)

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with database.failures_in_one_line(self._engine), self._engine.connect() as connection:
            yield connection

    def _write(self, job: Callable[[sa.Connection], Result]) -> Result:
        if self.is_read_only:
            raise StoreUnavailableError(f"{database.shown(self._engine.url)}: cannot be written to, only read")

        def checked(connection: sa.Connection) -> Result:
            database.require_head(connection)
            return job(connection)

        with database.failures_in_one_line(self._engine):
            return self._writer.run(checked)

    def _forget(self) -> None:
        """Call this after rows were deleted: SQLite's log of changes must not keep them, either."""
        with database.failures_in_one_line(self._engine):
            if not database.forget(self._engine):
                logging.getLogger(__name__).warning(
                    "another program reads the store: deleted text stays in SQLite's log until the store is next opened"
                )


def moment(now: datetime | None) -> datetime:
    """`now`; where it is None, the present time."""
    return now or datetime.now(UTC)
