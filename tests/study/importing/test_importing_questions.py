"""Imports of several questions about one pair, graded preferences, rankings, and votes of the version before."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from votes_by_hand import votes

from denouement.answers import QuestionAsked, as_metadata, question_asked, questions_asked
from denouement.cli import main
from denouement.errors import UserError
from denouement.schemas import TABLES, read_table, write_table
from denouement.stages.study import StudyPaths, StudySettings
from denouement.stages.study import run as run_stage
from denouement.study.importing import import_answers

ITEM = {"i": ("net", "people", ["net", "people"])}


def two_questions() -> list[dict[str, object]]:
    rows = [*votes(ITEM).to_pylist(), *votes(ITEM, question="fluent").to_pylist()]
    rows = [row | {"strength": 2} for row in rows]
    return sorted(rows, key=lambda row: row["annotator_id"])


def as_csv(path: Path, rows: list[dict[str, object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def as_parquet(path: Path, rows: list[dict[str, object]], name: str = "votes") -> Path:
    write_table(pa.Table.from_pylist(rows, schema=TABLES[name].schema), path, name)
    return path


@pytest.mark.parametrize("write", [as_csv, as_parquet])
def test_several_graded_questions_come_through(write, tmp_path):
    found = import_answers([write(tmp_path / "votes", two_questions())])
    assert found.tables["votes"].to_pylist() == two_questions()
    assert found.counts["accepted"] == 2  # answers, and not their rows


@pytest.mark.parametrize("write", [as_csv, as_parquet])
def test_the_same_export_twice_is_counted_once(write, tmp_path):
    paths = [write(tmp_path / name, two_questions()) for name in ("one", "two")]
    found = import_answers(paths)
    assert found.tables["votes"].to_pylist() == two_questions()
    assert found.counts["duplicate_rows"] == 4


def test_the_words_of_questions_come_through_and_are_left_out_where_files_differ(tmp_path):
    def export(name: str, words: str, who: str) -> Path:
        questions = {"s": {"better": QuestionAsked(words, False), "fluent": QuestionAsked("Fluent?", False)}}
        table = pa.Table.from_pylist([row | {"annotator_id": who} for row in two_questions()[:2]])
        write_table(table, tmp_path / name, "votes", as_metadata(questions))
        return tmp_path / name

    one, other = export("one.parquet", "Funnier?", "p"), export("two.parquet", "Duller?", "q")
    assert question_asked(import_answers([one]).tables["votes"], "better") == QuestionAsked("Funnier?", False)
    out = tmp_path / "study"
    assert run_stage(StudySettings(), StudyPaths([one], out)).results.words == "Funnier?"
    assert question_asked(read_table(out / "votes.parquet", "votes"), "better").words == "Funnier?"
    for files in ([one, other], [other, one]):
        found = import_answers(files)
        asked = questions_asked(found.tables["votes"])["s"]
        assert asked == {"better": QuestionAsked(None, False), "fluent": QuestionAsked("Fluent?", False)}
        assert "study s: the question better has other words in another file, so its name is shown" in found.notes


def test_rows_that_are_twice_in_one_file_are_copies(tmp_path):
    found = import_answers([as_csv(tmp_path / "votes.csv", two_questions() * 2)])
    assert found.tables["votes"].to_pylist() == two_questions()


def test_a_csv_of_the_version_before_has_the_question_better(tmp_path):
    before = [{name: row[name] for name in TABLES["votes"].earlier[1].names} for row in votes(ITEM).to_pylist()]
    found = import_answers([as_csv(tmp_path / "votes.csv", before)])
    assert found.tables["votes"].to_pylist() == votes(ITEM).to_pylist()


def test_a_strength_that_cannot_be_is_refused(tmp_path):
    rows = [row | {"strength": 7} for row in two_questions()]
    with pytest.raises(UserError, match="strength is '7', not 1 or 2, or empty"):
        import_answers([as_csv(tmp_path / "votes.csv", rows)])


def rankings() -> list[dict[str, object]]:
    given = {"study": "s", "case_id": "c", "kind": "ranking", "is_check": False, "status": "accepted"}
    given |= {"systems": ["a", "b", "c"], "reason": "It fits.", "started_at": None, "submitted_at": None}
    ranks = {"i1": [[1, 2, 3], [1, 3, 2]], "i2": [[2, 1, 3], [3, 2, 1]]}
    return [
        given | {"item_id": item, "case_id": item, "annotator_id": f"p{n}", "ranks": its}
        for item, answers in ranks.items()
        for n, its in enumerate(answers)
    ]


def test_the_stage_works_out_exported_rankings(tmp_path):
    path = as_parquet(tmp_path / "rankings.parquet", rankings(), "rankings")
    stage = run_stage(StudySettings(), StudyPaths([path], tmp_path / "study"))
    (kind,) = stage.scales["rankings"].kinds
    assert {row.system: row.best for row in kind.systems} == {"a": 2, "b": 1, "c": 1}
    assert (tmp_path / "study/rankings/ranking_means.parquet").exists()
    assert "Ranks of several" in (tmp_path / "study/rankings/results.html").read_text()


def test_the_command_prints_rankings_and_their_reasons(tmp_path):
    path = as_parquet(tmp_path / "rankings.parquet", rankings(), "rankings")
    done = CliRunner().invoke(main, ["study", "results", str(path), "--reasons"])
    assert done.exit_code == 0, done.output
    assert "a > c > b" in done.output
    done = CliRunner().invoke(main, ["study", "results", str(path), "--json", "--out", str(tmp_path / "out")])
    (kind,) = json.loads(done.stdout)["kinds"]
    assert {row["system"]: row["worst"] for row in kind["systems"]} == {"a": 1, "b": 1, "c": 2}


def test_each_question_may_have_a_reason_of_its_own(tmp_path):
    rows = [row | {"reason": f"I like {row['question']}; it makes sense."} for row in two_questions()]
    stage = run_stage(StudySettings(), StudyPaths([as_parquet(tmp_path / "votes", rows)], tmp_path / "study"))
    assert stage.reasons.words.reasons == 4
    tags = read_table(tmp_path / "study/reason_elements.parquet", "reason_elements")
    assert set(tags["question"].to_pylist()) == {"better", "fluent"}
