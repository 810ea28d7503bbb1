"""Stores to test with, SQLite everywhere and PostgreSQL where its programs are, and the folder of a run."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from denouement import provenance
from denouement.corpus import sample
from denouement.corpus.ingest import ingest
from denouement.corpus.readers import find_files
from denouement.schemas import TABLES, read_table, write_table
from denouement.study.store import Store, open_store

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


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store."""
    with closing(open_store(store_url)) as opened:
        yield opened


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """A folder with what `make run` leaves that the commands of a study read: 40 cases, and h_seq2seq's endings.

    The ending of the case in row n is "Number n ended.".
    """
    sample.write_sample(tmp_path / "data/sample", 80, 40, seed=1)
    ingest(find_files(tmp_path / "data/sample")[0], tmp_path / "data/corpus")
    cases = read_table(tmp_path / "data/corpus/cloze.parquet", "cloze")
    rows = [
        {"case_id": case_id, "system": "h_seq2seq", "ending": f"Number {n} ended.", "log_prob": -1.0, "n_tokens": 4}
        for n, case_id in enumerate(cases["case_id"].to_pylist())
    ]
    table = TABLES["endings"].schema.empty_table().from_pylist(rows, TABLES["endings"].schema)
    made_from = provenance.as_metadata({provenance.CONTEXTS: provenance.contexts_digest(cases)})
    write_table(table, tmp_path / "data/endings/h_seq2seq.parquet", "endings", made_from)
    return tmp_path
