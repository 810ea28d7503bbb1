"""The store. Its rules are told in `docs/study.md`, under *Leases and late answers*.

Nobody gets a story twice while items of other stories are free (`leases`).

Whatever changes the database is a job of the one `Writer`, and no two jobs run at once in any process (`database`), so
that a job reads and writes as if it were alone.
"""

import logging
import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from denouement.errors import UserError
from denouement.schemas import UNNAMED_ANNOTATOR, shortened
from denouement.study.design.design import Design, from_json, to_json
from denouement.study.design.items import Item
from denouement.study.store import database
from denouement.study.store.answers import Unfit, check_answer, checked_reason
from denouement.study.store.leases import (
    HELD,
    UNANSWERED,
    UNFINISHED,
    UNFINISHED_BY_ANYONE,
    counted,
    free,
    held_items,
    lapse,
    leased,
    renewed,
)
from denouement.study.store.models import annotators, assignments, items, links, sessions, studies
from denouement.study.store.progress import measure
from denouement.study.store.records import Annotator, Answer, Assignment, Outcome, Progress
from denouement.study.store.studies import Study, could_be_id, item_of, item_row
from denouement.study.store.writing import Writer

Result = TypeVar("Result")

_UNKNOWN = Outcome("refused", "This question is not yours to answer. Please go on with the one that is shown next.")
_LEFT = Outcome("refused", "You are no longer taking part, so this answer is not kept.")


def open_store(url: str, make: bool = True) -> "Store":
    """The store at a database URL, `sqlite:///FILE` or `postgresql+psycopg://USER:PASSWORD@HOST/NAME`.

    Its tables are made, or brought to this version's form.

    Args:
        url: of the database.
        make: whether an SQLite file that is not there is made.

    Raises:
        UserError: no such database, no database of studies, one of a newer version.
    """
    engine = database.connect(url, make)
    with database.failures_told(engine):
        database.migrate(engine)
        database.forget(engine)
    return Store(engine)


