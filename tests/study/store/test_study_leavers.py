"""People who leave: their leases are released, and they may come back."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from crowd import design, pairs, ready

from denouement.errors import UserError
from denouement.study.store import Outlook, open_store

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LEASE, GRACE = 20, 1  # minutes


def after(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


@pytest.fixture
def study(store):
    """One item, one answer; somebody holds it. The store, their key and what they hold."""
    store.create(design(answers_per_item=1, lease_minutes=LEASE), pairs(1))
    key = ready(store, "leaver")
    return store, key, store.next(key, now=START)


class TestRelease:
    def test_a_released_item_goes_to_another(self, study):
        store, key, held = study
        other = ready(store, "other")
        assert store.next(other, now=after(1)) is None
        released = store.release("crowd", annotator_id=store.annotator(key).id, now=after(1))
        assert (released.people, released.without) == ((store.annotator(key).id,), 0)
        assert store.next(other, now=after(1)).item == held.item
        assert store.submit(key, held.id, "A", now=after(2)).status == "surplus", "the other one's place is kept"

    def test_who_was_released_gets_the_same_item_again_if_it_is_free(self, study):
        store, key, held = study
        store.release("crowd", item_id=held.item.id, now=after(1))
        again = store.next(key, now=after(5))
        assert (again.id, again.order, again.started_at) == (held.id, held.order, held.started_at)
        assert again.expires_at == after(5 + LEASE)

    def test_a_late_answer_to_a_released_item_counts_while_its_place_is_free(self, study):
        store, key, held = study
        store.release("crowd", item_id=held.item.id, now=after(1))
        assert store.submit(key, held.id, "A", now=after(2)).status == "accepted"

    def test_idle_people_are_those_who_neither_got_nor_sent_anything(self, store):
        store.create(design(answers_per_item=2, lease_minutes=60), pairs(4))
        gone, busy = ready(store, "gone"), ready(store, "busy")
        store.next(gone, now=START)
        store.submit(busy, store.next(busy, now=START).id, "A", now=after(20))
        store.next(busy, now=after(20))
        assert store.release("crowd", idle=timedelta(minutes=31), now=after(30)).people == ()
        assert store.release("crowd", idle=timedelta(minutes=15), now=after(30)).people == (store.annotator(gone).id,)
        assert store.progress("crowd", now=after(30)).open == 1

    def test_what_prolific_reports_ends_leases_and_keeps_answers(self, store):
        store.create(design(answers_per_item=2), pairs(2))
        keys = {name: ready(store, name) for name in ("returned", "timed_out", "works")}
        store.submit(keys["returned"], store.next(keys["returned"]).id, "A")
        for key in keys.values():
            store.next(key)
        told = store.returned("crowd", ["returned", "timed_out", "never-came", "returned"])
        assert set(told.people) == {store.annotator_id("crowd", name) for name in ("returned", "timed_out")}
        assert told.without == 1
        assert [person.is_holding for person in store.progress("crowd").people] == [False, False, True]
        assert len(store.answers("crowd")) == 1
        assert store.returned("crowd", ["returned"]).people == (), "told twice, it is done once"

    def test_what_is_no_one_s_or_nothing_is_refused(self, study):
        store, *_ = study
        with pytest.raises(UserError, match="no annotator of study crowd"):
            store.release("crowd", annotator_id="nobody")
        with pytest.raises(UserError, match="no item of study crowd"):
            store.release("crowd", item_id="nothing")
        assert store.progress("crowd", now=START).open == 1

    def test_release_is_of_one_study_alone(self, study):
        store, *_ = study
        store.create(design(name="other"), pairs(1))
        store.next(ready(store, "someone", "other"), now=START)
        assert len(store.release("crowd", idle=timedelta(0), now=after(1)).people) == 1
        assert store.progress("other", now=after(1)).open == 1

    def test_each_release_is_in_the_log(self, study):
        store, key, _ = study
        who = store.annotator(key).id
        store.release("crowd", annotator_id=who, by="organiser", now=after(1))
        last = store.log("crowd").entries[-1]
        assert (last.at, last.by, last.what, last.about) == (after(1), "organiser", "released", who)


class TestPagesThatAreLeft:
    def test_the_lease_ends_after_the_grace(self, study):
        store, key, held = study
        store.leave(key, held.id, now=after(2))
        assert store.outlook("crowd", now=after(2)) == Outlook("busy", GRACE)
        assert store.outlook("crowd", now=after(2 + GRACE)) == Outlook("free")
        assert store.next(ready(store, "other"), now=after(2 + GRACE)).item == held.item

    def test_who_is_back_in_time_has_the_lease_up_to_its_own_end(self, study):
        store, key, held = study
        store.leave(key, held.id, now=after(2))
        assert store.next(key, now=after(2.9)) == held
        assert store.next(key, now=after(LEASE - 0.1)) == held
        assert store.next(key, now=after(LEASE)).expires_at == after(2 * LEASE), "a new lease after the first one's end"

    @pytest.mark.parametrize("state", ["paused", "closed"])
    @pytest.mark.parametrize("leaves_first", [True, False])
    def test_in_a_study_that_is_not_open_the_question_stays(self, study, state, leaves_first):
        store, key, held = study
        if leaves_first:
            store.leave(key, held.id, now=after(2))
        store.set_state("crowd", state, now=after(2.5))
        if not leaves_first:
            store.leave(key, held.id, now=after(3))
        assert store.next(key, now=after(6)) == held
        assert store.submit(key, held.id, "A", now=after(7)).status == "accepted"

    def test_a_pause_brings_back_no_lease_that_has_ended_and_none_of_another_study(self, study):
        store, key, held = study
        store.leave(key, held.id, now=after(2))
        store.create(design(name="other", answers_per_item=1), pairs(1))
        store.set_state("other", "paused", now=after(2))
        assert store.outlook("crowd", now=after(2)) == Outlook("busy", GRACE), "of another study"
        store.set_state("crowd", "paused", now=after(2 + GRACE))
        assert store.next(key, now=after(2 + GRACE)) is None

    def test_leaving_never_lengthens_a_lease(self, study):
        store, key, held = study
        store.leave(key, held.id, now=after(LEASE - 0.5))
        assert store.outlook("crowd", now=after(LEASE)) == Outlook("free")

    def test_left_twice_and_back_it_is_whole_again(self, study):
        store, key, held = study
        store.leave(key, held.id, now=after(2))
        store.leave(key, held.id, now=after(2.5))
        store.stay(key, held.id, now=after(3))
        assert store.next(key, now=after(4)) == held

    def test_neither_another_s_nor_an_answered_nor_a_lapsed_lease_is_touched(self, study):
        store, key, held = study
        other = ready(store, "other")
        store.leave(other, held.id, now=after(1))
        store.stay(other, held.id, now=after(1))
        assert store.next(key, now=after(3)) == held
        store.leave(key, held.id, now=after(LEASE + 1))
        store.submit(key, held.id, "A", now=after(LEASE + 1))
        store.leave(key, held.id, now=after(LEASE + 1))
        assert [answer.status for answer in store.answers("crowd")] == ["accepted"]


def test_two_processes_of_which_one_releases_and_one_leases_keep_the_counts(tmp_path):
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    with closing(open_store(url)) as one, closing(open_store(url)) as other:
        one.create(design(answers_per_item=1), pairs(1))
        first, second = ready(one, "first"), ready(other, "second")
        held = one.next(first)
        other.release("crowd", item_id=held.item.id)
        assert other.next(second).item == held.item
        assert one.next(first) is None
        assert one.release("crowd", item_id=held.item.id).people == (one.annotator(second).id,)
        assert one.next(first).id == held.id
