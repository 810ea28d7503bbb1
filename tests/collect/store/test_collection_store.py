"""Collections in the store: how work flows from step to step, and who gets what."""

from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from collectors import come, described

from denouement.collect.description import collection_from
from denouement.collect.store import (
    EndingWork,
    ReviewWork,
    StoryWork,
    VerificationWork,
    open_store,
)
from denouement.collect.work import as_table
from denouement.errors import UserError

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
STORY = StoryWork(
    "A key", ("Ann lost a key.", "She looked for it.", "A dog dug in the sand.", "It shone.", "Ann had it.")
)
PAIR = EndingWork("Ann thanked the dog.", "Ann scolded the sea.")


@pytest.fixture
def store(store_url):
    with closing(open_store(store_url)) as opened:
        yield opened


def write_story(store, key, now=NOW, work=STORY):
    piece = store.begin(key, "stories", now=now)
    assert store.hand_in(key, piece.id, work, now=now + timedelta(minutes=2)).status == "accepted"
    return piece.id


def review(store, key, decision="approve", remark="", bonus=False, now=NOW):
    piece = store.begin(key, "review", now=now)
    return store.hand_in(key, piece.id, ReviewWork(decision, remark, bonus), now=now)


def offer(store, key, step, now=NOW):
    return {each.step: each.state for each in store.offers(key, now=now)}[step]


