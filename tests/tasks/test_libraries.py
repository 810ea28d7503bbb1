import re
from importlib import metadata

import pytest
from import_closure import NOT_COMPUTING, ROOT, libraries, stages, third_party

from denouement.errors import UserError
from denouement.yaml_files import read_yaml
from tasks import libraries as installed


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def graph():
    return stages()


def test_the_versions_are_those_of_the_lock_file():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    pinned = {plain(name): version for name, version in pins.items()}
    noted = read_yaml(ROOT / installed.FILE)
    assert len(noted) > 15
    assert {name: pinned[plain(name)] for name in noted} == noted


def test_a_stage_depends_on_the_versions_of_the_libraries_it_computes_with(graph):
    wrong = {name: libraries(stage.imported) ^ stage.libraries for name, stage in graph.items()}
    # one list serves all generators, and each imports its own file
    assert not {name: found for name, found in wrong.items() if found}
    for stage, library in [("train@seq2seq", "torch"), ("sentiment", "vaderSentiment"), ("statistics", "spacy")]:
        assert library in graph[stage].libraries
    assert "torch" not in graph["sentiment"].libraries


def test_every_imported_library_is_noted_or_known_to_compute_nothing(graph):
    noted = {plain(name) for name in read_yaml(ROOT / installed.FILE)}
    found = set().union(*(third_party(stage.imported) for stage in graph.values()))
    assert len(found) > 10
    assert not found - noted - NOT_COMPUTING


def test_another_version_is_refused_until_it_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    installed.FILE.write_text(f"# Versions.\nnumpy: '0.0.1'\ntorch: '{metadata.version('torch').partition('+')[0]}'\n")
    with pytest.raises(UserError, match=r"numpy \d\S+ \(0.0.1 there\); install requirements.lock, or write"):
        installed.check()
    installed.write_installed()
    assert installed.FILE.read_text().startswith("# Versions.\nnumpy: '")
    installed.check()


def test_a_library_that_is_missing_and_a_damaged_file_are_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    installed.FILE.write_text("no-such-library: '1.0'\n")
    with pytest.raises(UserError, match=r"no-such-library is missing \(1.0 there\)"):
        installed.check()
    with pytest.raises(UserError, match="no-such-library is not installed"):
        installed.write_installed()
    for text in ("- a", "a: [", ""):
        installed.FILE.write_text(text)
        with pytest.raises(UserError, match=r"libraries\.yaml: "):
            installed.check()
