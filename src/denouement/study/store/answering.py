"""Handing out items, keeping answers, and how far a study is."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.study.design.description import Design
from denouement.study.languages import texts
from denouement.study.store.answers import Unfit, answers_by_question, check_answer, checked_reason
from denouement.study.store.base import StoreBase, moment
from denouement.study.store.leases import (
    HELD,
    UNANSWERED,
    UNFINISHED,
    counted,
    is_live,
    lapse,
    leased,
    open_leases,
    renewed,
    resumed,
)
from denouement.study.store.models import annotators, assignments, studies
from denouement.study.store.people import PERSON, person_with, update
from denouement.study.store.progress import measure
from denouement.study.store.records import Answer, Assignment, Outcome, Progress
from denouement.study.store.stored_study import StoredStudy, could_be_id

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


class Answering(StoreBase):
    """Hands out items and keeps the answers to them."""

    def next(self, key: str, now: datetime | None = None) -> Assignment | None:
        """The item that this person answers next: the one they hold already (reload, two tabs), or a newly leased one.

        A lease whose page was left goes on to its own end again.

        Returns:
            None before consent and training, after leaving, and when there is no item for this person at present: all
            are answered or held by others, or the study is paused or closed. In these cases their state becomes `done`,
            and `answering` again once this returns an item.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)
        with self._reading() as connection:
            person = person_with(connection, key)
            if person.state not in ("answering", "done"):
                return None
            study = self._study(person.study, connection)
            held = connection.execute(HELD, {"annotator": person.pk}).one_or_none()
            if held and is_live(study, held, at) and held.resumes_until is None:
                return study.assignment(held, person.answered)

        def job(connection: sa.Connection) -> Assignment | None:
            person = person_with(connection, key)
            if person.state not in ("answering", "done"):
                return None
            held = connection.execute(HELD, {"annotator": person.pk}).one_or_none()
            if held and is_live(study, held, at):
                held = resumed(connection, held)
            else:
                lapse(connection, study, at)
                is_open = person.study_state == "open"
                held = (
                    (renewed(connection, study, person, at) or leased(connection, study, person, at))
                    if is_open
                    else None
                )
            state = "answering" if held else "done"
            if state != person.state:
                update(connection, person.pk, state=state)
            return study.assignment(held, person.answered) if held else None

        return self._write(job)

    def may_get_more(self, key: str) -> bool:
        """Whether there is an item without all its answers that this person may still be asked about, now or later.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            person = person_with(connection, key)
            study = self._study(person.study, connection)
            may_answer = person.state in ("answering", "done") and person.study_state != "closed"
            if not may_answer or not study.may_see_more(person.answered):
                return False
            asked = {"study": study.id, "annotator": person.pk}
            return connection.execute(UNFINISHED, asked).first() is not None

    def left_any(self, key: str) -> bool:
        """Whether there is an item to judge that this person did not answer, even if others did.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            person = person_with(connection, key)
            asked = {"study": self._study(person.study, connection).id, "annotator": person.pk}
            return connection.execute(UNANSWERED.limit(1), asked).first() is not None

    def submit(
        self,
        key: str,
        assignment_id: str,
        answer: str | Mapping[str, str] | None = None,
        reason: str | None = None,
        values: Mapping[str, int] | None = None,
        order: Sequence[int] | None = None,
        ranks: Sequence[int] | None = None,
        now: datetime | None = None,
    ) -> Outcome:
        """Keep an answer; it is on the disk when this returns.

        Args:
            key: the person's key.
            assignment_id: the id of the assignment that `next` returned for this person.
            answer: in a pair study: one of the design's `codes`, such as A or both, by the sides of the page; where it
                asks several questions, by question.
            reason: why; its length is within the limits of the design.
            values: in a rating study: a whole number by the name of each scale.
            order: in an order study: the places on the page (from 0) of the sentences, in the order of the story.
            ranks: in best_worst and ranking studies: the rank of each ending on the page, 1 the best; of best_worst 1,
                2 for those between, 3.
            now: the time.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)

        def job(connection: sa.Connection) -> Outcome:
            person = person_with(connection, key)
            study = self._study(person.study, connection)
            say = texts(study.design.language)
            if person.state not in ("answering", "done"):
                return Outcome("refused", say("unfit.left"))
            mine = {"annotator": person.pk, "token": assignment_id}
            assignment = connection.execute(_MINE, mine).one_or_none() if could_be_id(assignment_id) else None
            if assignment is None:
                return Outcome("refused", say("unfit.not_yours"))
            if assignment.state == "answered":
                return Outcome("duplicate")
            try:
                check_answer(study.design, len(assignment.places), answer, values, order, ranks)
                kept_reason = checked_reason(study.design, reason)
            except Unfit as unfit:
                return Outcome("refused", str(unfit))
            lapse(connection, study, at)
            if person.study_state == "closed" and not is_live(study, assignment, at):
                return Outcome("refused", say("unfit.closed"))
            counts = counted(connection, assignment.id)
            answers = answers_by_question(study.design, answer)
            item = study.items[assignment.item_id]
            arranged = order if ranks is None else ranks
            given = {
                "assignment": assignment.id,
                "status": "accepted" if counts else "surplus",
                "answer": next(iter(answers.values())) if len(answers) == 1 else None,
                "values": dict(values) if values is not None else answers if len(answers) > 1 else None,
                "arranged": None if arranged is None else item.arrangement(arranged, assignment.places),
                "reason": kept_reason,
                "submitted_at": max(at, assignment.started_at),  # the clock may have been set back
            }
            connection.execute(_ANSWER, given)
            connection.execute(_ANSWERED, {"annotator": person.pk, "seen_at": at})
            return Outcome("accepted" if counts else "surplus")

        return self._write(job)

    def progress(self, study: str, now: datetime | None = None, answers: Sequence[Answer] | None = None) -> Progress:
        """How far a study is.

        Args:
            study: its name.
            now: the time.
            answers: the result of `answers`, where the caller has it already.
        """
        of = self._study(study)
        with self._reading() as connection:
            people = connection.execute(PERSON.where(annotators.c.study_id == of.id).order_by(annotators.c.id)).all()
            state = connection.scalars(sa.select(studies.c.state).where(studies.c.id == of.id)).one()
            held = connection.execute(open_leases(of, moment(now))).all()
            return measure(of, state, people, held, self._answers(connection, of) if answers is None else answers)

    def answers(self, study: str) -> list[Answer]:
        """All answers, those to checks too, ordered by item and annotator."""
        of = self._study(study)
        with self._reading() as connection:
            return self._answers(connection, of)

    def _answers(self, connection: sa.Connection, study: StoredStudy) -> list[Answer]:
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
                answers=_answers_of(study.design, row),
                values=row.values or {} if study.design.kind == "rating" else {},
                arranged=tuple(row.arranged or ()),
                reason=row.reason,
                status=row.status,
                started_at=row.started_at,
                submitted_at=row.submitted_at,
            )
            for row in rows
        ]
        return sorted(found, key=lambda answer: (answer.item.id, answer.annotator_id))


def _answers_of(design: Design, row: Any) -> dict[str, str]:
    """By question the answers to a pair: the column `answer` has that to a study's only question, else `values`."""
    if design.kind != "pair":
        return {}
    return (
        {question.name: row.values[question.name] for question in design.asked}
        if row.values
        else {design.asked[0].name: row.answer}
    )