class Store:
    """Studies, people, leases and answers. Every method may be called from any thread; `now` is the clock, for tests.

    An outcome that a method returned is on the disk. All methods raise `StoreUnavailableError` when the database does
    not answer, and UserError for a study that is not there.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._writer = Writer(database.writer(engine))
        self._studies: dict[str, Study] = {}  # a study never changes once it is made

    def close(self) -> None:
        """Let the database go. Nothing is lost without it."""
        self._writer.close()
        self._engine.dispose()

    # Studies

    def create(self, design: Design, study_items: Sequence[Item], now: datetime | None = None) -> None:
        """Add a study with its items, and its private links where people come in by those.

        Raises:
            UserError: a study of this name is there.
            ValueError: there are no items.
        """
        if not study_items:
            raise ValueError("a study without items")
        moment = _now(now)
        salt = secrets.token_hex(32)
        drawn = list(range(len(study_items)))
        random.Random(salt).shuffle(drawn)  # noqa: S311 (seeded by a secret)

        def job(connection: sa.Connection) -> None:
            if connection.scalar(sa.select(studies.c.id).where(studies.c.name == design.name)):
                raise UserError(f"name: a study {design.name} is in the store already; give this one another name")
            made = studies.insert().values(name=design.name, design=to_json(design), salt=salt, created_at=moment)
            study_id = _new_id(connection.execute(made))
            rows = zip(study_items, drawn, strict=True)
            connection.execute(
                items.insert(),
                [item_row(study_id, design, item, number, place) for number, (item, place) in enumerate(rows)],
            )
            _make_links(connection, study_id, design.entry.links or 0)

        self._write(job)

    def studies(self) -> list[str]:
        """The names of the studies, the oldest first."""
        with self._reading() as connection:
            return list(connection.scalars(sa.select(studies.c.name).order_by(studies.c.id)))

    def design(self, study: str) -> Design:
        """The design of a study."""
        return self._study(study).design

    def items(self, study: str) -> list[Item]:
        """All items of a study, in the order they were created with, checks and training item included."""
        return list(self._study(study).items.values())

    def training_item(self, study: str) -> Item | None:
        """The training item of a study, if it has one."""
        return next((item for item in self.items(study) if item.is_training), None)

    def training_order(self, study: str, annotator_id: str) -> list[int]:
        """How the texts of the training item stand on a person's page, as `Assignment.order` tells it of others.

        Raises:
            ValueError: the study has no training item.
        """
        item = self.training_item(study)
        if item is None:
            raise ValueError(f"study {study} has no training item")
        return self._study(study).drawn_order(annotator_id, item)

    def is_full(self, study: str) -> bool:
        """Whether all items have all their answers: unless answers are withdrawn or excluded, nobody gets any."""
        asked = {"study": self._study(study).id}
        with self._reading() as connection:
            return connection.execute(UNFINISHED_BY_ANYONE.limit(1), asked).first() is None

    def links(self, study: str) -> list[str]:
        """The tokens of a study's private links: secret, one a person. Empty in another mode of entry."""
        of_study = links.c.study_id == self._study(study).id
        with self._reading() as connection:
            return list(connection.scalars(sa.select(links.c.token).where(of_study).order_by(links.c.number)))

    def opened_by(self, study: str) -> dict[str, str | None]:
        """By the token of each private link, what the person is called in the tables who came by it; None: nobody."""
        of = self._study(study)
        with self._reading() as connection:
            rows = connection.execute(sa.select(links).where(links.c.study_id == of.id).order_by(links.c.number)).all()
            came = set(connection.scalars(sa.select(annotators.c.annotator_id).where(annotators.c.study_id == of.id)))
        called = {row.token: _link_id(of, row.token, row.number) for row in rows}
        return {token: name if name in came else None for token, name in called.items()}

    def add_links(self, study: str, n: int) -> list[str]:
        """Make `n` more private links and return their tokens.

        Raises:
            UserError: nobody comes into this study by private links.
        """
        of = self._study(study)
        if of.design.entry.kind != "links":
            raise UserError(f"study {study}: people come in by one link for all (entry.kind: {of.design.entry.kind})")
        return self._write(lambda connection: _make_links(connection, of.id, n))

    def most_items(self, study: str) -> int:
        """How many items a person may see at most, checks included."""
        return self._study(study).most_items

    def annotator_id(self, study: str, external_id: str) -> str:
        """How the person with this external id is called in the tables: to find a Prolific participant's answers.

        Raises:
            UserError: an id that `enter` would not take.
        """
        with self._reading() as connection:
            found = _annotator_id(connection, self._study(study), external_id)
        if found is None:
            raise UserError(f"{shortened([external_id])}: no id that anyone could come in with to study {study}")
        return found

    # People

    def enter(
        self, study: str, external_id: str, entry: Mapping[str, str] | None = None, now: datetime | None = None
    ) -> Annotator | None:
        """The person with this external id: a new one, or the one who came before, whatever their state.

        Args:
            study: its name.
            external_id: the link's token (`links`), the browser's own random id (`open`), or PROLIFIC_PID.
            entry: what else came with the address, such as STUDY_ID and SESSION_ID; kept from the first time, hashed
                like the id. What can be no id, or is longer than 128 characters, is left out.
            now: the time.

        Returns:
            None where people come in by private links and this is the token of none, or for an id that is empty, longer
            than 128 characters, not printable, or would stand in the tables as that of nobody known.
        """
        of = self._study(study)
        moment = _now(now)
        usable = {name: value for name, value in (entry or {}).items() if could_be_id(name) and could_be_id(value)}
        kept = {name: of.hashed(value) for name, value in usable.items()} if of.design.hash_ids else usable

        def found(connection: sa.Connection, annotator_id: str) -> Annotator | None:
            there = (annotators.c.study_id == of.id, annotators.c.annotator_id == annotator_id)
            row = connection.execute(_PERSON.where(*there)).one_or_none()
            return _annotator(row) if row else None

        with self._reading() as connection:
            annotator_id = _annotator_id(connection, of, external_id)
            if annotator_id is None:
                return None
            if annotator := found(connection, annotator_id):
                return annotator

        def job(connection: sa.Connection) -> Annotator:
            if annotator := found(connection, annotator_id):
                return annotator
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
                    entered_at=moment,
                    seen_at=moment,
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
        """From `consenting` to `training` or `answering`; in any other state nothing changes.

        This and the next three return the person as they now are.

        Raises:
            UserError: a key that is no one's.
        """

        def step(study: Study, person: Any) -> dict[str, Any]:
            return {"state": "training" if study.has_training else "answering"}

        return self._step(key, "consenting", step, now)

    def decline(self, key: str, now: datetime | None = None) -> Annotator:
        """From `consenting` to `declined`."""
        return self._step(key, "consenting", lambda study, person: {"state": "declined"}, now)

    def passed_training(self, key: str, now: datetime | None = None) -> Annotator:
        """From `training` to `answering`."""
        return self._step(key, "training", lambda study, person: {"state": "answering"}, now)

    def failed_training(self, key: str, now: datetime | None = None) -> Annotator:
        """Count a wrong answer to the training item: `screened_out` after as many as the design allows."""

        def step(study: Study, person: Any) -> dict[str, Any]:
            failures = person.training_failures + 1
            most = study.design.training.attempts if study.design.training else None
            is_out = most is not None and failures >= most
            return {"training_failures": failures, "state": "screened_out" if is_out else "training"}

        return self._step(key, "training", step, now)

    def withdraw(self, key: str, now: datetime | None = None) -> int:
        """Delete a person's answers and what came with their entry, and free their items. The number of answers.

        Raises:
            UserError: a key that is no one's.
        """
        moment = _now(now)

        def job(connection: sa.Connection) -> int:
            person = _person(connection, key)
            held = assignments.c.annotator_id == person.pk
            free(connection, held & (assignments.c.status == "accepted"), taken=1, accepted=1)
            free(connection, held & (assignments.c.state == "open"), taken=1)
            answers = connection.scalar(sa.select(sa.func.count()).where(held & (assignments.c.state == "answered")))
            connection.execute(assignments.delete().where(held))
            _update(connection, person.pk, state="withdrawn", entry={}, answered=0, seen_at=moment)
            return int(answers or 0)

        deleted = self._write(job)
        with database.failures_told(self._engine):
            if not database.forget(self._engine):
                logging.getLogger(__name__).warning(
                    "somebody reads: deleted text stays in SQLite's log until the store is next opened"
                )
        return deleted

    def exclude(self, study: str, annotator_id: str, now: datetime | None = None) -> int:
        """Mark a person's answers excluded and reopen their items. The number of answers.

        Raises:
            UserError: no such person.
        """
        of = self._study(study)

        def job(connection: sa.Connection) -> int:
            there = (annotators.c.study_id == of.id, annotators.c.annotator_id == annotator_id)
            person = connection.execute(_PERSON.where(*there)).one_or_none() if could_be_id(annotator_id) else None
            if person is None:
                raise UserError(f"{shortened([annotator_id])}: no annotator of study {study}")
            held = assignments.c.annotator_id == person.pk
            free(connection, held & (assignments.c.status == "accepted"), taken=1, accepted=1)
            free(connection, held & (assignments.c.state == "open"), taken=1)
            connection.execute(
                assignments.update().where(held & (assignments.c.state == "open")).values(state="lapsed")
            )
            excluded = connection.execute(
                assignments.update().where(held & (assignments.c.state == "answered")).values(status="excluded")
            )
            if person.state != "withdrawn":
                _update(connection, person.pk, state="excluded")
            return excluded.rowcount

        return self._write(job)

    def _step(
        self, key: str, state: str, step: Callable[[Study, Any], dict[str, Any]], now: datetime | None
    ) -> Annotator:
        """Change the person as `step` says, if they are in `state`."""
        moment = _now(now)

        def job(connection: sa.Connection) -> Annotator:
            person = _person(connection, key)
            if person.state == state:
                _update(connection, person.pk, seen_at=moment, **step(self._study(person.study), person))
            return _annotator(_person(connection, key))

        return self._write(job)

    # Items and answers

    def next(self, key: str, now: datetime | None = None) -> Assignment | None:
        """What this person is to answer: the item they hold already (reload, two tabs), or a newly leased one.

        Returns:
            None before consent and training, after leaving, and when there is nothing for this person at present: their
            state is `done` then, and `answering` again once this returns an item.

        Raises:
            UserError: a key that is no one's.
        """
        moment = _now(now)
        with self._reading() as connection:
            person = _person(connection, key)
            if person.state not in ("answering", "done"):
                return None
            study = self._study(person.study)
            held = connection.execute(HELD, {"annotator": person.pk}).one_or_none()
            if held and held.expires_at > moment:
                return study.assignment(held, person.answered)

        def job(connection: sa.Connection) -> Assignment | None:
            person = _person(connection, key)
            if person.state not in ("answering", "done"):
                return None
            held = connection.execute(HELD, {"annotator": person.pk}).one_or_none()
            if held is None or held.expires_at <= moment:
                lapse(connection, study.id, moment)
                held = renewed(connection, study, person, moment) or leased(connection, study, person, moment)
            state = "answering" if held else "done"
            if state != person.state:
                _update(connection, person.pk, state=state)
            return study.assignment(held, person.answered) if held else None

        return self._write(job)

    def may_get_more(self, key: str) -> bool:
        """Whether there is an item without all its answers that this person may still be asked about, now or later.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            person = _person(connection, key)
            study = self._study(person.study)
            if person.state not in ("answering", "done") or not study.may_see_more(person.answered):
                return False
            asked = {"study": study.id, "annotator": person.pk}
            return connection.execute(UNFINISHED, asked).first() is not None

    def left_any(self, key: str) -> bool:
        """Whether there is an item that this person did not answer, whoever else did; checks are none.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            person = _person(connection, key)
            asked = {"study": self._study(person.study).id, "annotator": person.pk}
            return connection.execute(UNANSWERED.limit(1), asked).first() is not None

    def submit(
        self,
        key: str,
        assignment_id: str,
        answer: str | None = None,
        reason: str | None = None,
        values: Mapping[str, int] | None = None,
        order: Sequence[int] | None = None,
        now: datetime | None = None,
    ) -> Outcome:
        """Keep an answer; it is on the disk when this returns.

        Args:
            key: of the person.
            assignment_id: that `next` gave to this person.
            answer: of a pair: A, B, both or neither, by the sides of the page.
            reason: why; as long as the design asks.
            values: of a rating: a whole number for each scale's name.
            order: of an order: the places on the page (from 0) of the sentences, as they should follow each other.
            now: the time.

        Raises:
            UserError: a key that is no one's.
        """
        moment = _now(now)

        def job(connection: sa.Connection) -> Outcome:
            person = _person(connection, key)
            if person.state not in ("answering", "done"):
                return _LEFT
            mine = {"annotator": person.pk, "token": assignment_id}
            assignment = connection.execute(_MINE, mine).one_or_none() if could_be_id(assignment_id) else None
            if assignment is None:
                return _UNKNOWN
            if assignment.state == "answered":
                return Outcome("duplicate")
            study = self._study(person.study)
            try:
                check_answer(study.design, len(assignment.places), answer, values, order)
                kept_reason = checked_reason(study.design, reason)
            except Unfit as unfit:
                return Outcome("refused", str(unfit))
            lapse(connection, study.id, moment)
            counts = counted(connection, assignment.id)
            given = {
                "assignment": assignment.id,
                "status": "accepted" if counts else "surplus",
                "answer": answer,
                "values": dict(values) if values is not None else None,
                "arranged": [assignment.places[place] for place in order] if order is not None else None,
                "reason": kept_reason,
                "submitted_at": moment,
            }
            connection.execute(_ANSWER, given)
            connection.execute(_ANSWERED, {"annotator": person.pk, "seen_at": moment})
            return Outcome("accepted" if counts else "surplus")

        return self._write(job)

    # For the organiser

    def progress(self, study: str, now: datetime | None = None, answers: Sequence[Answer] | None = None) -> Progress:
        """How far a study is.

        Args:
            study: its name.
            now: the time.
            answers: what `answers` gave, where it was asked already.
        """
        of = self._study(study)
        with self._reading() as connection:
            people = connection.execute(_PERSON.where(annotators.c.study_id == of.id).order_by(annotators.c.id)).all()
            held = Counter[int](connection.scalars(held_items(of.id, _now(now))))
            return measure(of, people, held, self._answers(connection, of) if answers is None else answers)

    def answers(self, study: str) -> list[Answer]:
        """All answers, by item and annotator; those of checks too."""
        of = self._study(study)
        with self._reading() as connection:
            return self._answers(connection, of)

    def _answers(self, connection: sa.Connection, study: Study) -> list[Answer]:
        rows = connection.execute(
            sa.select(assignments, annotators.c.annotator_id.label("person"))
            .join(annotators, annotators.c.id == assignments.c.annotator_id)
            .where(assignments.c.study_id == study.id, assignments.c.state == "answered")
        )
        found = [
            Answer(
                item=study.items[row.item_id],
                annotator_id=row.person,
                order=tuple(row.places),
                answer=row.answer,
                values=row.values or {},
                arranged=tuple(row.arranged or ()),
                reason=row.reason,
                status=row.status,
                started_at=row.started_at,
                submitted_at=row.submitted_at,
            )
            for row in rows
        ]
        return sorted(found, key=lambda answer: (answer.item.id, answer.annotator_id))

    # The organiser's sessions: in the database, so that all processes that serve it know of their end

    def open_session(self, session: str, expires_at: datetime, now: datetime | None = None) -> None:
        """Remember a session, named by a digest, until it expires; those that have expired are forgotten."""
        gone = sessions.delete().where(sessions.c.expires_at <= _now(now))

        def job(connection: sa.Connection) -> None:
            connection.execute(gone)
            connection.execute(sessions.insert().values(session=session, expires_at=expires_at))

        self._write(job)

    def has_session(self, session: str, now: datetime | None = None) -> bool:
        """Whether this session was opened, and neither closed nor expired."""
        there = sa.select(sessions.c.session).where(sessions.c.session == session, sessions.c.expires_at > _now(now))
        with self._reading() as connection:
            return connection.execute(there).first() is not None

    def close_session(self, session: str) -> None:
        """End a session, if it is there."""
        self._write(lambda connection: connection.execute(sessions.delete().where(sessions.c.session == session)))

    # The database

    def _study(self, name: str) -> Study:
        if name not in self._studies:
            with self._reading() as connection:
                found = sa.select(studies).where(studies.c.name == name)
                row = connection.execute(found).one_or_none() if could_be_id(name) else None
                if row is None:
                    there = list(connection.scalars(sa.select(studies.c.name).order_by(studies.c.name)))
                    raise UserError(f"no study {shortened([name])} in the store; it holds {shortened(there) or 'none'}")
                design = from_json(row.design, f"study {name}")
                rows = connection.execute(sa.select(items).where(items.c.study_id == row.id).order_by(items.c.number))
                of = {each.id: item_of(each, design) for each in rows}
            self._studies[name] = Study(row.id, name, design, row.salt, of)
        return self._studies[name]

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with database.failures_told(self._engine), self._engine.connect() as connection:
            yield connection

    def _write(self, job: Callable[[sa.Connection], Result]) -> Result:
        with database.failures_told(self._engine):
            return self._writer.run(job)


