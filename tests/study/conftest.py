"""Stores to test with, and the folder of a run."""

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
