"""Handing out items, keeping answers, and how far a study is."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.study.design.description import Design
from denouement.study.languages import texts
from denouement.study.store.answers import (
    Unfit,
    answers_by_question,
    check_answer,
    checked_elements,
    checked_reason,
    checked_remark,
    highlights_of,
)
from denouement.study.store.base import StoreBase, moment
from denouement.study.store.leases import (
    HELD,
    UNANSWERED,
    UNFINISHED,
    counted,
    free,
    is_live,
    lapse,
    leased,
    open_leases,
    renewed,
    resumed,
)
from denouement.study.store.models import annotators, assignments, corrections, flags, studies
from denouement.study.store.people import PERSON, person_with, update
from denouement.study.store.progress import measure
from denouement.study.store.records import Answer, Assignment, Correction, Flag, Highlight, Outcome, Progress
from denouement.study.store.stored_study import StoredStudy, could_be_id

# What an answer consists of: columns of `assignments`.
_GIVEN = ("answer", "values", "arranged", "reason", "elements", "highlights")

_MINE = sa.select(assignments).where(
    assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.token == sa.bindparam("token")
)

_ANSWER = (
    assignments.update()
    .where(assignments.c.id == sa.bindparam("assignment"))
    .values(
        state="answered",
        **{name: sa.bindparam(name, type_=assignments.c[name].type) for name in ("status", *_GIVEN, "submitted_at")},
    )
)

_LAST = (
    sa.select(assignments)
    .where(assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.state == "answered")
    .order_by(assignments.c.submitted_at.desc(), assignments.c.id.desc())
    .limit(1)
)

_N_SKIPPED = sa.select(sa.func.count()).where(
    assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.state == "skipped"
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
        elements: Collection[str] = (),
        marks: Collection[tuple[int, int]] = (),
        problem: str | None = None,
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
            elements: the boxes of the reason that were ticked.
            marks: the words that were marked, as `answers.highlights_of` takes them.
            problem: a problem with the item, where the design lets people report one.
            now: the time.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)
        given = _Given(answer, reason, values, order, ranks, elements, marks)

        def job(connection: sa.Connection, study: StoredStudy, person: Any, assignment: Any) -> Outcome:
            say = texts(study.design.language)
            if assignment.state == "answered":
                return Outcome("duplicate")
            if assignment.state == "skipped":
                raise Unfit(say("unfit.skipped"))
            kept = _kept(study, assignment, given)
            flag = checked_remark(study.design, problem) if study.design.flag else None
            lapse(connection, study, at)
            if person.study_state == "closed" and not is_live(study, assignment, at):
                raise Unfit(say("unfit.closed"))
            counts = counted(connection, assignment.id)
            status = {"status": "accepted" if counts else "surplus"}
            submitted = max(at, assignment.started_at)  # the clock may have been set back
            connection.execute(_ANSWER, {"assignment": assignment.id, "submitted_at": submitted, **status, **kept})
            connection.execute(_ANSWERED, {"annotator": person.pk, "seen_at": at})
            if flag:
                _note(connection, assignment.id, "flag", flag, at)
            return Outcome("accepted" if counts else "surplus")

        return self._about(key, assignment_id, job)

    def skip(self, key: str, assignment_id: str, why: str | None = None, now: datetime | None = None) -> Outcome:
        """Leave an item unanswered: its place is free again, and this person does not get it again.

        Args:
            key: the person's key.
            assignment_id: as in `submit`.
            why: what the person wrote about it.
            now: the time.

        Returns:
            `accepted`; `duplicate` where the item was answered or skipped before; `refused` where the design allows no
            skips, or no more of them.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)

        def job(connection: sa.Connection, study: StoredStudy, person: Any, assignment: Any) -> Outcome:
            say = texts(study.design.language)
            allowed = study.design.skip
            if allowed is None:
                raise Unfit(say("unfit.not_yours"))
            if assignment.state in ("answered", "skipped"):
                return Outcome("duplicate")
            if not _may_skip(connection, person, allowed.most):
                raise Unfit(say("unfit.skipped_most", n=allowed.most))
            text = checked_remark(study.design, why)
            this = assignments.c.id == assignment.id
            if assignment.state == "open":  # a lapsed lease holds no place
                free(connection, this, taken=1)
            connection.execute(assignments.update().where(this).values(state="skipped", resumes_until=None))
            _note(connection, assignment.id, "skip", text, at)
            connection.execute(annotators.update().where(annotators.c.id == person.pk).values(seen_at=at))
            return Outcome("accepted")

        return self._about(key, assignment_id, job)

    def may_skip(self, key: str) -> bool:
        """Whether this person may skip the item that they have.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            person = person_with(connection, key)
            allowed = self._study(person.study, connection).design.skip
            return allowed is not None and _may_skip(connection, person, allowed.most)

    def last(self, key: str) -> tuple[Assignment, Answer] | None:
        """This person's last answer and its item, where the design lets them correct it; None where there is none.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            person = person_with(connection, key)
            study = self._study(person.study, connection)
            may_correct = study.design.back and person.study_state != "closed"
            if not may_correct or person.state not in ("answering", "done"):
                return None
            row = connection.execute(_LAST, {"annotator": person.pk}).one_or_none()
            if row is None:
                return None
            return study.assignment(row, person.answered - 1), _answer(study, row, person.annotator_id)

    def correct(
        self,
        key: str,
        assignment_id: str,
        answer: str | Mapping[str, str] | None = None,
        reason: str | None = None,
        values: Mapping[str, int] | None = None,
        order: Sequence[int] | None = None,
        ranks: Sequence[int] | None = None,
        elements: Collection[str] = (),
        marks: Collection[tuple[int, int]] = (),
        now: datetime | None = None,
    ) -> Outcome:
        """Put an answer in the place of this person's last one, which is kept as a `Correction`.

        The status stays, and so do the counts of the item.

        Args: as of `submit`.

        Returns:
            `duplicate` where nothing differs; `refused` where it is not the person's last answer (any more).

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)
        given = _Given(answer, reason, values, order, ranks, elements, marks)

        def job(connection: sa.Connection, study: StoredStudy, person: Any, assignment: Any) -> Outcome:
            say = texts(study.design.language)
            if assignment.state != "answered" or not study.design.back:
                raise Unfit(say("unfit.not_yours"))
            last = connection.execute(_LAST, {"annotator": person.pk}).one()
            if last.id != assignment.id:
                raise Unfit(say("note.too_late"))
            if person.study_state == "closed":
                raise Unfit(say("unfit.closed"))
            kept = _kept(study, assignment, given)
            earlier = {name: getattr(assignment, name) for name in _GIVEN}
            if earlier == kept:
                return Outcome("duplicate")
            of = corrections.c.assignment_id == assignment.id
            place = connection.scalar(sa.select(sa.func.count()).select_from(corrections).where(of)) or 0
            connection.execute(
                corrections.insert().values(
                    assignment_id=assignment.id,
                    place=place + 1,
                    earlier=earlier,
                    submitted_at=assignment.submitted_at,
                )
            )
            changed = assignments.update().where(assignments.c.id == assignment.id)
            submitted = max(at, assignment.submitted_at)  # so that it is still the last, if the clock was set back
            connection.execute(changed.values(submitted_at=submitted, **kept))
            connection.execute(annotators.update().where(annotators.c.id == person.pk).values(seen_at=at))
            return Outcome("accepted")

        return self._about(key, assignment_id, job)

    def _about(
        self, key: str, assignment_id: str, job: Callable[[sa.Connection, StoredStudy, Any, Any], Outcome]
    ) -> Outcome:
        """What `job` returns, which gets the study, the person and their assignment.

        Returns:
            `refused` where the person does not answer (any more), where the assignment is not theirs, and where the job
            raises `Unfit`.

        Raises:
            UserError: a key that is no one's.
        """

        def checked(connection: sa.Connection) -> Outcome:
            person = person_with(connection, key)
            study = self._study(person.study, connection)
            say = texts(study.design.language)
            try:
                if person.state not in ("answering", "done"):
                    raise Unfit(say("unfit.left"))
                assignment = _of(connection, person, assignment_id)
                if assignment is None:
                    raise Unfit(say("unfit.not_yours"))
                return job(connection, study, person, assignment)
            except Unfit as unfit:
                return Outcome("refused", str(unfit))

        return self._write(checked)

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
            found = self._answers(connection, of) if answers is None else answers
            return measure(of, state, people, held, found, flags_of(connection, of), corrections_of(connection, of))

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
        found = [_answer(study, row, row.person) for row in rows]
        return sorted(found, key=lambda answer: (answer.item.id, answer.annotator_id))

    def flags(self, study: str) -> list[Flag]:
        """All items that were skipped, and the problems that were reported, ordered by item, annotator and kind."""
        of = self._study(study)
        with self._reading() as connection:
            return flags_of(connection, of)

    def corrections(self, study: str) -> list[Correction]:
        """All answers that were corrected later, ordered by item, annotator and place."""
        of = self._study(study)
        with self._reading() as connection:
            return corrections_of(connection, of)


@dataclass(frozen=True)
class _Given:
    """What `submit` and `correct` are given."""

    answer: str | Mapping[str, str] | None
    reason: str | None
    values: Mapping[str, int] | None
    order: Sequence[int] | None
    ranks: Sequence[int] | None
    elements: Collection[str]
    marks: Collection[tuple[int, int]]


def _kept(study: StoredStudy, assignment: Any, given: _Given) -> dict[str, Any]:
    """An answer as it is kept, by column.

    Raises:
        Unfit: it does not answer the question.
    """
    item, places = study.items[assignment.item_id], assignment.shown
    check_answer(study.design, len(places), given.answer, given.values, given.order, given.ranks)
    marked = highlights_of(study.design, item, places, given.marks)
    answers = answers_by_question(study.design, given.answer)
    arranged = given.order if given.ranks is None else given.ranks
    return {
        "answer": next(iter(answers.values())) if len(answers) == 1 else None,
        "values": dict(given.values) if given.values is not None else answers if len(answers) > 1 else None,
        "arranged": None if arranged is None else item.arrangement(arranged, places),
        "reason": checked_reason(study.design, given.reason),
        "elements": checked_elements(study.design, given.elements),
        "highlights": None if marked is None else [asdict(each) for each in marked],
    }


def _of(connection: sa.Connection, person: Any, assignment_id: str) -> Any:
    """The person's assignment with this id; None where there is none."""
    mine = {"annotator": person.pk, "token": assignment_id}
    return connection.execute(_MINE, mine).one_or_none() if could_be_id(assignment_id) else None


