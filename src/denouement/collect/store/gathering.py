"""What a collection has so far: its tables, what its people did, how far it is."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any

import sqlalchemy as sa

from denouement.collect.exported import CollectedReview, CollectedWork
from denouement.collect.paying import DoneWork
from denouement.collect.store.base import FILE, WORK, CollectionBase, StoredCollection, reviewed_version
from denouement.collect.store.flow import due, settle, writer_of
from denouement.collect.store.qualifying import failures
from denouement.collect.store.records import (
    CollectionProgress,
    CollectorProgress,
    KnownStory,
    StepOfPerson,
    StepProgress,
)
from denouement.collect.store.working import step_state
from denouement.collect.work import as_table
from denouement.study.store.base import moment
from denouement.study.store.leases import open_leases
from denouement.study.store.models import admissions, annotators, assignments, items, studies
from denouement.study.store.people import PERSON

_COUNTS = ("accepted", "surplus")  # statuses of work that is paid

# What is counted of work that was handed in. No text is read: there may be a hundred thousand stories.
_COUNTED = (
    sa.select(
        assignments.c.token,
        assignments.c.status,
        assignments.c.verdict,
        assignments.c["values"]["seconds"].as_float().label("seconds"),
        assignments.c["values"]["bonus"].as_boolean().label("bonus"),
        items.c.role,
        items.c.source,
        annotators.c.annotator_id.label("person"),
    )
    .join(items, items.c.id == assignments.c.item_id)
    .join(annotators, annotators.c.id == assignments.c.annotator_id)
)


class Gathering(CollectionBase):
    """Reads what was handed in."""

    def collected(self, name: str, now: datetime | None = None) -> CollectedWork:
        """All work that counts, as tables, each in the order in which it came in; rejected stories are among them.

        Work of excluded people is left out, and what was made from it.
        """
        of = self._settled(name, moment(now))
        with self._reading() as connection:
            rows = works(connection, of)
        stories = [row for row in rows if row.role == "stories" and row.status in ("accepted", "rejected")]
        pairs = [row for row in rows if row.role == "endings" and _counts(row)]
        wrote = {row.token: writer_of(row) for row in stories}
        remarks = _remarks(rows)
        pair_ids = {row.token: row.values["id"] for row in pairs}
        answers = [row for row in rows if row.role == "verification" and _counts(row) and row.source in pair_ids]
        has_pairs = of.design.endings is not None or bool(pairs)
        return CollectedWork(
            stories=as_table("collected_stories", [_story(row, remarks) for row in stories])
            if of.design.stories or stories
            else None,
            endings=as_table("collected_endings", [_pair(row, wrote) for row in pairs]) if has_pairs else None,
            verifications=as_table(
                "verifications",
                [
                    {
                        "case_id": pair_ids[row.source],
                        "ending": row.expected,
                        "verifier": row.person,
                        "answer": row.answer,
                    }
                    for row in answers
                ],
            )
            if has_pairs
            else None,
            reviews=tuple(
                _review(row) for row in rows if row.role == "review" and row.status in _COUNTS and row.source in wrote
            ),
        )

    def work_digest(self, name: str, now: datetime | None = None) -> str:
        """A digest of all that was handed in, and of what became of it; see `collection_exported`."""
        of = self._settled(name, moment(now))
        with self._reading() as connection:
            return digest_of(works(connection, of))

    def stories_since(self, name: str, since: datetime | None = None) -> list[KnownStory]:
        """The stories that were handed in at this time or later, in that order; None: all."""
        of = self._collection(name)
        given = WORK.where(_is_story(of)).order_by(assignments.c.submitted_at, assignments.c.id)
        with self._reading() as connection:
            rows = connection.execute(given.where(assignments.c.submitted_at >= since) if since else given).all()
        return [KnownStory(row.token, tuple(row.values["sentences"]), row.submitted_at) for row in rows]

    def story_ids(self, name: str) -> set[str]:
        """The ids of the stories that `stories_since` returns."""
        of = self._collection(name)
        tokens = sa.select(assignments.c.token).join(items, items.c.id == assignments.c.item_id)
        with self._reading() as connection:
            return set(connection.scalars(tokens.where(_is_story(of))))

    def done_work(self, name: str, now: datetime | None = None) -> list[DoneWork]:
        """What each person is paid for: approved stories, and all other work but that of excluded people."""
        of = self._settled(name, moment(now))
        with self._reading() as connection:
            rows = _counted(connection, of)
        bonuses = _bonuses(rows)
        by: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for row in rows:
            if row.person != FILE and _is_paid(row):
                by[row.person, row.role].append(row)
        return [
            DoneWork(
                person,
                step,
                pieces=len(done),
                bonuses=sum(row.token in bonuses for row in done),
                seconds=sum(row.seconds for row in done),
            )
            for (person, step), done in by.items()
        ]

    def collection_progress(self, name: str, now: datetime | None = None) -> CollectionProgress:
        """How far a collection is."""
        at = moment(now)
        of = self._settled(name, at)
        with self._reading() as connection:
            rows = [row for row in _counted(connection, of) if row.person != FILE]
            people = connection.execute(
                PERSON.where(annotators.c.study_id == of.id, annotators.c.annotator_id != FILE).order_by(
                    annotators.c.id
                )
            ).all()
            leases = connection.execute(open_leases(of, at)).all()
            pieces = sa.select(items.c.id, items.c.role).where(items.c.id.in_([lease.item_id for lease in leases]))
            role = {piece.id: piece.role for piece in connection.execute(pieces)}
            wanted = _wanted(connection, of)
            may = _admissions(connection, of)
            failed = failures(connection, of)
            state = connection.scalars(sa.select(studies.c.state).where(studies.c.id == of.id)).one()
            states = {step: step_state(connection, of, step) for step in of.design.of_people}
        held = Counter(role[lease.item_id] for lease in leases)
        holders = {lease.annotator_id for lease in leases}
        bonuses = _bonuses(rows)
        by_person: dict[str, list[Any]] = defaultdict(list)
        for row in rows:
            by_person[row.person].append(row)
        return CollectionProgress(
            name,
            state,
            tuple(
                _step_progress(step, states[step], rows, wanted.get(step), held[step], failed[step])
                for step in of.design.of_people
            ),
            tuple(
                CollectorProgress(
                    person=person.annotator_id,
                    state=person.state,
                    may=tuple(step for step in of.design.of_people if step in may[person.pk]),
                    steps=tuple(_of_person(of, by_person[person.annotator_id], bonuses)),
                    last_seen_at=person.seen_at,
                    is_holding=person.pk in holders,
                    excluded_because=person.excluded_because or "",
                )
                for person in people
            ),
        )

    def _settled(self, name: str, at: datetime) -> StoredCollection:
        """The collection, once the stories are approved whose time for a review is over."""
        of = self._collection(name)
        while not self.is_read_only and self._is_any_due(of, at):
            self._write(lambda connection: settle(connection, of, at))
        return of

    def _is_any_due(self, of: StoredCollection, at: datetime) -> bool:
        with self._reading() as connection:
            return bool(due(connection, of, at))


def _is_story(of: StoredCollection) -> sa.ColumnElement[bool]:
    """Whether work is a story of a collection that was handed in."""
    return (assignments.c.study_id == of.id) & (assignments.c.state == "answered") & (items.c.role == "stories")


def works(connection: sa.Connection, of: StoredCollection) -> Sequence[Any]:
    """All work of a collection that was handed in, as `WORK` selects it, in the order in which it came in."""
    given = WORK.where(assignments.c.study_id == of.id, assignments.c.state == "answered")
    return connection.execute(given.order_by(assignments.c.submitted_at, assignments.c.id)).all()


def digest_of(rows: Sequence[Any]) -> str:
    """A digest of work, and of what became of it."""
    said = [[row.token, row.status, row.verdict, row.answer, row.reason, row.values] for row in rows]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _admissions(connection: sa.Connection, of: StoredCollection) -> Mapping[int, set[str]]:
    """By person the steps that they may do; by a single query, since there may be a thousand people."""
    of_all = sa.select(admissions).join(annotators, annotators.c.id == admissions.c.annotator_id)
    found: dict[int, set[str]] = defaultdict(set)
    for row in connection.execute(of_all.where(annotators.c.study_id == of.id)):
        found[row.annotator_id].add(row.step)
    return found


def _counted(connection: sa.Connection, of: StoredCollection) -> Sequence[Any]:
    """All work of a collection that was handed in, as `_COUNTED` selects it."""
    given = _COUNTED.where(assignments.c.study_id == of.id, assignments.c.state == "answered")
    return connection.execute(given).all()


def _counts(row: Any) -> bool:
    """Whether work is of the collection: it was accepted, and the story or pair that it is about still counts."""
    return row.status == "accepted" and (not row.retired or row.person == FILE)


def _is_paid(row: Any) -> bool:
    return row.verdict == "approved" and row.status == "accepted" if row.role == "stories" else row.status in _COUNTS


def _remarks(rows: Iterable[Any]) -> dict[str, str]:
    """By story the last thing that a reviewer wrote about it."""
    return {row.source: row.reason for row in rows if row.role == "review" and row.status == "accepted" and row.reason}


def _bonuses(rows: Iterable[Any]) -> set[str]:
    """The stories that a reviewer marked for a bonus."""
    return {row.source for row in rows if row.role == "review" and row.status == "accepted" and row.bonus}


def _story(row: Any, remarks: Mapping[str, str]) -> dict[str, Any]:
    return {
        "story_id": row.values["id"],
        "title": row.values["title"] or None,
        "sentences": row.values["sentences"],
        "writer": _writer(row),
        "status": row.verdict,
        "remark": remarks.get(row.token),
        "minutes": _minutes(row),
    }


def _review(row: Any) -> CollectedReview:
    return CollectedReview(
        story_id=row.case_id,
        version=reviewed_version(row.piece),
        reviewer=row.person,
        decision=row.answer,
        bonus=row.values["bonus"],
        remark=row.reason or "",
    )


def _pair(row: Any, wrote: Mapping[str, str]) -> dict[str, Any]:
    writer = wrote.get(row.source) if row.source else row.values.get("story_writer")
    return {
        "case_id": row.values["id"],
        "story_id": row.case_id,
        "context": row.context,
        "right": row.values["right"],
        "wrong": row.values["wrong"],
        "writer": _writer(row),
        "story_writer": None if writer == FILE else writer,
        "minutes": _minutes(row),
    }


def _writer(row: Any) -> str | None:
    found: str | None = row.values.get("writer") if row.person == FILE else row.person
    return found


def _minutes(row: Any) -> float | None:
    return None if row.person == FILE else row.values["seconds"] / 60


def _median_minutes(rows: Iterable[Any]) -> float | None:
    minutes = [row.seconds / 60 for row in rows if row.status in (*_COUNTS, "rejected")]
    return median(minutes) if minutes else None


def _wanted(connection: sa.Connection, of: StoredCollection) -> dict[str, int | None]:
    """By step how many pieces there are to be, as far as there are any yet."""
    sums = (
        sa.select(items.c.role, sa.func.sum(sa.case((items.c.retired, items.c.accepted), else_=items.c.wanted)))
        .where(items.c.study_id == of.id, items.c.role != "stories", ~items.c.item_id.startswith("file:"))
        .group_by(items.c.role)
    )
    found: dict[str, int | None] = dict.fromkeys(of.design.of_people, 0)
    found |= {role: int(total or 0) for role, total in connection.execute(sums)}
    if of.design.stories:
        found["stories"] = of.design.stories.wanted
    return found


def _step_progress(
    step: str, state: Any, rows: Sequence[Any], wanted: int | None, held: int, failed: int
) -> StepProgress:
    theirs = [row for row in rows if row.role == step]
    statuses = Counter(row.status for row in theirs)
    verdicts = Counter(row.verdict for row in theirs if row.status in ("accepted", "rejected"))
    return StepProgress(
        step=step,
        state=state,
        people=len({row.person for row in theirs}),
        done=statuses["accepted"],
        wanted=wanted,
        open=held,
        surplus=statuses["surplus"],
        excluded=statuses["excluded"],
        statuses={name: verdicts[name] for name in ("approved", "open", "returned", "rejected")}
        if step == "stories"
        else {},
        median_minutes=_median_minutes(theirs),
        failed=failed,
    )


def _of_person(of: StoredCollection, rows: Sequence[Any], bonuses: set[str]) -> Iterable[StepOfPerson]:
    for step in of.design.of_people:
        theirs = [row for row in rows if row.role == step]
        if theirs:
            verdicts = Counter(row.verdict for row in theirs if row.verdict)
            yield StepOfPerson(
                step,
                done=len(theirs),
                statuses=dict(verdicts),
                bonuses=sum(row.token in bonuses for row in theirs),
                median_minutes=_median_minutes(theirs),
            )
