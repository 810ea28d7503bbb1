"""What people may do now, the pieces that they hold, and their drafts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.collect.reviewing import StoryReview
from denouement.collect.store.base import (
    WORK,
    CollectionBase,
    StoredCollection,
    as_review,
    reviews_of,
    work_of,
)
from denouement.collect.store.flow import PROMPT, due, settle
from denouement.collect.store.qualifying import standing
from denouement.collect.store.records import Offer, OfferState, OwnStory, Piece
from denouement.study.store.answering import Answering
from denouement.study.store.base import moment
from denouement.study.store.leases import HELD, RENEWABLE, free, is_live, lapse, lease, live, renewed, resumed
from denouement.study.store.models import admissions, annotators, assignments, authors, drafts, items, step_states
from denouement.study.store.people import person_with, update
from denouement.study.store.stored_study import could_be_id

# Pieces of a step that this person may get: somebody's place is free, they neither had it nor wrote what it shows.
_IS_OTHERS = sa.and_(
    items.c.study_id == sa.bindparam("study"),
    items.c.role == sa.bindparam("step"),
    ~items.c.retired,
    ~sa.exists().where(
        assignments.c.annotator_id.in_(sa.bindparam("selves", expanding=True)),
        assignments.c.content == items.c.content,
    ),
    ~sa.exists().where(authors.c.item_id == items.c.id, authors.c.author.in_(sa.bindparam("names", expanding=True))),
)
# Those that others began come first, so that cases are completed while people still write. The order is that of the
# index `ix_items_wanted`, backwards.
_FREE = (
    sa.select(items.c.id, items.c.content)
    .where(_IS_OTHERS, items.c.taken < items.c.wanted)
    .order_by(items.c.taken.desc(), items.c.drawn.desc(), items.c.id.desc())
    .limit(1)
)
_READ = items.alias("read")
_FREE_OF_OTHER_STORIES = _FREE.where(
    items.c.case_id.not_in(
        sa.select(_READ.c.case_id)
        .join(assignments, assignments.c.item_id == _READ.c.id)
        .where(assignments.c.annotator_id == sa.bindparam("person"), _READ.c.role == sa.bindparam("step"))
    )
)
_LACKS_WORK = sa.select(items.c.id).where(_IS_OTHERS, items.c.accepted < items.c.wanted).limit(1)

# Subjects: the one that fewest people have, and this person not yet if there is another.
_PROMPTS = (
    sa.select(items.c.id)
    .where(items.c.study_id == sa.bindparam("study"), items.c.role == "stories", ~items.c.retired)
    .order_by(
        sa.select(sa.func.count())
        .where(assignments.c.annotator_id == sa.bindparam("person"), assignments.c.item_id == items.c.id)
        .scalar_subquery(),
        items.c.taken,
        items.c.drawn,
    )
    .limit(1)
)
_HANDED_IN = (
    sa.select(items.c.role, sa.func.count().label("n"))
    .join(assignments, assignments.c.item_id == items.c.id)
    .where(assignments.c.annotator_id == sa.bindparam("person"), assignments.c.state == "answered")
    .group_by(items.c.role)
)


class Working(CollectionBase, Answering):
    """Hands out pieces of work."""

    def offers(self, key: str, now: datetime | None = None) -> list[Offer]:
        """What this person may do, a step each, in the order of the steps; `begin` gives them a piece.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)
        with self._reading() as connection:
            of = self._collection(person_with(connection, key).study, connection)
            is_due = _is_due(connection, of, at)
        if is_due:
            self._write(lambda connection: _bring_up_to(connection, of, at))
        with self._reading() as connection:
            person = person_with(connection, key)
            done = _handed_in(connection, person)
            return [
                Offer(step, self._offered(connection, of, person, step, done[step], at), done[step])
                for step in admitted(connection, of, person)
            ]

    def begin(self, key: str, step: str, now: datetime | None = None) -> Piece | None:
        """A piece of work of a step, which nobody else gets while the lease lasts; or the piece that they hold already.

        Returns:
            None where `offers` does not have the step as `free`, and before consent and after leaving.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)

        def job(connection: sa.Connection) -> Piece | None:
            person = person_with(connection, key)
            if person.state not in ("answering", "done"):
                return None
            of = self._collection(person.study, connection)
            held = connection.execute(HELD, {"annotator": person.pk}).one_or_none()
            if held and is_live(of, held, at):
                held = resumed(connection, held)
            else:
                _bring_up_to(connection, of, at)
                held = self._leased(connection, of, person, step, at)
            if held and person.state != "answering":
                update(connection, person.pk, state="answering")
            return _piece(connection, of, work_of(connection, held.token)) if held else None

        return self._write(job)

    def held(self, key: str, now: datetime | None = None) -> Piece | None:
        """The piece that this person holds; None where they hold none.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)
        with self._reading() as connection:
            person = person_with(connection, key)
            of = self._collection(person.study, connection)
            held = connection.execute(HELD, {"annotator": person.pk}).one_or_none()
            return _piece(connection, of, work_of(connection, held.token)) if held and is_live(of, held, at) else None

    def piece(self, key: str, piece_id: str, now: datetime | None = None) -> Piece | None:
        """The piece with this id, where this person holds it, or wrote it and got it back to improve it.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)
        with self._reading() as connection:
            person = person_with(connection, key)
            of = self._collection(person.study, connection)
            row = own_work(connection, person, piece_id)
            return _piece(connection, of, row) if row and _may_write(of, row, at) else None

    def give_back(self, key: str, piece_id: str, now: datetime | None = None) -> None:
        """Leave a piece to others. This person does not get it again, and what they typed is deleted.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)

        def job(connection: sa.Connection) -> None:
            person = person_with(connection, key)
            row = own_work(connection, person, piece_id)
            if row is None or row.state not in ("open", "lapsed"):
                return
            this = assignments.c.id == row.id
            if row.state == "open":
                free(connection, this, taken=1)
            connection.execute(assignments.update().where(this).values(state="skipped", resumes_until=None))
            connection.execute(drafts.delete().where(drafts.c.assignment_id == row.id))
            update(connection, person.pk, seen_at=at)

        self._write(job)

    def save_draft(self, key: str, piece_id: str, fields: Mapping[str, str], now: datetime | None = None) -> bool:
        """Keep what was typed so far; return whether the piece is still this person's.

        Raises:
            UserError: a key that is no one's.
        """
        at = moment(now)

        def job(connection: sa.Connection) -> bool:
            person = person_with(connection, key)
            row = own_work(connection, person, piece_id)
            if row is None or not _may_write(self._collection(person.study, connection), row, at):
                return False
            connection.execute(drafts.delete().where(drafts.c.assignment_id == row.id))
            connection.execute(drafts.insert().values(assignment_id=row.id, fields=dict(fields), saved_at=at))
            if row.state == "open":
                resumed(connection, row)
            update(connection, person.pk, seen_at=at)
            return True

        return self._write(job)

    def handed_in(self, key: str) -> Mapping[str, int]:
        """By step how many pieces this person has handed in; 0 for a step without any.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            return _handed_in(connection, person_with(connection, key))

    def has_returned(self, key: str) -> bool:
        """Whether a story of this person was returned to them, to be improved.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            person = person_with(connection, key)
            theirs = (assignments.c.annotator_id == person.pk) & (assignments.c.verdict == "returned")
            return connection.execute(sa.select(assignments.c.id).where(theirs).limit(1)).first() is not None

    def own_stories(self, key: str) -> list[OwnStory]:
        """The stories that this person handed in, the latest first.

        Raises:
            UserError: a key that is no one's.
        """
        with self._reading() as connection:
            person = person_with(connection, key)
            theirs = WORK.where(
                assignments.c.annotator_id == person.pk, items.c.role == "stories", assignments.c.state == "answered"
            )
            rows = connection.execute(theirs.order_by(assignments.c.submitted_at.desc(), assignments.c.id.desc())).all()
            tokens = sa.select(assignments.c.token).where(assignments.c.annotator_id == person.pk)
            reviews: dict[str, list[StoryReview]] = defaultdict(list)
            for review in connection.execute(reviews_of(tokens)):
                reviews[review.source].append(as_review(review))
            return [_own_story(row, reviews[row.token]) for row in rows]

    def may_get_more(self, key: str) -> bool:
        """Whether there is, or may come, a piece that this person may do."""
        with self._reading() as connection:
            study = person_with(connection, key).study
        if not self.is_collection(study):
            return super().may_get_more(key)
        return any(offer.state not in ("failed", "enough", "closed") for offer in self.offers(key))

    def _offered(
        self, connection: sa.Connection, of: StoredCollection, person: Any, step: str, done: int, at: datetime
    ) -> OfferState:
        state = person.study_state if person.study_state != "open" else step_state(connection, of, step)
        if state != "open":
            return "closed" if state == "closed" else "paused"
        described = of.design.of_people[step]
        if described.most is not None and done >= described.most:
            return "enough"
        test = standing(connection, of, person, step)
        if test == "failed":
            return "failed"
        found = self._found(connection, of, person, step, at)
        return "test" if test == "test" and found == "free" else found

    def _found(
        self, connection: sa.Connection, of: StoredCollection, person: Any, step: str, at: datetime
    ) -> OfferState:
        """Whether a step has a piece for a person who may do it: free, busy, none or enough."""
        if step == "stories":
            return _wants_stories(connection, of, at)
        asked = _asked(connection, of, person, step)
        renewable = {"annotator": person.pk, "role": step}
        if connection.execute(_FREE, asked).first() or connection.execute(RENEWABLE, renewable).first():
            return "free"
        return "busy" if connection.execute(_LACKS_WORK, asked).first() else "none"

    def _leased(self, connection: sa.Connection, of: StoredCollection, person: Any, step: str, at: datetime) -> Any:
        """A lease of a piece of this step, for a person who holds none; None where there is no piece for them."""
        if step not in admitted(connection, of, person):
            return None
        done = _handed_in(connection, person)[step]
        if self._offered(connection, of, person, step, done, at) != "free":
            return None
        if again := renewed(connection, of, person, at, role=step):
            return again
        asked = _asked(connection, of, person, step)
        if step == "stories":
            prompt = connection.scalars(_PROMPTS, asked).one()
            return lease(connection, of, person, prompt, None, [], at)
        found = connection.execute(_FREE_OF_OTHER_STORIES, asked).first() or connection.execute(_FREE, asked).first()
        return lease(connection, of, person, found.id, found.content, [], at) if found else None


