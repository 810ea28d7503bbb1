"""How work flows from one step to the next: pieces are made from work that was handed in. All inside the writer's jobs.

A story that was handed in makes a piece to review; an approved one, a piece for which endings are written; a pair of
endings, two pieces to verify. So all steps may run at once.
"""

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from denouement.collecting.reviewing import Status, status
from denouement.collecting.store.base import WORK, StoredCollection, review_piece, versions_of, work_of
from denouement.study.store.leases import close, recount
from denouement.study.store.models import assignments, authors, drafts, items
from denouement.study.store.stored_study import keyed_hash

_AT_ONCE = 100  # stories, a few milliseconds each

PROMPT = "stories:"  # with which the pieces to write a story begin


def make_piece(
    connection: sa.Connection,
    of: StoredCollection,
    piece: str,
    step: str,
    wanted: int | None,
    by: Iterable[str] = (),
    **shown: Any,
) -> int:
    """Add a piece of work; return the id of its row.

    Args:
        connection: the job's.
        of: the collection.
        piece: its id, which no other one of the collection has.
        step: the step.
        wanted: how many people are to do it; None: any number.
        by: the ids in the tables of those who wrote what it shows.
        shown: further columns: `case_id` (the story), `context`, `endings`, `title`, `expected`, `source`, `retired`.
    """
    row = {
        "study_id": of.id,
        "item_id": piece,
        "role": step,
        "number": 0,
        "drawn": int(keyed_hash(of.salt, piece)[:7], 16),
        "content": piece,
        "case_id": "",
        "context": [],
        "systems": [],
        "endings": [],
        "wanted": wanted,
        "taken": 0,
        "accepted": 0,
        **shown,
    }
    made = connection.execute(items.insert().values(**row)).inserted_primary_key
    assert made is not None
    for author in dict.fromkeys(by):
        connection.execute(authors.insert().values(item_id=made[0], author=author))
    return int(made[0])


def story_came(
    connection: sa.Connection, of: StoredCollection, token: str, at: datetime, is_approved: bool = False
) -> None:
    """A story was handed in, or handed in again: it is to be reviewed, or approved where there is no review.

    Args:
        connection: the job's.
        of: the collection.
        token: of the story.
        at: when.
        is_approved: whether it was approved before, as a file says.
    """
    story = work_of(connection, token)
    if of.design.review is None or is_approved:
        become(connection, of, story, "approved")
        return
    version = len(versions_of(connection, story))
    make_piece(
        connection,
        of,
        review_piece(token, version),
        "review",
        of.design.review.reviewers,
        by=[writer_of(story)],
        case_id=story.values["id"],
        context=story.values["sentences"],
        title=story.values["title"],
        source=token,
    )


def decide(connection: sa.Connection, of: StoredCollection, story: Any, at: datetime) -> None:
    """Let a story become what its reviews, or the time since it was handed in, make of it."""
    found = status(versions_of(connection, story), of.design.review, at)
    if found != story.verdict:
        become(connection, of, story, found)


def become(connection: sa.Connection, of: StoredCollection, story: Any, found: Status) -> None:
    """Let a story be approved, returned or rejected; an approved one makes a piece for which endings are written."""
    changed = {"verdict": found} | ({"status": "rejected"} if found == "rejected" else {})
    connection.execute(assignments.update().where(assignments.c.id == story.id).values(**changed))
    retire(connection, (items.c.role == "review") & (items.c.source == story.token))
    if found == "rejected":
        recount(connection, story.item_id, taken=-1, accepted=-1)
    if found == "approved" and of.design.endings:
        sentences = story.values["sentences"]
        make_piece(
            connection,
            of,
            f"endings:{story.token}",
            "endings",
            of.design.endings.pairs,
            by=[writer_of(story)],
            case_id=story.values["id"],
            context=sentences[:4],
            endings=sentences[4:],
            source=story.token,
        )


def pair_came(connection: sa.Connection, of: StoredCollection, token: str) -> None:
    """A pair of endings was handed in: each of the two is to be verified, as the end of a story of its own."""
    pair = work_of(connection, token)
    if of.design.verification is None:
        return
    wrote_story = connection.execute(WORK.where(assignments.c.token == pair.source)).one_or_none()
    wrote = [writer_of(pair), *([writer_of(wrote_story)] if wrote_story else [])]
    if pair.values.get("story_writer"):
        wrote.append(pair.values["story_writer"])
    for ending in ("right", "wrong"):
        make_piece(
            connection,
            of,
            f"verification:{token}:{ending}",
            "verification",
            of.design.verification.people,
            by=wrote,
            case_id=pair.case_id,
            context=pair.context,
            endings=[pair.values[ending]],
            expected=ending,
            source=token,
        )


def settle(connection: sa.Connection, of: StoredCollection, at: datetime) -> None:
    """Approve the stories that nobody reviewed in time, where the collection says so; see `due`."""
    for story in due(connection, of, at):
        decide(connection, of, story, at)


