"""People of a collection who do whatever is to be done, and what must hold of it at any moment.

As a program (`collectors.py URL FIRST COUNT`) it lets COUNT people work at once, each in a thread, and prints a line
for each piece that was handed in: the person's number, the step, the piece, and what the store did with it.
"""

import itertools
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from typing import Any

import sqlalchemy as sa

from denouement.collecting.description import Collection, collection_from
from denouement.collecting.store import (
    CollectionStore,
    EndingWork,
    Piece,
    ReviewWork,
    StoryWork,
    VerificationWork,
    Work,
    open_store,
)
from denouement.study.store.models import annotators, assignments, authors, items

NAME = "kitchen"

_numbers = itertools.count(1)  # of all work


def described(**more: object) -> Collection:
    """A collection of all steps without tests."""
    section = {
        "name": NAME,
        "stories": {"qualification": False},
        "review": {},
        "endings": {"qualification": False},
        "verification": {"qualification": False},
        "filter": {},
    }
    return collection_from({**section, **more}, "test")


def come(store: CollectionStore, step: str | None = None) -> str:
    """A new person with a link for a step, or for all but the review, who agreed to take part; returns their key."""
    token = store.add_links(NAME, 1, steps=[step] if step else store.collection(NAME).of_all)[0]
    person = store.enter(NAME, token)
    assert person is not None
    return store.consent(person.key).key


def work_on(piece: Piece, number: int) -> Work:
    """Something that may be handed in; one story in five is returned, one in seven rejected."""
    if piece.step == "stories":
        title = "Better" if piece.feedback else "A key"
        return StoryWork(title, (f"Ann {number} lost a key.", "She looked.", "A dog dug.", "It shone.", "She had it."))
    if piece.step == "review":
        if number % 7 == 0:
            return ReviewWork("reject", "No.")
        return ReviewWork("return", "Why?") if number % 5 == 0 and piece.title == "A key" else ReviewWork("approve")
    if piece.step == "endings":
        return EndingWork(f"Ann {number} thanked the dog.", f"Ann {number} scolded the sea.")
    return VerificationWork("1" if "thanked" in piece.ending else "0")


def work(store: CollectionStore, key: str, most: int, say: Callable[[str, str, str], None]) -> None:
    """Do what is to be done, until there is nothing or `most` pieces are handed in; returned stories come first."""
    for _ in range(most):
        back = next((own.id for own in store.own_stories(key) if own.status == "returned"), None)
        free = [offer.step for offer in store.offers(key) if offer.state == "free"]
        if back:
            piece = store.piece(key, back)
        else:
            later = sorted(free, key=("verification", "review", "endings", "stories").index)
            piece = store.begin(key, later[0]) if later else None
        if piece is None:
            if not free:
                return
            continue  # somebody else took it
        store.save_draft(key, piece.id, {"right": "half a sent"})
        done = store.hand_in(key, piece.id, work_on(piece, next(_numbers)))
        say(piece.step, piece.id, done.status)


def check(store: CollectionStore) -> None:
    """What holds of a collection at any moment, whatever was killed before."""
    with store._reading() as connection:
        pieces = {row.id: row for row in connection.execute(sa.select(items))}
        done = connection.execute(sa.select(assignments)).all()
        wrote = {(row.item_id, row.author) for row in connection.execute(sa.select(authors))}
        people = connection.execute(sa.select(annotators)).all()
    names, states = {row.id: row.annotator_id for row in people}, {row.id: row.state for row in people}
    accepted = Counter(row.item_id for row in done if row.status == "accepted")
    held = Counter(row.item_id for row in done if row.state == "open")
    for piece in pieces.values():
        assert piece.accepted == accepted[piece.id], piece
        assert piece.taken == accepted[piece.id] + held[piece.id], piece
    for row in done:  # nobody judged their own
        assert (row.item_id, names[row.annotator_id]) not in wrote, row
    tokens = {row.token for row in done}
    made: dict[tuple[str, str], list[sa.Row[Any]]] = defaultdict(list)
    for piece in pieces.values():
        if piece.source:
            made[piece.source, piece.role].append(piece)
            if piece.source not in tokens:  # it was deleted, and so are its texts
                assert (piece.retired, piece.context, piece.endings, piece.title) == (True, [], [], None), piece
    for row in done:
        if row.state == "open":
            assert states[row.annotator_id] in ("answering", "done"), row
            assert not pieces[row.item_id].retired, row
        role, counts = pieces[row.item_id].role, row.status == "accepted"
        if role == "stories" and row.state == "answered":
            forms, endings = made[row.token, "review"], made[row.token, "endings"]
            assert forms
            assert len(endings) == (row.verdict == "approved")
            assert [piece.retired for piece in endings] == [not counts] * len(endings)
            under_review = [piece for piece in forms if not piece.retired]
            assert len(under_review) == (counts and row.verdict == "open"), row
            assert all(piece.accepted < piece.wanted for piece in under_review), row  # else nobody could decide
        if role == "endings" and row.state == "answered":
            judged = made[row.token, "verification"]
            assert len(judged) == 2 or not counts
            assert all(piece.retired != (counts and not pieces[row.item_id].retired) for piece in judged), row


def main(url: str, first: str, count: str) -> None:
    """Let people work at once; reviewers are one in four."""
    writing = threading.Lock()

    def act(number: int) -> None:
        def say(step: str, piece: str, status: str) -> None:
            with writing:
                print(number, step, piece, status, sep="\t", flush=True)

        work(store, come(store, None if number % 4 else "review"), 10_000, say)

    with closing(open_store(url)) as store:
        threads = [threading.Thread(target=act, args=(int(first) + n,)) for n in range(int(count))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
