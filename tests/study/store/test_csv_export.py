"""Answers, people and payments as CSV."""

import csv
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from crowd import design, pairs
from old_stores import BEFORE_COLLECTIONS

from denouement.cli import main
from denouement.study.design.entry import Entry
from denouement.study.importing import import_answers
from denouement.study.store import database, open_store
from denouement.study.store.csv_export import Pay, csv_tables
from denouement.study.store.export import study_tables

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def after(seconds):
    return START + timedelta(seconds=seconds)


@pytest.fixture
def study(store):
    """Ann answers both items, the second after a long break; Bob agrees and leaves; Eve never agrees."""
    store.create(design(answers_per_item=2, lease_minutes=5, entry=Entry("prolific")), pairs(2), now=START)
    ann = store.enter("crowd", "Ann", {"STUDY_ID": "st", "SESSION_ID": "se"}, now=START).key
    store.consent(ann, now=after(20))
    held = store.next(ann, now=after(60))
    store.submit(ann, held.id, "A", "=1+1", now=after(90))
    held = store.next(ann, now=after(90))
    store.submit(ann, held.id, "B", now=after(90 + 86_400))
    store.next(ann, now=after(90 + 86_401))
    bob = store.enter("crowd", "Bob", now=START).key
    store.consent(bob, now=after(5))
    store.enter("crowd", "Eve", now=START)
    return store


def test_people_with_times_and_the_ids_of_their_entry(study):
    table = csv_tables(study, "crowd")["people"]
    ann, bob, eve = table.rows
    assert (ann["entered_at"], ann["consented_at"], ann["completed_at"]) == (START, after(20), after(86_490))
    assert (ann["state"], ann["answers"], ann["accepted"], ann["median_seconds"]) == ("done", 2, 2, (30 + 86_400) / 2)
    assert (bob["consented_at"], bob["completed_at"], eve["consented_at"]) == (after(5), None, None)
    assert table.columns[-2:] == ["SESSION_ID", "STUDY_ID"] or table.columns[-2:] == ["STUDY_ID", "SESSION_ID"]
    stored = study.person("crowd", ann["annotator_id"])
    assert (ann["STUDY_ID"], ann["SESSION_ID"]) == (stored.entry["STUDY_ID"], stored.entry["SESSION_ID"])
    assert stored.consented_at == after(20)
    assert (bob["STUDY_ID"], eve["SESSION_ID"]) == (None, None)


def test_a_break_is_no_work(study):
    ann, bob, _ = csv_tables(study, "crowd", Pay(per_hour=Decimal("12.34")))["payments"].rows
    assert ann["minutes"] == Decimal("6.5"), "60 s before the first question, 30 s, and a lease of 300 s"
    assert ann["amount"] == Decimal("1.34"), "12.34 * 390 / 3600 = 1.33683"
    assert (bob["answers"], bob["minutes"], bob["amount"]) == (0, 0, Decimal("0.00"))


def test_payment_by_answer_is_exact(study):
    pay = Pay(per_answer=Decimal("0.1"))
    assert [row["amount"] for row in csv_tables(study, "crowd", pay)["payments"].rows] == [Decimal("0.20"), 0, 0]
    assert pay.amount(3, Decimal(0)) == Decimal("0.30")
    assert [row["amount"] for row in csv_tables(study, "crowd")["payments"].rows] == [None] * 3


def test_the_command_writes_files_that_are_read_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(open_store("sqlite:///studies.db")) as store:
        store.create(design(answers_per_item=1), pairs(1))
        key = store.consent(store.enter("crowd", "Ann").key).key
        held = store.next(key)
        store.submit(key, held.id, "A")
        kept = study_tables(store, "crowd")["votes"]
    command = ["study", "export", "crowd", "--out", "out", "--csv", "--pay-per-answer", "0.25"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    read = import_answers([Path("out/answers.csv")])
    assert read.tables["votes"].to_pylist() == kept.to_pylist()
    with Path("out/payments.csv").open(newline="") as opened:
        assert [row["amount"] for row in csv.DictReader(opened)] == ["0.25"]
    CliRunner().invoke(main, [*command, "--bom"])
    assert Path("out/people.csv").read_bytes().startswith(b"\xef\xbb\xbfstudy,")
    assert import_answers([Path("out/answers.csv")]).tables["votes"].num_rows == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bom"], "add --csv"),
        (["--pay-per-hour", "12"], "add --csv"),
        (["--csv", "--pay-per-hour", "1", "--pay-per-answer", "1"], "name one of them"),
        (["--csv", "--pay-per-hour", "1,5"], "no amount such as 12.50"),
        (["--csv", "--pay-per-hour", "-1"], "no amount such as 12.50"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["study", "export", "crowd", "--out", "out", *arguments])
    assert done.exit_code == 2
    assert message in done.output
    assert not Path("out").exists()


def test_people_who_came_before_the_time_of_consent_was_kept(tmp_path):
    url = f"sqlite:///{tmp_path / 's.db'}"
    with closing(open_store(url)) as store:
        store.create(design(), pairs(1))
        store.consent(store.enter("crowd", "Ann").key)
    engine = database.connect(url)
    with database.writer(engine).begin() as connection:
        for statement in BEFORE_COLLECTIONS:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("ALTER TABLE assignments RENAME COLUMN shown TO places")
        connection.exec_driver_sql("ALTER TABLE annotators DROP COLUMN consented_at")
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0004'"))
    engine.dispose()
    with closing(open_store(url)) as store:
        (ann,) = store.people("crowd")
        assert ann.consented_at is None
        assert ann.state == "answering"
