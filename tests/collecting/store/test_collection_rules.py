"""What holds of a collection whatever people and the organiser do, in which order they will."""

import random
from collections import Counter
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from collectors import NAME, check, come, described, work_on

from denouement.collecting.description import collection_from
from denouement.collecting.store import EndingWork, ReviewWork, StoryWork, VerificationWork, open_store
from denouement.collecting.work import as_table
from denouement.errors import UserError

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
STORY = StoryWork("A key", ("Ann lost a key.", "She looked for it.", "A dog dug deep.", "It shone.", "She had it."))
PAIR = EndingWork("Ann thanked the dog.", "Ann scolded the sea.")
UNTESTED = {"qualification": False}


@pytest.fixture
def store(store_url):
    with closing(open_store(store_url)) as opened:
        yield opened


def do(store, key, step, work, now=NOW):
    """Do a piece of a step; return its id."""
    piece = store.begin(key, step, now=now)
    assert store.hand_in(key, piece.id, work, now=now).status == "accepted"
    return piece.id


def exclude(store, key):
    store.exclude(NAME, store.annotator(key).id, now=NOW)


def readmit(store, key):
    return store.readmit(NAME, store.annotator(key).id, now=NOW)


def state(store, key, step, now=NOW):
    return {each.step: each.state for each in store.offers(key, now=now)}[step]


def test_an_excluded_person_hands_in_nothing_more(store):
    store.create_collection(described())
    writer, reviewer = come(store), come(store, "review")
    story = do(store, writer, "stories", STORY)
    do(store, reviewer, "review", ReviewWork("return", "Why?"))
    held = store.begin(writer, "stories", now=NOW).id
    exclude(store, writer)
    for piece in (story, held):
        assert store.piece(writer, piece, now=NOW) is None
        assert store.hand_in(writer, piece, STORY, now=NOW).status == "refused"
        assert not store.save_draft(writer, piece, {"title": "A key"}, now=NOW)
    check(store)
    readmit(store, writer)
    assert store.hand_in(writer, story, STORY, now=NOW).status == "accepted"


def test_nobody_verifies_a_pair_that_others_have_replaced(store):
    store.create_collection(described(review=False))
    first, second, verifier = (come(store) for _ in range(3))
    do(store, come(store), "stories", STORY)
    do(store, first, "endings", PAIR)
    exclude(store, first)
    do(store, second, "endings", PAIR)
    assert readmit(store, first) == {"accepted": 0, "surplus": 1}
    for _ in range(2):
        do(store, verifier, "verification", VerificationWork("1"))
    assert state(store, verifier, "verification") == "none"


def test_a_review_that_counts_again_decides_a_story(store):
    store.create_collection(described(review={"reviewers": 2}))
    writer, first, second = come(store), come(store, "review"), come(store, "review")
    do(store, writer, "stories", STORY)
    do(store, first, "review", ReviewWork("approve"))
    exclude(store, first)
    do(store, second, "review", ReviewWork("approve"))
    assert store.own_stories(writer)[0].status == "open"
    readmit(store, first)
    assert store.own_stories(writer)[0].status == "approved"
    check(store)


def test_a_review_after_its_time_counts_while_the_story_is_open(store):
    store.create_collection(described())
    writer, late, other = come(store), come(store, "review"), come(store, "review")
    do(store, writer, "stories", STORY)
    piece = store.begin(late, "review", now=NOW).id
    later = NOW + timedelta(hours=2)
    store.begin(come(store), "stories", now=later)  # so that the store has seen that the time is over
    assert store.hand_in(late, piece, ReviewWork("approve"), now=later).status == "accepted"
    assert store.begin(other, "review", now=later) is None
    assert store.own_stories(writer)[0].status == "approved"


def test_who_looks_for_work_finds_what_was_approved_by_its_time(store):
    store.create_collection(described(review={"approve_after_days": 2}))
    ender = come(store)
    do(store, come(store), "stories", STORY)
    assert state(store, ender, "endings", NOW + timedelta(days=1)) == "none"
    assert state(store, ender, "endings", NOW + timedelta(days=2)) == "free"


