"""All that the store has about one person, for a person who asks for their data."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from denouement.study.design.names import RANKED
from denouement.study.store.answering import Answering, corrections_of, flags_of
from denouement.study.store.base import moment
from denouement.study.store.log import By, LogEntry, note
from denouement.study.store.models import annotators, log
from denouement.study.store.people import person_named
from denouement.study.store.records import Answer, State
from denouement.study.store.replies import replies_to


@dataclass(frozen=True)
class PersonAnswer:
    """An answer with what was shown.

    Attributes:
        context: the sentences above the question.
        shown: the texts to judge or to order, in the order of the page.
        answers, values, reason: as given; `answers` and `values` by question.
        order: the places on the page, from 0, of the sentences in the order given.
        ranks: the rank given to each text on the page.
        elements, marked: the boxes of the reason that were ticked, and the words that were marked.
    """

    item_id: str
    context: tuple[str, ...]
    shown: tuple[str, ...]
    answers: Mapping[str, str]
    values: Mapping[str, int]
    order: tuple[int, ...]
    ranks: tuple[int, ...]
    reason: str | None
    elements: tuple[str, ...]
    marked: tuple[str, ...]
    is_check: bool
    status: str
    started_at: datetime
    submitted_at: datetime


@dataclass(frozen=True)
class PersonReply:
    """A reply to one of the study's own questions."""

    question: str
    value: str


@dataclass(frozen=True)
class PersonFlag:
    """An item that the person skipped (`skip`), or a problem with it that they reported (`flag`), in their words."""

    item_id: str
    kind: str
    text: str | None
    made_at: datetime


@dataclass(frozen=True)
class PersonCorrection:
    """An answer before it was corrected, as JSON."""

    item_id: str
    earlier: str
    submitted_at: datetime


@dataclass(frozen=True)
class PersonData:
    """What the store has about one person.

    Attributes:
        annotator_id: the id in the tables.
        entry: what their address said when they came, such as STUDY_ID; hashed unless the study says otherwise.
        replies: what they replied to the study's own questions.
        flags: the items that they skipped, and the problems that they reported.
        corrections: the answers that they corrected, as they were before.
        log: what was done about them.
    """

    study: str
    annotator_id: str
    state: State
    entry: Mapping[str, str]
    entered_at: datetime
    consented_at: datetime | None
    last_seen_at: datetime
    training_failures: int
    excluded_because: str | None
    answers: tuple[PersonAnswer, ...]
    replies: tuple[PersonReply, ...]
    flags: tuple[PersonFlag, ...]
    corrections: tuple[PersonCorrection, ...]
    log: tuple[LogEntry, ...]


class Persons(Answering):
    """Gives one person's data."""

    def person(self, study: str, annotator_id: str, by: By = "command", now: datetime | None = None) -> PersonData:
        """All that the store has about a person, by their id in the tables. The log says that it was given out.

        Raises:
            UserError: no such person.
        """
        of = self._study(study)
        with self._reading() as connection:
            pk = person_named(connection, of, annotator_id).pk
            row = connection.execute(sa.select(annotators).where(annotators.c.id == pk)).one()
            about = sa.select(log).where(log.c.study_id == of.id, log.c.about == of.logged(annotator_id))
            entries = connection.execute(about.order_by(log.c.id)).all()
            answers = [each for each in self._answers(connection, of) if each.annotator_id == annotator_id]
            replied = [each for each in replies_to(connection, of) if each.annotator_id == annotator_id]
            flagged = [each for each in flags_of(connection, of) if each.annotator_id == annotator_id]
            corrected = [each for each in corrections_of(connection, of) if each.annotator_id == annotator_id]
        if not self.is_read_only:
            at = moment(now)
            self._write(lambda connection: note(connection, of, at, by, "gave out data", annotator_id))
        return PersonData(
            study=study,
            annotator_id=annotator_id,
            state=row.state,
            entry=row.entry,
            entered_at=row.entered_at,
            consented_at=row.consented_at,
            last_seen_at=row.seen_at,
            training_failures=row.training_failures,
            excluded_because=row.excluded_because,
            answers=tuple(map(_answer, sorted(answers, key=lambda each: each.submitted_at))),
            replies=tuple(PersonReply(each.question, each.value) for each in replied),
            flags=tuple(PersonFlag(each.item.id, each.kind, each.text, each.made_at) for each in flagged),
            corrections=tuple(PersonCorrection(each.item.id, each.earlier, each.submitted_at) for each in corrected),
            log=tuple(LogEntry(each.at, each.by, each.what, each.about, each.detail) for each in entries),
        )


def _answer(answer: Answer) -> PersonAnswer:
    item = answer.item
    texts = item.sentences if item.kind == "order" else item.endings
    return PersonAnswer(
        item_id=item.id,
        context=() if item.kind == "order" else item.context,
        shown=tuple(texts[place] for place in answer.order),
        answers=answer.answers,
        values=answer.values,
        order=() if item.kind in RANKED else answer.arranged_on_page,
        ranks=answer.arranged_on_page if item.kind in RANKED else (),
        reason=answer.reason,
        elements=answer.elements or (),
        marked=tuple(mark.text for mark in answer.highlights or ()),
        is_check=item.is_check,
        status=answer.status,
        started_at=answer.started_at,
        submitted_at=answer.submitted_at,
    )
