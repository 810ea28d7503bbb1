"""Where a running study is kept: SQLite or PostgreSQL, safe for many threads and processes at once."""

from denouement.study.store.database import StoreUnavailableError
from denouement.study.store.opening import Store, open_store
from denouement.study.store.records import (
    Annotator,
    Answer,
    Assignment,
    ItemProgress,
    Outcome,
    PersonProgress,
    Progress,
)

__all__ = [
    "Annotator",
    "Answer",
    "Assignment",
    "ItemProgress",
    "Outcome",
    "PersonProgress",
    "Progress",
    "Store",
    "StoreUnavailableError",
    "open_store",
]
