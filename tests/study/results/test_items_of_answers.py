"""A table of items that does not belong to the answers, or only in part."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner
from crowd import design, pairs, ready

from denouement.cli import main
from denouement.schemas import read_table, write_table
from denouement.study.store import open_store
from denouement.study.store.export import export


@pytest.fixture
def exported(tmp_path):
    """A study of four items, each answered once, in the current folder."""
    store = open_store(f"sqlite:///{tmp_path / 's.db'}")
    store.create(design(answers_per_item=1), pairs(4))
    key = ready(store, "someone")
    while held := store.next(key):
        store.submit(key, held.id, "A", "It fits the story well.")
    export(store, "crowd", tmp_path / "out")
    store.close()
    return tmp_path / "out"


def results(exported: Path, items: Path):
    return CliRunner().invoke(
        main, ["study", "results", str(exported / "votes.parquet"), "--items", str(items), "--out", "of"]
    )


def changed(exported: Path, path: Path, change) -> Path:
    write_table(change(read_table(exported / "items.parquet", "items")), path, "items")
    return path


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def of_another_study(items: pa.Table) -> pa.Table:
    return items.set_column(0, items.schema.field("study"), pa.array(["another"] * items.num_rows))


@pytest.mark.parametrize("change", [of_another_study, lambda items: items.slice(0, 0)], ids=["another", "empty"])
def test_items_of_another_study_are_refused_and_nothing_is_written(exported, tmp_path, change):
    done = results(exported, changed(exported, tmp_path / "other.parquet", change))
    assert done.exit_code == 2
    assert "none of the items that were answered is in this table" in done.stderr
    assert not Path("of").exists()


def test_items_that_are_missing_are_counted(exported, tmp_path):
    done = results(exported, changed(exported, tmp_path / "some.parquet", lambda items: items.slice(1)))
    assert done.exit_code == 0, done.output
    assert "1 of 4 items that were answered are not in it" in done.stderr


def test_of_the_whole_table_in_any_order_nothing_is_said(exported, tmp_path):
    def turned(items: pa.Table) -> pa.Table:
        return items.take(pc.sort_indices(items, [("item_id", "descending")]))

    done = results(exported, changed(exported, tmp_path / "turned.parquet", turned))
    assert (done.exit_code, done.stderr) == (0, "")
