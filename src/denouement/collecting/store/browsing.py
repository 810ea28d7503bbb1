"""What came in, to be read by the organiser, the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from denouement.collecting.store.base import FILE, WORK, CollectionBase
from denouement.study.store.models import annotators, assignments
from denouement.study.store.stored_study import could_be_id


@dataclass(frozen=True)
class NewWork:
    """Something that a person handed in.

    Attributes:
        person: the id in the tables.
        step: in which they did it.
        at: when.
        counts: whether it counts; else it is of an excluded person, or more than was wanted.
        title: of a story.
        sentences: of the story that was written, reviewed, continued or judged, as far as it was shown.
        right, wrong: of a pair of endings, else empty.
        said: what became of a story (`approved`), or what a reviewer or verifier said.
        remark: of a review.
        bonus: whether a reviewer marked it.
    """

    person: str
    step: str
    at: datetime
    counts: bool
    title: str
    sentences: tuple[str, ...]
    right: str
    wrong: str
    said: str
    remark: str
    bonus: bool


class Browsing(CollectionBase):
    """Reads single pieces of work."""

    @property
    def url(self) -> str:
        """The URL with which another process opens the same store. It may hold a password."""
        return self._engine.url.render_as_string(hide_password=False)

    def newest(self, name: str, person: str | None = None, skip: int = 0, most: int = 50) -> list[NewWork]:
        """What was handed in, the newest first.

        Args:
            name: of the collection.
            person: by this person alone, by the id in the tables; None: by all.
            skip: so many of the newest are left out.
            most: so many are returned.
        """
        of = self._collection(name)
        given = WORK.where(
            assignments.c.study_id == of.id, assignments.c.state == "answered", annotators.c.annotator_id != FILE
        )
        if person is not None and not could_be_id(person):
            return []
        if person is not None:
            given = given.where(annotators.c.annotator_id == person)
        newest = given.order_by(assignments.c.submitted_at.desc(), assignments.c.id.desc()).offset(skip).limit(most)
        with self._reading() as connection:
            return [_new_work(row) for row in connection.execute(newest)]


def _new_work(row: Any) -> NewWork:
    values = row.values or {}
    # of a pair of endings the fifth sentence, where there is one, is in the pair
    rest = () if row.role == "endings" else row.endings or ()
    shown: Sequence[str] = values.get("sentences") or [*(row.context or ()), *rest]
    return NewWork(
        person=row.person,
        step=row.role,
        at=row.submitted_at,
        counts=row.status in ("accepted", "rejected"),
        title=values.get("title") or row.title or "",
        sentences=tuple(shown),
        right=values.get("right", ""),
        wrong=values.get("wrong", ""),
        said=row.verdict or row.answer or "",
        remark=row.reason or "",
        bonus=bool(values.get("bonus")),
    )