def _may_skip(connection: sa.Connection, person: Any, most: int | None) -> bool:
    return most is None or (connection.scalar(_N_SKIPPED, {"annotator": person.pk}) or 0) < most


def _note(connection: sa.Connection, assignment: int, kind: str, text: str | None, at: datetime) -> None:
    connection.execute(flags.insert().values(assignment_id=assignment, kind=kind, text=text, made_at=at))


def _answer(study: StoredStudy, row: Any, annotator_id: str) -> Answer:
    """The answer of a row of `assignments`."""
    return Answer(
        item=study.items[row.item_id],
        annotator_id=annotator_id,
        order=tuple(row.shown),
        answers=_answers_of(study.design, row),
        values=row.values or {} if study.design.kind == "rating" else {},
        arranged=tuple(row.arranged or ()),
        reason=row.reason,
        status=row.status,
        started_at=row.started_at,
        submitted_at=row.submitted_at,
        elements=None if row.elements is None else tuple(row.elements),
        highlights=None if row.highlights is None else tuple(Highlight(**each) for each in row.highlights),
    )


def _answers_of(design: Design, row: Any) -> dict[str, str]:
    """By question the answers to a pair: the column `answer` has that to a study's only question, else `values`."""
    if design.kind != "pair":
        return {}
    return (
        {question.name: row.values[question.name] for question in design.asked}
        if row.values
        else {design.asked[0].name: row.answer}
    )