def test_all_stories_whose_time_is_over_are_approved_before_they_are_exported(store, monkeypatch):
    monkeypatch.setattr("denouement.collecting.store.flow._AT_ONCE", 2)
    store.create_collection(described(review={"approve_after_days": 2}))
    writer = come(store)
    for _ in range(5):
        do(store, writer, "stories", STORY)
    later = NOW + timedelta(days=2)
    assert state(store, writer, "stories", later) == "free"
    assert [each.status for each in store.own_stories(writer)].count("approved") == 2, "nobody waits for all of them"
    assert store.collected(NAME, now=later).stories["status"].to_pylist() == ["approved"] * 5


def test_names_that_no_database_holds_are_not_looked_up(store):
    store.create_collection(described())
    assert not store.is_collection("kitchen\0")
    assert store.newest(NAME, "link\0") == []
    assert store.enter(NAME, "link\0") is None


def test_a_story_of_a_file_is_not_returned_since_nobody_could_improve_it(store):
    row = {"story_id": "s1", "title": "A key", "sentences": STORY.sentences, "writer": "Ada", "status": "open"}
    store.create_collection(described(), as_table("collected_stories", [row]))
    reviewer = come(store, "review")
    piece = store.begin(reviewer, "review", now=NOW).id
    refused = store.hand_in(reviewer, piece, ReviewWork("return", "Why?"), now=NOW)
    assert "nobody can improve it" in refused.remarks[0].words
    assert store.hand_in(reviewer, piece, ReviewWork("reject", "Why?"), now=NOW).status == "accepted"


def test_stories_of_a_file_are_reviewed_without_a_step_in_which_stories_are_written(store):
    story = {"sentences": STORY.sentences, "writer": "Ada", "status": "open"}
    rows = [{"story_id": f"s{at}", **story} for at in range(2)] + [{"story_id": "s2", **story, "status": "rejected"}]
    alone = collection_from({"name": NAME, "review": {"links": 1}}, "test")
    taken = store.create_collection(alone, as_table("collected_stories", rows))
    assert (taken.stories, taken.pairs, taken.left_out) == (2, 0, 1)
    assert [*store.links_to(NAME).values()] == [("review",)]
    reviewer = come(store, "review")
    for decision in ("approve", "reject"):
        do(store, reviewer, "review", ReviewWork(decision, "Why not?"))
    assert sorted(store.collected(NAME).stories["status"].to_pylist()) == ["approved", "rejected"]


def test_no_text_of_a_deleted_story_stays_in_the_work_of_others(store):
    store.create_collection(described(keeps_approved=False, review=False, endings={**UNTESTED, "way": "method_2"}))
    writer, ender, other = (come(store) for _ in range(3))
    changed = EndingWork("", "Ann never found the key.")
    for place, last in enumerate(("Ann hid the brass key.", "Ann hid the iron key."), 1):
        do(store, writer, "stories", StoryWork(f"Key {place}", (f"Ann lost key {place}.", *STORY.sentences[1:4], last)))
    do(store, ender, "endings", changed)
    held = store.begin(other, "endings", now=NOW)
    store.save_draft(other, held.id, {"wrong": held.ending}, now=NOW)
    store.withdraw(writer, now=NOW)
    assert store.hand_in(other, held.id, changed, now=NOW).status == "surplus"  # they are paid for it
    assert [each.right for each in store.newest(NAME)] == ["", ""]
    assert {each.pieces for each in store.done_work(NAME, now=NOW)} == {1}
    check(store)
    url = store._engine.url
    if url.get_backend_name() == "sqlite":
        files = [Path(url.database), Path(f"{url.database}-wal")]
        for text in (b"brass key", b"iron key", b"A dog dug deep."):
            assert not [file for file in files if file.exists() and text in file.read_bytes()]


