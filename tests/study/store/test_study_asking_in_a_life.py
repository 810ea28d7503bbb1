"""What else a study asks, in studies of each kind of question and through a study's life."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from crowd import ready
from hosted import design, items_of

from denouement.errors import UserError
from denouement.schemas import empty_table
from denouement.study.reasons.boxes import boxes_ticked
from denouement.study.results.people import who_took_part
from denouement.study.store import open_store
from denouement.study.store.export import export, study_tables

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
REASON = {"mode": "optional", "boxes": ["logic", "emotion"], "highlight": True}
ASK = {"before": [{"name": "age", "text": "How old are you?", "type": "number"}]}
QUESTIONS = [{"name": "better", "text": "Better?"}, {"name": "odd", "text": "Odder?"}]
FOUR = ["w", "x", "y", "human_right"]


@pytest.fixture
def store(tmp_path):
    return open_store(f"sqlite:///{tmp_path / 'studies.db'}")


def made(store, n=1, **keys):
    """A study "pilot" of `n` items, one answer an item, and the key of a person who consented."""
    study = design(**{"answers_per_item": 1, **keys})
    store.create(study, items_of(study, n))
    return ready(store, "someone", "pilot")


def rows(store, name):
    return study_tables(store, "pilot")[name].to_pylist()


def test_boxes_and_marks_of_several_graded_questions_are_those_of_one_answer(store):
    key = made(store, choices="graded", questions=QUESTIONS, reason=REASON, back=True)
    item = store.next(key, WHEN)
    given = {"reason": "it is more logical", "elements": ["logic"], "marks": [(4, 0)], "now": WHEN}
    assert store.submit(key, item.id, {"better": "A2", "odd": "B1"}, **given).status == "accepted"
    assert [(row["question"], row["answer"], row["strength"], row["elements"]) for row in rows(store, "votes")] == [
        ("better", "A", 2, ["logic"]),
        ("odd", "B", 1, None),
    ]
    [mark] = rows(store, "highlights")
    assert (mark["system"], mark["text"]) == (item.item.systems[item.order[0]], "Tom")
    boxes = boxes_ticked(study_tables(store, "pilot")["votes"], empty_table("reason_elements"))
    assert boxes is not None
    assert (boxes.answers, [(row.element, row.n) for row in boxes.elements]) == (1, [("logic", 1)])
    assert store.correct(key, item.id, {"better": "A2", "odd": "B1"}, **given).status == "duplicate"
    assert store.correct(key, item.id, {"better": "A2"}, **given).status == "refused"
    assert store.correct(key, item.id, {"better": "A2", "odd": "A1"}, **given).status == "accepted"
    assert [row["answer"] for row in rows(store, "votes")] == ["A", "A"]
    [earlier] = rows(store, "corrections")
    assert json.loads(earlier["earlier"])["values"] == {"better": "A2", "odd": "B1"}


@pytest.mark.parametrize(
    ("kind", "ranks", "corrected"),
    [("best_worst", (3, 1, 2, 2), (2, 1, 3, 2)), ("ranking", (4, 1, 3, 2), (3, 1, 4, 2))],
)
def test_a_person_s_data_have_all_they_gave_and_withdrawal_deletes_it(store, tmp_path, kind, ranks, corrected):
    key = made(store, 2, kind=kind, systems=FOUR, reason=REASON, ask=ASK, back=True, skip=True, flag=True)
    store.reply(key, "before", {"age": ["34"]})
    first = store.next(key, WHEN)
    store.skip(key, first.id, "too sad", now=WHEN)
    item = store.next(key, WHEN)
    store.submit(key, item.id, ranks=ranks, elements=["emotion"], marks=[(6, 0), (6, 1)], problem="no verb", now=WHEN)
    assert store.correct(key, item.id, ranks=corrected, elements=["emotion"], now=WHEN).status == "accepted"
    [row] = rows(store, "rankings")
    assert dict(zip(row["systems"], row["ranks"], strict=True)) == {
        item.item.systems[place]: rank for place, rank in zip(item.order, corrected, strict=True)
    }
    assert row["elements"] == ["emotion"]
    name = store.annotator(key).id
    person = store.person("pilot", name)
    [answer] = person.answers
    assert (answer.shown, answer.ranks, answer.order) == (item.shown, corrected, ())
    assert (answer.elements, answer.marked) == (("emotion",), ())
    assert [(each.question, each.value) for each in person.replies] == [("age", "34")]
    assert {(each.kind, each.text) for each in person.flags} == {("skip", "too sad"), ("flag", "no verb")}
    [earlier] = person.corrections
    assert json.loads(earlier.earlier)["highlights"][0]["text"] == " ".join(item.shown[2].split()[:2])
    store.withdraw_for("pilot", name)
    person = store.person("pilot", name)
    assert (person.answers, person.replies, person.flags, person.corrections) == ((), (), (), ())
    content = (tmp_path / "studies.db").read_bytes() + (tmp_path / "studies.db-wal").read_bytes()
    assert b"too sad" not in content


def test_what_a_leaver_skipped_stays_free(store):
    key = made(store, skip=True)
    item = store.next(key, WHEN)
    store.leave(key, item.id, now=WHEN)
    assert store.skip(key, item.id, now=WHEN).status == "accepted"
    assert store.release("pilot", idle=timedelta(0), now=WHEN).people == ()  # freed once, not twice
    assert store.next(key, WHEN) is None
    assert store.outlook("pilot", WHEN).state == "free"
    other = store.next(ready(store, "other", "pilot"), WHEN)
    assert other is not None
    assert other.item.id == item.item.id
    assert store.skip(key, item.id, now=WHEN).status == "duplicate"
    assert store.submit(key, item.id, "A", now=WHEN).status == "refused"
    assert store.progress("pilot", WHEN).open == 1


def test_a_readmitted_person_s_answer_counts_as_corrected(store):
    key = made(store, 2, back=True)
    item = store.next(key, WHEN)
    store.submit(key, item.id, "A", now=WHEN)
    store.correct(key, item.id, "B", now=WHEN + timedelta(seconds=1))
    name = store.annotator(key).id
    store.exclude("pilot", name)
    assert store.last(key) is None
    assert store.correct(key, item.id, "A").status == "refused"
    assert store.readmit("pilot", name) == {"accepted": 1, "surplus": 0}
    assert [(row["answer"], row["status"]) for row in rows(store, "votes")] == [("B", "accepted")]
    assert store.correct(key, item.id, "A", now=WHEN + timedelta(seconds=2)).status == "accepted"
    assert store.progress("pilot").corrected == 2


def test_a_correction_stays_the_last_answer_when_the_clock_was_set_back(store):
    key = made(store, 2, back=True)
    for seconds in (0, 1):
        item = store.next(key, WHEN + timedelta(seconds=seconds))
        store.submit(key, item.id, "A", now=WHEN + timedelta(seconds=seconds))
    assert store.correct(key, item.id, "B", now=WHEN - timedelta(hours=1)).status == "accepted"
    last, answer = store.last(key)
    assert (last.id, answer.answer) == (item.id, "B")


def test_nothing_is_corrected_once_the_study_is_closed(store):
    key = made(store, back=True)
    item = store.next(key, WHEN)
    store.submit(key, item.id, "A", now=WHEN)
    store.set_state("pilot", "closed")
    assert store.last(key) is None
    refused = store.correct(key, item.id, "B", now=WHEN)
    assert (refused.status, "closed" in refused.message) == ("refused", True)
    assert [row["answer"] for row in rows(store, "votes")] == ["A"]


def test_replies_are_in_an_export_before_a_study_is_deleted_and_a_copy_asks_anew(store, tmp_path):
    key = made(store, ask=ASK | {"after": [{"name": "remarks", "text": "Anything else?"}]}, skip=True)
    store.reply(key, "before", {"age": ["34"]})
    item = store.next(key, WHEN)
    store.submit(key, item.id, "A", now=WHEN)
    store.copy("pilot", "again")
    assert store.design("again").ask == store.design("pilot").ask
    assert store.replies("again") == []
    export(store, "pilot", tmp_path / "out")
    store.reply(key, "after", {"remarks": ["no"]})
    store.set_state("pilot", "closed")
    with pytest.raises(UserError, match="changed since the export"):
        store.delete("pilot")
    export(store, "pilot", tmp_path / "out")
    store.delete("pilot")
    with closing(sqlite3.connect(tmp_path / "studies.db")) as connection:
        assert connection.execute("SELECT count(*) FROM replies").fetchone() == (0,)


def test_who_took_part_is_printed_for_rankings_too(store):
    key = made(store, kind="ranking", systems=FOUR, ask=ASK)
    store.reply(key, "before", {"age": ["34"]})
    store.submit(key, store.next(key, WHEN).id, ranks=(1, 2, 3, 4), now=WHEN)
    tables = study_tables(store, "pilot")
    assert isinstance(tables["rankings"], pa.Table)
    found = who_took_part(tables["replies"], tables["rankings"])
    assert (found.people, found.questions[0].median) == (1, 34)