def selves(connection: sa.Connection, person: Any) -> dict[int, str]:
    """The person, and those whom a browser of theirs had, too: by the ids of their rows those in the tables."""
    if person.same_as is None:
        return {person.pk: person.annotator_id}
    same = sa.select(annotators.c.id, annotators.c.annotator_id).where(annotators.c.same_as == person.same_as)
    return {row.id: row.annotator_id for row in connection.execute(same)}


def _asked(connection: sa.Connection, of: StoredCollection, person: Any, step: str) -> dict[str, Any]:
    """The parameters of the statements that look for a piece of a step."""
    found = selves(connection, person)
    return {"study": of.id, "person": person.pk, "selves": [*found], "names": [*found.values()], "step": step}


def _is_due(connection: sa.Connection, of: StoredCollection, at: datetime) -> bool:
    """Whether time has freed a piece, or has approved a story, and the database does not say so yet."""
    lapsed = (assignments.c.study_id == of.id) & (assignments.c.state == "open") & ~live(of, at)
    is_lapsed = connection.execute(sa.select(assignments.c.id).where(lapsed).limit(1)).first()
    return bool(is_lapsed or due(connection, of, at))


def _bring_up_to(connection: sa.Connection, of: StoredCollection, at: datetime) -> None:
    """Close leases whose time is over, and approve stories that nobody reviewed in time."""
    lapse(connection, of, at)
    settle(connection, of, at)


