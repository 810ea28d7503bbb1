"""The examples of what `denouement` offers run as written: those of `docs/api.md`, and those in docstrings."""

import ast
import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import denouement

ROOT = Path(__file__).parents[2]
API = ROOT / "docs/api.md"
EVERY_PUBLIC_NAME = sorted(denouement._MODULE_OF)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_examples_of_the_page_run(capsys):
    ran = doctest.testfile(str(API), module_relative=False, encoding="utf-8")
    assert ran.failed == 0
    assert ran.attempted > 40
    with capsys.disabled():
        print(f"\n{API.name}: {ran.attempted} examples ran")


def test_the_examples_in_docstrings_run(capsys):
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for name in EVERY_PUBLIC_NAME:
        public = getattr(denouement, name)
        for test in finder.find(public, name, globs={**vars(sys.modules[public.__module__]), name: public}):
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 10
    with capsys.disabled():
        print(f"\n{len(EVERY_PUBLIC_NAME)} public names visited: {runner.tries} examples ran")


@pytest.mark.parametrize("name", EVERY_PUBLIC_NAME)
def test_the_page_shows_every_public_name(name):
    assert f"denouement.{name}" in API.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EVERY_PUBLIC_NAME)
def test_every_public_name_is_loaded(name):
    assert getattr(denouement, name).__name__ == name


def test_mypy_reads_the_same_names():
    """The imports below `if TYPE_CHECKING` are what is loaded on use."""
    tree = ast.parse(Path(denouement.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {each.names[0].asname: each.module for each in block.body if isinstance(each, ast.ImportFrom)}
    assert imported == denouement._MODULE_OF


def test_a_name_that_is_missing_is_named():
    with pytest.raises(AttributeError, match="module 'denouement' has no attribute 'load_story'"):
        _ = denouement.load_story


def test_the_package_alone_loads_no_library():
    code = "import sys, denouement; print(sorted({'numpy', 'pyarrow', 'torch', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