class TestFlow:
    def test_a_story_becomes_a_case(self, store):
        store.create_collection(described())
        writer, reviewer, ender = come(store), come(store, "review"), come(store)
        assert offer(store, writer, "endings") == "none"
        write_story(store, writer)
        assert store.own_stories(writer)[0].status == "open"
        assert review(store, reviewer, bonus=True).status == "accepted"
        (own,) = store.own_stories(writer)
        assert (own.status, own.bonus) == ("approved", True)
        piece = store.begin(ender, "endings", now=NOW)
        assert piece.context == STORY.sentences[:4]
        assert piece.ending == ""
        assert store.hand_in(ender, piece.id, PAIR, now=NOW + timedelta(minutes=1)).status == "accepted"
        for verifier in [come(store) for _ in range(3)]:
            seen = set()
            while piece := store.begin(verifier, "verification", now=NOW):
                seen.add(piece.ending)
                answer = "1" if piece.ending == PAIR.right else "0"
                assert store.hand_in(verifier, piece.id, VerificationWork(answer), now=NOW).status == "accepted"
            assert seen == {PAIR.right, PAIR.wrong}
        found = store.collected("kitchen")
        (story,) = found.stories.to_pylist()
        assert story["status"] == "approved"
        assert story["sentences"] == list(STORY.sentences)
        (pair,) = found.endings.to_pylist()
        assert (pair["right"], pair["wrong"], pair["context"]) == (PAIR.right, PAIR.wrong, list(STORY.sentences[:4]))
        assert pair["story_id"] == story["story_id"]
        assert pair["story_writer"] == story["writer"] != pair["writer"]
        answers = found.verifications.to_pylist()
        assert Counter((row["ending"], row["answer"]) for row in answers) == {("right", "1"): 3, ("wrong", "0"): 3}
        assert {row["case_id"] for row in answers} == {pair["case_id"]}
        paid = {
            (each.person, each.step): (each.pieces, each.bonuses, each.seconds) for each in store.done_work("kitchen")
        }
        assert paid[story["writer"], "stories"] == (1, 1, 120)
        assert paid[pair["writer"], "endings"] == (1, 0, 60)
        assert sum(pieces for (_, step), (pieces, _, _) in paid.items() if step == "verification") == 6

    def test_nobody_judges_their_own(self, store):
        store.create_collection(described(review={"links": 0}))
        writer = come(store)
        reviewer = come(store, "review")
        write_story(store, writer)
        review(store, reviewer)
        assert offer(store, writer, "endings") == "none"  # no endings to one's own story
        ender = come(store)
        piece = store.begin(ender, "endings", now=NOW)
        store.hand_in(ender, piece.id, PAIR, now=NOW)
        assert store.begin(writer, "verification", now=NOW) is None
        assert store.begin(ender, "verification", now=NOW) is None
        assert store.begin(come(store), "verification", now=NOW) is not None

    def test_a_returned_story_is_improved_and_reviewed_anew(self, store):
        store.create_collection(described())
        writer, first, second = come(store), come(store, "review"), come(store, "review")
        story = write_story(store, writer)
        assert review(store, first, "return").status == "refused"  # says not why
        assert review(store, first, "return", "Who is Ann?").status == "accepted"
        (own,) = store.own_stories(writer)
        assert (own.status, own.feedback) == ("returned", ("Who is Ann?",))
        piece = store.piece(writer, story, now=NOW)
        assert piece.draft["sentence-1"] == STORY.sentences[0]
        assert piece.feedback == ("Who is Ann?",)
        assert store.begin(second, "review", now=NOW) is None
        better = StoryWork(STORY.title, ("Ann, a nurse, lost a key.", *STORY.sentences[1:]))
        assert store.hand_in(writer, story, better, now=NOW + timedelta(hours=1)).status == "accepted"
        assert store.hand_in(writer, story, better, now=NOW + timedelta(hours=1)).status == "duplicate"
        seen = store.begin(first, "review", now=NOW + timedelta(hours=1))  # the same reviewer, of the new form
        assert seen.context == better.sentences
        assert store.hand_in(first, seen.id, ReviewWork("approve"), now=NOW + timedelta(hours=1)).status == "accepted"
        (row,) = store.collected("kitchen").stories.to_pylist()
        assert (row["status"], row["sentences"][0]) == ("approved", better.sentences[0])
        data = store.collector("kitchen", row["writer"])
        assert data.handed_in[0].earlier[0]["sentences"] == list(STORY.sentences)
        given = [(each.version, each.decision, each.remark) for each in store.collected("kitchen").reviews]
        assert given == [(1, "return", "Who is Ann?"), (2, "approve", "")]
        assert {each.story_id for each in store.collected("kitchen").reviews} == {row["story_id"]}

    def test_data_of_a_person_have_their_tests_and_drafts(self, store):
        store.create_collection(described(stories={}))
        writer = come(store)
        store.attempt(writer, "stories", {0: True, 1: True}, now=NOW)
        store.attempt(writer, "stories", {0: True, 1: False, 2: False, 3: True, 4: False}, now=NOW)
        piece = store.begin(writer, "stories", now=NOW)
        store.save_draft(writer, piece.id, {"title": "A key"}, now=NOW)
        data = store.collector("kitchen", store.annotator(writer).id)
        assert [(test.step, test.judged["1"], test.passed) for test in data.tests] == [
            ("stories", True, False),
            ("stories", False, True),
        ]
        assert [(draft.step, draft.fields) for draft in data.drafts] == [("stories", {"title": "A key"})]

    def test_two_reviewers_and_a_rejection(self, store):
        store.create_collection(described(review={"reviewers": 2}, stories={"qualification": False, "wanted": 1}))
        writer, first, second = come(store), come(store, "review"), come(store, "review")
        write_story(store, writer)
        assert offer(store, writer, "stories") == "none", "it may be rejected, and then another one is wanted"
        review(store, first)
        assert store.own_stories(writer)[0].status == "open"
        assert store.begin(first, "review", now=NOW) is None
        review(store, second, "reject", "It has no end.")
        (row,) = store.collected("kitchen").stories.to_pylist()
        assert (row["status"], row["remark"]) == ("rejected", "It has no end.")
        assert offer(store, writer, "stories") == "free"  # the place is free again
        assert all(each.step == "review" for each in store.done_work("kitchen"))

    def test_a_review_of_a_decided_story_is_refused_and_its_reader_is_free(self, store):
        store.create_collection(described(review={"reviewers": 2}))
        writer, first, second = come(store), come(store, "review"), come(store, "review")
        write_story(store, writer)
        held = store.begin(second, "review", now=NOW)
        review(store, first, "reject", "No.")
        assert store.held(second, now=NOW) is None
        assert store.hand_in(second, held.id, ReviewWork("approve"), now=NOW).status == "refused"

    def test_what_nobody_reviews_is_approved_after_its_days(self, store):
        store.create_collection(described(review={"approve_after_days": 2}))
        writer, ender = come(store), come(store)
        write_story(store, writer)
        assert store.begin(ender, "endings", now=NOW + timedelta(days=2)) is None
        assert store.begin(ender, "endings", now=NOW + timedelta(days=2, minutes=3)) is not None
        assert store.own_stories(writer)[0].status == "approved"

    def test_offers_know_what_time_has_freed_or_approved(self, store):
        store.create_collection(described(review={"approve_after_days": 2}))
        write_story(store, come(store))
        ender, other = come(store, "endings"), come(store, "endings")

        def offered(key, **later):
            return [offer.state for offer in store.offers(key, now=NOW + timedelta(**later))]

        assert offered(ender, days=2) == ["none"]
        assert offered(ender, days=3) == ["free"], "nobody has begun anything since"
        store.begin(ender, "endings", now=NOW + timedelta(days=3))
        assert offered(other, days=3, minutes=59) == ["busy"]
        assert offered(other, days=3, minutes=61) == ["free"]

    def test_an_export_has_what_is_approved_by_then(self, store):
        store.create_collection(described(review={"approve_after_days": 2}))
        write_story(store, come(store))
        before = store.collected("kitchen", now=NOW + timedelta(days=1)).stories
        after = store.collected("kitchen", now=NOW + timedelta(days=3)).stories
        assert (before["status"].to_pylist(), after["status"].to_pylist()) == (["open"], ["approved"])

    def test_without_review_stories_are_approved_at_once(self, store):
        store.create_collection(described(review=False))
        writer = come(store)
        write_story(store, writer)
        assert store.own_stories(writer)[0].status == "approved"
        assert store.begin(come(store), "endings", now=NOW) is not None

    def test_method_2_changes_the_last_sentence(self, store):
        store.create_collection(described(review=False, endings={"way": "method_2", "qualification": False}))
        write_story(store, come(store))
        ender = come(store)
        piece = store.begin(ender, "endings", now=NOW)
        assert piece.ending == STORY.sentences[4]
        negated = store.hand_in(ender, piece.id, EndingWork("", "Ann had it not."), now=NOW)
        assert [remark.code for remark in negated.remarks] == ["bare_negation"]
        store.hand_in(ender, piece.id, EndingWork("ignored", "Ann threw stones."), now=NOW)
        (pair,) = store.collected("kitchen").endings.to_pylist()
        assert (pair["right"], pair["wrong"]) == (STORY.sentences[4], "Ann threw stones.")