def admitted(connection: sa.Connection, of: StoredCollection, person: Any) -> list[str]:
    """The steps that a person may do, in the order of the steps."""
    found = set(connection.scalars(sa.select(admissions.c.step).where(admissions.c.annotator_id == person.pk)))
    return [step for step in of.design.of_people if step in found]


def step_state(connection: sa.Connection, of: StoredCollection, step: str) -> Any:
    """Whether a step is open, paused or closed."""
    there = sa.select(step_states.c.state).where(step_states.c.study_id == of.id, step_states.c.step == step)
    return connection.scalar(there) or "open"


def own_work(connection: sa.Connection, person: Any, token: str) -> Any:
    """The row of a person's piece with this id, as `WORK` selects it.

    None where they never had it, and where they take part no more, as a person who was excluded.
    """
    if person.state not in ("answering", "done") or not could_be_id(token):
        return None
    mine = WORK.where(assignments.c.annotator_id == person.pk, assignments.c.token == token)
    return connection.execute(mine).one_or_none()


def _wants_stories(connection: sa.Connection, of: StoredCollection, at: datetime) -> OfferState:
    """Whether another story is wanted, besides those that are approved, under review, returned or being written.

    Where none is: busy while some are being written, none while some may yet be rejected, enough when all are approved.
    """
    wanted = of.design.stories.wanted if of.design.stories else 0
    if wanted is None:
        return "free"
    is_accepted = assignments.c.status == "accepted"
    counts = {
        "written": is_accepted,
        "approved": is_accepted & (assignments.c.verdict == "approved"),
        "writing": live(of, at),
    }
    sums = [
        sa.func.coalesce(sa.func.sum(sa.case((which, 1), else_=0)), 0).label(name) for name, which in counts.items()
    ]
    found = connection.execute(
        sa.select(*sums)
        .select_from(assignments.join(items, items.c.id == assignments.c.item_id))
        .where(assignments.c.study_id == of.id, items.c.role == "stories", sa.or_(is_accepted, live(of, at)))
    ).one()
    if found.written + found.writing < wanted:
        return "free"
    if found.approved >= wanted:
        return "enough"
    return "busy" if found.written < wanted else "none"


