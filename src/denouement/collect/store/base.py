"""The base of all parts of the store of collections, which is the store of studies with more in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.collect.description import Collection, from_json
from denouement.collect.reviewing import HandedIn, StoryReview
from denouement.errors import UserError
from denouement.study.store.base import StoreBase
from denouement.study.store.models import COLLECTION, annotators, assignments, corrections, items, studies
from denouement.study.store.stored_study import StoredCampaign, could_be_id

FILE = "(file)"
"""The id in the tables of whoever handed in what a collection began with: nobody can come in with it."""

# Work that was handed in, with its piece and its person.
WORK = (
    sa.select(
        assignments,
        items.c.item_id.label("piece"),
        items.c.role,
        items.c.case_id,
        items.c.context,
        items.c.endings,
        items.c.title,
        items.c.expected,
        items.c.source,
        items.c.retired,
        annotators.c.annotator_id.label("person"),
    )
    .join(items, items.c.id == assignments.c.item_id)
    .join(annotators, annotators.c.id == assignments.c.annotator_id)
)


@dataclass(frozen=True)
class StoredCollection(StoredCampaign):
    """A collection that was read from the database."""

    design: Collection


class CollectionBase(StoreBase):
    """Knows collections beside studies."""

    _kinds = "study or collection"

    def is_collection(self, name: str) -> bool:
        """Whether the store has a collection, and no study, of this name.

        What was read before is not read again, since a server asks at each request for a page. So where another process
        deleted it just now, it counts as there until it is next read (`collection`).
        """
        if known := self._campaigns.get(name):
            return isinstance(known[1], StoredCollection)
        if not could_be_id(name):
            return False
        with self._reading() as connection:
            there = sa.select(studies.c.id).where(studies.c.name == name, studies.c.kind == COLLECTION)
            return connection.execute(there).first() is not None

    def collection(self, name: str) -> Collection:
        """What a collection asks."""
        return self._collection(name).design

    def _collection(self, name: str, connection: sa.Connection | None = None) -> StoredCollection:
        """`_campaign`, where it is a collection.

        Raises:
            UserError: it is a study, or there is none of this name.
        """
        found = self._campaign(name, connection)
        if not isinstance(found, StoredCollection):
            raise UserError(f"{name}: is a study; `denouement study` has its commands")
        return found

    def _stored(self, row: Any, connection: sa.Connection) -> StoredCampaign:
        if row.kind != COLLECTION:
            return super()._stored(row, connection)
        return StoredCollection(row.id, row.name, from_json(row.design, f"collection {row.name}"), row.salt)


def work_of(connection: sa.Connection, token: str) -> Any:
    """The row of this work, as `WORK` selects it."""
    return connection.execute(WORK.where(assignments.c.token == token)).one()


def versions_of(connection: sa.Connection, story: Any) -> list[HandedIn]:
    """A story each time that it was handed in, with the reviews that count.

    Args:
        connection: the job's, or one that reads.
        story: its row, as `WORK` selects it.
    """
    earlier = sa.select(corrections.c.submitted_at).where(corrections.c.assignment_id == story.id)
    times: list[datetime] = [*connection.scalars(earlier.order_by(corrections.c.place)), story.submitted_at]
    reviews: dict[str, list[StoryReview]] = {}
    for row in connection.execute(reviews_of([story.token])):
        reviews.setdefault(row.piece, []).append(as_review(row))
    return [
        HandedIn(at, tuple(reviews.get(review_piece(story.token, number), ()))) for number, at in enumerate(times, 1)
    ]


def reviews_of(tokens: Sequence[str] | sa.Select[Any]) -> sa.Select[Any]:
    """The reviews of these stories that count, as `WORK` selects them, in the order in which they came in."""
    given = WORK.where(items.c.role == "review", items.c.source.in_(tokens), assignments.c.status == "accepted")
    return given.order_by(assignments.c.submitted_at, assignments.c.id)


def as_review(row: Any) -> StoryReview:
    """The review of a row of `reviews_of`."""
    return StoryReview(row.person, row.answer, row.submitted_at, row.reason or "", bool(row.values["bonus"]))


def review_piece(token: str, version: int) -> str:
    """The id of the piece in which a version of a story, from 1, is reviewed."""
    return f"review:{token}:{version}"


def reviewed_version(piece: str) -> int:
    """The version of which `review_piece` made this id."""
    return int(piece.rpartition(":")[2])
