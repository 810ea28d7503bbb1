"""What people reply to a study's own questions, apart from their answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from denouement.study.design.ask import UnfitReply
from denouement.study.languages import texts
from denouement.study.store.base import StoreBase, moment
from denouement.study.store.models import annotators, replies
from denouement.study.store.people import person_with, update
from denouement.study.store.records import Outcome, Reply
from denouement.study.store.stored_study import StoredStudy


class Replies(StoreBase):
    """Keeps replies; a person gives those of one page once."""

    def reply(
        self,
        key: str,
        page: Literal["before", "after"],
        given: Mapping[str, Sequence[str]],
        now: datetime | None = None,
    ) -> Outcome:
        """Keep the replies of a page. After those `before`, the person goes on to the practice items or the items.

        Args:
            key: the person's key.
            page: which questions.
            given: by the question's name what was entered or chosen; other names are ignored.
            now: the time.

        Returns:
            `duplicate` where the person is not at this page (any more): nothing changed.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)

        def job(connection: sa.Connection) -> Outcome:
            person = person_with(connection, key)
            if not _is_at(page, person):
                return Outcome("duplicate")
            study = self._study(person.study, connection)
            say = texts(study.design.language)
            rows: list[dict[str, Any]] = []
            problems = []
            for question in getattr(study.design.ask, page):
                try:
                    values = question.replied(given.get(question.name, ()), say)
                except UnfitReply as unfit:
                    problems.append(str(unfit))
                    continue
                whose = {"annotator_id": person.pk, "question": question.name}
                rows += [{**whose, "place": place, "value": value} for place, value in enumerate(values)]
            if problems:
                return Outcome("refused", " ".join(problems))
            if rows:
                connection.execute(replies.insert(), rows)
            if page == "before":
                update(connection, person.pk, state=study.first_state, seen_at=at)
            else:
                update(connection, person.pk, after_at=at, seen_at=at)
            return Outcome("accepted")

        return self._write(job)

    def replies(self, study: str) -> list[Reply]:
        """All replies, by person, in the order of the study's questions."""
        of = self._study(study)
        with self._reading() as connection:
            return replies_to(connection, of)


def replies_to(connection: sa.Connection, study: StoredStudy) -> list[Reply]:
    """All replies to a study's own questions, by person, in the order of the questions."""
    asked = (*study.design.ask.before, *study.design.ask.after)
    order = {question.name: (number, question.type) for number, question in enumerate(asked)}
    found = (
        sa.select(replies, annotators.c.annotator_id.label("person"))
        .join(annotators, annotators.c.id == replies.c.annotator_id)
        .where(annotators.c.study_id == study.id)
    )
    rows = sorted(connection.execute(found).all(), key=lambda row: (row.person, order[row.question][0], row.place))
    return [Reply(row.person, row.question, order[row.question][1], row.value) for row in rows]


def _is_at(page: str, person: Any) -> bool:
    if page == "before":
        return bool(person.state == "asking")
    return person.state in ("answering", "done") and person.after_at is None and person.answered > 0
