"""All that the store has about one person of a collection, for a person who asks for their data."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.collect.store.base import WORK, CollectionBase
from denouement.collect.store.working import admitted
from denouement.study.store.base import moment
from denouement.study.store.log import By, LogEntry, note
from denouement.study.store.models import annotators, assignments, attempts, corrections, drafts, items, log
from denouement.study.store.people import person_named


@dataclass(frozen=True)
class HandedInWork:
    """Something that the person handed in.

    Attributes:
        work: the texts, and the seconds that they took; `earlier` has the forms of a story that were returned.
        answer, remark: of a review or a verification.
    """

    step: str
    work: Mapping[str, Any]
    earlier: tuple[Mapping[str, Any], ...]
    answer: str | None
    remark: str | None
    status: str
    verdict: str | None
    submitted_at: datetime


@dataclass(frozen=True)
class SavedDraft:
    """What the person typed of a piece of work that they did not hand in, by the name of the field."""

    step: str
    fields: Mapping[str, str]
    saved_at: datetime


@dataclass(frozen=True)
class TakenTest:
    """An attempt at the test of a step.

    Attributes:
        judged: by the place of an item, from 0, whether the person called it acceptable.
    """

    step: str
    judged: Mapping[str, bool]
    passed: bool
    made_at: datetime


@dataclass(frozen=True)
class CollectorData:
    """All that the store has about one person of a collection.

    Attributes:
        person: the id in the tables.
        may: the steps that they may do.
        entry: what came with their link.
    """

    collection: str
    person: str
    state: str
    may: tuple[str, ...]
    entry: Mapping[str, str]
    entered_at: datetime
    consented_at: datetime | None
    last_seen_at: datetime
    excluded_because: str | None
    tests: tuple[TakenTest, ...]
    handed_in: tuple[HandedInWork, ...]
    drafts: tuple[SavedDraft, ...]
    log: tuple[LogEntry, ...]


class Collectors(CollectionBase):
    """Reads what there is about single people."""

    def collector(self, name: str, person: str, by: By = "command", now: datetime | None = None) -> CollectorData:
        """All that the store has about a person, by their id in the tables. The log says that it was given out.

        Raises:
            UserError: no such person.
        """
        of = self._collection(name)
        at = moment(now)
        with self._reading() as connection:
            found = person_named(connection, of, person)
            row = connection.execute(sa.select(annotators).where(annotators.c.id == found.pk)).one()
            about = sa.select(log).where(log.c.study_id == of.id, log.c.about == of.logged(person))
            entries = connection.execute(about.order_by(log.c.id)).all()
            given = WORK.where(assignments.c.annotator_id == found.pk, assignments.c.state == "answered")
            handed_in = connection.execute(given.order_by(assignments.c.submitted_at)).all()
            data = CollectorData(
                collection=name,
                person=person,
                state=row.state,
                may=tuple(admitted(connection, of, found)),
                entry=row.entry,
                entered_at=row.entered_at,
                consented_at=row.consented_at,
                last_seen_at=row.seen_at,
                excluded_because=row.excluded_because,
                tests=_tests(connection, found.pk),
                handed_in=tuple(_handed_in(connection, each) for each in handed_in),
                drafts=_drafts(connection, found.pk),
                log=tuple(LogEntry(each.at, each.by, each.what, each.about, each.detail) for each in entries),
            )
        if not self.is_read_only:
            self._write(lambda connection: note(connection, of, at, by, "gave out data", person))
        return data


def _tests(connection: sa.Connection, person: int) -> tuple[TakenTest, ...]:
    made = sa.select(attempts).where(attempts.c.annotator_id == person).order_by(attempts.c.made_at, attempts.c.place)
    return tuple(TakenTest(row.step, row.judged, row.passed, row.made_at) for row in connection.execute(made))


def _handed_in(connection: sa.Connection, row: Any) -> HandedInWork:
    earlier = sa.select(corrections.c.earlier).where(corrections.c.assignment_id == row.id)
    return HandedInWork(
        step=row.role,
        work=row.values or {},
        earlier=tuple(connection.scalars(earlier.order_by(corrections.c.place))),
        answer=row.answer,
        remark=row.reason,
        status=row.status,
        verdict=row.verdict,
        submitted_at=row.submitted_at,
    )


def _drafts(connection: sa.Connection, person: int) -> tuple[SavedDraft, ...]:
    saved = (
        sa.select(items.c.role, drafts.c.fields, drafts.c.saved_at)
        .join(assignments, assignments.c.item_id == items.c.id)
        .join(drafts, drafts.c.assignment_id == assignments.c.id)
        .where(assignments.c.annotator_id == person)
        .order_by(drafts.c.saved_at)
    )
    return tuple(SavedDraft(row.role, row.fields, row.saved_at) for row in connection.execute(saved))
