"""Who holds which item, and whether an answer to it counts. All of it runs inside a job of the writer.

A person gets an item whose texts they never saw, if possible of a case that they never saw, so that nobody reads a
story twice while other stories are free. Among these it is the one with the fewest answers and leases, so that a study
fills evenly. Among those with equally few, a random place in the drawn order decides, so that people see items in
different orders. Attention checks are cases of their own.

An item's `taken` is the number of its accepted answers and open leases. It is raised when the item is leased and
lowered when a lease lapses, so an item is never in more hands than it still needs answers.
"""

import secrets
from collections import Counter
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from denouement.study.store.models import annotators, assignments, items
from denouement.study.store.stored_study import StoredStudy

HELD = sa.select(assignments).where(
    assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.state == "open"
)

_LAPSED = sa.select(assignments.c.id, assignments.c.item_id).where(
    assignments.c.study_id == sa.bindparam("study"),
    assignments.c.state == "open",
    assignments.c.expires_at <= sa.bindparam("now", type_=assignments.c.expires_at.type),
)

_HAS_PLACE = sa.or_(items.c.wanted.is_(None), items.c.taken < items.c.wanted)

# A person's own lapsed leases whose place nobody took, the latest first.
_RENEWABLE = (
    sa.select(assignments)
    .join(items, items.c.id == assignments.c.item_id)
    .where(assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.state == "lapsed", _HAS_PLACE)
    .order_by(assignments.c.started_at.desc(), assignments.c.id.desc())
    .limit(1)
)

_FREE = (
    sa.select(items.c.id, items.c.content)
    .where(
        items.c.study_id == sa.bindparam("study"),
        items.c.role == sa.bindparam("role"),
        _HAS_PLACE,
        ~sa.exists().where(
            assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.content == items.c.content
        ),
    )
    .order_by(items.c.taken, items.c.drawn < sa.bindparam("first"), items.c.drawn)
    .limit(1)
)
_SEEN = items.alias("seen")
_FREE_OF_OTHER_CASES = _FREE.where(
    items.c.case_id.not_in(
        sa.select(_SEEN.c.case_id)
        .join(assignments, assignments.c.item_id == _SEEN.c.id)
        .where(assignments.c.annotator_id == sa.bindparam("annotator"))
    )
)

# Items to judge such that this person neither answered nor skipped the item or another one of the same texts.
UNANSWERED = sa.select(items.c.id).where(
    items.c.study_id == sa.bindparam("study"),
    items.c.role == "judge",
    ~sa.exists().where(
        assignments.c.annotator_id == sa.bindparam("annotator"),
        assignments.c.content == items.c.content,
        assignments.c.state.in_(("answered", "skipped")),
    ),
)

_LACKS_ANSWER = items.c.accepted < items.c.wanted

# Those of them that lack an answer: nobody holds them, or somebody does who may not answer.
UNFINISHED = UNANSWERED.where(_LACKS_ANSWER)

UNFINISHED_BY_ANYONE = sa.select(items.c.id).where(
    items.c.study_id == sa.bindparam("study"), items.c.role == "judge", _LACKS_ANSWER
)

_COUNT = (
    items.update()
    .where(items.c.id == sa.bindparam("item"))
    .values(taken=items.c.taken + sa.bindparam("more_taken"), accepted=items.c.accepted + sa.bindparam("more_accepted"))
)
_LEASE = assignments.insert()
_SERVE = annotators.update().where(annotators.c.id == sa.bindparam("annotator")).values(served=annotators.c.served + 1)
_PLACE = (
    sa.select(assignments.c.state, items.c.id, items.c.wanted, items.c.taken)
    .join(items, items.c.id == assignments.c.item_id)
    .where(assignments.c.id == sa.bindparam("assignment"))
)


def held_items(study_id: int, now: datetime) -> sa.Select[Any]:
    """The items of the leases that are open at `now`."""
    of = assignments.c
    return sa.select(of.item_id).where(of.study_id == study_id, of.state == "open", of.expires_at > now)


def lapse(connection: sa.Connection, study_id: int, now: datetime) -> None:
    """Close the leases that have lapsed by `now`, so that others can get their items."""
    lapsed = connection.execute(_LAPSED, {"study": study_id, "now": now}).all()
    if lapsed:
        gone = assignments.c.id.in_([row.id for row in lapsed])
        free(connection, gone, taken=1)
        connection.execute(assignments.update().where(gone).values(state="lapsed"))


def free(connection: sa.Connection, which: sa.ColumnElement[bool], taken: int, accepted: int = 0) -> None:
    """Lower the counts of the items of these assignments, `taken` and `accepted` for each."""
    held = Counter(connection.scalars(sa.select(assignments.c.item_id).where(which)))
    for item, n in sorted(held.items()):
        _count(connection, item, -n * taken, -n * accepted)


def _count(connection: sa.Connection, item: int, taken: int, accepted: int = 0) -> None:
    connection.execute(_COUNT, {"item": item, "more_taken": taken, "more_accepted": accepted})


def renewed(connection: sa.Connection, study: StoredStudy, person: Any, now: datetime) -> Any:
    """Lease again the latest of this person's lapsed leases whose place is still free; None where there is none."""
    if not study.may_see_more(person.answered):
        return None
    lapsed = connection.execute(_RENEWABLE, {"annotator": person.pk}).one_or_none()
    if lapsed is None:
        return None
    _count(connection, lapsed.item_id, taken=1)
    again = {"state": "open", "expires_at": now + study.lease}
    connection.execute(assignments.update().where(assignments.c.id == lapsed.id).values(**again))
    return connection.execute(HELD, {"annotator": person.pk}).one()


def leased(connection: sa.Connection, study: StoredStudy, person: Any, now: datetime) -> Any:
    """A new lease of an item that this person never saw; None where there is none, or they may see no more."""
    if not study.may_see_more(person.answered):
        return None
    asked = {"study": study.id, "annotator": person.pk}
    judge = {**asked, "role": "judge", "first": secrets.randbelow(len(study.items))}
    chosen = (
        connection.execute(_FREE_OF_OTHER_CASES, judge).one_or_none() or connection.execute(_FREE, judge).one_or_none()
    )
    if chosen and study.is_check_due(person.annotator_id, person.served):
        check = {**asked, "role": "check", "first": secrets.randbelow(len(study.items))}
        chosen = connection.execute(_FREE, check).one_or_none() or chosen
    if chosen is None:
        return None
    _count(connection, chosen.id, taken=1)
    lease = {
        "token": secrets.token_urlsafe(16),
        "study_id": study.id,
        "item_id": chosen.id,
        "annotator_id": person.pk,
        "content": chosen.content,
        "places": study.drawn_order(person.annotator_id, study.items[chosen.id]),
        "state": "open",
        "started_at": now,
        "expires_at": now + study.lease,
    }
    connection.execute(_LEASE, lease)
    connection.execute(_SERVE, {"annotator": person.pk})
    return connection.execute(HELD, {"annotator": person.pk}).one()


def counted(connection: sa.Connection, assignment: int) -> bool:
    """Count an answer to this assignment on its item, and say whether it counts.

    It does while the lease is open; once it has lapsed, if the item has a place that is neither answered nor leased.
    """
    row = connection.execute(_PLACE, {"assignment": assignment}).one()
    is_open = row.state == "open"
    if not is_open and row.wanted is not None and row.taken >= row.wanted:
        return False
    _count(connection, row.id, taken=int(not is_open), accepted=1)
    return True
