"""Own questions, boxes and marked words, several practice items, skips, flags and corrections, in the store."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from crowd import pairs, ready
from hosted import design as design_of
from hosted import store_with

from denouement.answers import ANSWER
from denouement.study.design.items import Item
from denouement.study.design.making import check_items, training_items
from denouement.study.store import open_store
from denouement.study.store.export import study_tables

ASK = {
    "before": [
        {"name": "age", "text": "How old are you?", "type": "number", "required": True},
        {
            "name": "languages",
            "text": "What do you speak?",
            "type": "several",
            "options": ["English", "日本語", "other"],
        },
    ],
    "after": [{"name": "remarks", "text": "Anything else?"}],
}
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def made(store, items=3, **keys):
    """A study "pilot" of some pairs, one answer an item, and the key of a person who consented."""
    study = design_of(**{"answers_per_item": 1, **keys})
    store.create(study, [*pairs(items), *check_items(study), *training_items(study)])
    return ready(store, "someone", "pilot")


def rows(store, name):
    return study_tables(store, "pilot")[name].to_pylist()


class TestReplies:
    def test_questions_before_come_between_consent_and_training(self, store):
        key = made(store, ask=ASK, training=True)
        assert store.annotator(key).state == "asking"
        assert store.next(key) is None
        refused = store.reply(key, "before", {"languages": ["German"]})
        assert refused.status == "refused"
        assert "How old are you?" in refused.message
        assert "German" in refused.message  # all that is wrong at once
        assert rows(store, "replies") == []
        assert store.reply(key, "before", {"age": [" ３４.0 "], "languages": ["other", "English"]}).status == "accepted"
        assert store.annotator(key).state == "training"
        told = [(row["question"], row["type"], row["value"]) for row in rows(store, "replies")]
        assert told == [("age", "number", "34"), ("languages", "several", "English"), ("languages", "several", "other")]

    def test_a_page_sent_twice_keeps_the_first_replies(self, store):
        key = made(store, ask=ASK)
        assert store.reply(key, "before", {"age": ["34"]}).status == "accepted"
        assert store.reply(key, "before", {"age": ["35"]}).status == "duplicate"
        assert [row["value"] for row in rows(store, "replies")] == ["34"]

    def test_questions_after_are_for_those_who_answered(self, store):
        key = made(store, items=1, ask={"after": ASK["after"]})
        assert store.reply(key, "after", {"remarks": ["early"]}).status == "duplicate"
        store.submit(key, store.next(key).id, "A")
        assert not store.annotator(key).has_replied
        assert store.reply(key, "after", {}).status == "accepted"  # nothing is required
        assert store.annotator(key).has_replied
        assert store.reply(key, "after", {"remarks": ["late"]}).status == "duplicate"
        assert rows(store, "replies") == []

    def test_withdrawal_deletes_replies(self, store):
        key = made(store, ask=ASK)
        store.reply(key, "before", {"age": ["34"]})
        store.withdraw(key)
        assert rows(store, "replies") == []

    def test_replies_of_others_stay_at_a_withdrawal(self, store):
        key = made(store, ask=ASK)
        other = ready(store, "other", "pilot")
        for each, age in ((key, "34"), (other, "60")):
            store.reply(each, "before", {"age": [age]})
        store.withdraw(key)
        assert [row["value"] for row in rows(store, "replies")] == ["60"]


class TestTraining:
    LIST = ({"attempts": 2}, {"context": ["One."], "endings": ["Right.", "Wrong."], "attempts": 1})

    def test_items_are_passed_one_after_the_other(self, store):
        key = made(store, training=list(self.LIST))
        assert [item.case_id for item in store.training_items("pilot")] == ["training_1", "training_2"]
        store.failed_training(key)
        assert store.annotator(key).training_failures == 1
        first = store.passed_training(key, 0)
        assert (first.state, first.training_passed, first.training_failures) == ("training", 1, 0)
        assert store.passed_training(key, 0).training_passed == 1  # sent twice: the second item is not passed by it
        assert store.failed_training(key, 0).training_failures == 0
        assert store.passed_training(key, 1).state == "answering"

    def test_attempts_are_counted_for_each_item(self, store):
        key = made(store, training=list(self.LIST))
        store.failed_training(key, 0)
        store.passed_training(key, 0)
        assert store.failed_training(key, 1).state == "screened_out"


class TestSkipping:
    def test_a_skipped_item_is_free_for_others_and_does_not_come_again(self, store):
        key = made(store, items=1, skip=True, max_items_per_person=5)
        item = store.next(key)
        assert store.may_skip(key)
        assert store.skip(key, item.id, " the story is sad ").status == "accepted"
        assert store.next(key) is None
        assert not store.may_get_more(key)
        assert not store.left_any(key)
        assert store.skip(key, item.id).status == "duplicate"
        late = store.submit(key, item.id, "A")
        assert (late.status, store.answers("pilot")) == ("refused", [])
        other = ready(store, "other", "pilot")
        assert store.submit(other, store.next(other).id, "B").status == "accepted"
        [flag] = rows(store, "flags")
        assert (flag["kind"], flag["text"], flag["item_id"]) == ("skip", "the story is sad", "item-0")
        progress = store.progress("pilot")
        assert (progress.skipped, progress.items[0].skipped, progress.accepted) == (1, 1, 1)
        assert [person.skipped for person in progress.people] == [1, 0]

    def test_an_item_that_lapsed_before_it_was_skipped_is_freed_once(self, store):
        key = made(store, items=1, skip=True)
        item = store.next(key, WHEN)
        later = WHEN + timedelta(hours=1)
        other = ready(store, "other", "pilot")
        theirs = store.next(other, later)  # the place was free again
        assert theirs
        assert store.skip(key, item.id, now=later).status == "accepted"
        assert store.submit(other, theirs.id, "A", now=later).status == "accepted"

    def test_no_more_than_the_design_allows(self, store):
        key = made(store, skip={"most": 1})
        store.skip(key, store.next(key).id)
        refused = store.skip(key, store.next(key).id)
        assert (refused.status, store.may_skip(key)) == ("refused", False)
        assert "1 question, the most" in refused.message

    def test_a_design_without_skips_refuses_them(self, store):
        key = made(store)
        assert store.skip(key, store.next(key).id).status == "refused"
        assert not store.may_skip(key)

    def test_a_problem_is_kept_with_the_answer(self, store):
        key = made(store, items=2, flag=True)
        assert store.submit(key, store.next(key).id, "A", problem="\u200b ").status == "accepted"
        assert rows(store, "flags") == []
        store.submit(key, store.next(key).id, "A", problem="no  verb")
        assert [(row["kind"], row["text"]) for row in rows(store, "flags")] == [("flag", "no  verb")]
        assert store.progress("pilot").flagged == 1
        store.withdraw(key)
        assert rows(store, "flags") == []


class TestCorrecting:
    def test_the_last_answer_is_corrected_and_the_first_is_kept(self, store):
        key = made(store, items=1, back=True, reason={"mode": "optional"})
        assert store.last(key) is None
        item = store.next(key, WHEN)
        store.submit(key, item.id, "A", "it is much better", now=WHEN)
        last, answer = store.last(key)
        assert (last.id, last.number, answer.answer) == (item.id, 1, "A")
        assert store.correct(key, item.id, "A", "it is much better").status == "duplicate"
        assert store.correct(key, item.id, "B", "too short").status == "refused"
        at = WHEN + timedelta(minutes=2)
        assert store.correct(key, item.id, "B", "it is much shorter", now=at).status == "accepted"
        [vote] = rows(store, "votes")
        assert (vote["answer"], vote["reason"], vote["submitted_at"]) == ("B", "it is much shorter", at)
        [earlier] = rows(store, "corrections")
        assert (earlier["place"], earlier["submitted_at"]) == (1, WHEN)
        assert '"answer": "A"' in earlier["earlier"]
        progress = store.progress("pilot")
        assert (progress.accepted, progress.complete, progress.corrected) == (1, 1, 1)  # a full item stays full
        store.withdraw(key)
        assert rows(store, "corrections") == []

    def test_not_once_the_next_one_is_answered(self, store):
        key = made(store, items=2, back=True)
        first = store.next(key, WHEN)
        store.submit(key, first.id, "A", now=WHEN)
        second = store.next(key, WHEN)
        assert store.correct(key, first.id, "B", now=WHEN).status == "accepted"  # while the next one is open
        store.submit(key, second.id, "A", now=WHEN + timedelta(seconds=1))
        late = store.correct(key, first.id, "A", now=WHEN + timedelta(seconds=2))
        assert late.status == "refused"
        assert "later question" in late.message
        assert {row["item_id"]: row["answer"] for row in rows(store, "votes")} == {
            first.item.id: "B",
            second.item.id: "A",
        }

    def test_a_surplus_answer_stays_surplus(self, store):
        key = made(store, items=1, back=True)
        item = store.next(key, WHEN)
        other = ready(store, "other", "pilot")
        later = WHEN + timedelta(hours=1)
        store.submit(other, store.next(other, later).id, "A", now=later)
        assert store.submit(key, item.id, "A", now=later).status == "surplus"
        assert store.correct(key, item.id, "B", now=later).status == "accepted"
        assert sorted(row["status"] for row in rows(store, "votes")) == ["accepted", "surplus"]

    def test_neither_without_the_option_nor_by_others_nor_after_exclusion(self, store):
        key = made(store, items=2, back=True)
        item = store.next(key)
        assert store.correct(key, item.id, "A").status == "refused"  # not answered yet
        store.submit(key, item.id, "A")
        other = ready(store, "other", "pilot")
        assert store.correct(other, item.id, "B").status == "refused"
        store.exclude("pilot", store.annotator(key).id)
        assert store.correct(key, item.id, "B").status == "refused"
        assert store.last(key) is None


REASON = {"mode": "optional", "boxes": ["emotion", "logic"], "highlight": True}
ITEM = Item("i", "c", "pair", ("Tom fell.", "It hurt him."), ("one", "two"), ("He cried a lot.", "He won."))


class TestReasons:
    def answered(self, store, marks, side="A"):
        study = design_of(answers_per_item=1, reason=REASON)
        store.create(study, [ITEM])
        key = ready(store, "someone", "pilot")
        item = store.next(key)
        return item, store.submit(key, item.id, side, elements=["logic", "emotion"], marks=marks)

    def test_marked_words_are_kept_by_the_storys_places_whatever_the_sides(self, store):
        item, outcome = self.answered(store, [(1, 2), (1, 1), (2, 0), (3, 0), (3, 1)])
        assert outcome.status == "accepted"
        [vote] = rows(store, "votes")
        assert vote["elements"] == ["emotion", "logic"]
        found = [
            (row["system"], row["sentence"], row["start"], row["end"], row["text"]) for row in rows(store, "highlights")
        ]
        assert found[0] == (None, 1, 1, 3, "hurt him.")
        shown_first, shown_second = (ITEM.systems[place] for place in item.order)
        texts = {shown_first: "He", shown_second: "He won." if shown_second == "two" else "He cried"}
        assert [(system, text) for system, *_, text in found[1:]] == [("one", texts["one"]), ("two", texts["two"])]
        assert all(sentence == 2 for _, sentence, *_ in found[1:])

    @pytest.mark.parametrize("mark", [(0, 2), (4, 0), (-1, 0), (0, -1)])
    def test_a_word_that_is_not_there_is_refused(self, store, mark):
        _, outcome = self.answered(store, [mark])
        assert outcome.status == "refused"

    def test_boxes_that_were_not_offered_are_refused(self, store):
        key = made(store, reason=REASON)
        assert store.submit(key, store.next(key).id, "A", elements=["grammar"]).status == "refused"

    def test_without_boxes_there_is_none_and_no_table(self, store):
        key = made(store)
        store.submit(key, store.next(key).id, "A", elements=["logic"], marks=[(0, 0)])
        assert rows(store, "votes")[0]["elements"] is None
        assert set(study_tables(store, "pilot")) == {"votes", "items"}


@pytest.mark.parametrize("revision", ["0002", "0003"])
def test_a_store_of_an_earlier_revision_goes_on(tmp_path, revision):
    """Its people keep their place, and its design, with one training item, is read."""
    import json

    from alembic import command
    from alembic.config import Config

    from denouement.study.store import database

    url = f"sqlite:///{tmp_path / 'old.db'}"
    with closing(store_with(tmp_path, design_of(training=True))) as store:
        key = ready(store, "someone", "pilot")
        item = training_items(store.design("pilot"))[0]
    engine = database.connect(url)
    config = Config()
    migrations = str(database.Path(database.__file__).with_name("migrations"))
    config.set_main_option("script_location", migrations)
    with database.writer(engine).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()
    with closing(sqlite3.connect(tmp_path / "studies.db")) as new, closing(sqlite3.connect(tmp_path / "old.db")) as old:
        for table in ("studies", "items", "annotators"):
            columns = [row[1] for row in old.execute(f"PRAGMA table_info({table})")]
            for row in new.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall():
                values = dict(zip(columns, row, strict=True))
                if table == "studies":
                    stored = json.loads(values["design"])
                    [stored["training"]] = stored["training"]
                    for later in ("ask", "skip", "flag", "back"):
                        del stored[later]
                    del stored["reason"]["boxes"], stored["reason"]["highlight"]
                    values["design"] = json.dumps(stored)
                marks = ", ".join("?" * len(columns))
                old.execute(f"INSERT INTO {table} VALUES ({marks})", list(values.values()))
        old.commit()
    with closing(open_store(url)) as store:
        assert store.annotator(key).state == "training"
        assert store.training_items("pilot") == [item]
        assert store.passed_training(key).state == "answering"
        store.submit(key, store.next(key).id, "A")
        assert study_tables(store, "pilot")["votes"].num_rows == 1


def test_tables_of_the_version_before_are_read(tmp_path):
    from denouement import schemas

    kind = schemas.TABLES["votes"]
    row = dict.fromkeys((*ANSWER, "case_id", "position_a", "position_b"), "x")
    row |= {"answer": "A", "choice": "x", "is_check": False, "status": "accepted"}
    table = pa.Table.from_pylist([row], schema=schemas.stamp(kind.earlier[1], "votes", 1))
    import pyarrow.parquet as pq

    pq.write_table(table, tmp_path / "votes.parquet")
    [read] = schemas.read_table(tmp_path / "votes.parquet", "votes").to_pylist()
    assert read["elements"] is None
