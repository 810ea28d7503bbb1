"""Who holds which item, and whether an answer to it counts. All of it runs inside a job of the writer.

A person gets an item whose texts they never saw, if possible of a case that they never saw, so that nobody reads a
story twice while other stories are free. Among these it is the one with the fewest answers and leases, so that a study
fills evenly. Among those with equally few, a random place in the drawn order decides, so that people see items in
different orders. Attention checks are cases of their own.

An item's `taken` is the number of its accepted answers and open leases. It is raised when the item is leased and
lowered when a lease lapses, so an item is never in more hands than it still needs answers.

Of a pair, each of the two sides is drawn so that an item's sides stay even over its answers, and a person's too.
"""

import secrets
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from denouement.study.store.models import annotators, assignments, items
from denouement.study.store.stored_study import StoredCampaign, StoredStudy

HELD = sa.select(assignments).where(
    assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.state == "open"
)

# How long a lease goes on after its page was left: a reload or a step back keeps the item.
GRACE = timedelta(minutes=1)

HAS_PLACE = sa.or_(items.c.wanted.is_(None), items.c.taken < items.c.wanted)

# A person's own lapsed leases, of one role or of any, whose place nobody took, the latest first.
RENEWABLE = (
    sa.select(assignments)
    .join(items, items.c.id == assignments.c.item_id)
    .where(
        assignments.c.annotator_id == sa.bindparam("annotator"),
        assignments.c.state == "lapsed",
        HAS_PLACE,
        ~items.c.retired,
        sa.or_(sa.bindparam("role", type_=sa.String).is_(None), items.c.role == sa.bindparam("role")),
    )
    .order_by(assignments.c.started_at.desc(), assignments.c.id.desc())
    .limit(1)
)

_CHOSEN_FROM = 20  # items whose sides are looked at for one that evens out the person's

_HAS_ITS_TEXTS = sa.exists().where(
    assignments.c.annotator_id == sa.bindparam("annotator"), assignments.c.content == items.c.content
)

_FREE = (
    sa.select(items.c.id, items.c.content, items.c.taken)
    .where(
        items.c.study_id == sa.bindparam("study"),
        items.c.role == sa.bindparam("role"),
        HAS_PLACE,
        ~_HAS_ITS_TEXTS,
    )
    .order_by(items.c.taken, items.c.drawn < sa.bindparam("first"), items.c.drawn)
    .limit(_CHOSEN_FROM)
)
_SEEN = items.alias("seen")
_FREE_OF_OTHER_CASES = _FREE.where(
    items.c.case_id.not_in(
        sa.select(_SEEN.c.case_id)
        .join(assignments, assignments.c.item_id == _SEEN.c.id)
        .where(assignments.c.annotator_id == sa.bindparam("annotator"))
    )
)

_TO_JUDGE = sa.select(items.c.id).where(items.c.study_id == sa.bindparam("study"), items.c.role == "judge")
_IS_DONE = assignments.c.state.in_(("answered", "skipped"))

# Items to judge such that this person neither answered nor skipped the item or another one of the same texts.
UNANSWERED = _TO_JUDGE.where(~_HAS_ITS_TEXTS.where(_IS_DONE))

LACKS_ANSWER = items.c.accepted < items.c.wanted

# Those of them that lack an answer: nobody holds them, or somebody does who may not answer. A person whose lease of
# another item of the same texts lapsed gets that one again, or none.
UNFINISHED = _TO_JUDGE.where(LACKS_ANSWER, ~_HAS_ITS_TEXTS.where(sa.or_(_IS_DONE, assignments.c.item_id != items.c.id)))

_COUNT = (
    items.update()
    .where(items.c.id == sa.bindparam("item"))
    .values(taken=items.c.taken + sa.bindparam("more_taken"), accepted=items.c.accepted + sa.bindparam("more_accepted"))
)
_LEASE = assignments.insert()
_SERVE = (
    annotators.update()
    .where(annotators.c.id == sa.bindparam("annotator"))
    .values(
        served=annotators.c.served + sa.bindparam("more"),
        seen_at=sa.bindparam("now", type_=annotators.c.seen_at.type),
    )
)
# The sides of the answers and leases that count: of these items, or of all items to judge that this person had.
_SIDES = sa.select(assignments.c.item_id, assignments.c.shown).where(
    sa.or_(assignments.c.state == "open", assignments.c.status == "accepted")
)
_SIDES_OF_ITEMS = _SIDES.where(assignments.c.item_id.in_(sa.bindparam("items", expanding=True)))
_SIDES_OF_PERSON = _SIDES.join(items, items.c.id == assignments.c.item_id).where(
    assignments.c.annotator_id == sa.bindparam("annotator"), items.c.role == "judge"
)
_PLACE = (
    sa.select(assignments.c.state, items.c.id, items.c.wanted, items.c.taken)
    .join(items, items.c.id == assignments.c.item_id)
    .where(assignments.c.id == sa.bindparam("assignment"))
)


