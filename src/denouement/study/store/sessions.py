"""The organiser's sessions. They are in the database, so that all server processes know when one has ended."""

from datetime import datetime

import sqlalchemy as sa

from denouement.study.store.base import StoreBase, moment
from denouement.study.store.models import sessions


class Sessions(StoreBase):
    """Sessions of the organiser's pages, each named by a digest."""

    def open_session(self, session: str, expires_at: datetime, now: datetime | None = None) -> None:
        """Keep a session, named by a digest, until it expires; delete expired ones."""
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
        """End a session, if it is open."""
        self._write(lambda connection: connection.execute(sessions.delete().where(sessions.c.session == session)))
