"""Votes as pairs for preference training, and as tasks of Label Studio."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from votes_by_hand import votes

from denouement.cli import main
from denouement.errors import UserError
from denouement.schemas import TABLES, write_table
from denouement.study.converting.label_studio_tasks import CONFIG, label_studio_tasks, tasks_json
from denouement.study.converting.preference_pairs import PreferencePair, json_lines, preference_pairs
from denouement.study.importing import import_answers

ASKED = {
    "clear": ("mine", "people", ["people", "people", "mine"]),
    "even": ("mine", "people", ["people", "mine"]),
    "both": ("mine", "people", ["both", "neither"]),
    "all": ("mine", "people", ["mine", "mine"]),
    "two of three": ("mine", "people", ["mine", "both", "people"]),
}


def items(*names, study="s", **keys):
    rows = [
        {
            "study": study,
            "item_id": name,
            "case_id": f"case-{name}",
            "kind": "pair",
            "context": [f"Story {name}.", "It goes on."],
            "systems": ["mine", "people"],
            "endings": [f"Mine {name}.", f"“People” {name}."],
            "is_check": False,
            "is_training": False,
            "expected": None,
        }
        | keys
        for name in names
    ]
    return pa.Table.from_pylist(rows, TABLES["items"].schema)


def pair(name, chosen):
    texts = {"mine": f"Mine {name}.", "people": f"“People” {name}."}
    return PreferencePair(f"Story {name}. It goes on.", texts.pop(chosen), texts.popitem()[1])


class TestPreferencePairs:
    def test_majorities(self):
        found = preference_pairs(votes(ASKED), items(*ASKED))
        assert found.pairs == [pair("clear", "people"), pair("all", "mine")]
        assert (found.answers, found.ties, found.disagreements, found.without_item) == (12, 1, 2, 0)

    def test_of_several_questions_one_is_named(self):
        better = votes({"clear": ASKED["clear"]})
        other = pa.Table.from_pylist(
            [row | {"question": "funnier", "choice": "mine"} for row in better.to_pylist()], better.schema
        )
        both = pa.concat_tables([better, other])
        with pytest.raises(UserError, match=r"answer 2 questions \(better, funnier\); name one with --question"):
            preference_pairs(both, items("clear"))
        assert preference_pairs(both, items("clear"), question="funnier").pairs == [pair("clear", "mine")]
        assert preference_pairs(both, items("clear"), question="better").pairs == [pair("clear", "people")]
        with pytest.raises(UserError, match="--question worse: the votes answer better, funnier"):
            label_studio_tasks(both, items("clear"), "worse")

    def test_unanimous_answers(self):
        found = preference_pairs(votes(ASKED), items(*ASKED), "unanimous")
        assert found.pairs == [pair("all", "mine")]
        assert (found.ties, found.disagreements) == (1, 3)

    def test_each_answer(self):
        found = preference_pairs(votes(ASKED), items(*ASKED), "each")
        assert len(found.pairs) == 9
        assert found.pairs.count(pair("clear", "people")) == 2
        assert found.pairs.count(pair("clear", "mine")) == 1
        assert (found.ties, found.disagreements) == (3, 0)

    def test_only_accepted_answers_to_items_count(self):
        table = pa.concat_tables(
            [
                votes({"a": ("mine", "people", ["mine"])}),
                votes({"b": ("mine", "people", ["mine"])}, status="excluded"),
                votes({"c": ("mine", "people", ["mine"])}, is_check=True),
                votes({"gone": ("mine", "people", ["mine"])}),
            ]
        )
        found = preference_pairs(table, items("a", "b", "c"))
        assert found.pairs == [pair("a", "mine")]
        assert (found.answers, found.without_item) == (2, 1)

    def test_the_same_texts_in_two_studies_are_one_story(self):
        one, other = votes({"a": ("mine", "people", ["mine"])}), votes({"a": ("mine", "people", ["people"])}, study="t")
        shown = pa.concat_tables([items("a"), items("a", study="t")])
        found = preference_pairs(pa.concat_tables([one, other]), shown)
        assert (found.pairs, found.disagreements) == ([], 1)

    def test_items_of_another_study_are_refused(self):
        with pytest.raises(UserError, match="none of the items"):
            preference_pairs(votes(ASKED), items("other"))
        assert preference_pairs(votes({}), items("other")).pairs == []

    def test_lines_have_three_fields_and_text_as_it_is(self):
        (line,) = json_lines(preference_pairs(votes({"a": ("mine", "people", ["people"])}), items("a"))).splitlines()
        assert json.loads(line) == {
            "prompt": "Story a. It goes on.",
            "chosen": "“People” a.",
            "rejected": "Mine a.",
        }
        assert "“" in line


class TestLabelStudio:
    def test_what_is_written_is_read_back_as_the_same_answers(self, tmp_path: Path):
        table = votes(ASKED, reason="It fits.")
        found = label_studio_tasks(table, items("unanswered", *ASKED))
        assert (len(found.tasks), found.answers, found.without_item) == (6, 12, 0)
        path = tmp_path / "tasks.json"
        path.write_text(tasks_json(found))
        read = import_answers([path], keep_ids=True).tables["votes"].to_pylist()

        def said(rows):
            return sorted((row["case_id"], row["annotator_id"], row["choice"], row["reason"]) for row in rows)

        assert said(read) == said(table.to_pylist())

    def test_the_fields_are_those_of_the_interface(self):
        (task,) = label_studio_tasks(votes({"a": ("mine", "people", ["mine"])}, reason="So."), items("a")).tasks
        for result in task["annotations"][0]["result"]:
            assert f'name="{result["from_name"]}" toName="{result["to_name"]}"' in CONFIG
        assert all(f"${name}" in CONFIG for name in ("context", "ending_a", "ending_b"))

    def test_checks_and_answers_that_do_not_count_are_left_out(self):
        table = votes({"a": ("mine", "people", ["mine", "mine"])}, status="surplus")
        (task,) = label_studio_tasks(table, pa.concat_tables([items("a"), items("b", is_check=True)])).tasks
        assert task["annotations"] == []


def run(*arguments, code=0):
    done = CliRunner().invoke(main, ["study", "convert", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table(votes(ASKED), Path("votes.parquet"), "votes")
    write_table(items(*ASKED), Path("items.parquet"), "items")
    write_table(pa.Table.from_pylist([], TABLES["ratings"].schema), Path("ratings.parquet"), "ratings")
    write_table(votes({"a": ("mine", "people", ["both"])}), Path("ties.parquet"), "votes")
    write_table(items("a"), Path("a.parquet"), "items")
    return tmp_path


def test_the_command_says_what_is_left_out(folder):
    printed = run("votes.parquet", "--items", "items.parquet", "--to", "dpo", "--out", "pairs.jsonl")
    assert "2 pairs of 12 answers" in printed
    assert "1 ties, 2 disagreements, 0 without item" in printed
    assert len(Path("pairs.jsonl").read_text().splitlines()) == 2
    made = json.loads(
        run("votes.parquet", "--items", "items.parquet", "--to", "label-studio", "--out", "t.json", "--json")
    )
    assert (made["lines"], made["answers"]) == (5, 12)
    assert len(json.loads(Path("t.json").read_text())) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["votes.parquet", "--items", "items.parquet", "--to", "label-studio", "--take", "each"], "is for --to dpo"),
        (["ratings.parquet", "--items", "items.parquet", "--to", "dpo"], "only votes compare two endings"),
        (["ties.parquet", "--items", "a.parquet", "--to", "dpo"], "nothing to write of 1 answers (ties 1,"),
        (["votes.parquet", "--items", "a.parquet", "--to", "dpo"], "none of the items"),
        (["votes.parquet", "--items", "votes.parquet", "--to", "dpo"], "votes.parquet"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(folder, arguments, message):
    printed = run(*arguments, "--out", "made", code=2)
    assert message in printed
    assert not Path("made").exists()
