"""People's states, leases, late answers, withdrawal and exclusion, with a clock of our own."""

import secrets
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from crowd import design, pairs, ready

from denouement.errors import UserError
from denouement.study.design.entry import Entry
from denouement.study.design.items import Item
from denouement.study.design.known_items import Checks, Training
from denouement.study.design.making import check_items, training_items
from denouement.study.design.reason import Reason
from denouement.study.design.scales import Scale
from denouement.study.store import Outlook, open_store

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LEASE = timedelta(minutes=20)


def after(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def lease(store, key, minutes=0):
    assignment = store.next(key, now=after(minutes))
    assert assignment is not None
    return assignment


def counts(store, minutes=0):
    progress = store.progress("crowd", now=after(minutes))
    return progress.accepted, progress.open, progress.surplus, progress.excluded


class TestPeople:
    def test_the_same_external_id_is_the_same_person(self, store):
        store.create(design(), pairs(1))
        first = store.enter("crowd", "PID1", {"SESSION_ID": "s1"})
        assert store.enter("crowd", "PID1", {"SESSION_ID": "s2"}) == first
        assert store.enter("crowd", "PID2").id != first.id
        assert store.annotator(first.key) == first
        assert store.annotator_id("crowd", "PID1") == first.id

    def test_ids_are_salted_hashes_unless_the_study_says_otherwise(self, store):
        store.create(design(), pairs(1))
        store.create(design(name="other"), pairs(1))
        store.create(design(name="plain", hash_ids=False), pairs(1))
        assert store.enter("plain", "PID1").id == "PID1"
        hashed, other = store.enter("crowd", "PID1").id, store.enter("other", "PID1").id
        assert "PID1" not in hashed
        assert hashed != other

    @pytest.mark.parametrize("external_id", ["", "a" * 129, "a\nb", "a\x00b", "ä"])
    def test_what_can_be_no_id_is_not_let_in(self, store, external_id):
        store.create(design(), pairs(1))
        assert store.enter("crowd", external_id) is None
        assert store.annotator(external_id) is None

    def test_private_links_are_the_only_way_in(self, store):
        store.create(design(entry=Entry("links", links=2)), pairs(1))
        one, two = store.links("crowd")
        assert one != two
        assert store.enter("crowd", "guessed") is None
        assert store.enter("crowd", one).id != store.enter("crowd", two).id
        assert store.enter("crowd", one) == store.enter("crowd", one)

    def test_a_link_is_no_id_in_the_tables(self, store):
        store.create(design(entry=Entry("links", links=2), hash_ids=False), pairs(1))
        _, two = store.links("crowd")
        assert store.enter("crowd", two).id == "link_2"

    def test_consent_then_training_then_answers(self, store):
        made = design(training=(Training(("One.",), ("Right.", "Wrong."), attempts=2),))
        store.create(made, [*pairs(1), *training_items(made)])
        key = store.enter("crowd", "p").key
        assert store.next(key) is None
        assert store.passed_training(key).state == "consenting"
        assert store.consent(key).state == "training"
        assert store.next(key) is None
        assert store.failed_training(key).state == "training"
        assert store.passed_training(key).state == "answering"
        assert store.decline(key).state == "answering"
        assert store.next(key).item.id == "item-0"
        assert [item.is_training for item in store.training_items("crowd")] == [True]

    def test_training_failed_too_often_screens_out_and_no_consent_ends_it(self, store):
        made = design(training=(Training(("One.",), ("Right.", "Wrong."), attempts=2),))
        store.create(made, [*pairs(1), *training_items(made)])
        key = ready(store, "p")
        store.failed_training(key)
        assert store.failed_training(key).state == "screened_out"
        assert store.passed_training(key).state == "screened_out"
        other = store.enter("crowd", "q").key
        assert store.decline(other).state == "declined"
        assert store.consent(other).state == "declined"
        assert store.next(key) is None
        assert store.next(other) is None

    @pytest.mark.parametrize("hash_ids", [True, False])
    def test_a_link_is_opened_by_who_came_by_it(self, store, hash_ids):
        store.create(design(entry=Entry("links", links=2), hash_ids=hash_ids), pairs(1))
        first, second = store.links("crowd")
        assert store.opened_by("crowd") == {first: None, second: None}
        annotator = store.enter("crowd", second)
        assert store.opened_by("crowd") == {first: None, second: annotator.id}

    def test_links_are_added_behind_those_that_are_there(self, store):
        store.create(design(hash_ids=False, entry=Entry("links", links=2)), pairs(1))
        before = store.links("crowd")
        added = store.add_links("crowd", 3)
        assert store.links("crowd") == before + added
        assert len(set(before + added)) == 5
        assert store.enter("crowd", added[0]).id == "link_3"
        store.create(design(name="open"), pairs(1))
        with pytest.raises(UserError, match="one link for all"):
            store.add_links("open", 1)

    def test_a_session_lasts_until_it_is_closed_or_expires(self, store):
        for name in ("one", "two"):
            store.open_session(name, after(60), now=START)
        assert store.has_session("one", now=after(59))
        assert not store.has_session("one", now=after(60))
        assert not store.has_session("none", now=START)
        store.close_session("one")
        assert not store.has_session("one", now=START)
        assert store.has_session("two", now=START)
        store.open_session("three", after(120), now=after(61))
        assert not store.has_session("two", now=START), "what has expired is forgotten"

    def test_names_and_ids_with_a_nul_are_of_nobody(self, store):
        store.create(design(), pairs(1))
        with pytest.raises(UserError, match="no study"):
            store.design("crowd\0")
        with pytest.raises(UserError, match="no annotator"):
            store.exclude("crowd", "p\0")
        assert store.annotator("k\0") is None
        assert store.enter("crowd", "p\0") is None

    def test_a_key_of_no_one(self, store):
        store.create(design(), pairs(1))
        with pytest.raises(UserError, match="open the study's link again"):
            store.next("nobody")


def of_cases(*case_ids: str) -> list[Item]:
    """Items of ratings: the n-th of the case given."""
    return [
        Item(f"item-{n}", case_id, "rating", (f"Story {case_id}.",), (f"s{n}",), (f"End {n}.",))
        for n, case_id in enumerate(case_ids)
    ]


RATED = {"kind": "rating", "scales": (Scale("fun", "Is it fun?", 0, 5),)}


class TestStories:
    def test_nobody_reads_a_story_twice_while_items_of_others_are_free(self, store):
        store.create(design(**RATED), of_cases("a", "a", "a", "b", "b", "c"))
        for person in range(5):
            key = ready(store, f"p{person}")
            seen = []
            for _ in range(6):
                assignment = lease(store, key)
                seen.append(assignment.item)
                store.submit(key, assignment.id, values={"fun": 1}, now=START)
            assert {item.case_id for item in seen[:3]} == {"a", "b", "c"}
            assert len({item.id for item in seen}) == 6

    def test_an_item_with_fewer_answers_waits_for_those_who_have_not_read_its_story(self, store):
        store.create(design(**RATED, answers_per_item=2), of_cases("a", "a", "b"))
        first, second = ready(store, "p"), ready(store, "q")
        for key in (first, second):
            cases_ = []
            while assignment := store.next(key, now=START):
                cases_.append(assignment.item.case_id)
                store.submit(key, assignment.id, values={"fun": 1}, now=START)
            assert sorted(cases_) == ["a", "a", "b"]
            assert cases_.index("b") < 2
        assert counts(store) == (6, 0, 0, 0)


class TestStoredDesigns:
    def test_a_study_that_breaks_the_rules_of_now_runs_on(self, store_url):
        with closing(open_store(store_url)) as store:
            store.create(design(lease_minutes=0.001, title="\u202e"), pairs(1))
        with closing(open_store(store_url)) as store:
            assert lease(store, ready(store, "p")).item.id == "item-0"


class TestLeases:
    def test_reload_and_another_tab_show_the_same_item_and_sides(self, store):
        store.create(design(), pairs(30))
        key = ready(store, "p")
        first = lease(store, key)
        assert lease(store, key, 19) == first
        assert first.expires_at == START + LEASE
        assert first.started_at == START
        assert (first.number, first.of) == (1, 30)

    def test_an_item_in_k_hands_is_given_to_no_one_else(self, store):
        store.create(design(answers_per_item=1), pairs(1))
        lease(store, ready(store, "p"))
        other = ready(store, "q")
        assert store.next(other, now=after(19)) is None
        assert store.annotator(other).state == "done"

    def test_a_lapsed_lease_goes_to_another(self, store):
        store.create(design(answers_per_item=1), pairs(1))
        lease(store, ready(store, "p"))
        other = ready(store, "q")
        assert store.next(other, now=after(20)).item.id == "item-0"
        assert store.annotator(other).state == "answering"

    def test_an_own_lapsed_lease_is_renewed_with_its_sides_while_its_place_is_free(self, store):
        store.create(design(answers_per_item=1), pairs(10))
        key = ready(store, "p")
        first = lease(store, key)
        again = lease(store, key, 50)
        assert (again.id, again.order, again.started_at) == (first.id, first.order, START)
        assert again.expires_at == after(70)
        assert counts(store, 50) == (0, 1, 0, 0)

    def test_a_late_answer_counts_while_its_place_is_free(self, store):
        store.create(design(answers_per_item=1), pairs(1))
        key = ready(store, "p")
        late = lease(store, key)
        assert store.submit(key, late.id, "A", now=after(500)).status == "accepted"
        assert counts(store, 500) == (1, 0, 0, 0)
        assert store.next(ready(store, "q"), now=after(501)) is None

    def test_a_late_answer_is_surplus_when_the_place_is_in_other_hands(self, store):
        store.create(design(answers_per_item=1), pairs(1))
        slow, quick = ready(store, "p"), ready(store, "q")
        late = lease(store, slow)
        good = lease(store, quick, 30)
        assert store.submit(slow, late.id, "A", now=after(31)).status == "surplus"
        assert store.submit(quick, good.id, "B", now=after(32)).status == "accepted"
        assert counts(store, 33) == (1, 0, 1, 0)
        assert {answer.status for answer in store.answers("crowd")} == {"accepted", "surplus"}

    def test_a_late_answer_is_surplus_when_the_item_is_full(self, store):
        store.create(design(answers_per_item=1), pairs(1))
        slow, quick = ready(store, "p"), ready(store, "q")
        late = lease(store, slow)
        store.submit(quick, lease(store, quick, 30).id, "B", now=after(31))
        assert store.submit(slow, late.id, "A", now=after(32)).status == "surplus"
        assert store.submit(slow, late.id, "A", now=after(33)).status == "duplicate"
        assert counts(store, 33) == (1, 0, 1, 0)

    def test_another_item_is_given_when_the_own_one_went_to_others(self, store):
        store.create(design(answers_per_item=1), pairs(2))
        slow, quick = ready(store, "p"), ready(store, "q")
        late = lease(store, slow)
        taken = {store.submit(quick, lease(store, quick, 30).id, "B", now=after(30)).status for _ in range(1)}
        rest = lease(store, quick, 31)
        assert taken == {"accepted"}
        first_two = {answer.item.id for answer in store.answers("crowd")} | {rest.item.id}
        assert first_two == {"item-0", "item-1"}
        assert store.next(slow, now=after(32)) is None
        assert store.submit(slow, late.id, "A", now=after(33)).status == "surplus"

    def test_no_person_sees_an_item_twice_nor_the_same_texts_under_two_names(self, store):
        twins = [
            Item("x", "c", "pair", ("One.",), ("one", "two"), ("Left.", "Right.")),
            Item("y", "c", "pair", ("One.",), ("three", "two"), ("Right.", "Left.")),
        ]
        store.create(design(answers_per_item=2), twins)
        for name in ("p", "q", "r", "s"):
            key = ready(store, name)
            assert store.submit(key, lease(store, key).id, "A").status == "accepted"
            assert store.next(key, now=START) is None
        assert counts(store) == (4, 0, 0, 0)
        assert store.most_items("crowd") == 1, "of the same texts one is announced"
        assert not store.left_any(key)

    def test_who_comes_reads_whether_there_is_an_item(self, store):
        store.create(design(answers_per_item=1), pairs(2))
        one, other = ready(store, "p"), ready(store, "q")
        first = lease(store, one)
        assert store.outlook("crowd", now=START) == Outlook("free")
        second = lease(store, other, 5)
        assert store.outlook("crowd", now=after(5.5)) == Outlook("busy", 15), "14.5 minutes until the first lease ends"
        assert store.outlook("crowd", now=after(20)) == Outlook("free"), "it has lapsed, though nobody asked since"
        for key, mine in ((one, first), (other, second)):
            store.submit(key, mine.id, "A", now=after(6))
            assert store.left_any(key), "what the other one answered, or nobody yet"
        assert store.outlook("crowd", now=after(6)) == Outlook("full")
        store.exclude("crowd", store.annotator(other).id)
        assert store.outlook("crowd", now=after(6)) == Outlook("free")

    def test_a_study_fills_evenly(self, store):
        store.create(design(answers_per_item=3), pairs(6))
        for name in ("p", "q"):
            key = ready(store, name)
            for _ in range(3):
                store.submit(key, lease(store, key).id, "A")
        assert {row.accepted for row in store.progress("crowd").items} == {1}

    def test_most_items_a_person_may_do(self, store):
        store.create(design(max_items_per_person=2), pairs(5))
        key = ready(store, "p")
        for number in (1, 2):
            assignment = lease(store, key)
            assert (assignment.number, assignment.of) == (number, 2)
            store.submit(key, assignment.id, "A", now=START)
        assert store.next(key, now=START) is None
        assert store.annotator(key).state == "done"

    def test_more_may_come_while_somebody_holds_what_lacks_an_answer(self, store):
        store.create(design(answers_per_item=1), pairs(2))
        one, other = ready(store, "p"), ready(store, "q")
        held, mine = lease(store, other), lease(store, one)
        store.submit(one, mine.id, "A", now=START)
        assert store.next(one, now=START) is None
        assert store.may_get_more(one)
        store.submit(other, held.id, "A", now=START)
        assert not store.may_get_more(one)
        store.withdraw(other)
        assert store.may_get_more(one)

    def test_nothing_more_comes_to_who_answered_all_or_may_answer_no_more(self, store):
        store.create(design(), pairs(1))
        key = ready(store, "p")
        store.submit(key, lease(store, key).id, "A", now=START)
        assert not store.may_get_more(key), "the item lacks answers, but this one is given"
        store.create(design(name="few", max_items_per_person=1), pairs(2))
        key = ready(store, "p", "few")
        store.submit(key, lease(store, key).id, "A", now=START)
        assert not store.may_get_more(key)

    def test_nothing_more_comes_to_who_lost_an_item_whose_texts_another_one_has(self, store, monkeypatch):
        monkeypatch.setattr(secrets, "randbelow", lambda n: 0)  # both people get the items in one order
        [first] = pairs(1)
        store.create(design(answers_per_item=1), [first, replace(first, id="same", systems=("one", "three"))])
        slow, quick = ready(store, "slow"), ready(store, "quick")
        lost = lease(store, slow).item
        taken, later = lease(store, quick, 60), after(60)
        assert taken.item == lost
        assert store.next(slow, now=later) is None
        assert store.may_get_more(slow), "quick may leave, and then slow gets the item again"
        store.submit(quick, taken.id, "A", now=later)
        assert store.next(slow, now=later) is None
        assert not store.may_get_more(slow), "the other item lacks an answer, and cannot be slow's"

    @pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
    def test_the_most_that_is_shown_is_never_passed_and_sometimes_reached(self, store, rate):
        made = design(checks=Checks(rate=rate), answers_per_item=12)
        store.create(made, [*pairs(9), *check_items(made)])
        reached = set()
        for name in range(12):
            key = ready(store, f"p{name}")
            while assignment := store.next(key, now=START):
                assert assignment.of == store.most_items("crowd")
                assert assignment.number <= assignment.of
                store.submit(key, assignment.id, "A", now=START)
            reached.add(store.annotator(key).answered)
        assert max(reached) == store.most_items("crowd") == {0.1: 10, 0.3: 13, 0.5: 15}[rate]


class TestDraws:
    def test_sides_are_drawn_for_each_person_and_item_and_recorded(self, store):
        store.create(design(answers_per_item=20), pairs(20))
        seen = set()
        for name in range(20):
            key = ready(store, f"p{name}")
            for _ in range(20):
                assignment = lease(store, key)
                expected = tuple(assignment.item.endings[place] for place in assignment.order)
                assert assignment.shown == expected
                store.submit(key, assignment.id, "A", now=START)
                seen.add((store.annotator(key).id, assignment.item.id, assignment.order))
        answers = store.answers("crowd")
        assert {(answer.annotator_id, answer.item.id, answer.order) for answer in answers} == seen
        swapped = sum(answer.order == (1, 0) for answer in answers)
        assert 150 < swapped < 250  # of 400; beyond five standard deviations from a half
        assert all(answer.choice == ("two" if answer.order == (1, 0) else "one") for answer in answers)
        for people in ({answer.annotator_id for answer in answers}, {answer.item.id for answer in answers}):
            assert len(people) == 20

    def test_people_see_the_items_in_different_orders(self, store):
        store.create(design(answers_per_item=5), pairs(12))
        orders = []
        for name in range(4):
            key = ready(store, f"p{name}")
            orders.append([])
            while assignment := store.next(key, now=START):
                store.submit(key, assignment.id, "A", now=START)
                orders[-1].append(assignment.item.id)
        assert len(set(map(tuple, orders))) == 4
        assert all(sorted(order) == sorted(orders[0]) for order in orders)

    def test_checks_come_at_their_rate_each_once_and_count_for_no_item(self, store):
        made = design(checks=Checks(rate=0.2))
        checks = check_items(made)
        store.create(made, [*pairs(40), *checks])
        key = ready(store, "p")
        kinds = []
        for _ in range(30):
            assignment = lease(store, key)
            kinds.append(assignment.item.is_check)
            store.submit(key, assignment.id, "A", now=START)
        assert all(
            sum(kinds[start : start + 5]) == 1 for start in range(0, 30, 5)
        )  # six checks in thirty: all there are
        assert counts(store) == (24, 0, 0, 0)
        [person] = store.progress("crowd").people
        answers = [answer for answer in store.answers("crowd") if answer.item.is_check]
        assert person.checks == len({answer.item.id for answer in answers}) == len(checks) == 6
        assert person.checks_failed == sum(answer.choice != "check_first" for answer in answers)


class TestAnswers:
    @pytest.mark.parametrize(
        "given",
        [{}, {"answer": "C"}, {"answer": "one"}, {"values": {"quality": 1}}, {"answer": "A", "order": [0, 1]}],
    )
    def test_an_answer_to_another_question_is_refused(self, store, given):
        store.create(design(), pairs(1))
        key = ready(store, "p")
        assignment = lease(store, key)
        assert store.submit(key, assignment.id, **given, now=START).status == "refused"
        assert store.answers("crowd") == []
        assert store.submit(key, assignment.id, "neither", now=START).status == "accepted"

    @pytest.mark.parametrize(
        ("reason", "message"),
        [
            (None, "at least 10"),
            ("  short    ", "at least 10"),
            ("a" * 2001, "at most 2,000"),
            ("a" * 1_000_000, "at most 2,000"),
            ("a bell \x07 in it", "cannot be shown"),
            ("half a pair \ud800", "cannot be shown"),
            ("a null \x00 in it", "cannot be shown"),
        ],
    )
    def test_a_reason_that_does_not_fit_is_refused_politely(self, store, reason, message):
        store.create(design(reason=Reason("required")), pairs(1))
        key = ready(store, "p")
        outcome = store.submit(key, lease(store, key).id, "A", reason, now=START)
        assert outcome.status == "refused"
        assert message in outcome.message

    @pytest.mark.parametrize(
        "reason", ["\u200b" * 40, " \u2800\u3164" * 20, "\u200d\ufeff" * 20, "short" + "\u2060" * 20]
    )
    def test_what_nobody_sees_makes_no_reason_longer(self, store, reason):
        store.create(design(reason=Reason("required")), pairs(1))
        key = ready(store, "p")
        outcome = store.submit(key, lease(store, key).id, "A", reason, now=START)
        assert (outcome.status, "at least 10 characters" in outcome.message) == ("refused", True)

    def test_an_invisible_reason_is_none_and_what_is_invisible_in_one_is_not_kept(self, store):
        store.create(design(reason=Reason("optional")), pairs(2))
        key = ready(store, "p")
        for reason in ("\u200b\ufeff", "\ufeffIt is bet\u200bter.\u2060"):
            store.submit(key, lease(store, key).id, "A", reason, now=START)
        assert {answer.reason for answer in store.answers("crowd")} == {None, "It is better."}

    def test_a_reason_is_kept_as_written(self, store):
        store.create(design(reason=Reason("required")), pairs(1))
        key = ready(store, "p")
        store.submit(key, lease(store, key).id, "A", '  It’s better:\r\n<b>"A"</b>; DROP 🙂 \n', now=START)
        assert store.answers("crowd")[0].reason == 'It’s better:\n<b>"A"</b>; DROP 🙂'

    def test_an_optional_reason_may_be_left_out_and_one_that_is_not_asked_is_not_kept(self, store):
        store.create(design(reason=Reason("optional")), pairs(1))
        store.create(design(name="off"), pairs(1))
        for study in ("crowd", "off"):
            key = ready(store, "p", study)
            given = "" if study == "crowd" else "a reason that nobody asked for"
            assert store.submit(key, lease(store, key).id, "A", given, now=START).status == "accepted"
            assert store.answers(study)[0].reason is None

    def test_another_persons_assignment_is_refused(self, store):
        store.create(design(), pairs(1))
        assignment = lease(store, ready(store, "p"))
        assert store.submit(ready(store, "q"), assignment.id, "A", now=START).status == "refused"
        assert store.submit(ready(store, "q"), "unknown", "A", now=START).status == "refused"

    def test_ratings(self, store):
        scales = (Scale("logic", "Is it logical?", 0, 2), Scale("style", "Is it well written?", 1, 5))
        made = design(kind="rating", systems=("one",), scales=scales)
        store.create(made, [Item("x", "c", "rating", ("One.",), ("one",), ("End.",))])
        key = ready(store, "p")
        assignment = lease(store, key)
        for wrong in (
            {"logic": 1},
            {"logic": 3, "style": 1},
            {"logic": True, "style": 1},
            {"logic": 1, "style": 1, "x": 1},
        ):
            assert store.submit(key, assignment.id, values=wrong, now=START).status == "refused"
        assert store.submit(key, assignment.id, values={"logic": 0, "style": 5}, now=START).status == "accepted"
        assert store.answers("crowd")[0].values == {"logic": 0, "style": 5}

    def test_orders_are_kept_by_the_sentences_places_in_the_story(self, store):
        made = design(kind="order", systems=("human_right",))
        story = Item("x", "c", "order", ("a.", "b.", "c.", "d."), ("human_right",), ("e.",))
        store.create(made, [story])
        key = ready(store, "p")
        assignment = lease(store, key)
        assert sorted(assignment.shown) == ["a.", "b.", "c.", "d.", "e."]
        assert list(assignment.shown) != ["a.", "b.", "c.", "d.", "e."]
        for wrong in ([0, 1, 2, 3], [0, 0, 1, 2, 3], [1, 2, 3, 4, 5]):
            assert store.submit(key, assignment.id, order=wrong, now=START).status == "refused"
        right = [assignment.shown.index(sentence) for sentence in ("a.", "b.", "c.", "d.", "e.")]
        assert store.submit(key, assignment.id, order=right, now=START).status == "accepted"
        assert store.answers("crowd")[0].arranged == (0, 1, 2, 3, 4)


class TestLeaving:
    def test_withdrawal_deletes_answers_and_frees_items(self, store):
        store.create(design(answers_per_item=1), pairs(3))
        key, other = ready(store, "p"), ready(store, "q")
        store.submit(key, lease(store, key).id, "A", now=START)
        held = lease(store, key)
        assert counts(store) == (1, 1, 0, 0)
        assert store.withdraw(key) == 1
        assert counts(store) == (0, 0, 0, 0)
        assert store.submit(key, held.id, "A", now=START).status == "refused"
        assert store.next(key) is None
        assert store.enter("crowd", "p").state == "withdrawn"
        for _ in range(3):
            store.submit(other, lease(store, other).id, "A", now=START)
        assert counts(store) == (3, 0, 0, 0)

    def test_withdrawn_words_are_gone_from_the_file(self, tmp_path):
        path = tmp_path / "s.db"
        store = open_store(f"sqlite:///{path}")
        store.create(design(reason=Reason("required")), pairs(1))
        key = ready(store, "p")
        store.submit(key, store.next(key).id, "A", "unforgettable words")
        store.withdraw(key)
        store.close()
        assert b"unforgettable" not in path.read_bytes()

    def test_exclusion_marks_answers_and_reopens_items(self, store):
        store.create(design(answers_per_item=1), pairs(2))
        key, other = ready(store, "p"), ready(store, "q")
        store.submit(key, lease(store, key).id, "A", now=START)
        held = lease(store, key)
        assert store.next(other, now=START) is None
        assert store.exclude("crowd", store.annotator(key).id) == 1
        assert counts(store) == (0, 0, 0, 1)
        assert store.submit(key, held.id, "A", now=START).status == "refused"
        assert store.next(key) is None
        for _ in range(2):
            store.submit(other, lease(store, other).id, "A", now=START)
        assert counts(store) == (2, 0, 0, 1)
        assert store.withdraw(key) == 1
        assert counts(store) == (2, 0, 0, 0)

    def test_an_unknown_person_cannot_be_excluded(self, store):
        store.create(design(), pairs(1))
        with pytest.raises(UserError, match="no annotator of study crowd"):
            store.exclude("crowd", "nobody")


class TestStudies:
    def test_what_was_created_comes_back_from_another_store(self, store_url, store):
        made = design(checks=Checks(rate=0.1), training=(Training(("One.",), ("Right.", "Wrong.")),))
        items = [*pairs(3), *check_items(made), *training_items(made)]
        store.create(made, items)
        again = open_store(store_url)
        assert again.studies() == ["crowd"]
        assert again.design("crowd") == made
        assert again.items("crowd") == items
        again.close()

    def test_a_name_stands_once(self, store):
        store.create(design(), pairs(1))
        with pytest.raises(UserError, match="in the store already"):
            store.create(design(), pairs(1))

    def test_an_unknown_study_is_refused_with_the_names_of_those_there_are(self, store):
        store.create(design(), pairs(1))
        with pytest.raises(UserError, match="no study other in the store; it holds crowd"):
            store.progress("other")

    def test_progress_of_people(self, store):
        store.create(design(), pairs(5))
        key = ready(store, "p")
        for seconds in (10, 20, 60):
            assignment = store.next(key, now=START)
            store.submit(key, assignment.id, "A", now=START + timedelta(seconds=seconds))
        [person] = store.progress("crowd").people
        assert (person.answered, person.median_seconds, person.state) == (3, 20.0, "answering")
        assert person.last_seen_at == START + timedelta(seconds=60)


def test_what_was_withdrawn_is_in_no_file_while_the_study_runs(tmp_path):
    url = f"sqlite:///{tmp_path / 's.db'}"
    with closing(open_store(url)) as store, closing(open_store(url)) as of_another_process:
        store.create(design(reason=Reason("required")), pairs(3))
        keys = [ready(store, name) for name in ("p", "q")]
        of_another_process.progress("crowd")
        for key, reason in zip(keys, ("a reason to forget", "a reason to keep"), strict=True):
            store.submit(key, store.next(key).id, "A", reason)
        assert store.withdraw(keys[0]) == 1
        written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"a reason to keep" in written
        assert b"a reason to forget" not in written
        assert not store.answers("crowd")[1:]


def test_an_id_like_those_of_unnamed_people_is_no_ones(tmp_path):
    with closing(open_store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        store.create(design(hash_ids=False), pairs(1))
        store.create(design(name="hashed"), pairs(1))
        assert store.enter("crowd", "unnamed-1") is None
        assert not store.enter("hashed", "unnamed-1").id.startswith("unnamed-")


def test_a_study_without_items_is_refused_and_not_there(tmp_path):
    with closing(open_store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        with pytest.raises(ValueError, match="without items"):
            store.create(design(), [])
        assert store.studies() == []
        with pytest.raises(UserError, match="no annotator has this key"):
            store.withdraw("nobody's")
