"""The tables of the database. `migrations/` makes them, and a test checks that both agree."""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Moment(sa.types.TypeDecorator[datetime]):
    """A time, as microseconds since 1970 in UTC: exact, and ordered alike in every database."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> int | None:
        """To microseconds."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> datetime | None:
        """From microseconds."""
        return None if value is None else _EPOCH + int(value) * _MICROSECOND


def _json() -> sa.JSON:
    return sa.JSON(none_as_null=True)


metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

STUDY, COLLECTION = "study", "collection"

# Studies and collections: both are a name under which people come in, and each has people, links, items and a log.
studies = sa.Table(
    "studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String, nullable=False, unique=True),
    sa.Column("design", sa.Text, nullable=False),
    sa.Column("salt", sa.String, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("state", sa.String, nullable=False, server_default="open"),  # open, paused, closed
    sa.Column("edition", sa.Integer, nullable=False, server_default="0"),  # how often its design was edited
    sa.Column("exported", sa.String),  # a digest of the answers of the last export
    sa.Column("kind", sa.String, nullable=False, server_default=STUDY),  # study, collection
)

# What was done to a study, when, by whom and about whom: `log.LogEntry`.
log = sa.Table(
    "log",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study_id", sa.ForeignKey("studies.id"), nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("by", sa.String, nullable=False),
    sa.Column("what", sa.String, nullable=False),
    sa.Column("about", sa.String),
    sa.Column("detail", sa.Text),
    sa.Index(None, "study_id"),
)

links = sa.Table(
    "links",
    metadata,
    sa.Column("study_id", sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("token", sa.String, nullable=False, unique=True),
    sa.Column("steps", _json()),  # those of a collection that its person may do
)

# A row is what somebody is to do: an item of a study, or a piece of work of a collection, whose role is its step.
# `taken` counts accepted answers and open leases. It never exceeds `wanted`, the answers that an item to judge is to
# get; checks and the training item have no such number.
items = sa.Table(
    "items",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study_id", sa.ForeignKey("studies.id"), nullable=False),
    sa.Column("item_id", sa.String, nullable=False),
    sa.Column("role", sa.String, nullable=False),  # judge, check, training; stories, review, endings, verification
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("drawn", sa.Integer, nullable=False),  # its place in the drawn order
    sa.Column("content", sa.String, nullable=False),
    sa.Column("case_id", sa.String, nullable=False),
    sa.Column("context", _json(), nullable=False),
    sa.Column("systems", _json(), nullable=False),
    sa.Column("endings", _json(), nullable=False),
    sa.Column("expected", sa.String),
    sa.Column("wanted", sa.Integer),
    sa.Column("taken", sa.Integer, nullable=False),
    sa.Column("accepted", sa.Integer, nullable=False),
    sa.Column("title", sa.Text),  # of a story
    sa.Column("source", sa.String),  # of a piece: the token of the work from which it was made
    sa.Column(
        "retired", sa.Boolean, nullable=False, server_default=sa.false()
    ),  # that work does not count: nobody gets it
    sa.UniqueConstraint("study_id", "item_id"),
    sa.CheckConstraint("0 <= accepted AND accepted <= taken AND (wanted IS NULL OR taken <= wanted)", name="counts"),
    sa.Index(None, "study_id", "role", "taken", "drawn"),
    sa.Index(None, "source"),
    # what is still to be done of a collection, which soon is a small part of it
    sa.Index(
        "ix_items_wanted",
        "study_id",
        "role",
        "taken",
        "drawn",
        sqlite_where=sa.text("taken < wanted"),
        postgresql_where=sa.text("taken < wanted"),
    ),
)

annotators = sa.Table(
    "annotators",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study_id", sa.ForeignKey("studies.id"), nullable=False),
    sa.Column("annotator_id", sa.String, nullable=False),
    sa.Column("key", sa.String, nullable=False, unique=True),
    sa.Column("state", sa.String, nullable=False),
    sa.Column("entry", _json(), nullable=False),
    sa.Column("served", sa.Integer, nullable=False),  # items handed out
    sa.Column("answered", sa.Integer, nullable=False),
    sa.Column("training_failures", sa.Integer, nullable=False),  # of the practice item that comes next
    sa.Column("training_passed", sa.Integer, nullable=False),  # practice items
    sa.Column("after_at", Moment),  # when they replied to the questions after the last item
    sa.Column("entered_at", Moment, nullable=False),
    sa.Column("seen_at", Moment, nullable=False),
    sa.Column("consented_at", Moment),
    sa.Column("excluded_from", sa.String),  # the state before the exclusion, while the person is excluded
    sa.Column("excluded_because", sa.Text),
    sa.Column("same_as", sa.Integer),  # of people whom one browser had in a collection: the lowest of their ids
    sa.UniqueConstraint("study_id", "annotator_id"),
)

# The organiser's sessions, by a digest of the key in the browser.
sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("session", sa.String, primary_key=True),
    sa.Column("expires_at", Moment, nullable=False),
)

# A row is an item that one person holds or held, with their answer if they gave one. So there can be no second answer.
assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("token", sa.String, nullable=False, unique=True),
    sa.Column("study_id", sa.ForeignKey("studies.id"), nullable=False),
    sa.Column("item_id", sa.ForeignKey("items.id"), nullable=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("content", sa.String, nullable=False),
    sa.Column("shown", _json(), nullable=False),  # the places in the item of what the page shows, in its order
    sa.Column("state", sa.String, nullable=False),  # open, lapsed, answered, skipped
    sa.Column("started_at", Moment, nullable=False),
    sa.Column("expires_at", Moment, nullable=False),
    sa.Column("resumes_until", Moment),  # the lease's end before its page was left
    sa.Column("status", sa.String),  # accepted, surplus, excluded, rejected; with the answer
    sa.Column("answer", sa.String),
    sa.Column("values", _json()),  # of a piece of work, all that was handed in
    sa.Column("verdict", sa.String),  # of a story that was handed in: open, returned, approved, rejected
    sa.Column("arranged", _json()),
    sa.Column("reason", sa.Text),
    sa.Column("elements", _json()),
    sa.Column("highlights", _json()),
    sa.Column("submitted_at", Moment),
    sa.UniqueConstraint("annotator_id", "content"),
    sa.CheckConstraint("(state = 'answered') = (status IS NOT NULL AND submitted_at IS NOT NULL)", name="answered"),
    sa.Index(None, "study_id", "state", "expires_at"),
    sa.Index(None, "item_id"),
    sa.Index(
        "uq_assignments_open",
        "annotator_id",
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    ),
)

# What a person replied to the organiser's own questions; a row for each of several options, counted from 0.
replies = sa.Table(
    "replies",
    metadata,
    sa.Column("annotator_id", sa.ForeignKey("annotators.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("question", sa.String, primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

# An item that a person skipped, or a problem with it that they reported with their answer.
flags = sa.Table(
    "flags",
    metadata,
    sa.Column("assignment_id", sa.ForeignKey("assignments.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("kind", sa.String, primary_key=True),  # skip, flag
    sa.Column("text", sa.Text),
    sa.Column("made_at", Moment, nullable=False),
)

# Answers that were corrected later, the first one with the place 1; `assignments` has the last one.
corrections = sa.Table(
    "corrections",
    metadata,
    sa.Column("assignment_id", sa.ForeignKey("assignments.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("earlier", _json(), nullable=False),
    sa.Column("submitted_at", Moment, nullable=False),
)

# Collections: the ids in the tables of those who wrote what a piece of work shows, to whom it is never given.
authors = sa.Table(
    "authors",
    metadata,
    sa.Column("item_id", sa.ForeignKey("items.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("author", sa.String, primary_key=True),
)

# The steps that a person may do.
admissions = sa.Table(
    "admissions",
    metadata,
    sa.Column("annotator_id", sa.ForeignKey("annotators.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("step", sa.String, primary_key=True),
)

# The steps that are paused or closed; the others are open.
step_states = sa.Table(
    "step_states",
    metadata,
    sa.Column("study_id", sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("step", sa.String, primary_key=True),
    sa.Column("state", sa.String, nullable=False),
)

# Attempts at the test of a step, the first with the place 1.
attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("annotator_id", sa.ForeignKey("annotators.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("step", sa.String, primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("judged", _json(), nullable=False),  # by the place of an item whether it was called acceptable
    sa.Column("passed", sa.Boolean, nullable=False),
    sa.Column("made_at", Moment, nullable=False),
)

# What was typed of a piece of work that is not handed in yet.
drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("assignment_id", sa.ForeignKey("assignments.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("fields", _json(), nullable=False),
    sa.Column("saved_at", Moment, nullable=False),
)
