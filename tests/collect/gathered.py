"""A small collection that people made through the store, with what came of it known by hand."""

from datetime import UTC, datetime, timedelta
from typing import Any

from denouement.collect.description import Collection, collection_from
from denouement.collect.store import (
    CollectionStore,
    EndingWork,
    ReviewWork,
    StoryWork,
    VerificationWork,
    Work,
)

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)

_STORIES = {
    "The <b>key</b>": ("Ann lost a key.", "She looked for it.", "A dog dug in the sand.", "It shone.", "Ann had it."),
    "The boat": ("Tim built a boat.", "He painted it red.", "The lake was calm.", "He rowed out.", "Tim was proud."),
    "The cake": ("Lea baked a cake.", "It was for Joe.", "She forgot the sugar.", "Joe came home.", "Joe laughed."),
}


def described(**more: Any) -> Collection:
    """All steps; everybody may come, under their own names; 26 cents a story, 10 a pair, 5 a review, 1 an answer."""
    section = {
        "name": "kitchen",
        "entry": {"kind": "open", "completion_code": "DONE1"},
        "hash_ids": False,
        "contact": "ada@example.org",
        "stories": {"qualification": False, "wanted": 4, "payment": {"piece": 0.26, "bonus": 0.1}},
        "review": {"payment": {"piece": 0.05}, "links": 1},
        "endings": {"qualification": False, "payment": {"piece": 0.1}},
        "verification": {"qualification": False, "payment": {"piece": 0.01}},
        "filter": {},
    }
    return collection_from({**section, **more}, "test")


def came(store: CollectionStore, who: str, name: str = "kitchen") -> str:
    """The key of somebody who came in and agreed: by this name, or by this private link."""
    return store.consent(store.enter(name, who, now=NOW).key, now=NOW).key


def does(store: CollectionStore, key: str, step: str, work: Work, minutes: float) -> str:
    """Do the next piece of a step in so many minutes."""
    piece = store.begin(key, step, now=NOW)
    outcome = store.hand_in(key, piece.id, work, now=NOW + timedelta(minutes=minutes))
    assert outcome.status == "accepted", outcome
    return piece.id


def gathered(store: CollectionStore, collection: Collection | None = None) -> CollectionStore:
    """Two stories of Ada in 2 and 4 minutes, one of Ben in 6; Ben's is rejected, the others approved, one with a bonus.

    Cem wrote endings to Ada's in 1 and 3 minutes, and Vera, Wim and Xena confirm the first pair.
    """
    store.create_collection(collection or described(), now=NOW)
    ada, ben, cem = (came(store, who) for who in ("Ada", "Ben", "Cem"))
    reviewer = came(store, store.links("kitchen")[0])
    for (title, sentences), key, minutes in zip(_STORIES.items(), (ada, ada, ben), (2, 4, 6), strict=True):
        does(store, key, "stories", StoryWork(title, sentences), minutes)
        is_bad = key == ben
        decided = (
            ReviewWork("reject", "=1+1 <i>is</i> no story.") if is_bad else ReviewWork("approve", bonus=minutes == 2)
        )
        does(store, reviewer, "review", decided, 1)
    for number, minutes in ((1, 1), (2, 3)):
        pair = EndingWork(f"Ann thanked the dog {number} times.", f"Ann scolded the sea {number} times.")
        does(store, cem, "endings", pair, minutes)
    right, wrong = "Ann thanked the dog 1 times.", "Ann scolded the sea 1 times."
    for who in ("Vera", "Wim", "Xena"):
        key = came(store, who)
        while piece := store.begin(key, "verification", now=NOW):
            if piece.ending not in (right, wrong):
                store.give_back(key, piece.id)
                continue
            answer = VerificationWork("1" if piece.ending == right else "0")
            assert store.hand_in(key, piece.id, answer, now=NOW + timedelta(seconds=30)).status == "accepted"
    return store
