"""Keeping the work that people hand in, and what comes of it."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from denouement.collect.checks import WRONG, Remark, check_endings, check_sentence, check_story
from denouement.collect.filtering import ANSWERS
from denouement.collect.reviewing import StoryReview, refusal
from denouement.collect.store.base import FILE, WORK, CollectionBase, StoredCollection, versions_of, work_of
from denouement.collect.store.flow import decide, pair_came, story_came, writer_of
from denouement.collect.store.records import (
    EndingWork,
    HandInOutcome,
    ReviewWork,
    StoryWork,
    VerificationWork,
    Work,
)
from denouement.collect.store.working import own_work, selves
from denouement.legible import can_be_shown
from denouement.study.store.base import moment
from denouement.study.store.leases import counted, is_live, lapse
from denouement.study.store.models import annotators, assignments, authors, corrections, drafts
from denouement.study.store.people import person_with

LONGEST_REMARK = 2000
"""Characters of what a reviewer writes."""

_STEP_OF: dict[type[Work], str] = {
    StoryWork: "stories",
    ReviewWork: "review",
    EndingWork: "endings",
    VerificationWork: "verification",
}
_WHOLE = "of_the_whole"  # the code of a remark about no single box


class HandingIn(CollectionBase):
    """Keeps finished work. When a method returns, its changes are on the disk."""

    def hand_in(self, key: str, piece_id: str, work: Work, now: datetime | None = None) -> HandInOutcome:
        """Keep the work on a piece, and make the pieces of the next step from it.

        A story that was returned to its writer is kept in its new form, and its earlier forms beside it.

        Args:
            key: the person's key.
            piece_id: the id of a piece that they hold, or held, or of a story that was returned to them.
            work: of the piece's step.
            now: the time.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)

        def job(connection: sa.Connection) -> HandInOutcome:
            person = person_with(connection, key)
            of = self._collection(person.study, connection)
            row = own_work(connection, person, piece_id)
            if row is None or row.role != _STEP_OF[type(work)]:
                return _refused("This piece of work is not yours. Go back to the list.")
            is_again = row.state == "answered" and row.verdict == "returned"
            if row.state == "answered" and not is_again:
                return HandInOutcome("duplicate")
            if row.state == "skipped":
                return _refused("You left this piece to others.")
            lapse(connection, of, at)
            if person.study_state == "closed" and not is_again and not is_live(of, row, at):
                return _refused("The collection was closed before you handed this in.")
            if _wrote(connection, person, row):
                return _refused("You wrote what this is about, so somebody else does it.")
            whole = _whole(of, row, work)
            if remarks := _remarks(connection, of, person, row, whole, at):
                return HandInOutcome("refused", tuple(remarks))
            if is_again:
                _keep_again(connection, row, whole, at)
                counts = True
            else:
                counts = _keep(connection, person, row, whole, at)
            connection.execute(drafts.delete().where(drafts.c.assignment_id == row.id))
            if counts:
                _go_on(connection, of, row, at)
            return HandInOutcome("accepted" if counts else "surplus")

        return self._write(job)


def _refused(words: str) -> HandInOutcome:
    return HandInOutcome("refused", (Remark(_WHOLE, "", words),))


def _wrote(connection: sa.Connection, person: Any, row: Any) -> bool:
    """Whether a piece shows what this person wrote, which may turn out only after they got it (`selves`)."""
    by = sa.select(authors.c.author).where(authors.c.item_id == row.item_id)
    return not set(connection.scalars(by)).isdisjoint(selves(connection, person).values())