_PERSON = sa.select(
    annotators.c.id.label("pk"),
    annotators.c.annotator_id,
    annotators.c.key,
    annotators.c.state,
    annotators.c.served,
    annotators.c.answered,
    annotators.c.training_failures,
    annotators.c.seen_at,
    studies.c.name.label("study"),
).join(studies)


_BY_KEY = _PERSON.where(annotators.c.key == sa.bindparam("secret"))

_MINE = sa.select(assignments).where(
    assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.token == sa.bindparam("token")
)

_ANSWER = (
    assignments.update()
    .where(assignments.c.id == sa.bindparam("assignment"))
    .values(
        state="answered",
        **{
            name: sa.bindparam(name, type_=assignments.c[name].type)
            for name in ("status", "answer", "values", "arranged", "reason", "submitted_at")
        },
    )
)

_ANSWERED = (
    annotators.update()
    .where(annotators.c.id == sa.bindparam("annotator"))
    .values(answered=annotators.c.answered + 1, seen_at=sa.bindparam("seen_at", type_=annotators.c.seen_at.type))
)


def _person(connection: sa.Connection, key: str) -> Any:
    person = connection.execute(_BY_KEY, {"secret": key}).one_or_none() if could_be_id(key) else None
    if person is None:
        raise UserError("no annotator has this key; come in by the study's link again")
    return person


