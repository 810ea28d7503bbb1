"""The fair share of each person: it is enough, and no more than that."""

from contextlib import closing

import pytest
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


def test_five_friends_share_what_the_readme_asks():
    # 20 items x 3 answers = 60 = 5 people x 12; 12 x (30 + 30) seconds
    study = links(5, answers_per_item=3, reason=Reason("required"))
    assert fair_share(study, 20, 0) == FairShare(60, 5, 12, 12, True)
    assert fair_share(links(5), 50, 0).each == 50, "of 50 items with five answers by five people, each answers all"


def test_checks_come_on_top():
    # 10 of 20 items each; at a rate of 1/2 as many checks come before the last item, and there are 6
    assert fair_share(links(2, answers_per_item=1, checks=Checks(0.5)), 20, 6).each == 16


def test_the_file_s_number_is_kept_and_without_people_there_is_no_limit():
    assert fair_share(links(5, max_items_per_person=7), 20, 0).each == 7
    assert fair_share(design(), 20, 0).each is None
    assert fair_share(design(entry=Entry("open", people=10)), 20, 0).each == 10


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
    lacking = shortfall(study, fair_share(study, 20, 0), 20, 0)
    assert lacking is None if said is None else said in lacking


@given(st.integers(1, 60), st.integers(1, 8), st.integers(1, 60))
def test_the_share_is_the_smallest_that_is_enough(n_items, k, people):
    study = links(people, answers_per_item=k)
    share = fair_share(study, n_items, 0)
    assert (share.each * people >= n_items * k) == (people >= k)
    assert people < k or (share.each - 1) * people < n_items * k


def test_a_study_fills_when_each_person_does_their_share_one_after_the_other(tmp_path):
    study = links(5, answers_per_item=3)
    study = links(5, answers_per_item=3, max_items_per_person=fair_share(study, 20, 0).each)
    with closing(open_store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        store.create(study, pairs(20))
        for token in store.links("crowd"):
            key = ready(store, token)
            n = 0
            while assignment := store.next(key):
                store.submit(key, assignment.id, "A")
                n += 1
            assert n == 12, "nobody comes in vain"
        assert store.progress("crowd").complete == 20
