"""The export of a running collection into the graph's folder, with the real MLflow."""

from contextlib import closing

import mlflow
import pytest
from collect.gathered import came, described, does, gathered

from denouement.collect.store import ReviewWork, StoryWork, open_store
from denouement.corpus.layouts import own_files
from denouement.corpus.readers import find_files
from denouement.errors import UserError
from denouement.files import visible_files
from denouement.study.importing import find_answers
from tasks import LAYOUT
from tasks.collect import STORE, export_collection

NAMES = own_files("kitchen")


@pytest.fixture
def store(tmp_path, monkeypatch, database):
    """The store of the collection kitchen, in a checkout without files."""
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    monkeypatch.setenv(STORE, url)
    with closing(open_store(url)) as opened:
        yield opened


def raw() -> dict[str, tuple[bytes, int]]:
    """The files under data/raw with their times."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in visible_files(LAYOUT.raw)}


def test_only_what_is_new_is_written_and_only_what_is_public(store, capsys):
    gathered(store)
    export_collection.fn("kitchen")
    first = raw()
    assert set(first) == {NAMES.stories, NAMES.test}, (
        "one story for training, one confirmed case, drawn into the test set"
    )
    assert {path.name for path in find_files(LAYOUT.raw)[0]} == set(first)
    assert not find_answers(LAYOUT.raw)
    for content, _ in first.values():
        assert not any(name in content for name in (b"Ada", b"Cem", b"Vera"))
    (run,) = mlflow.search_runs(search_all_experiments=True, output_format="list")
    assert run.info.run_name == "collect kitchen"
    logged = run.data.metrics
    assert (logged["stories"], logged["stories_used"], logged["cases.kept"]) == (1, 1, 1)
    export_collection.fn("kitchen")
    assert raw() == first, "nothing new: nothing is written"
    assert "nothing is new" in capsys.readouterr().out
    ada, reviewer = came(store, "Ada"), came(store, store.links("kitchen")[0])
    story = StoryWork("A day", ("Ida ran.", "It rained.", "She sat.", "It grew dark.", "Ida slept."))
    does(store, ada, "stories", story, 1)
    does(store, reviewer, "review", ReviewWork("approve"), 1)
    export_collection.fn("kitchen")
    after = raw()
    assert after[NAMES.test] == first[NAMES.test], "the case keeps its id and its split, and its file is not touched"
    assert after[NAMES.stories] != first[NAMES.stories]
    assert after[NAMES.stories][0].count(b"\n") == first[NAMES.stories][0].count(b"\n") + 1


def test_what_does_not_count_any_more_is_removed(store):
    gathered(store)
    export_collection.fn("kitchen")
    store.exclude("kitchen", "Cem", "copies")
    export_collection.fn("kitchen")
    assert set(raw()) == {NAMES.stories}


def test_nothing_to_export_is_one_line(store):
    with pytest.raises(UserError, match="holds none"):
        export_collection.fn("kitchen")
    store.create_collection(described())
    with pytest.raises(UserError, match="no story is approved"):
        export_collection.fn("kitchen")
    assert not LAYOUT.raw.exists()
