"""The form of the database, and the one writer."""

import sqlite3
import threading
import time
from contextlib import closing

import pytest
import sqlalchemy as sa
from crowd import design, pairs, ready
from old_stores import BEFORE_COLLECTIONS

from denouement.errors import UserError
from denouement.study.store import StoreUnavailableError, database, open_store
from denouement.study.store.models import metadata
from denouement.study.store.writing import Writer


def test_migrations_make_the_tables_that_the_code_reads(store_url):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    open_store(store_url).close()
    engine = database.connect(store_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert context.get_current_revision() == database.HEAD
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_the_newest_migration_is_the_one_the_code_asks_for():
    from pathlib import Path

    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(database.__file__).with_name("migrations")))
    assert ScriptDirectory.from_config(config).get_heads() == [database.HEAD]


def test_a_store_opens_again_with_what_is_in_it(store_url):
    with closing(open_store(store_url)) as store:
        store.create(design(), pairs(1))
    with closing(open_store(store_url, make=False)) as store:
        assert store.studies() == ["crowd"]


def test_databases_of_others_and_of_newer_versions_are_refused(tmp_path):
    other, newer = tmp_path / "other.db", tmp_path / "newer.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE recipes (id)")
    with pytest.raises(UserError, match=r"tables of another program \(recipes\)"):
        open_store(f"sqlite:///{other}")
    open_store(f"sqlite:///{newer}").close()
    with closing(sqlite3.connect(newer)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(UserError, match="made by a newer version"):
        open_store(f"sqlite:///{newer}")


def test_what_is_no_database_is_refused_in_one_line(tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("not a database, but long enough to be taken for one by its size" * 20)
    with pytest.raises(StoreUnavailableError) as raised:
        open_store(f"sqlite:///{path}")
    assert "\n" not in str(raised.value)
    with pytest.raises(UserError, match="no folder"):
        open_store(f"sqlite:///{tmp_path / 'none' / 's.db'}")


def test_a_password_is_never_printed():
    with pytest.raises(StoreUnavailableError) as raised:
        open_store("postgresql+psycopg://me:secret@127.0.0.1:1/none")
    assert "secret" not in str(raised.value)
    assert "127.0.0.1" in str(raised.value)


def test_sqlite_flushes_each_commit_to_the_disk(tmp_path):
    engine = database.connect(f"sqlite:///{tmp_path / 's.db'}")
    with engine.connect() as connection:
        told = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")}
    assert told == {"journal_mode": "wal", "synchronous": 2}
    engine.dispose()


def test_the_database_itself_refuses_more_than_k(store_url, store):
    store.create(design(answers_per_item=1), pairs(1))
    engine = database.connect(store_url)
    with pytest.raises(sa.exc.IntegrityError), engine.begin() as connection:
        connection.exec_driver_sql("UPDATE items SET taken = 2")
    engine.dispose()


def test_a_store_that_is_locked_for_too_long_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_WAIT_SECONDS", 0.1)
    path = tmp_path / "s.db"
    with closing(open_store(f"sqlite:///{path}")) as store, closing(sqlite3.connect(path)) as other:
        store.create(design(), pairs(1))
        key = ready(store, "p")
        assignment = store.next(key)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="locked"):
            store.submit(key, assignment.id, "A")
        other.rollback()
        assert store.submit(key, assignment.id, "A").status == "accepted"


def until(holds):
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.fixture
def writer(tmp_path):
    engine = database.connect(f"sqlite:///{tmp_path / 'w.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE numbers (n INTEGER UNIQUE)")
    made = Writer(database.writer(engine))
    yield made
    made.close()
    engine.dispose()


def insert(n: int):
    return lambda connection: connection.exec_driver_sql("INSERT INTO numbers VALUES (?)", (n,)).rowcount


def numbers(connection) -> list[int]:
    return [row[0] for row in connection.exec_driver_sql("SELECT n FROM numbers ORDER BY n")]


def test_jobs_that_wait_are_committed_together_and_a_failed_one_harms_no_other(writer):
    begun, go = threading.Event(), threading.Event()
    commits = []
    sa.event.listen(writer._engine, "commit", lambda connection: commits.append(1))

    def hold(connection):
        begun.set()
        assert go.wait(10)

    outcomes = {}

    def run(name, job):
        try:
            outcomes[name] = writer.run(job)
        except Exception as error:
            outcomes[name] = type(error).__name__

    threads = [threading.Thread(target=run, args=("hold", hold))]
    threads[0].start()
    assert begun.wait(10)
    threads += [threading.Thread(target=run, args=(n, insert(n % 5))) for n in range(4)]
    for thread in threads[1:]:
        thread.start()
    until(lambda: writer._waiting.qsize() == 4)
    go.set()
    for thread in threads:
        thread.join()
    assert outcomes == {"hold": None, 0: 1, 1: 1, 2: 1, 3: 1}
    assert len(commits) == 2  # the held one, and the four that waited
    threads = [threading.Thread(target=run, args=(10 + n, insert(n))) for n in (3, 7, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (outcomes[13], outcomes[17], outcomes[18]) == ("IntegrityError", 1, 1)
    assert writer.run(numbers) == [0, 1, 2, 3, 7, 8]


def test_a_writer_that_closes_does_what_waits_and_refuses_what_comes_later(writer):
    begun, go, outcomes = threading.Event(), threading.Event(), []

    def hold(connection):
        begun.set()
        assert go.wait(10)
        return "held"

    holding = threading.Thread(target=lambda: outcomes.append(writer.run(hold)))
    holding.start()
    assert begun.wait(10)
    closing_ = threading.Thread(target=writer.close)
    closing_.start()
    until(lambda: writer._waiting.qsize() == 1)  # the end mark

    def late():
        with pytest.raises(StoreUnavailableError, match="closed"):
            writer.run(insert(1))
        outcomes.append("refused")

    refused = threading.Thread(target=late, daemon=True)
    refused.start()
    refused.join(5)
    assert outcomes == ["refused"]
    go.set()
    for thread in (holding, closing_):
        thread.join(10)
        assert not thread.is_alive()
    assert outcomes == ["refused", "held"]
    writer.close()


def test_a_reader_keeps_nobody_waiting_when_somebody_withdraws(tmp_path):
    path = tmp_path / "study.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.create(design(), pairs(2))
        key = ready(store, "somebody")
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM items").fetchall()
            store.submit(key, store.next(key).id, "A", "a reason to forget")
            start = time.monotonic()
            assert store.withdraw(key) == 1
            assert time.monotonic() - start < 5
    with closing(open_store(f"sqlite:///{path}")):
        assert b"a reason to forget" not in b"".join(each.read_bytes() for each in tmp_path.iterdir())


def test_when_no_transaction_can_begin_all_that_waits_fails_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_WAIT_SECONDS", 1)
    path = tmp_path / "study.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.create(design(), pairs(2))
        with closing(sqlite3.connect(path)) as other:
            other.execute("BEGIN IMMEDIATE")
            failed = []

            def enter(number: int) -> None:
                try:
                    store.enter("crowd", f"person-{number}")
                except StoreUnavailableError:
                    failed.append(number)

            threads = [threading.Thread(target=enter, args=(number,)) for number in range(8)]
            start = time.monotonic()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sorted(failed) == list(range(8))
            assert time.monotonic() - start < 5  # the first alone, and the others together; each alone would take 8


def upgrade(engine: sa.Engine, revision: str) -> None:
    """Bring an empty database to the form of an earlier version."""
    from pathlib import Path

    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(database.__file__).with_name("migrations")))
    with database.writer(engine).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


# What a server of revision 0005 sends when it hands out an item; it reads the same column for each page.
OLD_LEASE = """
    INSERT INTO assignments
        (token, study_id, item_id, annotator_id, content, places, state, started_at, expires_at)
    SELECT 't', study_id, id, {person}, content, '[0, 1]', 'open', 1, 2 FROM items LIMIT 1
"""
OLD_PEOPLE = """
    INSERT INTO annotators
        (study_id, annotator_id, key, state, entry, served, answered, training_failures, training_passed, entered_at,
        seen_at)
    SELECT study_id, 'old', 'old', 'answering', '{}', 0, 0, 0, 0, 1, 1 FROM items LIMIT 1
"""


def test_a_server_of_the_version_before_hands_nothing_out_after_the_change(store_url, capsys):
    engine = database.connect(store_url)
    upgrade(engine, "0005")
    with engine.connect() as connection, connection.begin():
        assert connection.exec_driver_sql(OLD_LEASE.format(person=1)).rowcount == 0  # it fits; there are no items yet
    capsys.readouterr()
    with closing(open_store(store_url)) as store:
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "restart each server of an earlier version" in said
        store.create(design(), pairs(1))
        store.set_state("crowd", "closed")
        with engine.begin() as connection:
            connection.exec_driver_sql(OLD_PEOPLE)
        with engine.connect() as connection:
            person = connection.exec_driver_sql("SELECT id FROM annotators").scalar()
            with pytest.raises(sa.exc.DBAPIError, match="places"):
                connection.exec_driver_sql(OLD_LEASE.format(person=person))
    engine.dispose()
    open_store(store_url).close()
    assert capsys.readouterr().err == ""  # nothing was changed, nothing is said


def test_answers_of_before_the_change_keep_their_sides(store_url):
    with closing(open_store(store_url)) as store:
        store.create(design(), pairs(1))
        key = ready(store, "p")
        order = store.next(key).order
    engine = database.connect(store_url)
    with engine.begin() as connection:
        for statement in BEFORE_COLLECTIONS:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("ALTER TABLE assignments RENAME COLUMN shown TO places")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0005'")
    engine.dispose()
    with closing(open_store(store_url)) as store:
        assert store.next(key).order == order


def test_a_store_that_a_newer_version_changed_is_not_written_to(store_url, store):
    store.create(design(), pairs(2))
    key = ready(store, "p")
    assignment = store.next(key)
    engine = database.connect(store_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for write in (lambda: store.submit(key, assignment.id, "A"), lambda: store.enter("crowd", "another")):
        with pytest.raises(StoreUnavailableError, match="restart this program") as raised:
            write()
        assert "\n" not in str(raised.value)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{database.HEAD}'")
    engine.dispose()
    assert store.submit(key, assignment.id, "A").status == "accepted"
