"""The commands `denouement cloze ...`, as a person types them."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from denouement.cli import main
from denouement.cloze.evaluator import texts
from denouement.schemas import write_table


@pytest.fixture
def table(make_cases, tmp_path: Path) -> Path:
    path = tmp_path / "cloze.parquet"
    write_table(pa.concat_tables([make_cases([1, 2, 2]), make_cases([None], "v1.5", "test", 7)]), path, "cloze")
    return path


def run(*arguments: object):
    return CliRunner().invoke(main, ["cloze", *map(str, arguments)])


def test_evaluate_prints_the_table_and_writes_predictions(table, tmp_path):
    done = run("evaluate", "--system", "constant_first", "--train", table, "--predictions", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert re.search(r"\| constant_first \| v1.0 validation \| +3 \| +0.333 \| 0.008 to 0.906 \| +best ", done.output)
    text = "InputStoryid,AnswerRightEnding\ncase-7,1\n"
    assert (tmp_path / "out/constant_first-v1.5-test.csv").read_text() == text


def test_json_holds_numbers_and_what_is_missing(table, tmp_path):
    done = run("evaluate", "--system", "constant_first", "--system", "likelihood", "--test", table, "--json")
    found = json.loads(done.stdout)
    assert [row["accuracy"] for row in found["systems"] if row["system"] == "constant_first"] == [1 / 3, None]
    assert "--model" in next(row for row in found["systems"] if row["system"] == "likelihood")["missing"]


def test_one_release_alone(table):
    done = run("evaluate", "--system", "constant_first", "--test", table, "--release", "v1.0", "--json")
    assert {row["release"] for row in json.loads(done.stdout)["systems"]} == {"v1.0"}


def test_wrong_input_is_one_line(table, tmp_path):
    for arguments, message in [
        (("evaluate", "--system", "bert", "--train", table), "no Story Cloze system 'bert'"),
        (("evaluate", "--system", "all", "--train", tmp_path / "none.parquet"), "none.parquet: no such file"),
        (("evaluate", "--system", "all", "--test", table, "--release", "v9"), "has no such case; it has v1.0, v1.5"),
        (("evaluate", "--system", "all"), "no Story Cloze cases to score"),
        (("vectors", "--cases", table), "give vectors with --vectors, or an encoder with --encoder"),
        (("vectors", "--cases", table, "--encoder", "bert"), "no sentence encoder 'bert'"),
    ]:
        done = run(*arguments)
        assert done.exit_code == 2, done.output
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("seed", ["-1", str(2**32)])
def test_a_seed_is_a_number_that_every_library_takes(table, seed):
    done = run("evaluate", "--system", "constant_first", "--train", table, "--seed", seed)
    assert done.exit_code == 2
    assert "0<=x<=4294967295" in done.stderr


def test_vectors_of_a_file(make_cases, table, tmp_path):
    cases = make_cases([1, 2, 2])
    wanted = texts(cases)
    right = {case["ending_1" if case["right_ending"] == 1 else "ending_2"] for case in cases.to_pylist()}
    wrong = {case["ending_2" if case["right_ending"] == 1 else "ending_1"] for case in cases.to_pylist()}
    vectors = [[1.0, 0.0] if text in right else [0.0, 1.0] if text in wrong else [1.0, 0.1] for text in wanted]
    path = tmp_path / "vectors.parquet"
    pq.write_table(pa.table({"text": wanted, "vector": vectors}), path)
    done = run("vectors", "--cases", table, "--release", "v1.0", "--vectors", path, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["joint"]["accuracy"] == found["sentence_level"]["accuracy"] == 1
    assert "joint (whole context)" in run("vectors", "--cases", table, "--release", "v1.0", "--vectors", path).stdout
