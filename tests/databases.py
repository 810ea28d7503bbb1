"""Databases for stores: SQLite everywhere, and PostgreSQL where its programs are."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_NOBODY = 65534  # PostgreSQL does not run as root


def _programs() -> Path | None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb")
    return Path(found).parent if found else folders[-1] if folders else None


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server of our own, without a database's name; reached through a socket alone."""
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL: neither initdb on the path nor /usr/lib/postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path is short
    user = _NOBODY if os.getuid() == 0 else os.getuid()
    os.chown(folder, user, -1)

    def run(program: str, *arguments: str) -> None:
        told = subprocess.run([programs / program, *arguments], user=user, cwd=folder, capture_output=True, text=True)
        assert told.returncode == 0, told.stderr

    data = str(folder / "data")
    try:
        run("initdb", "-D", data, "-U", "denouement", "-A", "trust", "-E", "UTF8", "--no-sync")
        run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", f"-k {folder} -c listen_addresses=''", "start")
        yield f"postgresql+psycopg://denouement@/{{name}}?host={folder}"
        run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_url(postgresql: str) -> str:
    """The URL of an empty PostgreSQL database."""
    import psycopg

    name = f"study_{os.urandom(4).hex()}"
    with psycopg.connect(postgresql.format(name="postgres").replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgresql.format(name=name)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, of each kind in turn."""
    return (
        f"sqlite:///{tmp_path / 'studies.db'}"
        if request.param == "sqlite"
        else request.getfixturevalue("postgresql_url")
    )
