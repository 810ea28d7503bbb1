"""People who leave: their leases end before their time, so that others get the items."""

from collections.abc import Collection
from datetime import datetime, timedelta

import sqlalchemy as sa

from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.store.base import StoreBase, moment
from denouement.study.store.leases import GRACE, HELD, close, is_live, lapse, resumed
from denouement.study.store.links import annotator_id_of
from denouement.study.store.log import By, note
from denouement.study.store.models import annotators, assignments, items
from denouement.study.store.people import person_named, person_with
from denouement.study.store.records import Released
from denouement.study.store.stored_study import StoredCampaign


class Leavers(StoreBase):
    """Ends leases early. Who comes back gets the same item again, with the same sides, if its place is still free."""

    def release(
        self,
        study: str,
        annotator_id: str | None = None,
        item_id: str | None = None,
        idle: timedelta | None = None,
        by: By = "command",
        now: datetime | None = None,
    ) -> Released:
        """End leases before their time: those of one person, of one item, or of people who did nothing for a while.

        Args:
            study: its name.
            annotator_id: the person's id in the tables; None for all people.
            item_id: the item; None for all.
            idle: how long the person neither got an item nor sent a form; None for any time.
            by: who does it, for the log.
            now: the time.

        Raises:
            UserError: no such person or item.
            ValueError: neither person, item nor time is given.
        """
        if annotator_id is None and item_id is None and idle is None:
            raise ValueError("release: which leases?")
        of = self._campaign(study)
        this_item = sa.select(items.c.id).where(items.c.study_id == of.id, items.c.item_id == item_id)
        with self._reading() as connection:
            if item_id is not None and connection.execute(this_item).first() is None:
                raise UserError(f"{shortened([item_id])}: no item of study {study}")
        at = moment(now)

        def job(connection: sa.Connection) -> Released:
            which = assignments.c.study_id == of.id
            if annotator_id is not None:
                which &= assignments.c.annotator_id == person_named(connection, of, annotator_id).pk
            if item_id is not None:
                which &= assignments.c.item_id.in_(this_item)
            if idle is not None:
                which &= assignments.c.annotator_id.in_(
                    sa.select(annotators.c.id).where(annotators.c.study_id == of.id, annotators.c.seen_at <= at - idle)
                )
            people = _released(connection, of, which, at, by, None)
            return Released(study, people, int(annotator_id is not None and not people))

        return self._write(job)

    def returned(
        self, study: str, external_ids: Collection[str], by: By = "service", now: datetime | None = None
    ) -> Released:
        """End the leases of people of whom another service, such as Prolific, says that they left or ran out of time.

        Their answers stay. `Released.without` counts the ids of people who held no item or never came.

        Args:
            study: its name.
            external_ids: the ids with which they entered, as that service has them.
            by: who says so, for the log.
            now: the time.
        """
        of = self._campaign(study)
        at = moment(now)

        def job(connection: sa.Connection) -> Released:
            names = {annotator_id_of(connection, of, each) for each in external_ids}
            theirs = sa.select(annotators.c.id).where(
                annotators.c.study_id == of.id, annotators.c.annotator_id.in_([name for name in names if name])
            )
            people = _released(connection, of, assignments.c.annotator_id.in_(theirs), at, by, "returned or timed out")
            return Released(study, people, len(set(external_ids)) - len(people))

        return self._write(job)

    def leave(self, key: str, assignment_id: str, now: datetime | None = None) -> None:
        """The page of this assignment was left: its lease ends after `GRACE`, unless the person is back by then.

        While the study is paused or closed the lease keeps its own end: nobody else would get the item.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)
        with self._reading() as connection:
            if self._open_one(connection, key, assignment_id, at) is None:
                return  # answered meanwhile, as when a page is left for the next question: no need to write

        def job(connection: sa.Connection) -> None:
            lease = self._open_one(connection, key, assignment_id, at)
            if lease and person_with(connection, key).study_state == "open":
                whole = lease.resumes_until or lease.expires_at
                early = {"expires_at": min(whole, at + GRACE), "resumes_until": whole}
                connection.execute(assignments.update().where(assignments.c.id == lease.id).values(**early))

        self._write(job)

    def stay(self, key: str, assignment_id: str, now: datetime | None = None) -> None:
        """The page of this assignment is still open in another tab: its lease goes on to its own end.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)

        def job(connection: sa.Connection) -> None:
            if lease := self._open_one(connection, key, assignment_id, at):
                resumed(connection, lease)

        self._write(job)

    def _open_one(
        self, connection: sa.Connection, key: str, assignment_id: str, at: datetime
    ) -> sa.Row[tuple[object, ...]] | None:
        person = person_with(connection, key)
        lease = connection.execute(HELD, {"annotator": person.pk}).one_or_none()
        study = self._campaign(person.study, connection)
        return lease if lease and lease.token == assignment_id and is_live(study, lease, at) else None


def _released(
    connection: sa.Connection,
    study: StoredCampaign,
    which: sa.ColumnElement[bool],
    at: datetime,
    by: By,
    why: str | None,
) -> tuple[str, ...]:
    """End these leases and log it; return the ids in the tables of the people who had one."""
    lapse(connection, study, at)
    names = sa.select(annotators.c.annotator_id).where(annotators.c.id.in_(close(connection, which)))
    people = tuple(connection.scalars(names.order_by(annotators.c.id)))
    for person in people:
        note(connection, study, at, by, "released", person, why)
    return people