class TestPieces:
    def test_a_lease_is_one_persons_until_it_lapses(self, store):
        store.create_collection(described(review=False))
        write_story(store, come(store))
        first, second = come(store), come(store)
        piece = store.begin(first, "endings", now=NOW)
        assert store.begin(first, "endings", now=NOW).id == piece.id
        assert offer(store, second, "endings") == "busy"
        assert store.begin(second, "endings", now=NOW) is None
        later = NOW + timedelta(minutes=61)
        other = store.begin(second, "endings", now=later)
        assert other is not None
        late = store.hand_in(first, piece.id, PAIR, now=later)
        assert late.status == "surplus"
        assert store.hand_in(second, other.id, PAIR, now=later).status == "accepted"
        assert store.hand_in(second, other.id, PAIR, now=later).status == "duplicate"
        assert store.collected("kitchen").endings.num_rows == 1

    def test_what_is_given_back_goes_to_others(self, store):
        store.create_collection(described(review=False))
        write_story(store, come(store))
        first, second = come(store), come(store)
        piece = store.begin(first, "endings", now=NOW)
        store.save_draft(first, piece.id, {"right": "Ann"}, now=NOW)
        store.give_back(first, piece.id, now=NOW)
        assert store.begin(first, "endings", now=NOW) is None
        assert store.hand_in(first, piece.id, PAIR, now=NOW).status == "refused"
        assert store.begin(second, "endings", now=NOW).draft == {}

    def test_drafts_stay_with_the_piece(self, store, store_url):
        store.create_collection(described())
        writer = come(store)
        piece = store.begin(writer, "stories", now=NOW)
        assert store.save_draft(writer, piece.id, {"title": "A"}, now=NOW)
        assert store.save_draft(writer, piece.id, {"title": "A key"}, now=NOW)
        with closing(open_store(store_url)) as again:
            assert again.held(writer, now=NOW).draft == {"title": "A key"}
            lapsed = NOW + timedelta(hours=2)
            assert again.held(writer, now=lapsed) is None
            assert not again.save_draft(writer, piece.id, {}, now=lapsed)
            assert again.begin(writer, "stories", now=lapsed).draft == {"title": "A key"}
        other = come(store)
        assert not store.save_draft(other, piece.id, {"title": "mine"}, now=NOW)
        assert store.piece(other, piece.id, now=NOW) is None
        assert store.hand_in(other, piece.id, STORY, now=NOW).status == "refused"

    def test_the_same_checks_as_while_typing(self, store):
        store.create_collection(described())
        writer = come(store)
        piece = store.begin(writer, "stories", now=NOW)
        wrong = store.hand_in(
            writer, piece.id, StoryWork("", ('Ann said "no".', "x" * 80 + ".", "", "It.", "It.")), now=NOW
        )
        assert wrong.status == "refused"
        assert {remark.box for remark in wrong.remarks} >= {"title", "sentence 1", "sentence 2", "sentence 3"}
        assert store.hand_in(writer, piece.id, PAIR, now=NOW).status == "refused"  # work of another step
        assert store.held(writer, now=NOW).id == piece.id

    def test_stories_are_enough_when_all_are_approved(self, store):
        store.create_collection(described(stories={"qualification": False, "wanted": 2}))
        writer, other, reviewer = come(store), come(store), come(store, "review")
        write_story(store, writer)
        piece = store.begin(writer, "stories", now=NOW)
        assert offer(store, other, "stories") == "busy", "the writer may leave it"
        assert store.may_get_more(other)
        store.hand_in(writer, piece.id, STORY, now=NOW)
        assert offer(store, other, "stories") == "none"
        review(store, reviewer)
        assert offer(store, other, "stories") == "none"
        review(store, reviewer)
        assert offer(store, other, "stories") == "enough"

    def test_prompts_are_spread(self, store):
        store.create_collection(described(stories={"qualification": False, "prompts": ["a dog", "a cat", "rain"]}))
        writers = [come(store) for _ in range(6)]
        prompts = Counter(store.begin(writer, "stories", now=NOW).prompt for writer in writers)
        assert prompts == {"a dog": 2, "a cat": 2, "rain": 2}
        own = set()
        for _ in range(3):
            own.add(store.begin(writers[0], "stories", now=NOW).prompt)
            store.hand_in(writers[0], store.held(writers[0], now=NOW).id, STORY, now=NOW)
        assert len(own) == 3

    def test_most_of_one_person(self, store):
        store.create_collection(described(stories={"qualification": False, "most": 2}))
        writer = come(store)
        for _ in range(2):
            write_story(store, writer)
        assert offer(store, writer, "stories") == "enough"
        assert store.begin(writer, "stories", now=NOW) is None

    def test_a_verifier_reads_other_stories_first(self, store):
        store.create_collection(described(review=False, verification={"qualification": False, "people": 1}))
        ender = come(store)
        for number in range(6):
            sentences = (f"Ann lost key {number}.", *STORY.sentences[1:])
            write_story(store, come(store), work=StoryWork("A key", sentences))
            store.hand_in(ender, store.begin(ender, "endings", now=NOW).id, PAIR, now=NOW)
        verifier = come(store)
        read = []
        while piece := store.begin(verifier, "verification", now=NOW):
            read.append(piece.context[0])
            store.hand_in(verifier, piece.id, VerificationWork("1"), now=NOW)
        assert len(read) == 12
        assert len(set(read[:6])) == 6

    def test_paused_and_closed_steps(self, store):
        store.create_collection(described())
        writer = come(store)
        held = store.begin(writer, "stories", now=NOW)
        store.set_step_state("kitchen", "stories", "paused")
        with pytest.raises(UserError, match="paused already"):
            store.set_step_state("kitchen", "stories", "paused")
        assert store.hand_in(writer, held.id, STORY, now=NOW).status == "accepted"
        assert offer(store, writer, "stories") == "paused"
        assert store.begin(writer, "stories", now=NOW) is None
        store.set_step_state("kitchen", "stories", "open")
        store.set_state("kitchen", "closed")
        assert offer(store, writer, "stories") == "closed"
        with pytest.raises(UserError, match="is no step of collection kitchen"):
            store.set_step_state("kitchen", "dancing", "open")


