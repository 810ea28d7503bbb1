"""What becomes of the work of people who withdraw, are excluded, or are readmitted."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.collecting.store.base import WORK, CollectionBase, StoredCollection
from denouement.collecting.store.flow import blank, decide_reviewed, retire_all
from denouement.study.store.leases import free, recount
from denouement.study.store.models import assignments, attempts, items
from denouement.study.store.people import People
from denouement.study.store.stored_study import StoredCampaign


class Leaving(CollectionBase, People):
    """Withdrawal and exclusion; of a study as before."""

    def _take_back(self, connection: sa.Connection, person: Any) -> int:
        """Delete what a person wrote or judged, but what the collection keeps; return the number of deleted pieces.

        Where the collection keeps what was approved, these stay: approved stories; pairs of endings with all their
        verifications; reviews of stories that are decided; verifications of endings that have all of theirs. Where
        something is deleted, so are the texts of it in the pieces of others, who keep what they did.
        """
        of = self._campaign(person.study, connection)
        if not isinstance(of, StoredCollection):
            return super()._take_back(connection, person)
        held = assignments.c.annotator_id == person.pk
        rows = connection.execute(WORK.where(held)).all()
        kept = {row.id for row in rows if of.design.keeps_approved and _is_finished(connection, row)}
        gone = [row for row in rows if row.id not in kept]
        ids = [row.id for row in gone]
        these = assignments.c.id.in_(ids)
        free(connection, these & (assignments.c.status == "accepted"), taken=1, accepted=1)
        free(connection, these & (assignments.c.state == "open"), taken=1)
        blank(connection, [row.token for row in gone])
        connection.execute(assignments.delete().where(these))  # with their drafts and earlier forms
        connection.execute(attempts.delete().where(attempts.c.annotator_id == person.pk))
        return sum(row.state == "answered" for row in gone)

    def _recount(self, connection: sa.Connection, of: StoredCampaign, at: datetime) -> None:
        if not isinstance(of, StoredCollection):
            return
        again = sa.select(assignments.c.id, assignments.c.item_id).where(
            assignments.c.study_id == of.id, assignments.c.verdict == "rejected", assignments.c.status == "accepted"
        )
        for row in connection.execute(again).all():  # of a person who was readmitted: it stays rejected
            recount(connection, row.item_id, taken=-1, accepted=-1)
            connection.execute(assignments.update().where(assignments.c.id == row.id).values(status="rejected"))
        retire_all(connection, of)
        decide_reviewed(connection, of, at)  # a review that counts again may be the last one that was missing


def _is_finished(connection: sa.Connection, row: Any) -> bool:
    """Whether work is approved, or decides about other people's work that is."""
    if row.state != "answered" or row.status != "accepted":
        return False
    if row.role == "stories":
        return bool(row.verdict == "approved")
    if row.role == "review":
        verdict = sa.select(assignments.c.verdict).where(assignments.c.token == row.source)
        return connection.scalar(verdict) in ("approved", "rejected")
    this = items.c.id == row.item_id if row.role == "verification" else items.c.source == row.token
    lacking = sa.select(items.c.id).where(this, items.c.accepted < items.c.wanted)
    return connection.execute(lacking).first() is None
