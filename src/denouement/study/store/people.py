"""Annotators: how they enter a study, go on and leave."""

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.store.base import StoreBase, moment
from denouement.study.store.leases import HAS_PLACE, close, free, lapse, recount
from denouement.study.store.links import annotator_id_of
from denouement.study.store.log import By, note
from denouement.study.store.models import annotators, assignments, items, replies, studies
from denouement.study.store.records import Annotator, State
from denouement.study.store.stored_study import StoredCampaign, StoredStudy, could_be_id

PERSON = sa.select(
    annotators.c.id.label("pk"),
    annotators.c.annotator_id,
    annotators.c.key,
    annotators.c.state,
    annotators.c.served,
    annotators.c.answered,
    annotators.c.training_failures,
    annotators.c.training_passed,
    annotators.c.after_at,
    annotators.c.seen_at,
    annotators.c.excluded_from,
    annotators.c.excluded_because,
    annotators.c.same_as,
    studies.c.name.label("study"),
    studies.c.state.label("study_state"),
).join(studies)

_BY_KEY = PERSON.where(annotators.c.key == sa.bindparam("secret"))


class People(StoreBase):
    """The people in studies. Each has an external id, a secret key in the store, and an id in the tables."""

    def annotator_id(self, study: str, external_id: str) -> str:
        """The id in the tables of the person with this external id, such as a participant's id on Prolific.

        Raises:
            UserError: an id with which nobody can enter the study.
        """
        with self._reading() as connection:
            found = annotator_id_of(connection, self._campaign(study), external_id)
        if found is None:
            raise UserError(f"{shortened([external_id])}: nobody can enter study {study} with this id")
        return found

    def enter(
        self, study: str, external_id: str, entry: Mapping[str, str] | None = None, now: datetime | None = None
    ) -> Annotator | None:
        """The person with this external id: a new one, or the one who entered before, in any state.

        Args:
            study: its name.
            external_id: the link's token (`links`), the random id of the browser (`open`), or PROLIFIC_PID.
            entry: other values in the address, such as STUDY_ID and SESSION_ID. Those of the first time are kept,
                hashed like the id. Values that can be no id (`could_be_id`) are left out.
            now: the time.

        Returns:
            None where the study is closed and nobody came with this id yet; where people enter by private links and
            this is no link's token; for an id that is empty, longer than 128 characters or not printable; and for one
            that the tables use for annotators without a name.
        """
        of = self._campaign(study)
        at = moment(now)
        usable = {name: value for name, value in (entry or {}).items() if could_be_id(name) and could_be_id(value)}
        kept = {name: of.hashed(value) for name, value in usable.items()} if of.design.hash_ids else usable

        def found(connection: sa.Connection, annotator_id: str) -> Annotator | None:
            there = (annotators.c.study_id == of.id, annotators.c.annotator_id == annotator_id)
            row = connection.execute(PERSON.where(*there)).one_or_none()
            return _annotator(row) if row else None

        with self._reading() as connection:
            annotator_id = annotator_id_of(connection, of, external_id)
            if annotator_id is None:
                return None
            if annotator := found(connection, annotator_id):
                return annotator

        def job(connection: sa.Connection) -> Annotator | None:
            if annotator := found(connection, annotator_id):
                return annotator
            if connection.scalar(sa.select(studies.c.state).where(studies.c.id == of.id)) == "closed":
                return None
            key = secrets.token_urlsafe(32)
            connection.execute(
                annotators.insert().values(
                    study_id=of.id,
                    annotator_id=annotator_id,
                    key=key,
                    state="consenting",
                    entry=kept,
                    served=0,
                    answered=0,
                    training_failures=0,
                    training_passed=0,
                    entered_at=at,
                    seen_at=at,
                )
            )
            return Annotator(annotator_id, key, study, "consenting")

        return self._write(job)

    def annotator(self, key: str) -> Annotator | None:
        """The person whose secret key this is."""
        if not could_be_id(key):
            return None
        with self._reading() as connection:
            row = connection.execute(_BY_KEY, {"secret": key}).one_or_none()
        return _annotator(row) if row else None

    def consent(self, key: str, now: datetime | None = None) -> Annotator:
        """From `consenting` to `asking`, `training` or `answering`; a person in any other state stays in it.

        This method and the next three return the person in their new state.

        Raises:
            UserError: a key that is no one's.
        """

        at = moment(now)

        def step(study: StoredCampaign, person: Any) -> dict[str, Any]:
            return {"state": "asking" if study.design.ask.before else study.first_state, "consented_at": at}

        return self._step(key, "consenting", step, at)

    def decline(self, key: str, now: datetime | None = None) -> Annotator:
        """From `consenting` to `declined`."""
        return self._step(key, "consenting", lambda study, person: {"state": "declined"}, now)

    def passed_training(self, key: str, item: int = 0, now: datetime | None = None) -> Annotator:
        """From a practice item, the `item`-th from 0, to the next one, and from the last to `answering`.

        A person who is at another practice item stays there: the answer was sent twice.
        """

        def step(study: StoredCampaign, person: Any) -> dict[str, Any]:
            if person.training_passed != item:
                return {}
            assert isinstance(study, StoredStudy)  # nobody is at the training of a collection
            is_last = item + 1 >= study.n_training
            state = "answering" if is_last else "training"
            return {"training_passed": item + 1, "training_failures": 0, "state": state}

        return self._step(key, "training", step, now)

    def failed_training(self, key: str, item: int = 0, now: datetime | None = None) -> Annotator:
        """Count a wrong answer to a practice item; after the most that the design allows, they are `screened_out`."""

        def step(study: StoredCampaign, person: Any) -> dict[str, Any]:
            if person.training_passed != item:
                return {}
            assert isinstance(study, StoredStudy)
            failures = person.training_failures + 1
            most = study.design.training[item].attempts
            is_out = most is not None and failures >= most
            return {"training_failures": failures, "state": "screened_out" if is_out else "training"}

        return self._step(key, "training", step, now)

    def put(self, key: str, state: State, answered: int, training_failures: int, after_at: datetime | None) -> None:
        """Put a person into a state, whatever theirs is, for a preview.

        Raises:
            UserError: a key that is no one's.
        """
        values = {"state": state, "answered": answered, "training_failures": training_failures, "after_at": after_at}
        self._write(lambda connection: update(connection, person_with(connection, key).pk, **values))

    def withdraw(self, key: str, now: datetime | None = None) -> int:
        """Delete a person's answers, replies and values of entry, and free their items; return the number of answers.

        Raises:
            UserError: a key that is no one's.
        """
        return self._withdraw(lambda connection: person_with(connection, key), "annotator", now)

    def withdraw_for(self, study: str, annotator_id: str, by: By = "command", now: datetime | None = None) -> int:
        """`withdraw`, by the organiser for a person who asked for it; `annotator_id` is their id in the tables.

        Raises:
            UserError: no such person.
        """
        of = self._campaign(study)
        return self._withdraw(lambda connection: person_named(connection, of, annotator_id), by, now)

    def _withdraw(self, find: Callable[[sa.Connection], Any], by: By, now: datetime | None) -> int:
        at = moment(now)

        def job(connection: sa.Connection) -> int:
            person = find(connection)
            if person.state == "withdrawn":
                return 0  # nothing is left, and the log has it
            answers = self._take_back(connection, person)
            connection.execute(replies.delete().where(replies.c.annotator_id == person.pk))
            left = {"state": "withdrawn", "entry": {}, "answered": 0, "seen_at": at}
            update(connection, person.pk, **left, excluded_from=None, excluded_because=None)
            study = self._campaign(person.study, connection)
            note(connection, study, at, by, "withdrew", person.annotator_id, f"{answers} answers deleted")
            return answers

        deleted = self._write(job)
        self._forget()
        return deleted

    def _take_back(self, connection: sa.Connection, person: Any) -> int:
        """Delete what a person answered, and free their items; return the number of answers."""
        held = assignments.c.annotator_id == person.pk
        free(connection, held & (assignments.c.status == "accepted"), taken=1, accepted=1)
        free(connection, held & (assignments.c.state == "open"), taken=1)
        answers = connection.scalar(sa.select(sa.func.count()).where(held & (assignments.c.state == "answered")))
        connection.execute(assignments.delete().where(held))  # with their flags and corrections
        return int(answers or 0)

    def exclude(
        self, study: str, annotator_id: str, because: str = "", by: By = "command", now: datetime | None = None
    ) -> int:
        """Mark a person's answers as excluded and reopen their items; return the number of answers.

        Raises:
            UserError: no such person.
        """
        of = self._campaign(study)
        at = moment(now)

        def job(connection: sa.Connection) -> int:
            person = person_named(connection, of, annotator_id)
            held = assignments.c.annotator_id == person.pk
            free(connection, held & (assignments.c.status == "accepted"), taken=1, accepted=1)
            close(connection, held)
            excluded = connection.execute(
                assignments.update().where(held & (assignments.c.state == "answered")).values(status="excluded")
            )
            if person.state != "withdrawn":
                before = person.excluded_from if person.state == "excluded" else person.state
                update(connection, person.pk, state="excluded", excluded_from=before, excluded_because=because or None)
            self._recount(connection, of, at)
            note(connection, of, at, by, "excluded", annotator_id, because or None)
            return excluded.rowcount

        return self._write(job)

    def readmit(self, study: str, annotator_id: str, by: By = "command", now: datetime | None = None) -> dict[str, int]:
        """Undo an exclusion: the person is in the state of before, and may go on.

        In the order in which they came, the answers count again where the item has a free place; where others have
        answered or hold it since, they are surplus.

        Returns:
            The numbers of answers that are `accepted` and `surplus` now.

        Raises:
            UserError: no such person, or one who is not excluded.
        """
        of = self._campaign(study)
        at = moment(now)

        def job(connection: sa.Connection) -> dict[str, int]:
            person = person_named(connection, of, annotator_id)
            if person.state != "excluded":
                raise UserError(f"{shortened([annotator_id])}: is not excluded from study {study}")
            lapse(connection, of, at)
            theirs = (
                sa.select(assignments.c.id, assignments.c.item_id)
                .where(assignments.c.annotator_id == person.pk, assignments.c.status == "excluded")
                .order_by(assignments.c.submitted_at, assignments.c.id)
            )
            became = {"accepted": 0, "surplus": 0}
            for answer in connection.execute(theirs).all():
                is_free = sa.select(items.c.id).where(items.c.id == answer.item_id, HAS_PLACE)
                status = "accepted" if connection.execute(is_free).first() else "surplus"
                if status == "accepted":
                    recount(connection, answer.item_id, taken=1, accepted=1)
                connection.execute(assignments.update().where(assignments.c.id == answer.id).values(status=status))
                became[status] += 1
            # a store of an earlier version does not know the state of before: whoever answered may go on
            state = person.excluded_from or ("answering" if person.served else "consenting")
            update(connection, person.pk, state=state, excluded_from=None, excluded_because=None)
            self._recount(connection, of, at)
            note(connection, of, at, by, "readmitted", annotator_id)
            return became

        return self._write(job)

    def _recount(self, connection: sa.Connection, of: StoredCampaign, at: datetime) -> None:
        """Called when answers count no more, or count again: in a study no item depends on another's answers."""

    def _step(
        self, key: str, state: str, step: Callable[[StoredCampaign, Any], dict[str, Any]], now: datetime | None
    ) -> Annotator:
        """Change the person as `step` says, if they are in `state`."""
        at = moment(now)

        def job(connection: sa.Connection) -> Annotator:
            person = person_with(connection, key)
            if person.state == state:
                update(connection, person.pk, seen_at=at, **step(self._campaign(person.study, connection), person))
            return _annotator(person_with(connection, key))

        return self._write(job)


