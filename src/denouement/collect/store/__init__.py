"""Where a running collection is kept: in the store of studies, whose people, links, leases and log it shares."""

from denouement.collect.store.opening import CollectionStore, open_store
from denouement.collect.store.records import (
    CollectionProgress,
    CollectorProgress,
    EndingWork,
    HandInOutcome,
    KnownStory,
    Offer,
    OwnStory,
    Piece,
    ReviewWork,
    StepOfPerson,
    StepProgress,
    StoryWork,
    TakenFromFiles,
    VerificationWork,
    Work,
)

__all__ = [
    "CollectionProgress",
    "CollectionStore",
    "CollectorProgress",
    "EndingWork",
    "HandInOutcome",
    "KnownStory",
    "Offer",
    "OwnStory",
    "Piece",
    "ReviewWork",
    "StepOfPerson",
    "StepProgress",
    "StoryWork",
    "TakenFromFiles",
    "VerificationWork",
    "Work",
    "open_store",
]