def _handed_in(connection: sa.Connection, person: Any) -> Counter[str]:
    return Counter({row.role: row.n for row in connection.execute(_HANDED_IN, {"person": person.pk})})


def _may_write(of: StoredCollection, row: Any, at: datetime) -> bool:
    return row.verdict == "returned" if row.state == "answered" else is_live(of, row, at)


def _piece(connection: sa.Connection, of: StoredCollection, row: Any) -> Piece:
    draft = connection.scalar(sa.select(drafts.c.fields).where(drafts.c.assignment_id == row.id))
    if row.role == "stories":
        is_returned = row.verdict == "returned"
        was = {"title": row.values["title"], **_boxes(row.values["sentences"])} if is_returned else {}
        return Piece(
            id=row.token,
            step=row.role,
            prompt=row.context[0] if row.context and row.piece.startswith(PROMPT) else "",
            draft=draft or was,
            feedback=_feedback(map(as_review, connection.execute(reviews_of([row.token])))) if is_returned else (),
            expires_at=None if is_returned else row.expires_at,
        )
    shows_ending = row.role == "verification" or (
        row.role == "endings" and of.design.endings is not None and of.design.endings.way == "method_2"
    )
    return Piece(
        id=row.token,
        step=row.role,
        context=tuple(row.context),
        title=row.title or "",
        ending=row.endings[0] if shows_ending and row.endings else "",
        draft=draft or {},
        expires_at=row.expires_at,
    )


def _boxes(sentences: list[str]) -> dict[str, str]:
    return {f"sentence-{number}": sentence for number, sentence in enumerate(sentences, 1)}


def _feedback(reviews: Iterable[StoryReview]) -> tuple[str, ...]:
    return tuple(review.remark for review in reviews if review.remark)


def _own_story(row: Any, reviews: Sequence[StoryReview]) -> OwnStory:
    return OwnStory(
        id=row.token,
        title=row.values["title"],
        sentences=tuple(row.values["sentences"]),
        status=row.verdict,
        feedback=_feedback(reviews),
        bonus=any(review.bonus for review in reviews),
    )