class TestEntry:
    def test_a_link_leads_to_its_steps(self, store):
        store.create_collection(described(review={"links": 3}, entry={"kind": "links", "links": 4}))
        steps = Counter(store.links_to("kitchen").values())
        assert steps == {("stories", "endings", "verification"): 4, ("review",): 3}
        reviewer = come(store, "review")
        assert [each.step for each in store.offers(reviewer)] == ["review"]
        assert [each.step for each in store.offers(come(store))] == ["stories", "endings", "verification"]

    def test_an_address_never_leads_to_the_review(self, store):
        store.create_collection(described(entry={"kind": "open"}))
        key = store.enter("kitchen", "browser-1", steps=["stories", "review"]).key
        store.consent(key)
        assert [each.step for each in store.offers(key)] == ["stories"]
        store.enter("kitchen", "browser-1", steps=["endings"])
        assert [each.step for each in store.offers(key)] == ["stories", "endings"]
        link = store.add_links("kitchen", 1, steps=["review"])[0]
        reviewer = store.enter("kitchen", link).key
        store.consent(reviewer)
        assert [each.step for each in store.offers(reviewer)] == ["review"]

    def test_studies_and_collections_have_their_own_commands(self, store):
        store.create_collection(described())
        assert store.studies() == []
        assert store.collections() == ["kitchen"]
        with pytest.raises(UserError, match="is a collection; `denouement collect` has its commands"):
            store.progress("kitchen")
        with pytest.raises(UserError, match="is in the store already"):
            store.create_collection(described())