def live(study: StoredCampaign, now: datetime) -> sa.ColumnElement[bool]:
    """Whether a row of `assignments` is a lease that is open at `now`.

    A lease that would last longer than two leases from now was made while the clock was ahead: it has lapsed, so that
    it keeps the item from nobody.
    """
    of = assignments.c
    return (of.state == "open") & (of.expires_at > now) & (of.expires_at <= now + 2 * study.lease)


def is_live(study: StoredCampaign, lease: Any, now: datetime) -> bool:
    """`live`, of a row that was read."""
    return bool(lease.state == "open" and now < lease.expires_at <= now + 2 * study.lease)


def open_leases(study: StoredCampaign, now: datetime) -> sa.Select[Any]:
    """The leases that are open at `now`: their items, their people and their ends."""
    of = assignments.c
    return sa.select(of.item_id, of.annotator_id, of.expires_at).where(
        assignments.c.study_id == study.id, live(study, now)
    )


def lapse(connection: sa.Connection, study: StoredCampaign, now: datetime) -> None:
    """Close the leases that have lapsed by `now`, so that others can get their items."""
    close(connection, (assignments.c.study_id == study.id) & ~live(study, now))


def close(connection: sa.Connection, which: sa.ColumnElement[bool]) -> list[int]:
    """Close the open leases among these assignments before their end; return the row ids of the people who had them."""
    found = sa.select(assignments.c.id, assignments.c.annotator_id).where(assignments.c.state == "open", which)
    leases = connection.execute(found).all()
    if leases:
        closed = assignments.c.id.in_([row.id for row in leases])
        free(connection, closed, taken=1)
        connection.execute(assignments.update().where(closed).values(state="lapsed", resumes_until=None))
    return [row.annotator_id for row in leases]


def free(connection: sa.Connection, which: sa.ColumnElement[bool], taken: int, accepted: int = 0) -> None:
    """Lower the counts of the items of these assignments, `taken` and `accepted` for each."""
    held = Counter(connection.scalars(sa.select(assignments.c.item_id).where(which)))
    for item, n in sorted(held.items()):
        recount(connection, item, -n * taken, -n * accepted)


def recount(connection: sa.Connection, item: int, taken: int, accepted: int = 0) -> None:
    """Add to the counts of an item."""
    connection.execute(_COUNT, {"item": item, "more_taken": taken, "more_accepted": accepted})


def resumed(connection: sa.Connection, held: Any) -> Any:
    """An open lease, up to its own end again where its page had been left."""
    if held.resumes_until is None:
        return held
    whole = {"expires_at": held.resumes_until, "resumes_until": None}
    connection.execute(assignments.update().where(assignments.c.id == held.id).values(**whole))
    return connection.execute(HELD, {"annotator": held.annotator_id}).one()


def make_whole(connection: sa.Connection, study: StoredCampaign, now: datetime) -> None:
    """Let all open leases of a study whose pages were left go on to their own ends again."""
    left = (assignments.c.study_id == study.id) & live(study, now) & assignments.c.resumes_until.is_not(None)
    whole = {"expires_at": assignments.c.resumes_until, "resumes_until": None}
    connection.execute(assignments.update().where(left).values(**whole))


def renewed(
    connection: sa.Connection, study: StoredCampaign, person: Any, now: datetime, role: str | None = None
) -> Any:
    """Lease again the latest of this person's lapsed leases whose place is still free; None where there is none.

    Args:
        connection: the job's.
        study: the study or collection.
        person: the person's row.
        now: the time.
        role: of the item; None: of any.
    """
    if not study.may_see_more(person.answered):
        return None
    lapsed = connection.execute(RENEWABLE, {"annotator": person.pk, "role": role}).one_or_none()
    if lapsed is None:
        return None
    recount(connection, lapsed.item_id, taken=1)
    connection.execute(_SERVE, {"annotator": person.pk, "more": 0, "now": now})
    again = {"state": "open", "expires_at": now + study.lease}
    connection.execute(assignments.update().where(assignments.c.id == lapsed.id).values(**again))
    return connection.execute(HELD, {"annotator": person.pk}).one()