CONFIGURATIONS = {
    "two reviewers": {"review": {"reviewers": 2, "returns": 2}},
    "approved by time": {"review": {"approve_after_days": 1}},
    "all deleted": {"keeps_approved": False, "endings": {**UNTESTED, "pairs": 2, "way": "method_2"}},
}
OFTEN = ("exclude", "readmit", "readmit", "pause", "release", "finish", "come", "browser", "give back", "draft")
RARE = (*OFTEN, *OFTEN, "withdraw")


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_counts_and_payments_are_right_after_each_of_many_steps_at_random(tmp_path, name):
    drawn = random.Random(name)
    now = NOW
    with closing(open_store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        store.create_collection(described(**CONFIGURATIONS[name]))
        keys = [come(store, step) for step in (None, None, None, None, "review", "review", "review")]
        had: list[tuple[str, str]] = []
        for number in range(150):
            now += timedelta(minutes=drawn.choice((1, 5, 20, 70)))
            key, what = drawn.choice(keys), drawn.choice(RARE) if drawn.random() < 0.2 else "work"
            with suppress(UserError):  # what cannot be done now
                if what == "work":
                    _work(store, key, drawn, had, number, now)
                else:
                    _rare(store, key, what, drawn, had, keys, now)
            check(store)
        _paid(store, now)


def _work(store, key, drawn, had, number, now):
    """Begin something, and hand in this or what anybody had before."""
    free = [offer.step for offer in store.offers(key, now=now) if offer.state == "free"]
    if free and (piece := store.begin(key, drawn.choice(free), now=now)):
        had.append((key, piece.id))
    mine = [piece for of, piece in had if of == key]
    if mine and drawn.random() < 0.8:
        piece_id = drawn.choice((mine[-1], drawn.choice(mine)))
        if piece := store.piece(key, piece_id, now=now):
            store.hand_in(key, piece_id, work_on(piece, number), now=now)
        else:  # it lapsed, or was handed in
            store.hand_in(key, piece_id, drawn.choice((STORY, PAIR, ReviewWork("approve"))), now=now)


def _rare(store, key, what, drawn, had, keys, now):
    person = store.annotator(key).id
    if what == "withdraw":
        store.withdraw(key, now=now)
    elif what in ("exclude", "readmit"):
        getattr(store, what)(NAME, person, now=now)
    elif what == "pause":
        store.set_state(NAME, "paused" if store.state(NAME) == "open" else "open", now=now)
    elif what == "release":
        store.release(NAME, annotator_id=person, now=now)
    elif what == "finish":
        store.finish(key, now=now)
    elif what == "browser" and drawn.random() < 0.3:
        store.same_browser(key, drawn.choice(keys))
    elif what == "come":
        keys.append(come(store, drawn.choice((None, "review"))))
    elif had:
        of, piece = drawn.choice(had)
        store.give_back(of, piece, now=now) if what == "give back" else store.save_draft(of, piece, {}, now=now)


def _paid(store, now):
    """Approved stories, and all other work but that of the excluded, are paid, once."""
    found = store.done_work(NAME, now=now)
    handed_in = sa.text(
        "SELECT p.annotator_id AS person, i.role AS step, a.verdict, a.status FROM assignments a "
        "JOIN items i ON i.id = a.item_id JOIN annotators p ON p.id = a.annotator_id WHERE a.state = 'answered'"
    )
    with store._reading() as connection:
        rows = connection.execute(handed_in).all()
    paid = Counter(
        (row.person, row.step)
        for row in rows
        if row.status != "excluded" and row.verdict not in ("open", "returned", "rejected")
    )
    assert {(each.person, each.step): each.pieces for each in found} == dict(paid)
    assert paid


def test_people_of_one_browser_neither_judge_nor_repeat_each_others_work(store):
    store.create_collection(described(review=False, verification={**UNTESTED, "people": 2}))
    writer, ender, verifier, again, other = (come(store) for _ in range(5))
    do(store, writer, "stories", STORY)
    late = store.begin(ender, "endings", now=NOW)
    store.same_browser(writer, ender)
    assert "You wrote" in store.hand_in(ender, late.id, PAIR, now=NOW).remarks[0].words
    store.give_back(ender, late.id, now=NOW)
    do(store, other, "endings", PAIR)
    store.same_browser(verifier, other)
    store.same_browser(again, verifier)  # and so of the other, too
    for key in (writer, ender, verifier, again):
        assert store.begin(key, "verification", now=NOW) is None
    third, fourth = come(store), come(store)
    store.same_browser(third, fourth)
    for _ in range(2):
        do(store, third, "verification", VerificationWork("1"))
    assert store.begin(fourth, "verification", now=NOW) is None, "they have answered it"