def _with_assignment(study: StoredStudy, table: sa.Table) -> sa.Select[Any]:
    """The rows of a table of assignments' further data, with item and person."""
    return (
        sa.select(table, assignments.c.item_id, annotators.c.annotator_id.label("person"))
        .join(assignments, assignments.c.id == table.c.assignment_id)
        .join(annotators, annotators.c.id == assignments.c.annotator_id)
        .where(assignments.c.study_id == study.id)
    )


def flags_of(connection: sa.Connection, study: StoredStudy) -> list[Flag]:
    """All skips and reported problems, ordered by item, annotator and kind."""
    rows = connection.execute(_with_assignment(study, flags))
    found = [Flag(study.items[row.item_id], row.person, row.kind, row.text, row.made_at) for row in rows]
    return sorted(found, key=lambda flag: (flag.item.id, flag.annotator_id, flag.kind))


def corrections_of(connection: sa.Connection, study: StoredStudy) -> list[Correction]:
    """All answers that were corrected later, ordered by item, annotator and place."""
    rows = connection.execute(_with_assignment(study, corrections))
    found = [
        Correction(
            study.items[row.item_id],
            row.person,
            row.place,
            json.dumps(row.earlier, ensure_ascii=False, sort_keys=True),
            row.submitted_at,
        )
        for row in rows
    ]
    return sorted(found, key=lambda each: (each.item.id, each.annotator_id, each.place))
