"""Connections whose transactions write durably and one at a time, and the migration of the database."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import sqlalchemy as sa
from sqlalchemy.exc import (
    ArgumentError,
    CompileError,
    IntegrityError,
    NoSuchModuleError,
    ProgrammingError,
    SQLAlchemyError,
)

from denouement.console import warn
from denouement.errors import UserError

HEAD = "0007"  # the newest revision in `migrations/versions`

_WRITES = "denouement_writes"
_BARE = "denouement_bare"
_READS = "denouement_reads"
_LOCK = 0x64656E6F75656D  # PostgreSQL's number of the lock for all writing; any number that no other program uses
_WAIT_SECONDS = 30
_AS_URI = "file:"  # what makes SQLite read a name as a URI
_REVISION = sa.text("SELECT version_num FROM alembic_version")


class StoreUnavailableError(UserError):
    """The database cannot be reached or written to now. It has not confirmed any change."""


def connect(url: str, make: bool = True) -> sa.Engine:
    """An engine for the database at `url`; it opens no connection yet.

    SQLite works in write-ahead mode, flushes to the disk at each commit, and overwrites deleted text. A new file can be
    read by its owner alone; one that cannot be written to is opened for reading (`is_read_only`). With PostgreSQL
    each commit waits until the data are on the disk, too, even where the server's setting is not to wait.

    Args:
        url: `sqlite:///FILE` or `postgresql+psycopg://USER:PASSWORD@HOST/NAME`.
        make: whether to make a missing SQLite file.

    Raises:
        UserError: another kind of URL, one that names no file, no such file or folder, or the driver of PostgreSQL is
            not installed.
    """
    try:
        parsed = sa.make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError) as error:
        raise UserError(f"{url!r}: not a database URL; write sqlite:///FILE or postgresql+psycopg://...") from error
    if backend == "sqlite":
        file = Path(parsed.database or "")
        if not parsed.database or parsed.database == ":memory:" or parsed.database.startswith(_AS_URI):
            raise UserError(f"{url}: names no file; write sqlite:///FILE")
        if not file.exists() and not make:
            raise UserError(f"{file}: no such file; `denouement study create` makes it")
        if not file.parent.is_dir():
            raise UserError(f"{file}: no folder {file.parent}; make it")
        if file.exists() and not _is_writable(file):
            return _read_only(file)
        if not file.exists():
            _make_private(file)
        engine = sa.create_engine(parsed, connect_args={"timeout": _WAIT_SECONDS}, pool_size=8, max_overflow=64)
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
    elif backend == "postgresql" and parsed.get_driver_name() == "psycopg":
        try:
            engine = sa.create_engine(
                parsed,
                isolation_level="READ COMMITTED",  # so that a writer sees what was written before it got the lock
                pool_pre_ping=True,
                pool_size=8,
                max_overflow=24,
                connect_args={"connect_timeout": _WAIT_SECONDS, "application_name": "denouement"},
            )
        except ImportError as error:
            raise UserError("the driver of PostgreSQL is not installed: pip install 'psycopg[binary]'") from error
        sa.event.listen(engine, "begin", _begin_postgresql)
    else:
        raise UserError(f"{shown(parsed)}: write sqlite:///FILE or postgresql+psycopg://...")
    return engine


def is_read_only(engine: sa.Engine) -> bool:
    """Whether the store can only be read, since its file or folder cannot be written to."""
    return bool(engine.get_execution_options().get(_READS))


def writer(engine: sa.Engine) -> sa.Engine:
    """`engine` for transactions that write: only one at a time runs in the whole database, over all processes."""
    return engine.execution_options(**{_WRITES: True})


def forget(engine: sa.Engine) -> bool:
    """Remove deleted rows from SQLite's write-ahead log: copy the log into the database, then empty it.

    Call this after a deletion was committed. PostgreSQL needs nothing of the kind: its server recycles its log.

    This does not wait: where another program reads an older state, the log stays for now, and answers can be kept.

    Returns:
        Whether the log is empty.
    """
    if engine.dialect.name != "sqlite" or is_read_only(engine):
        return True
    with engine.execution_options(**{_BARE: True}).connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")
        try:
            return connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar() == 0
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {_WAIT_SECONDS * 1000}")


def shown(url: sa.URL) -> str:
    """The URL for a message, without its password and without what `_read_only` puts around a path."""
    if url.database and url.database.startswith(_AS_URI):
        return f"sqlite:///{unquote(url.database.removeprefix(_AS_URI))}"
    return url.render_as_string(hide_password=True)


def migrate(engine: sa.Engine) -> None:
    """Make the tables, or change them to the form of this version. Two processes may do so at the same time.

    Warns that servers of an earlier version must be restarted where tables were changed.

    Raises:
        UserError: the database is of a newer version, or of another program; or of an earlier version, and cannot be
            written to.
    """
    if is_read_only(engine):
        with engine.connect() as connection:
            if _revision(connection) != HEAD:
                raise UserError(
                    f"{shown(engine.url)}: is of another version of this package and cannot be written to; copy it to "
                    "a place where it can"
                )
        return
    with writer(engine).begin() as connection:
        revision = _revision(connection)
        if revision == HEAD:
            return
        if revision is None and (tables := sa.inspect(connection).get_table_names()):
            raise UserError(
                f"{shown(engine.url)}: holds tables of another program ({tables[0]}); name another database"
            )
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
        known = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
        if revision is not None and revision not in known:
            raise UserError(
                f"{shown(engine.url)}: made by a newer version of this package (revision {revision}); use that one"
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    if revision is not None:
        warn(
            f"{shown(engine.url)}: changed to the form of this version; restart each server of an earlier version, "
            "since it can hand out no question and keep no answer any more"
        )


def require_head(connection: sa.Connection) -> None:
    """Check that no newer version changed the form of the tables since this program opened the store.

    Raises:
        StoreUnavailableError: one did. This program does not know what its tables mean.
    """
    if connection.scalar(_REVISION) != HEAD:
        raise StoreUnavailableError(
            f"{shown(connection.engine.url)}: changed by another version of this package since it was opened; restart "
            "this program with that version"
        )


@contextmanager
def failures_in_one_line(engine: sa.Engine) -> Iterator[None]:
    """Turn each error of the database into one line, except errors that are defects of this package.

    Raises:
        StoreUnavailableError: the database does not answer, is full, or is locked by another process for too long.
    """
    try:
        yield
    except (IntegrityError, ProgrammingError, CompileError):
        raise
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        raise StoreUnavailableError(f"{shown(engine.url)}: the database does not answer ({said})") from error


def _is_writable(file: Path) -> bool:
    """Whether SQLite can write this file, and its log beside it."""
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def _make_private(file: Path) -> None:
    """Make an empty file that its owner alone can read; SQLite gives its log the same rights.

    Raises:
        UserError: it cannot be made.
    """
    try:
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise UserError(f"{file}: cannot be made ({error.strerror})") from error


def _read_only(file: Path) -> sa.Engine:
    """An engine that reads a SQLite file which cannot be written to, and takes no lock.

    Raises:
        UserError: answers are in the log beside the file, which only a program that writes can read.
    """
    log = file.with_name(f"{file.name}-wal")
    if log.exists() and log.stat().st_size:
        raise UserError(
            f"{file}: cannot be written to, and {log.name} has answers that are not in it yet; copy both to a place "
            "where they can be written"
        )
    query = {"mode": "ro", "immutable": "1", "uri": "true"}
    url = sa.URL.create("sqlite", database=f"{_AS_URI}{quote(str(file.absolute()))}", query=query)
    return sa.create_engine(url, execution_options={_READS: True})


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(_REVISION)
    return found


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "fullfsync = ON",
        "foreign_keys = ON",
        "secure_delete = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sa.Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(_BARE):  # a checkpoint runs outside of any transaction
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(_WRITES) else "BEGIN")


def _begin_postgresql(connection: sa.Connection) -> None:
    if connection.get_execution_options().get(_WRITES):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        if connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "off":
            connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
