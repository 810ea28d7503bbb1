"""What is done to a study and its people, the log of it, clocks that step back, and the file of the store."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import hosted
import pytest
import sqlalchemy as sa
from crowd import design, pairs, ready
from old_stores import BEFORE_COLLECTIONS

from denouement.documents import document
from denouement.errors import UserError
from denouement.study.design.entry import Entry
from denouement.study.store import Outlook, StoreUnavailableError, database, open_store
from denouement.study.store.export import export
from denouement.study.store.models import metadata

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def after(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def answer(store, key, minutes=0, **more):
    return store.submit(key, store.next(key, now=after(minutes)).id, "A", now=after(minutes), **more)


def counts(connection) -> dict[str, int]:
    """How many rows each table has."""
    tables = metadata.sorted_tables
    return {table.name: connection.scalar(sa.select(sa.func.count()).select_from(table)) for table in tables}


class TestStates:
    @pytest.mark.parametrize("state", ["paused", "closed"])
    def test_nobody_gets_a_new_item_and_who_holds_one_may_answer_it(self, store, state):
        store.create(design(), pairs(3))
        key, waiting = ready(store, "p"), ready(store, "q")
        held = store.next(key, now=START)
        store.set_state("crowd", state, now=START)
        assert store.outlook("crowd", now=START) == Outlook(state)
        assert store.next(key, now=after(1)) == held, "a reload"
        assert store.next(waiting, now=after(1)) is None
        assert store.submit(key, held.id, "A", now=after(2)).status == "accepted"
        assert store.next(key, now=after(2)) is None
        assert store.annotator(key).state == "done"
        store.set_state("crowd", "open", now=after(3))
        assert store.next(key, now=after(3)).number == 2
        assert store.next(waiting, now=after(3)).number == 1

    def test_a_late_answer_is_kept_while_paused_and_not_once_closed(self, store):
        store.create(design(lease_minutes=20), pairs(3))
        keys = [ready(store, name) for name in "pq"]
        held = [store.next(key, now=START) for key in keys]
        store.set_state("crowd", "paused")
        assert store.submit(keys[0], held[0].id, "A", now=after(21)).status == "accepted"
        store.set_state("crowd", "closed")
        late = store.submit(keys[1], held[1].id, "A", now=after(21))
        assert late.status == "refused"
        assert "closed" in late.message
        assert len(store.answers("crowd")) == 1

    def test_nobody_new_comes_into_a_closed_study(self, store):
        store.create(design(), pairs(1))
        before = store.enter("crowd", "before")
        store.set_state("crowd", "closed")
        assert store.enter("crowd", "after") is None
        assert store.enter("crowd", "before") == before
        assert len(store.progress("crowd").people) == 1

    def test_doing_it_twice_is_refused(self, store):
        store.create(design(), pairs(1))
        with pytest.raises(UserError, match="is open already"):
            store.set_state("crowd", "open")
        with pytest.raises(UserError, match="no study none"):
            store.set_state("none", "closed")

    def test_another_process_that_serves_the_study_knows_at_once(self, store_url):
        with closing(open_store(store_url)) as one, closing(open_store(store_url)) as other:
            one.create(design(), pairs(2))
            key = ready(other, "p")
            one.set_state("crowd", "paused")
            assert other.next(key) is None
            one.edit("crowd", title="Another title")
            assert other.design("crowd").title == "Another title"
            one.set_state("crowd", "closed")
            one.delete("crowd")
            with pytest.raises(UserError, match="no annotator has this key"):
                other.next(key)
            one.create(design(title="A third"), pairs(1))
            assert other.design("crowd").title == "A third"
            assert len(other.items("crowd")) == 1


class TestEdit:
    def test_what_may_change_changes_and_the_rest_stays(self, store):
        store.create(design(max_items_per_person=1), pairs(2))
        key = ready(store, "p")
        answer(store, key)
        assert store.next(key) is None
        store.edit("crowd", contact="me@example.org", max_items_per_person=2)
        assert store.design("crowd") == design(max_items_per_person=2, contact="me@example.org")
        assert store.next(key).number == 2
        assert json.loads(store.log("crowd").entries[-1].detail) == {
            "contact": "me@example.org",
            "max_items_per_person": 2,
        }

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [({"title": " "}, "title: is empty"), ({"max_items_per_person": 0}, "max_items_per_person: must be between")],
    )
    def test_what_no_file_may_say_is_refused(self, store, wrong, said):
        store.create(design(), pairs(1))
        with pytest.raises(UserError, match=said):
            store.edit("crowd", **wrong)
        assert store.design("crowd") == design()


class TestCopyAndDelete:
    def test_a_copy_has_the_items_and_nobody(self, store):
        store.create(design(entry=Entry("links", links=2)), pairs(2))
        answer(store, ready(store, store.links("crowd")[0]))
        store.copy("crowd", "again")
        assert store.items("again") == store.items("crowd")
        assert store.design("again").name == "again"
        assert not store.answers("again")
        assert not set(store.links("again")) & set(store.links("crowd"))
        assert store._study("again").salt != store._study("crowd").salt
        assert [entry.detail for entry in store.log("again").entries] == ["a copy of crowd"]
        for name, said in (("crowd", "in the store already"), ("A b", "must be 1 to 40")):
            with pytest.raises(UserError, match=said):
                store.copy("crowd", name)

    def test_only_what_is_closed_and_exported_is_deleted(self, store, tmp_path):
        store.create(design(), pairs(2))
        key = ready(store, "p")
        answer(store, key, reason=None)
        with pytest.raises(UserError, match="is open; close it first"):
            store.delete("crowd")
        store.set_state("crowd", "closed")
        with pytest.raises(UserError, match="in no export"):
            store.delete("crowd")
        export(store, "crowd", tmp_path / "out")
        store.exclude("crowd", store.annotator(key).id)
        with pytest.raises(UserError, match="changed since the export"):
            store.delete("crowd")
        store.readmit("crowd", store.annotator(key).id)
        store.delete("crowd")
        assert store.studies() == []

    def test_no_row_of_a_deleted_study_is_left_and_others_keep_theirs(self, store):
        for name in ("crowd", "other"):
            store.create(design(name=name, entry=Entry("links", links=1)), pairs(2))
            answer(store, ready(store, store.links(name)[0], name))
        with store._engine.connect() as connection:
            before = counts(connection)
        store.set_state("crowd", "closed")
        store.delete("crowd", without_export=True)
        with store._engine.connect() as connection:
            left = counts(connection)
        assert left == {name: n // 2 for name, n in before.items()}
        assert len(store.answers("other")) == 1

    def test_nothing_of_a_deleted_study_is_in_the_file(self, tmp_path):
        url = f"sqlite:///{tmp_path / 's.db'}"
        with closing(open_store(url)) as store:
            store.create(design(title="A title to forget"), pairs(1))
            store.set_state("crowd", "closed")
            store.delete("crowd")
        assert b"title to forget" not in b"".join(each.read_bytes() for each in tmp_path.iterdir())


class TestExclusion:
    def test_undone_answers_count_again_unless_others_answered_since(self, store):
        store.create(design(answers_per_item=1), pairs(2))
        key, other = ready(store, "p"), ready(store, "q")
        answer(store, key, 1)
        answer(store, key, 2)
        who = store.annotator(key).id
        assert store.exclude("crowd", who, "too fast") == 2
        assert store.progress("crowd").people[0].excluded_because == "too fast"
        assert store.next(key) is None
        answer(store, other, 3)
        assert store.readmit("crowd", who) == {"accepted": 1, "surplus": 1}
        assert store.progress("crowd", now=after(4)).complete == 2
        [person, _] = store.progress("crowd").people
        assert (person.state, person.excluded_because) == ("answering", "")
        with pytest.raises(UserError, match="is not excluded"):
            store.readmit("crowd", who)

    @pytest.mark.parametrize(
        ("minutes", "became"), [(21, {"accepted": 0, "surplus": 1}), (23, {"accepted": 1, "surplus": 0})]
    )
    def test_undone_an_answer_counts_unless_another_still_holds_the_item(self, store, minutes, became):
        store.create(design(answers_per_item=1, lease_minutes=20), pairs(1))
        key, other = ready(store, "p"), ready(store, "q")
        answer(store, key)
        who = store.annotator(key).id
        store.exclude("crowd", who, now=after(1))
        assert store.next(other, now=after(2)).number == 1
        assert store.readmit("crowd", who, now=after(minutes)) == became

    def test_the_state_of_before_comes_back_even_after_two_exclusions(self, store):
        store.create(design(), pairs(1))
        who = store.enter("crowd", "p").id
        store.exclude("crowd", who, "one")
        store.exclude("crowd", who, "two")
        store.readmit("crowd", who)
        assert store.progress("crowd").people[0].state == "consenting"

    def test_who_withdrew_stays_so(self, store):
        store.create(design(), pairs(1))
        key = ready(store, "p")
        answer(store, key)
        store.withdraw(key)
        store.exclude("crowd", store.annotator(key).id)
        with pytest.raises(UserError, match="is not excluded"):
            store.readmit("crowd", store.annotator(key).id)
        assert store.annotator(key).state == "withdrawn"


class TestPersons:
    def test_one_person_s_data_are_theirs_alone(self, store):
        store.create(design(), pairs(2))
        key, other = ready(store, "p"), ready(store, "q")
        answer(store, key)
        answer(store, other)
        found = store.person("crowd", store.annotator(key).id)
        [theirs] = found.answers
        assert (theirs.answers, theirs.status) == ({"better": "A"}, "accepted")
        assert set(theirs.shown) == set(store.answers("crowd")[0].item.endings) or theirs.shown[0].endswith("1.")
        assert (found.state, found.study) == ("answering", "crowd")
        assert store.log("crowd").entries[-1].what == "gave out data"
        with pytest.raises(UserError, match="no annotator"):
            store.person("crowd", "nobody")

    @pytest.mark.parametrize(
        ("keys", "given", "field", "said"),
        [
            (
                {"questions": [{"name": "better", "text": "Better?"}, {"name": "fluent", "text": "Fluent?"}]},
                {"answer": {"better": "A", "fluent": "neither"}},
                "answers",
                {"better": "A", "fluent": "neither"},
            ),
            ({"choices": "graded"}, {"answer": "B2"}, "answers", {"better": "B2"}),
            (
                {"kind": "rating", "scales": "consistency_readability"},
                {"values": {"consistency": 2, "readability": 5}},
                "values",
                {"consistency": 2, "readability": 5},
            ),
            ({"kind": "order"}, {"order": [4, 2, 0, 1, 3]}, "order", (4, 2, 0, 1, 3)),
            ({"kind": "ranking", "choices": "ties"}, {"ranks": [4, 1, 1, 3]}, "ranks", (4, 1, 1, 3)),
            ({"kind": "best_worst"}, {"ranks": [2, 3, 1, 2]}, "ranks", (2, 3, 1, 2)),
        ],
        ids=lambda value: value.get("kind", "pair") if isinstance(value, dict) else None,
    )
    def test_the_data_of_a_person_has_the_answer_as_it_was_on_the_page(self, store, keys, given, field, said):
        n = {"ranking": 4, "best_worst": 4, "pair": 2}.get(keys.get("kind", "pair"), 1)
        study = hosted.design(systems=[f"system_{number}" for number in range(n)], **keys)
        store.create(study, hosted.items_of(study, 3))
        key = ready(store, "p", "pilot")
        shown = []
        while held := store.next(key):
            shown.append(held.shown)
            assert store.submit(key, held.id, **given).status == "accepted"
        found = store.person("pilot", store.annotator(key).id)
        assert [each.shown for each in found.answers] == shown
        empty = {"answers": {}, "values": {}, "ranks": (), "order": ()}
        for each in found.answers:
            assert {name: getattr(each, name) for name in empty} == empty | {field: said}
        assert json.dumps(document(found), default=str), "it can be written as JSON"

    def test_the_organiser_deletes_for_who_asks(self, store):
        store.create(design(), pairs(1))
        key = ready(store, "p")
        answer(store, key)
        assert store.withdraw_for("crowd", store.annotator(key).id, "organiser") == 1
        assert not store.answers("crowd")
        assert store.annotator(key).state == "withdrawn"
        last = store.log("crowd").entries[-1]
        assert (last.by, last.what, last.about) == ("organiser", "withdrew", store.annotator(key).id)

    def test_a_raw_id_is_never_in_the_log(self, store):
        store.create(design(hash_ids=False), pairs(1))
        ready(store, "PID1")
        store.exclude("crowd", "PID1")
        store.readmit("crowd", "PID1")
        store.withdraw_for("crowd", "PID1")
        store.returned("crowd", ["PID1"])
        log = store.log("crowd")
        assert [entry.what for entry in log.entries] == ["created", "excluded", "readmitted", "withdrew"]
        assert "PID1" not in str(log)
        assert len({entry.about for entry in log.entries[1:]}) == 1
        assert len(store.person("crowd", "PID1").log) == 3


class TestClocks:
    def test_a_clock_that_steps_back_gives_no_negative_time(self, store):
        store.create(design(), pairs(1))
        key = ready(store, "p")
        held = store.next(key, now=after(10))
        store.submit(key, held.id, "A", now=after(5))
        [kept] = store.answers("crowd")
        assert kept.submitted_at == kept.started_at
        assert store.progress("crowd").median_seconds == 0

    def test_a_lease_of_a_clock_that_was_a_year_ahead_blocks_nobody(self, store):
        store.create(design(answers_per_item=1), pairs(1))
        key, other = ready(store, "p"), ready(store, "q")
        held = store.next(key, now=START + timedelta(days=365))
        assert store.outlook("crowd", now=START) == Outlook("free")
        assert store.progress("crowd", now=START).open == 0
        assert store.next(other, now=START).item == held.item
        assert store.next(key, now=START) is None

    def test_who_holds_such_a_lease_gets_a_new_one(self, store):
        store.create(design(lease_minutes=20), pairs(1))
        key = ready(store, "p")
        held = store.next(key, now=START + timedelta(days=365))
        again = store.next(key, now=START)
        assert (again.id, again.expires_at) == (held.id, after(20))

    def test_a_small_step_back_ends_no_lease(self, store):
        store.create(design(lease_minutes=20, answers_per_item=1), pairs(1))
        key = ready(store, "p")
        held = store.next(key, now=after(5))
        assert store.next(ready(store, "q"), now=START) is None
        assert store.next(key, now=START) == held


class TestFiles:
    def test_only_the_owner_can_read_a_new_file_and_its_log(self, tmp_path):
        path = tmp_path / "studies.db"
        with closing(open_store(f"sqlite:///{path}")) as store:
            store.create(design(), pairs(1))
            made = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
        assert made == dict.fromkeys(("studies.db", "studies.db-wal", "studies.db-shm"), 0o600)

    def test_a_store_on_a_disk_that_cannot_be_written_to_is_exported(self, tmp_path, monkeypatch):
        path = tmp_path / "a store, %20 or so.db"
        url = sa.URL.create("sqlite", database=str(path)).render_as_string()
        with closing(open_store(url)) as store:
            store.create(design(), pairs(1))
            answer(store, ready(store, "p"))
        before = path.read_bytes()
        monkeypatch.setattr(database, "_is_writable", lambda file: False)
        with closing(open_store(url)) as store:
            assert store.is_read_only
            assert export(store, "crowd", tmp_path / "out").answers == {"accepted": 1}
            with pytest.raises(StoreUnavailableError, match="cannot be written to, only read"):
                store.set_state("crowd", "closed")
        assert path.read_bytes() == before
        assert {each.name for each in tmp_path.iterdir()} == {path.name, "out"}

    def test_answers_in_the_log_beside_it_are_not_left_out_unseen(self, tmp_path, monkeypatch):
        path = tmp_path / "s.db"
        with closing(open_store(f"sqlite:///{path}")) as store:
            store.create(design(), pairs(1))
            monkeypatch.setattr(database, "_is_writable", lambda file: False)
            with pytest.raises(UserError, match=r"s\.db-wal has answers that are not in it yet"):
                open_store(f"sqlite:///{path}")

    def test_a_store_of_the_version_before_is_read_and_goes_on(self, tmp_path, monkeypatch):
        path = tmp_path / "s.db"
        with closing(open_store(f"sqlite:///{path}")) as store:
            store.create(design(), pairs(2))
            key = ready(store, "p")
            answer(store, key)
        added = {
            "studies": ("state", "edition", "exported"),
            "assignments": ("resumes_until", "elements", "highlights"),
            "annotators": ("excluded_from", "excluded_because", "training_passed", "after_at", "consented_at"),
        }
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in BEFORE_COLLECTIONS:
                connection.execute(statement)
            for table in ("log", "replies", "flags", "corrections"):
                connection.execute(f"DROP TABLE {table}")
            for table, columns in added.items():
                for column in columns:
                    connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
            connection.execute("ALTER TABLE assignments RENAME COLUMN shown TO places")
            connection.execute("UPDATE alembic_version SET version_num = '0002'")
            connection.execute("UPDATE annotators SET state = 'excluded'")
        monkeypatch.setattr(database, "_is_writable", lambda file: False)
        with pytest.raises(UserError, match="of another version of this package and cannot be written to"):
            open_store(f"sqlite:///{path}")
        monkeypatch.undo()
        with closing(open_store(f"sqlite:///{path}")) as store:
            assert store.state("crowd") == "open"
            assert store.log("crowd").entries == ()
            assert len(store.answers("crowd")) == 1
            store.readmit("crowd", store.annotator(key).id)
            assert store.next(key).number == 2
