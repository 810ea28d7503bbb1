"""The base of all parts of the store: the database, its one writer, and the studies that were read from it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar

import sqlalchemy as sa

from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.design.reading import from_json
from denouement.study.store import database
from denouement.study.store.models import items, studies
from denouement.study.store.stored_study import StoredStudy, could_be_id, item_of
from denouement.study.store.writing import Writer

Result = TypeVar("Result")


class StoreBase:
    """An open database of studies, with the methods that all parts of the store use."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._writer = Writer(database.writer(engine))
        self._studies: dict[str, StoredStudy] = {}  # a study never changes once it is made

    def close(self) -> None:
        """Close the connections to the database. No answer is lost where this is not called."""
        self._writer.close()
        self._engine.dispose()

    def _study(self, name: str) -> StoredStudy:
        if name not in self._studies:
            with self._reading() as connection:
                found = sa.select(studies).where(studies.c.name == name)
                row = connection.execute(found).one_or_none() if could_be_id(name) else None
                if row is None:
                    there = list(connection.scalars(sa.select(studies.c.name).order_by(studies.c.name)))
                    raise UserError(f"no study {shortened([name])} in the store; it holds {shortened(there) or 'none'}")
                design = from_json(row.design, f"study {name}")
                rows = connection.execute(sa.select(items).where(items.c.study_id == row.id).order_by(items.c.number))
                of = {each.id: item_of(each, design) for each in rows}
            self._studies[name] = StoredStudy(row.id, name, design, row.salt, of)
        return self._studies[name]

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with database.failures_in_one_line(self._engine), self._engine.connect() as connection:
            yield connection

    def _write(self, job: Callable[[sa.Connection], Result]) -> Result:
        with database.failures_in_one_line(self._engine):
            return self._writer.run(job)


def moment(now: datetime | None) -> datetime:
    """`now`; where it is None, the present time."""
    return now or datetime.now(UTC)
