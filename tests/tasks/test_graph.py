"""What is asked of DVC, on a small graph of shell commands in a git repository of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tasks import graph

DVC_YAML = """
stages:
  first:
    cmd: cp source.txt first.txt
    deps: [source.txt]
    outs: [first.txt]
  second:
    matrix:
      item: [a, b]
    cmd: cp first.txt second_${item.item}.txt
    deps: [first.txt]
    params: ["second.${item.item}"]
    outs: ["second_${item.item}.txt"]
"""


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("source.txt").write_text("one")
    Path("params.yaml").write_text("second: {a: 1, b: 1}")
    Path("dvc.yaml").write_text(DVC_YAML)
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run([*graph.DVC, "init", "-q"], check=True)
    return tmp_path


def repro() -> None:
    subprocess.run([sys.executable, "-m", "dvc", "repro", "-q"], check=True)


def test_a_stage_stands_after_those_it_needs():
    needs = graph.needs()
    assert needs == {"first": [], "second@a": ["first"], "second@b": ["first"]}
    assert next(iter(needs)) == "first"


def test_a_stage_is_fresh_once_it_ran_and_until_what_it_depends_on_changes():
    before = graph.freshness("first")
    assert not before.fresh
    repro()
    assert graph.freshness("first") == (before.key, True)
    Path("source.txt").write_text("two")
    after = graph.freshness("first")
    assert not after.fresh
    assert after.key != before.key


def test_a_parameter_changes_the_key_of_its_stage_alone():
    repro()
    before = {stage: graph.freshness(stage).key for stage in ("second@a", "second@b")}
    Path("params.yaml").write_text("second: {a: 2, b: 1}")
    assert graph.freshness("second@a").key != before["second@a"]
    assert graph.freshness("second@b") == (before["second@b"], True)


def test_a_changed_output_is_not_fresh_although_its_key_is_the_same_and_can_be_restored():
    repro()
    key, _ = graph.freshness("first")
    Path("first.txt").write_text("spoilt")
    assert graph.freshness("first") == (key, False)
    graph.restore("first")
    assert Path("first.txt").read_text() == "one"
    assert graph.freshness("first") == (key, True)


def test_there_is_nothing_to_restore_of_a_stage_that_never_ran():
    graph.restore("first")
    assert not Path("first.txt").exists()