def _annotator(person: Any) -> Annotator:
    return Annotator(
        person.annotator_id, person.key, person.study, person.state, person.answered, person.training_failures
    )


def _annotator_id(connection: sa.Connection, study: Study, external_id: str) -> str | None:
    """What the tables call the person with this external id; None for an id that nobody can come in with."""
    if not could_be_id(external_id):
        return None
    if study.design.entry.kind != "links":
        if study.design.hash_ids:
            return study.hashed(external_id)
        return None if external_id.startswith(UNNAMED_ANNOTATOR) else external_id
    link = sa.select(links.c.number).where(links.c.study_id == study.id, links.c.token == external_id)
    number = connection.scalar(link)
    return None if number is None else _link_id(study, external_id, number)


def _link_id(study: Study, token: str, number: int) -> str:
    """What the tables call the person with this private link, the number-th."""
    return study.hashed(token) if study.design.hash_ids else f"link_{number}"


def _make_links(connection: sa.Connection, study_id: int, n: int) -> list[str]:
    """Add `n` private links behind those that are there; their tokens."""
    last = connection.scalar(sa.select(sa.func.max(links.c.number)).where(links.c.study_id == study_id)) or 0
    tokens = [secrets.token_urlsafe(16) for _ in range(n)]
    rows = [{"study_id": study_id, "number": last + place, "token": token} for place, token in enumerate(tokens, 1)]
    if rows:
        connection.execute(links.insert(), rows)
    return tokens


def _update(connection: sa.Connection, person: int, **values: Any) -> None:
    connection.execute(annotators.update().where(annotators.c.id == person).values(**values))


def _new_id(result: sa.CursorResult[Any]) -> int:
    return int(result.inserted_primary_key[0])  # type: ignore[index]


def _now(now: datetime | None) -> datetime:
    return now or datetime.now(UTC)
