"""The organiser's sessions: in the database, so that every process that serves it knows when one has ended."""

from datetime import datetime

import sqlalchemy as sa

from denouement.study.store.base import StoreBase, moment
from denouement.study.store.models import sessions


class Sessions(StoreBase):
    """Sessions of the organiser's pages, each named by a digest."""

    def open_session(self, session: str, expires_at: datetime, now: datetime | None = None) -> None:
        """Remember a session, named by a digest, until it expires; those that have expired are forgotten."""
        gone = sessions.delete().where(sessions.c.expires_at <= moment(now))

        def job(connection: sa.Connection) -> None:
            connection.execute(gone)
            connection.execute(sessions.insert().values(session=session, expires_at=expires_at))

        self._write(job)

    def has_session(self, session: str, now: datetime | None = None) -> bool:
        """Whether this session was opened, and neither closed nor expired."""
        there = sa.select(sessions.c.session).where(sessions.c.session == session, sessions.c.expires_at > moment(now))
        with self._reading() as connection:
            return connection.execute(there).first() is not None

    def close_session(self, session: str) -> None:
        """End a session, if it is there."""
        self._write(lambda connection: connection.execute(sessions.delete().where(sessions.c.session == session)))