class TestTests:
    def test_failing_screens_out(self, store):
        store.create_collection(
            described(stories={"qualification": {"attempts": 2}}, endings=False, verification=False, filter=False)
        )
        writer = come(store)
        assert offer(store, writer, "stories") == "test"
        assert store.begin(writer, "stories", now=NOW) is None
        right = [item.acceptable for item in store.collection("kitchen").stories.qualification.items]
        wrong = {place: not value for place, value in enumerate(right)}
        for _ in range(2):  # a form that is sent twice at once
            assert store.attempt(writer, "stories", wrong, now=NOW, made_before=0).attempts_left == 1
        assert offer(store, writer, "stories") == "test"
        assert store.attempt(writer, "stories", wrong, now=NOW).screened_out
        assert store.annotator(writer).state == "screened_out"
        assert len(store.attempts(writer, "stories")) == 2

    def test_nobody_takes_a_test_while_there_is_nothing_to_do_after_it(self, store):
        store.create_collection(described(stories={"wanted": 1}, review=False, endings={}))
        writer, other = come(store), come(store)
        right = dict(enumerate(item.acceptable for item in store.collection("kitchen").stories.qualification.items))
        assert (offer(store, writer, "stories"), offer(store, writer, "endings")) == ("test", "none")
        assert store.attempt(writer, "stories", right, now=NOW).passed
        piece = store.begin(writer, "stories", now=NOW)
        assert offer(store, other, "stories") == "busy"
        store.give_back(writer, piece.id, now=NOW)
        assert offer(store, other, "stories") == "test"
        write_story(store, writer)
        assert (offer(store, other, "stories"), offer(store, other, "endings")) == ("enough", "test")

    def test_passing_once_is_enough(self, store):
        store.create_collection(described(stories={}))
        writer = come(store)
        right = dict(enumerate(item.acceptable for item in store.collection("kitchen").stories.qualification.items))
        assert store.attempt(writer, "stories", right, now=NOW).passed
        assert store.attempt(writer, "stories", {}, now=NOW).passed  # sent twice: nothing changes
        assert len(store.attempts(writer, "stories")) == 1
        for _ in range(2):
            write_story(store, writer)

    def test_failing_one_step_leaves_the_others(self, store):
        store.create_collection(described(stories={"qualification": {"attempts": 1}}))
        writer = come(store)
        assert store.attempt(writer, "stories", {}, now=NOW).screened_out
        assert offer(store, writer, "stories") == "failed"
        assert store.annotator(writer).state == "answering"

    def test_progress_counts_who_has_no_attempt_left(self, store):
        store.create_collection(described(stories={"qualification": {"attempts": 2}}, verification={}))
        right = dict(enumerate(item.acceptable for item in store.collection("kitchen").stories.qualification.items))
        for judged in ([{}, {}], [{}, right], [{}], []):  # only the first has none
            writer = come(store)
            for each in judged:
                store.attempt(writer, "stories", each, now=NOW)
        progress = store.collection_progress("kitchen", now=NOW)
        assert {step.step: step.failed for step in progress.steps} == {
            **{"stories": 1, "review": 0, "endings": 0, "verification": 0}
        }
        assert progress.people[0].may == ("stories", "endings", "verification")


