"""The fair share of each person: it is enough, and little more than that."""

import random
import secrets
from contextlib import closing
from dataclasses import replace

import hosted
import pytest
import sqlalchemy as sa
from crowd import design, pairs, ready
from hypothesis import given
from hypothesis import strategies as st

from denouement.study.design.entry import Entry
from denouement.study.design.known_items import Checks
from denouement.study.design.reason import Reason
from denouement.study.design.share import FairShare, fair_share, shortfall
from denouement.study.store import open_store


def links(n: int, **keys):
    return design(entry=Entry("links", links=n), **keys)


def checks(n: int):
    return [replace(item, id=f"check-{item.id}", is_check=True) for item in pairs(n)]


def test_five_friends_share_what_the_readme_asks():
    # 20 items x 3 answers = 60 = 5 people x 12, and 12 / 5, so 2, to spare; 14 x (30 + 30) seconds
    study = links(5, answers_per_item=3, reason=Reason("required"))
    assert fair_share(study, pairs(20)) == FairShare(60, 5, 14, 14, True)
    assert fair_share(links(5), pairs(50)).each == 50, "of 50 items with five answers by five people, each answers all"


def test_checks_come_on_top():
    # 10 of 20 items each; at a rate of 1/2 as many checks come before the last item, and there are 6
    assert fair_share(links(2, answers_per_item=1, checks=Checks(0.5)), [*pairs(20), *checks(6)]).each == 16


def test_the_file_s_number_is_kept_and_without_people_there_is_no_limit():
    assert fair_share(links(5, max_items_per_person=7), pairs(20)).each == 7
    assert fair_share(design(), pairs(20)).each is None
    assert fair_share(design(entry=Entry("open", people=10)), pairs(20)).each == 11, "100 / 10, and 10 / 10 to spare"


@pytest.mark.parametrize(
    ("study", "said"),
    [
        (links(4), "4 private links cannot give 5 answers"),
        (links(5, max_items_per_person=19), "give 95 of 100 answers"),
        (links(5, max_items_per_person=20), None),
        (links(5), None),
        (design(), None),
        (design(entry=Entry("prolific", people=4, completion_code="C")), "raise entry.people"),
    ],
)
def test_what_cannot_fill_is_said(study, said):
    lacking = shortfall(study, fair_share(study, pairs(20)), pairs(20))
    assert lacking is None if said is None else said in lacking


@given(st.integers(1, 60), st.integers(1, 8), st.integers(1, 60))
def test_the_share_is_enough_and_what_is_spare_is_at_most_three_questions_each(n_items, k, people):
    share = fair_share(links(people, answers_per_item=k), pairs(n_items))
    assert (share.each * people >= n_items * k) == (people >= k)
    assert people < k or (share.each - 4) * people < n_items * k
    assert k > 1 or (share.each - 1) * people < n_items, "with one answer an item, nobody answered what is left"


@pytest.mark.parametrize(
    ("keys", "seconds"),
    [
        ({}, 30),
        ({"questions": [{"name": "better", "text": "Better?"}, {"name": "fluent", "text": "Fluent?"}]}, 40),
        ({"reason": {"mode": "required"}}, 60),
        ({"kind": "rating", "scales": "bad_to_perfect"}, 30),
        ({"kind": "rating", "scales": "consistency_readability"}, 40),
        ({"kind": "order"}, 60),
        ({"kind": "best_worst", "systems": list("abcd")}, 60),
        ({"kind": "best_worst", "systems": list("abcdefgh"), "n_shown": 3}, 50),
        ({"kind": "ranking", "systems": list("abcd")}, 80),
    ],
)
def test_the_printed_time_is_of_what_is_asked(keys, seconds):
    study = hosted.design(**keys, max_items_per_person=60)
    assert fair_share(study, pairs(100)).minutes == seconds