def due(connection: sa.Connection, of: StoredCollection, at: datetime) -> Sequence[Any]:
    """The stories that are approved by now since nobody reviewed them, as `WORK` selects them, but are still open.

    These are the first `_AT_ONCE` of them: other people's work waits meanwhile.
    """
    if of.design.review is None or of.design.review.approve_after_days is None:
        return ()
    since = at - timedelta(days=of.design.review.approve_after_days)
    first = _undecided(of).where(assignments.c.submitted_at <= since).order_by(assignments.c.id).limit(_AT_ONCE)
    return connection.execute(first).all()


def decide_reviewed(connection: sa.Connection, of: StoredCollection, at: datetime) -> None:
    """`decide` about each story that is not decided yet, though somebody reviewed it."""
    reviewed = sa.select(items.c.source).where(
        items.c.study_id == of.id, items.c.role == "review", items.c.accepted > 0
    )
    for story in connection.execute(_undecided(of).where(assignments.c.token.in_(reviewed))).all():
        decide(connection, of, story, at)


def _undecided(of: StoredCollection) -> sa.Select[Any]:
    is_open = (assignments.c.verdict == "open") & (assignments.c.status == "accepted")
    return WORK.where(assignments.c.study_id == of.id, is_open)


def retire_all(connection: sa.Connection, of: StoredCollection) -> None:
    """Hand out no piece whose source does not count any more, and again those whose source counts again."""
    counting = set(
        connection.scalars(
            sa.select(assignments.c.token).where(assignments.c.study_id == of.id, assignments.c.status == "accepted")
        )
    )
    made = sa.select(items.c.id, items.c.role, items.c.source, items.c.retired).where(
        items.c.study_id == of.id, items.c.source.is_not(None)
    )
    pieces = connection.execute(made.order_by(items.c.id)).all()
    under_review = sa.select(assignments.c.token).where(
        assignments.c.study_id == of.id, assignments.c.verdict == "open"
    )
    last_version = {piece.source: piece.id for piece in pieces if piece.role == "review"}
    reviewed = {last_version.get(token) for token in connection.scalars(under_review)}
    work_on = sa.select(assignments.c.token, assignments.c.item_id).where(
        assignments.c.study_id == of.id, assignments.c.state == "answered"
    )
    made_for: dict[int, list[str]] = {}
    for row in connection.execute(work_on):
        made_for.setdefault(row.item_id, []).append(row.token)
    for step in ("review", "endings", "verification"):  # in the order in which one makes the next
        for piece in pieces:
            if piece.role != step:
                continue
            is_retired = piece.source not in counting or (step == "review" and piece.id not in reviewed)
            if is_retired and step == "endings":
                counting -= set(made_for.get(piece.id, ()))
            if is_retired != piece.retired:
                retire(connection, items.c.id == piece.id, is_retired)


def writer_of(work: Any) -> str:
    """The id in the tables of who wrote this, as `WORK` selects it; of a file, whom the file names."""
    return str(work.values.get("writer") or work.person)


def as_entered(
    connection: sa.Connection,
    of: StoredCollection,
    person: int,
    item: int,
    values: dict[str, Any],
    at: datetime,
    verdict: str | None = None,
) -> str:
    """Add work that a file has, as if this person had handed it in; return its token."""
    token = secrets.token_urlsafe(16)
    recount(connection, item, taken=1, accepted=1)
    connection.execute(
        assignments.insert().values(
            token=token,
            study_id=of.id,
            item_id=item,
            annotator_id=person,
            content=token,
            shown=[],
            state="answered",
            status="accepted",
            started_at=at,
            expires_at=at,
            submitted_at=at,
            values=values,
            verdict=verdict,
        )
    )
    return token


def blank(connection: sa.Connection, tokens: Sequence[str]) -> None:
    """Take the texts out of all pieces that were made from this work, and out of those made from work on them."""
    while tokens:
        made = connection.execute(sa.select(items.c.id).where(items.c.source.in_(tokens))).scalars().all()
        of_made = assignments.c.item_id.in_(made)
        retire(connection, items.c.id.in_(made))
        connection.execute(
            drafts.delete().where(drafts.c.assignment_id.in_(sa.select(assignments.c.id).where(of_made)))
        )
        for pair in connection.execute(
            WORK.where(of_made, items.c.role == "endings", assignments.c.state == "answered")
        ):
            if pair.values["right"] in pair.endings:  # `method_2`: the story's own
                less = {**pair.values, "right": ""}
                connection.execute(assignments.update().where(assignments.c.id == pair.id).values(values=less))
        empty: dict[str, Any] = {"context": [], "endings": [], "title": None}
        connection.execute(items.update().where(items.c.id.in_(made)).values(**empty))
        tokens = connection.execute(sa.select(assignments.c.token).where(of_made)).scalars().all()


def retire(connection: sa.Connection, which: sa.ColumnElement[bool], retired: bool = True) -> None:
    """Hand these pieces out no more, and end the leases of those who hold one; or hand them out again."""
    if retired:
        close(connection, assignments.c.item_id.in_(sa.select(items.c.id).where(which)))
    connection.execute(items.update().where(which).values(retired=retired))