class TestFiles:
    def stories(self, n=2, status="approved"):
        rows = [
            {
                "story_id": f"s{number}",
                "title": "A key",
                "sentences": [f"Ann lost key {number}.", *STORY.sentences[1:]],
                "writer": "Zoe",
                "status": status,
            }
            for number in range(n)
        ]
        return as_table("collected_stories", rows)

    def test_endings_to_stories_of_a_file(self, store):
        section = {
            "name": "kitchen",
            "hash_ids": False,
            "entry": {"kind": "prolific", "completion_code": "X"},
            "endings": {"qualification": False},
        }
        store.create_collection(collection_from(section, "test"), stories=self.stories())
        ender = store.consent(store.enter("kitchen", "ender").key).key
        for _ in range(2):
            assert store.hand_in(ender, store.begin(ender, "endings", now=NOW).id, PAIR, now=NOW).status == "accepted"
        zoe = store.consent(store.enter("kitchen", "Zoe").key).key  # who wrote the stories, as the file says
        assert store.begin(zoe, "endings", now=NOW) is None
        found = store.collected("kitchen")
        assert sorted(row["story_id"] for row in found.endings.to_pylist()) == ["s0", "s1"]
        assert {row["story_writer"] for row in found.endings.to_pylist()} == {"Zoe"}
        assert [row["writer"] for row in found.stories.to_pylist()] == ["Zoe", "Zoe"]
        assert [each.person for each in store.done_work("kitchen")] == ["ender"]
        assert [each.annotator_id for each in store.people("kitchen")] == ["ender", "Zoe"]

    def test_pairs_of_a_file_are_verified(self, store):
        section = {"name": "kitchen", "verification": {"qualification": False}}
        pairs = as_table(
            "collected_endings",
            [{"case_id": "c1", "context": list(STORY.sentences[:4]), "right": "A.", "wrong": "B.", "writer": "w1"}],
        )
        assert store.create_collection(collection_from(section, "test"), endings=pairs).pairs == 1
        verifier = come(store)
        piece = store.begin(verifier, "verification", now=NOW)
        store.hand_in(verifier, piece.id, VerificationWork("1"), now=NOW)
        found = store.collected("kitchen")
        (pair,) = found.endings.to_pylist()
        assert (pair["case_id"], pair["right"]) == ("c1", "A.")
        (answer,) = found.verifications.to_pylist()
        assert (answer["case_id"], answer["ending"]) == ("c1", "right" if piece.ending == "A." else "wrong")

    def test_tables_that_no_step_reads_are_refused(self, store):
        with pytest.raises(UserError, match="no step does anything with them"):
            store.create_collection(
                described(review=False, endings=False, verification=False, filter=False), stories=self.stories()
            )
        with pytest.raises(UserError, match="a file of stories"):
            store.create_collection(collection_from({"name": "kitchen", "endings": True}, "test"))
        assert store.collections() == []


