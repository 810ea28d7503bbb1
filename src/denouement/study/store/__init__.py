"""Where a running study is kept: SQLite or PostgreSQL, safe for many threads and processes at once."""

from denouement.study.store.database import StoreUnavailableError
from denouement.study.store.log import LogEntry, StudyLog
from denouement.study.store.opening import Store, open_store
from denouement.study.store.records import (
    Annotator,
    Answer,
    Assignment,
    ItemProgress,
    Outcome,
    Outlook,
    PersonProgress,
    Progress,
    Released,
    StudyState,
)

__all__ = [
    "Annotator",
    "Answer",
    "Assignment",
    "ItemProgress",
    "LogEntry",
    "Outcome",
    "Outlook",
    "PersonProgress",
    "Progress",
    "Released",
    "Store",
    "StoreUnavailableError",
    "StudyLog",
    "StudyState",
    "open_store",
]