def same(n: int, of: int):
    """`n` items in groups of `of` with the same texts, as when systems write the same endings."""
    return [replace(pairs(n // of)[number // of], id=str(number)) for number in range(n)]


@pytest.mark.parametrize(
    ("study", "items", "said"),
    [
        (links(5, answers_per_item=3), same(4, of=2), "4 items read like another one"),
        (
            links(5, answers_per_item=3),
            same(4, of=2),
            "5 private links cannot give the 6 answers of 2 such",
        ),
        (links(6, answers_per_item=3), same(4, of=2), None),
        (links(6, answers_per_item=3, max_items_per_person=4), same(6, of=2), None),
        (links(5, answers_per_item=1), same(6, of=6), "cannot give the 6 answers of 6 such items"),
        (links(5, answers_per_item=3), [*pairs(4), *checks(4)], None),
        (design(entry=Entry("open", people=5), answers_per_item=3), same(4, of=2), "5 people cannot give the 6"),
        (design(answers_per_item=3), same(4, of=2), None),
    ],
)
def test_items_that_read_the_same_need_people_of_their_own(study, items, said):
    lacking = shortfall(study, fair_share(study, items), items)
    assert lacking is None if said is None else said in lacking


def test_nobody_is_asked_for_more_than_there_are_texts():
    assert fair_share(links(6, answers_per_item=3), same(4, of=2)).each == 2, "4 x 3 / 6, and no item to spare"


@pytest.mark.parametrize(("people", "given"), [(4, 8), (5, 10), (6, 12)])
def test_a_study_of_items_that_read_the_same_fills_as_the_warning_says(tmp_path, people, given):
    study, items = links(people, answers_per_item=3), same(4, of=2)
    share = fair_share(study, items)
    with closing(open_store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        store.create(replace(study, max_items_per_person=share.each), items)
        for token in store.links("crowd"):
            key = ready(store, token)
            while assignment := store.next(key):
                store.submit(key, assignment.id, "A")
        assert store.progress("crowd").accepted == given
    assert (shortfall(study, share, items) is None) == (given == 12)


def simulated(store, name, n, k, people, draw):
    """A study whose people take turns at random, until nobody gets a question; the answers that each gave."""
    study = links(people, name=name, answers_per_item=k)
    share = fair_share(study, pairs(n))
    store.create(replace(study, max_items_per_person=share.each), pairs(n))
    keys = [ready(store, token, name) for token in store.links(name)]
    given = dict.fromkeys(keys, 0)
    while keys:
        key = draw.choice(keys)
        if assignment := store.next(key):
            store.submit(key, assignment.id, "A")
            given[key] += 1
        else:
            keys.remove(key)
    return list(given.values()), share


def test_studies_fill_whoever_answers_when(tmp_path, monkeypatch):
    # with the least share, 6 questions each, 2 of these 5 studies lack an answer at the end
    draw = random.Random(1)
    monkeypatch.setattr(secrets, "randbelow", draw.randrange)
    monkeypatch.setattr(secrets, "token_hex", lambda n: draw.randbytes(n).hex())
    with closing(open_store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        store._engine.dispose()
        sa.event.listen(store._engine, "connect", lambda made, _: made.execute("PRAGMA synchronous = OFF"))  # faster
        found = [simulated(store, f"study{number}", 10, 3, 5, draw) for number in range(5)]
    assert all(share.each == 7 for _, share in found)
    assert sum(sum(given) == 30 for given, _ in found) >= 4
    assert min(min(given) for given, _ in found) >= 2, "everybody gets questions"


def test_a_study_fills_when_each_person_does_their_share_one_after_the_other(tmp_path):
    study = links(5, answers_per_item=3)
    study = replace(study, max_items_per_person=fair_share(study, pairs(20)).each)
    with closing(open_store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        store.create(study, pairs(20))
        given = []
        for token in store.links("crowd"):
            key = ready(store, token)
            given.append(0)
            while assignment := store.next(key):
                store.submit(key, assignment.id, "A")
                given[-1] += 1
        assert given == [14, 14, 14, 14, 4], "the last one gets questions, too"
        assert store.progress("crowd").complete == 20
