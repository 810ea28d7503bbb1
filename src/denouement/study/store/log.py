"""The log of a study: what was done to it, when, by whom and about whom."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import sqlalchemy as sa

from denouement.study.store.base import StoreBase
from denouement.study.store.models import log
from denouement.study.store.stored_study import StoredCampaign

By = Literal["organiser", "command", "annotator", "service"]


@dataclass(frozen=True)
class LogEntry:
    """One line of the log.

    Attributes:
        at: when.
        by: `organiser` on a page, `command`, `annotator`, or `service`: one such as Prolific, which reported it.
        what: what was done, such as `paused` or `excluded`.
        about: the annotator's id in the tables; where the tables have ids as they came, a salted hash of it.
        detail: more, such as the reason of an exclusion.
    """

    at: datetime
    by: str
    what: str
    about: str | None
    detail: str | None


@dataclass(frozen=True)
class StudyLog:
    """The log of a study, the oldest entry first."""

    study: str
    entries: tuple[LogEntry, ...]


class Log(StoreBase):
    """Reads the log of a study."""

    def log(self, study: str) -> StudyLog:
        """All that was done to a study, the oldest entry first."""
        of = self._campaign(study)
        with self._reading() as connection:
            rows = connection.execute(sa.select(log).where(log.c.study_id == of.id).order_by(log.c.id)).all()
        return StudyLog(study, tuple(LogEntry(row.at, row.by, row.what, row.about, row.detail) for row in rows))


def note(
    connection: sa.Connection,
    study: StoredCampaign,
    at: datetime,
    by: By,
    what: str,
    about: str | None = None,
    detail: str | None = None,
) -> None:
    """Add a line to the log, in the transaction of what it records.

    Args:
        connection: that transaction.
        study: the study.
        at: when.
        by: who did it.
        what: what was done.
        about: the id in the tables of the person it was done to.
        detail: more.
    """
    whom = None if about is None else study.logged(about)
    row = {"study_id": study.id, "at": at, "by": by, "what": what, "about": whom, "detail": detail}
    connection.execute(log.insert().values(**row))