def _remarks(
    connection: sa.Connection, of: StoredCollection, person: Any, row: Any, work: Work, at: datetime
) -> list[Remark]:
    """Why work is not taken."""
    design = of.design
    if isinstance(work, StoryWork):
        assert design.stories
        return check_story(work.title, work.sentences, design.stories.sentences, design.stories.longest)
    if isinstance(work, EndingWork):
        assert design.endings
        if design.endings.way == "method_2" and not row.endings:  # its story was deleted
            return check_sentence(work.wrong, WRONG, design.endings.longest)
        return check_endings(design.endings.way, work.right, work.wrong, design.endings.longest)
    if isinstance(work, ReviewWork):
        assert design.review
        remark = work.remark
        if len(remark) > LONGEST_REMARK or (remark and not can_be_shown(remark)):
            return [Remark("unreadable", "remark", f"Write at most {LONGEST_REMARK:,} characters of plain text.")]
        story = connection.execute(WORK.where(assignments.c.token == row.source)).one_or_none()
        if story is None or row.retired:
            return [Remark(_WHOLE, "", "This story needs no review any more.")]
        if story.person == FILE and work.decision == "return":
            return [Remark(_WHOLE, "", "This story is from a file, and nobody can improve it: approve or reject it.")]
        review = StoryReview(person.annotator_id, work.decision, at, remark, work.bonus)
        why = refusal(versions_of(connection, story), writer_of(story), review, design.review)
        return [Remark(_WHOLE, "", why)] if why else []
    assert design.verification
    known = ANSWERS[design.verification.form]
    return [] if work.answer in known else [Remark("no_answer", "answer", "Choose one of the answers.")]


def _whole(of: StoredCollection, row: Any, work: Work) -> Work:
    """The work with the right ending of the story, where only the wrong one is written."""
    if not isinstance(work, EndingWork) or of.design.endings is None or of.design.endings.way != "method_2":
        return work
    return replace(work, right=row.endings[0] if row.endings else "")


def _keep(connection: sa.Connection, person: Any, row: Any, work: Work, at: datetime) -> bool:
    """Keep work; return whether it counts."""
    state = connection.execute(sa.select(assignments.c.state).where(assignments.c.id == row.id)).scalar_one()
    counts = (not row.retired or state == "open") and counted(connection, row.id)
    submitted = max(at, row.started_at)  # the clock may have been set back
    values: dict[str, Any] = {"seconds": (submitted - row.started_at).total_seconds()}
    columns: dict[str, Any] = {}
    if isinstance(work, StoryWork):
        values |= {"id": uuid4().hex, "title": work.title, "sentences": list(work.sentences)}
        columns["verdict"] = "open" if counts else None
    elif isinstance(work, EndingWork):
        values |= {"id": uuid4().hex, **asdict(work)}
    elif isinstance(work, ReviewWork):
        values["bonus"] = work.bonus
        columns |= {"answer": work.decision, "reason": work.remark or None}
    else:
        columns["answer"] = work.answer
    connection.execute(
        assignments.update()
        .where(assignments.c.id == row.id)
        .values(
            state="answered",
            status="accepted" if counts else "surplus",
            submitted_at=submitted,
            resumes_until=None,
            values=values,
            **columns,
        )
    )
    connection.execute(
        annotators.update().where(annotators.c.id == person.pk).values(answered=annotators.c.answered + 1, seen_at=at)
    )
    return counts


def _keep_again(connection: sa.Connection, row: Any, work: Work, at: datetime) -> None:
    """Keep a story in its new form, and the form that was returned."""
    assert isinstance(work, StoryWork)
    place = sa.select(sa.func.count()).where(corrections.c.assignment_id == row.id).scalar_subquery() + 1
    earlier = {"assignment_id": row.id, "place": place, "earlier": row.values, "submitted_at": row.submitted_at}
    connection.execute(corrections.insert().values(**earlier))
    values = {**row.values, "title": work.title, "sentences": list(work.sentences)}
    again = {"values": values, "verdict": "open", "submitted_at": max(at, row.submitted_at)}
    connection.execute(assignments.update().where(assignments.c.id == row.id).values(**again))


def _go_on(connection: sa.Connection, of: StoredCollection, row: Any, at: datetime) -> None:
    """Make what comes next of work that counts."""
    if row.role == "stories":
        story_came(connection, of, row.token, at)
    elif row.role == "endings":
        pair_came(connection, of, row.token)
    elif row.role == "review":
        decide(connection, of, work_of(connection, row.source), at)