def person_with(connection: sa.Connection, key: str) -> Any:
    """The row of the person whose secret key this is, as `PERSON` selects it.

    Raises:
        UserError: a key that is no one's.
    """
    person = connection.execute(_BY_KEY, {"secret": key}).one_or_none() if could_be_id(key) else None
    if person is None:
        raise UserError("no annotator has this key; open the study's link again")
    return person


def person_named(connection: sa.Connection, study: StoredCampaign, annotator_id: str) -> Any:
    """The row of the person with this id in the tables, as `PERSON` selects it.

    Raises:
        UserError: no such person.
    """
    there = (annotators.c.study_id == study.id, annotators.c.annotator_id == annotator_id)
    person = connection.execute(PERSON.where(*there)).one_or_none() if could_be_id(annotator_id) else None
    if person is None:
        raise UserError(f"{shortened([annotator_id])}: no annotator of study {study.name}")
    return person


def _annotator(person: Any) -> Annotator:
    return Annotator(
        person.annotator_id,
        person.key,
        person.study,
        person.state,
        person.answered,
        person.training_failures,
        person.training_passed,
        person.after_at is not None,
    )


def update(connection: sa.Connection, person: int, **values: Any) -> None:
    """Set columns of the person's row."""
    connection.execute(annotators.update().where(annotators.c.id == person).values(**values))