def leased(connection: sa.Connection, study: StoredStudy, person: Any, now: datetime) -> Any:
    """A new lease of an item that this person never saw; None where there is none, or they may see no more."""
    if not study.may_see_more(person.answered):
        return None
    asked = {"study": study.id, "annotator": person.pk}
    judge = {**asked, "role": "judge", "first": secrets.randbelow(len(study.items))}
    found = connection.execute(_FREE_OF_OTHER_CASES, judge).all() or connection.execute(_FREE, judge).all()
    chosen, is_turned = _evened(connection, study, person, found) if found else (None, None)
    if chosen and study.is_check_due(person.annotator_id, person.served):
        check = {**asked, "role": "check", "first": secrets.randbelow(len(study.items))}
        if checks := connection.execute(_FREE, check).all():
            chosen, is_turned = checks[0], None
    if chosen is None:
        return None
    shown = study.drawn_order(person.annotator_id, study.items[chosen.id], is_turned)
    return lease(connection, study, person, chosen.id, chosen.content, shown, now)


def lease(
    connection: sa.Connection,
    campaign: StoredCampaign,
    person: Any,
    item: int,
    content: str | None,
    shown: Sequence[int],
    now: datetime,
) -> Any:
    """Lease an item to a person, who may hold no other one.

    Args:
        connection: the job's.
        campaign: the item's study or collection.
        person: the person's row.
        item: the item's row.
        content: what this person gets no second time; None: nothing.
        shown: the order of its texts on the page.
        now: the time.
    """
    recount(connection, item, taken=1)
    token = secrets.token_urlsafe(16)
    made = {
        "token": token,
        "study_id": campaign.id,
        "item_id": item,
        "annotator_id": person.pk,
        "content": token if content is None else content,
        "shown": list(shown),
        "state": "open",
        "started_at": now,
        "expires_at": now + campaign.lease,
    }
    connection.execute(_LEASE, made)
    connection.execute(_SERVE, {"annotator": person.pk, "more": 1, "now": now})
    return connection.execute(HELD, {"annotator": person.pk}).one()


def _evened(
    connection: sa.Connection, study: StoredStudy, person: Any, found: Sequence[Any]
) -> tuple[Any, bool | None]:
    """Which of the free items a person gets, and whether the two texts of a pair change sides (None: it is drawn).

    The item's sides come first: where one order was shown more often, it gets the other. A person's sides are drawn
    until one order leads by two; then they get the other one, and an item that allows it, if one with as few answers
    does. So nobody can know the order of their next question from those before.
    """
    if len(study.items[found[0].id].endings) != 2:
        return found[0], None
    of_person = _lean(connection.execute(_SIDES_OF_PERSON, {"annotator": person.pk}).all())
    fewest = [row for row in found if row.taken == found[0].taken] if abs(of_person) > 1 else [found[0]]
    sides = connection.execute(_SIDES_OF_ITEMS, {"items": [row.id for row in fewest]}).all()
    leans = {row.id: _lean([each for each in sides if each.item_id == row.id]) for row in fewest}
    if abs(of_person) < 2:
        lean = leans[found[0].id]
        return found[0], lean > 0 if lean else None
    suits = [row for row in fewest if leans[row.id] * of_person >= 0]
    chosen = suits[0] if suits else found[0]
    return chosen, (leans[chosen.id] or of_person) > 0


def _lean(shown: Sequence[Any]) -> int:
    """How many more of these pairs were shown in their own order than with their sides changed."""
    return sum(1 if list(row.shown) == [0, 1] else -1 for row in shown)


def counted(connection: sa.Connection, assignment: int) -> bool:
    """Count an answer to this assignment on its item, and say whether it counts.

    It does while the lease is open; once it has lapsed, if the item has a place that is neither answered nor leased.
    """
    row = connection.execute(_PLACE, {"assignment": assignment}).one()
    is_open = row.state == "open"
    if not is_open and row.wanted is not None and row.taken >= row.wanted:
        return False
    recount(connection, row.id, taken=int(not is_open), accepted=1)
    return True