class TestLeaving:
    def case(self, store, **more):
        """A story with a pair of endings of which one ending is verified; the keys of who did it."""
        store.create_collection(described(**more))
        keys = {
            name: come(store, "review" if name == "reviewer" else None) for name in ("writer", "reviewer", "ender", "v")
        }
        write_story(store, keys["writer"])
        review(store, keys["reviewer"])
        store.hand_in(keys["ender"], store.begin(keys["ender"], "endings", now=NOW).id, PAIR, now=NOW)
        store.hand_in(keys["v"], store.begin(keys["v"], "verification", now=NOW).id, VerificationWork("1"), now=NOW)
        return keys

    def test_what_was_approved_stays(self, store):
        keys = self.case(store)
        write_story(store, keys["writer"])  # not reviewed yet
        held = store.begin(keys["reviewer"], "review", now=NOW)
        assert store.withdraw(keys["writer"], now=NOW) == 1
        found = store.collected("kitchen")
        assert [row["status"] for row in found.stories.to_pylist()] == ["approved"]
        assert found.endings.num_rows == 1
        assert store.held(keys["reviewer"], now=NOW) is None
        assert store.hand_in(keys["reviewer"], held.id, ReviewWork("approve"), now=NOW).status == "refused"
        assert store.withdraw(keys["ender"], now=NOW) == 1  # its verification is not complete
        assert store.collected("kitchen").endings.num_rows == 0
        assert store.collected("kitchen").verifications.num_rows == 0
        assert store.begin(come(store), "endings", now=NOW) is not None  # others write endings

    def test_or_all_is_deleted(self, store):
        keys = self.case(store, keeps_approved=False)
        assert store.withdraw(keys["writer"], now=NOW) == 1
        found = store.collected("kitchen")
        assert (found.stories.num_rows, found.endings.num_rows, found.verifications.num_rows) == (0, 0, 0)
        for name in ("reviewer", "ender", "v"):  # they are paid for what they did
            person = store.annotator(keys[name]).id
            assert [each.pieces for each in store.done_work("kitchen") if each.person == person] == [1]
        file = store._engine.url.database
        if store._engine.dialect.name == "sqlite":
            store.close()
            assert b"A dog dug in the sand." not in Path(file).read_bytes()

    def test_work_of_the_excluded_does_not_count_until_they_are_readmitted(self, store):
        keys = self.case(store)
        writer = store.annotator(keys["writer"]).id
        store.exclude("kitchen", writer, "copied", now=NOW)
        found = store.collected("kitchen")
        assert (found.stories.num_rows, found.endings.num_rows, found.verifications.num_rows) == (0, 0, 0)
        assert store.begin(come(store), "verification", now=NOW) is None
        store.readmit("kitchen", writer, now=NOW)
        found = store.collected("kitchen")
        assert (found.stories.num_rows, found.endings.num_rows, found.verifications.num_rows) == (1, 1, 1)
        assert store.begin(come(store), "verification", now=NOW) is not None

    def test_deleting_needs_an_export(self, store):
        keys = self.case(store)
        with pytest.raises(UserError, match="close it first"):
            store.delete("kitchen")
        store.set_state("kitchen", "closed")
        with pytest.raises(UserError, match="has work that is in no export"):
            store.delete("kitchen")
        digest = store.work_digest("kitchen")
        store.withdraw(keys["v"], now=NOW)  # while it is exported
        store.collection_exported("kitchen", digest)
        with pytest.raises(UserError, match="has work that is in no export"):
            store.delete("kitchen")
        store.collection_exported("kitchen", store.work_digest("kitchen"))
        store.delete("kitchen")
        assert store.collections() == []


def test_progress(store):
    store.create_collection(described(stories={"qualification": False, "wanted": 5}))
    writer, reviewer = come(store), come(store, "review")
    for _ in range(3):
        write_story(store, writer)
    review(store, reviewer, bonus=True)
    review(store, reviewer, "return", "Why?")
    store.begin(reviewer, "review", now=NOW)
    found = store.collection_progress("kitchen", now=NOW)
    stories, reviews, endings, _ = found.steps
    assert (stories.done, stories.wanted, stories.people, stories.median_minutes) == (3, 5, 1, 2.0)
    assert stories.statuses == {"approved": 1, "open": 1, "returned": 1, "rejected": 0}
    assert (reviews.done, reviews.open, reviews.wanted) == (2, 1, 3)
    assert (endings.done, endings.wanted) == (0, 1)
    first, second = found.people
    assert (first.steps[0].done, first.steps[0].bonuses) == (3, 1)
    assert (second.may, second.is_holding) == (("review",), True)
