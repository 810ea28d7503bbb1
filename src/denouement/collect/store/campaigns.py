"""Collections: how they are made, who may come in for what, the states of their steps, and how they end."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime

import pyarrow as pa
import sqlalchemy as sa

from denouement.collect.beginning import refuse_files
from denouement.collect.description import Collection, to_json
from denouement.collect.store.base import FILE, CollectionBase, StoredCollection
from denouement.collect.store.flow import PROMPT, as_entered, make_piece, pair_came, story_came
from denouement.collect.store.gathering import digest_of, works
from denouement.collect.store.records import TakenFromFiles
from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.store.base import moment
from denouement.study.store.links import link_id, links_of, make_links
from denouement.study.store.log import By, note
from denouement.study.store.models import (
    COLLECTION,
    admissions,
    annotators,
    links,
    metadata,
    step_states,
    studies,
)
from denouement.study.store.opening import Store
from denouement.study.store.people import person_with
from denouement.study.store.records import Annotator, Outlook, StudyState
from denouement.study.store.roster import Participant
from denouement.study.store.stored_study import could_be_id

_DONE: dict[StudyState, str] = {"open": "reopened", "paused": "paused", "closed": "closed"}


class Campaigns(CollectionBase, Store):
    """Collections as such. What studies have, too, is done for a study as before."""

    def create_collection(
        self,
        collection: Collection,
        stories: pa.Table | None = None,
        endings: pa.Table | None = None,
        by: By = "command",
        now: datetime | None = None,
    ) -> TakenFromFiles:
        """Add a collection, with its private links and the pieces of work with which it begins.

        Args:
            collection: what it asks.
            stories: the table `collected_stories` of a file: its approved stories need no review, its open ones do; the
                others are left out.
            endings: the table `collected_endings` of a file, to be verified.
            by: who makes it, for the log.
            now: the time.

        Returns:
            What was taken from the files.

        Raises:
            UserError: the store has a study or collection of this name, or a table is refused (`refuse_files`).
        """
        refuse_files(collection, stories, endings)
        at = moment(now)
        salt = secrets.token_hex(32)

        def job(connection: sa.Connection) -> TakenFromFiles:
            if connection.scalar(sa.select(studies.c.id).where(studies.c.name == collection.name)):
                raise UserError(f"name: {collection.name} is in the store already; give this collection another name")
            made = studies.insert().values(
                name=collection.name, design=to_json(collection), salt=salt, created_at=at, kind=COLLECTION
            )
            key = connection.execute(made).inserted_primary_key
            assert key is not None
            of = self._collection(collection.name, connection)
            if collection.of_all:
                make_links(connection, of.id, collection.entry.links or 0, collection.of_all)
            for name, step in collection.of_people.items():
                make_links(connection, of.id, step.links, [name])
            if collection.stories:
                for number, prompt in enumerate(collection.stories.prompts or ("",), 1):
                    shown = {"context": [prompt] if prompt else []}
                    make_piece(connection, of, f"{PROMPT}{number}", "stories", None, **shown)
            note(connection, of, at, by, "created")
            return _take_files(connection, of, stories, endings, at)

        return self._write(job)

    def collections(self) -> list[str]:
        """The names of the collections, the oldest first."""
        with self._reading() as connection:
            names = sa.select(studies.c.name).where(studies.c.kind == COLLECTION).order_by(studies.c.id)
            return list(connection.scalars(names))

    def enter(
        self,
        study: str,
        external_id: str,
        entry: Mapping[str, str] | None = None,
        now: datetime | None = None,
        steps: Sequence[str] | None = None,
    ) -> Annotator | None:
        """Let a person in as in a study. They may do the steps to which their link leads, or those of their address.

        Args:
            study: the name of the study or collection.
            external_id, entry, now: as of a study.
            steps: those of the address by which they come in, but never the review, which has links. None: all others.
        """
        if external_id == FILE:
            return None
        annotator = super().enter(study, external_id, entry, now)
        if annotator is None or not self.is_collection(study):
            return annotator
        of = self._collection(study)
        with self._reading() as connection:
            pk = person_with(connection, annotator.key).pk
            link = sa.select(links.c.steps).where(links.c.study_id == of.id, links.c.token == external_id)
            led = connection.execute(link).one_or_none()
            wanted = led.steps if led else [step for step in of.design.of_all if steps is None or step in steps]
            there = sa.select(admissions.c.step).where(admissions.c.annotator_id == pk)
            new = sorted(set(wanted) - set(connection.scalars(there)))
        if new:
            self._write(lambda connection: _admit(connection, pk, new))
        return annotator

    def take_link(self, key: str, token: str) -> bool:
        """Let a person who takes part do the steps of a private link, too, unless somebody came by it as another one.

        Returns:
            Whether they may do these steps now. No link with this token: False.

        Raises:
            UserError: a key that is no one's.
        """

        def job(connection: sa.Connection) -> bool:
            person = person_with(connection, key)
            of = self._collection(person.study, connection)
            link = sa.select(links).where(links.c.study_id == of.id, links.c.token == token)
            row = connection.execute(link).one_or_none()
            if row is None:
                return False
            came = annotators.c.annotator_id == link_id(of, token, row.number)
            if connection.execute(sa.select(annotators.c.id).where(annotators.c.study_id == of.id, came)).first():
                return False
            _admit(connection, person.pk, row.steps)
            return True

        return self._write(job) if could_be_id(token) else False

    def same_browser(self, key: str, other: str) -> None:
        """Keep that one browser had these two people, by their keys: neither gets what the other wrote or did.

        Raises:
            UserError: a key that is no one's.
        """

        def job(connection: sa.Connection) -> None:
            one, two = person_with(connection, key), person_with(connection, other)
            if one.study != two.study:
                return
            known = {one.same_as or one.pk, two.same_as or two.pk}
            theirs = annotators.c.id.in_((one.pk, two.pk)) | annotators.c.same_as.in_(known)
            connection.execute(annotators.update().where(theirs).values(same_as=min(known)))

        self._write(job)

    def add_links(
        self,
        study: str,
        n: int,
        by: By = "command",
        now: datetime | None = None,
        steps: Sequence[str] | None = None,
    ) -> list[str]:
        """As of a study; links of a collection lead to all steps but the review where `steps` is None."""
        if steps is None and self.is_collection(study):
            steps = self.collection(study).of_all
        return super().add_links(study, n, by, now, steps)

    def links_to(self, name: str) -> dict[str, tuple[str, ...]]:
        """By the token of each private link of a collection, the steps to which it leads."""
        of = self._collection(name)
        with self._reading() as connection:
            return {row.token: tuple(row.steps or ()) for row in links_of(connection, of)}

    def people(self, study: str) -> list[Participant]:
        """All people who came, in the order in which they came."""
        return [each for each in super().people(study) if each.annotator_id != FILE]

    def outlook(self, study: str, now: datetime | None = None) -> Outlook:
        """What a person finds who comes now; a collection that is open is `free`, since work may come at any time."""
        if not self.is_collection(study):
            return super().outlook(study, now)
        states = set(self.step_states(study).values())
        state = self.state(study)
        if state == "open":
            state = "open" if "open" in states else "paused" if "paused" in states else "closed"
        return Outlook("free" if state == "open" else state)

    def step_states(self, name: str) -> dict[str, StudyState]:
        """By step in which people do something, whether it is open, paused or closed."""
        of = self._collection(name)
        with self._reading() as connection:
            rows = connection.execute(sa.select(step_states).where(step_states.c.study_id == of.id)).all()
        found = {row.step: row.state for row in rows}
        return {step: found.get(step, "open") for step in of.design.of_people}

    def set_step_state(
        self, name: str, step: str, state: StudyState, by: By = "command", now: datetime | None = None
    ) -> None:
        """Pause, close or reopen a step: nobody gets a piece of a step that is not open.

        Work on pieces that people hold is taken in all states.

        Raises:
            UserError: no such step, or it is in this state already.
        """
        of = self._collection(name)
        if step not in of.design.of_people:
            raise UserError(
                f"{shortened([step])}: is no step of collection {name}; it has {', '.join(of.design.of_people)}"
            )
        at = moment(now)
        this = (step_states.c.study_id == of.id) & (step_states.c.step == step)

        def job(connection: sa.Connection) -> None:
            if (connection.scalar(sa.select(step_states.c.state).where(this)) or "open") == state:
                raise UserError(f"collection {name}: the step {step} is {state} already")
            connection.execute(step_states.delete().where(this))
            if state != "open":
                connection.execute(step_states.insert().values(study_id=of.id, step=step, state=state))
            note(connection, of, at, by, _DONE[state], detail=f"step {step}")

        self._write(job)

    def finish(self, key: str, now: datetime | None = None) -> None:
        """The person has done enough for now: from `answering` to `done`; with the next piece they are back.

        Raises:
            UserError: a key that is no one's.
        """
        self._step(key, "answering", lambda of, person: {"state": "done"}, now)

    def collection_exported(self, name: str, digest: str, by: By = "command", now: datetime | None = None) -> None:
        """Keep that work was exported, so that it may be deleted later.

        Args:
            name: of the collection.
            digest: what `work_digest` returned before the work was read, so that what came later counts as lacking.
            by, now: for the log.
        """
        of = self._collection(name)
        at = moment(now)

        def job(connection: sa.Connection) -> None:
            connection.execute(studies.update().where(studies.c.id == of.id).values(exported=digest))
            note(connection, of, at, by, "exported")

        self._write(job)

    def delete(self, study: str, without_export: bool = False) -> None:
        """Delete a study or collection with all that the store has of it; SQLite overwrites it.

        Raises:
            UserError: it is not closed, or the last export lacks some of its work.
        """
        if not self.is_collection(study):
            super().delete(study, without_export)
            return
        of = self._collection(study)

        def job(connection: sa.Connection) -> None:
            row = connection.execute(sa.select(studies).where(studies.c.id == of.id)).one()
            if row.state != "closed":
                raise UserError(f"collection {study}: is {row.state}; close it first")
            if not without_export and works(connection, of) and row.exported != digest_of(works(connection, of)):
                raise UserError(
                    f"collection {study}: has work that is in no export; export it first, or say that it may be lost"
                )
            for table in reversed(metadata.sorted_tables):
                if "study_id" in table.c:
                    connection.execute(table.delete().where(table.c.study_id == of.id))
            connection.execute(studies.delete().where(studies.c.id == of.id))

        self._write(job)
        self._campaigns.pop(study, None)
        self._forget()


def _admit(connection: sa.Connection, person: int, steps: Sequence[str]) -> None:
    """Let a person do these steps, too."""
    known = set(connection.scalars(sa.select(admissions.c.step).where(admissions.c.annotator_id == person)))
    for step in sorted(set(steps) - known):
        connection.execute(admissions.insert().values(annotator_id=person, step=step))


def _take_files(
    connection: sa.Connection,
    of: StoredCollection,
    stories: pa.Table | None,
    endings: pa.Table | None,
    at: datetime,
) -> TakenFromFiles:
    """Add what files have, as work of `FILE`."""
    if stories is None and endings is None:
        return TakenFromFiles()
    person = {"annotator_id": FILE, "key": secrets.token_urlsafe(32), "state": "done", "entry": {}}
    counts = {"served": 0, "answered": 0, "training_failures": 0, "training_passed": 0}
    added = annotators.insert().values(study_id=of.id, **person, **counts, entered_at=at, seen_at=at)
    key = connection.execute(added).inserted_primary_key
    assert key is not None
    pk = int(key[0])
    whole = [] if stories is None else stories.to_pylist()
    usable = [row for row in whole if row["status"] in ("approved", "open")]
    pairs = [] if endings is None else endings.to_pylist()
    if usable:
        item = make_piece(connection, of, "file:stories", "stories", None, retired=True)
    for row in usable:
        values = {"id": row["story_id"], "title": row["title"] or "", "sentences": row["sentences"]}
        values |= {"writer": _known(of, row["writer"])}
        token = as_entered(connection, of, pk, item, values, at, "open")
        story_came(connection, of, token, at, is_approved=row["status"] == "approved")
    for row in pairs:
        shown = {"case_id": row["story_id"] or row["case_id"], "context": row["context"], "retired": True}
        item = make_piece(connection, of, f"file:endings:{row['case_id']}", "endings", None, **shown)
        values = {"id": row["case_id"], "right": row["right"], "wrong": row["wrong"]}
        values |= {name: _known(of, row[name]) for name in ("writer", "story_writer")}
        pair_came(connection, of, as_entered(connection, of, pk, item, values, at))
    return TakenFromFiles(len(usable), len(pairs), len(whole) - len(usable))


def _known(of: StoredCollection, writer: str | None) -> str | None:
    """The id in the tables of a person whom a file names."""
    return of.hashed(writer) if writer and of.design.hash_ids else writer
