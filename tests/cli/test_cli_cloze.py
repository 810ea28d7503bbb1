"""The commands `denouement cloze ...`, as a person types them."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from denouement.cli import main
from denouement.cloze.evaluation.evaluator import texts
from denouement.corpus.cases import right_and_wrong
from denouement.schemas import read_table, write_table


@pytest.fixture
def table(make_cases, tmp_path: Path) -> Path:
    path = tmp_path / "cloze.parquet"
    write_table(pa.concat_tables([make_cases([1, 2, 2]), make_cases([None], "v1.5", "test", 7)]), path, "cloze")
    return path


OPTION = ("evaluate", "--system", "ending_reg", "--option")


def run(*arguments: object):
    return CliRunner().invoke(main, ["cloze", *map(str, arguments)])


def test_evaluate_prints_the_table_and_writes_predictions(table, tmp_path):
    done = run("evaluate", "--system", "constant_first", "--train", table, "--predictions", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "## Accuracy on v1.0 validation (n = 3)" in done.output
    assert re.search(r"\| constant_first \| +0.333 \| 0.008 to 0.906 \| +best ", done.output)
    text = "InputStoryid,AnswerRightEnding\ncase-7,1\n"
    assert (tmp_path / "out/constant_first-v1.5-test.csv").read_text() == text


def test_json_holds_numbers_and_what_is_missing(table, tmp_path):
    done = run("evaluate", "--system", "constant_first", "--system", "likelihood", "--test", table, "--json")
    found = json.loads(done.stdout)
    assert [row["accuracy"] for row in found["systems"] if row["system"] == "constant_first"] == [1 / 3, None]
    assert "--model" in next(row for row in found["systems"] if row["system"] == "likelihood")["missing"]


def test_an_evaluation_in_which_no_system_could_be_run_fails(table):
    done = run("evaluate", "--system", "likelihood", "--test", table)
    assert done.exit_code == 2
    assert "--model" in done.stdout
    assert done.stderr.strip() == "error: no system has scored a case: the result says what each one lacks"


def test_one_release_alone(table):
    done = run("evaluate", "--system", "constant_first", "--test", table, "--release", "v1.0", "--json")
    assert {row["release"] for row in json.loads(done.stdout)["systems"]} == {"v1.0"}


def test_wrong_input_is_one_line(table, tmp_path):
    for arguments, message in [
        (("evaluate", "--system", "bert", "--train", table), "no Story Cloze system 'bert'"),
        (("evaluate", "--system", "all", "--train", tmp_path / "none.parquet"), "none.parquet: no such file"),
        (("evaluate", "--system", "all", "--test", table, "--release", "v9"), "has no such case; it has v1.0, v1.5"),
        (("evaluate", "--system", "all"), "no Story Cloze cases to score"),
        (("evaluate", "--system", "all", "--system", "bert", "--train", table), "no Story Cloze system 'bert'"),
        (("evaluate", "--train", table), "nothing to evaluate: name systems with --system, or files of scores"),
        (("evaluate", "--system", "all", "--test", table, "--split", "train"), "it has test, validation"),
        ((*OPTION, "ending_reg.order=x", "--train", table), "ending_reg.order: must be a whole number, not 'x'"),
        ((*OPTION, "ending_reg.order=0", "--train", table), "ending_reg.order: must be at least 1, not 0"),
        ((*OPTION, "ending_reg.odd=1", "--train", table), "unknown key odd"),
        ((*OPTION, "ending_reg._models=1", "--train", table), "unknown key _models"),
        ((*OPTION, "ending_reg=1", "--train", table), "must be like ending_reg.order=4"),
        ((*OPTION, "dssm.epochs=1", "--train", table), "'dssm' is not evaluated; name it with --system"),
        (
            (*OPTION, "ending_reg.order=1", "--option", "ending_reg.order=2", "--train", table),
            "ending_reg.order is given twice",
        ),
        (("evaluate", "--scores", tmp_path / "none.csv", "--test", table), "none.csv: no such file"),
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
    right, wrong = (set(each.to_pylist()) for each in right_and_wrong(cases))
    vectors = [[1.0, 0.0] if text in right else [0.0, 1.0] if text in wrong else [1.0, 0.1] for text in wanted]
    path = tmp_path / "vectors.parquet"
    pq.write_table(pa.table({"text": wanted, "vector": vectors}), path)
    done = run("vectors", "--cases", table, "--release", "v1.0", "--vectors", path, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["joint"]["accuracy"] == found["sentence_level"]["accuracy"] == 1
    assert "joint (whole context)" in run("vectors", "--cases", table, "--release", "v1.0", "--vectors", path).stdout


def test_vectors_of_the_cases_of_one_language(make_cases, tmp_path):
    english, spanish = make_cases([1, 2]), make_cases([1, 2, 2])
    place = spanish.schema.get_field_index("language")
    spanish = spanish.set_column(place, spanish.schema.field(place), pa.array(["es"] * 3))
    write_table(pa.concat_tables([english, spanish]), tmp_path / "cloze.parquet", "cloze")
    wanted = texts(spanish)
    pq.write_table(pa.table({"text": wanted, "vector": [[1.0, 0.0]] * len(wanted)}), tmp_path / "vectors.parquet")
    asked = ("vectors", "--cases", tmp_path / "cloze.parquet", "--vectors", tmp_path / "vectors.parquet", "--json")
    assert json.loads(run(*asked, "--language", "es").stdout)["joint"]["n"] == 3
    refused = run(*asked, "--language", "es", "--release", "v1.5")
    assert (refused.exit_code, refused.stdout) == (2, "")


def test_options_of_systems_reach_them(table, monkeypatch):
    seen = {}
    monkeypatch.setattr("denouement.stages.cloze.evaluate", lambda *given, **_: seen.update(given[4]) or exit(0))
    words = ["skip_thoughts.names=true", "skip_thoughts.learning_rate=1e-05", "dssm.epochs=2"]
    systems = ("--system", "skip_thoughts", "--system", "dssm")
    run("evaluate", *systems, "--train", table, *(part for word in words for part in ("--option", word)))
    assert seen == {"skip_thoughts": {"names": True, "learning_rate": 1e-05}, "dssm": {"epochs": 2}}


def test_scores_made_elsewhere_need_no_system(table, tmp_path):
    (tmp_path / "gpt.csv").write_text("case_id,score_1,score_2\ncase-0,1,0\ncase-1,0,1\ncase-2,0,1\n")
    done = run("evaluate", "--scores", tmp_path / "gpt.csv", "--test", table, "--json")
    assert done.exit_code == 0, done.output
    rows = [row for row in json.loads(done.stdout)["systems"] if row["system"] == "gpt"]
    assert [row["accuracy"] for row in rows] == [1, None]
    assert "gpt.csv has no scores for 1 of 1 cases of v1.5 test" in rows[1]["missing"]


def test_a_failing_system_ends_with_its_own_exit_status_and_the_rest_is_written(table, tmp_path):
    checkpoint = tmp_path / "model.parquet"
    checkpoint.write_bytes(b"PAR1 damaged")
    systems = ("--system", "likelihood", "--system", "constant_first")
    out = tmp_path / "scores.parquet"
    done = run("evaluate", *systems, "--test", table, "--model", checkpoint, "--out", out)
    assert done.exit_code == 2
    assert "## Accuracy on v1.0 validation (n = 3)" in done.stdout
    assert "| constant_first |" in done.stdout
    assert re.search(r"Failed:\n- likelihood: .*model\.parquet", done.stdout)
    assert done.stderr.splitlines()[-1].startswith(
        "error: 1 of the systems failed, the others are printed: likelihood: "
    )
    assert read_table(out, "scores")["system"].unique().to_pylist() == ["constant_first"]


def test_a_system_names_all_that_it_lacks_at_once(table):
    done = run("evaluate", "--system", "cogcomp", "--system", "combined", "--test", table, "--json")
    assert done.exit_code == 2
    lacking = {row["system"]: row["missing"] for row in json.loads(done.stdout)["systems"] if row["missing"]}
    assert lacking == {
        name: f"{name} learns from labelled cases: give them with --train; "
        f"{name} learns from stories: give them with --stories"
        for name in ("cogcomp", "combined")
    }


def test_one_table_and_its_test_alone(make_cases, tmp_path):
    path = tmp_path / "both.parquet"
    write_table(pa.concat_tables([make_cases([1, 2] * 9), make_cases([1, 2], split="test", start=40)]), path, "cloze")
    options = ("--option", "ending_reg.n_folds=2", "--option", "ending_reg.min_count=1")
    of_test = ("--split", "test", "--release", "v1.0")
    for tables in (("--train", path), ("--train", path, "--test", path)):
        done = run("evaluate", "--system", "ending_reg", *options, *tables, *of_test, "--json")
        rows = [row for row in json.loads(done.stdout)["systems"] if row["system"] == "ending_reg"]
        assert {row["split"] for row in rows} == {"test"}
        assert all(row["trained_on"] == "18 cases of v1.0 validation" for row in rows), rows


def test_a_chooser_is_trained_on_each_of_two_parts(make_cases, tiny_model, tmp_path):
    from denouement.cloze.parts.chooser import context_digests, load_chooser

    path = tmp_path / "cloze.parquet"
    labelled = make_cases([1, 2, 2, 1, 1, 2])
    again = make_cases([1, 2], "v1.5", "validation")
    write_table(pa.concat_tables([labelled, again, make_cases([None], "v1.5", "test", 7)]), path, "cloze")
    parts = []
    for number in (1, 2):
        out = tmp_path / f"chooser-{number}.parquet"
        given = ["train", "--train", path, "--language-model", tiny_model, "--out", out, "--part", f"{number}/2"]
        done = run(*given, "--option", "epochs=1", "--option", "seeds=2", "--json")
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        assert sum(found["cases"].values()) == 3
        assert [(each["seed"], each["examples"]) for each in found["networks"]] == [(1, 3), (2, 3)]
        assert found["passed_over"]["cases whose story an earlier case has, learned from once"] == 2
        chooser = load_chooser(out)
        learned_from = chooser.trained_on
        # the other three cases, asked of the checkpoint by itself
        rows = [row for row in labelled.to_pylist() if context_digests([row["context"]])[0] not in learned_from]
        asked = chooser.scores([" ".join(row["context"]) for row in rows], [row["endings"] for row in rows])
        right = sum(scores.argmax() + 1 == row["right_ending"] for scores, row in zip(asked, rows, strict=True))
        assert (found["other_parts"]["n"], found["other_parts"]["correct"]) == (3, right)
        assert set(learned_from.values()) == {"v1.0 validation"}
        parts.append(learned_from.keys())
    assert not parts[0] & parts[1]
    assert parts[0] | parts[1] == set(context_digests(labelled["context"].to_pylist()))


def test_a_chooser_says_what_it_learned_from(table, tiny_model, tmp_path):
    out = tmp_path / "chooser.parquet"
    done = run("train", "--train", table, "--language-model", tiny_model, "--out", out, "--option", "epochs=2")
    assert done.exit_code == 0, done.output
    assert "learned from 3 cases of v1.0 validation" in " ".join(done.stdout.split())
    assert re.search(r"\| +1 \| +3 \| +2 \| +\d\.\d{3} \|", done.stdout)
    assert "other parts" not in done.stdout


def test_a_chooser_that_reads_no_context_still_knows_which_stories_trained_it(table, tiny_model, tmp_path):
    from denouement.cloze.parts.chooser import context_digests, load_chooser

    out = tmp_path / "chooser.parquet"
    done = run("train", "--train", table, "--language-model", tiny_model, "--out", out, "--option", "context=false")
    assert done.exit_code == 0, done.output
    chooser = load_chooser(out)
    assert not chooser.context
    contexts = read_table(table, "cloze")["context"].to_pylist()
    assert chooser.trained_on.keys() <= set(context_digests(contexts))
    assert len(chooser.trained_on) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--part", "3/2"], "--part 3/2: must be like 1/2"),
        (["--part", "1/1"], "--part 1/1: must be like 1/2"),
        (["--part", "1/4"], "cannot be parted into 4 folds"),
        (["--option", "epochs=0"], "epochs: must be at least 1"),
        (["--option", "epoch=1"], "unknown key epoch"),
        (["--option", "layers=9"], "layers: 9 of a language model that has 2"),
        (["--option", "pretrain={}"], "give them with --stories"),
        (["--release", "v1.5"], "no labelled case"),
        (["--language-model", "nowhere"], "nowhere: no such folder or file"),
    ],
)
def test_a_chooser_cannot_be_trained(table, tiny_model, tmp_path, arguments, message):
    out = tmp_path / "chooser.parquet"
    done = run("train", "--train", table, "--language-model", tiny_model, "--out", out, *arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not out.exists()
