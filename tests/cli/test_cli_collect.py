"""`denouement collect`: a collection on files, from checks to the stages that read its export."""

import json
import random
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from collect.collected import all_confirmed, endings, verifications, write_endings

from denouement.cli import main
from denouement.collect.work import as_table
from denouement.schemas import read_table, write_table
from denouement.spreadsheets import write_csv

LEAST = "name: kitchen\nrelease: kitchen-2026\nverification: {form: v1.5}\nfilter: {confirming: 2, seed: 3}\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command in a folder of its own; returns its status, output and errors."""
    monkeypatch.chdir(tmp_path)

    def invoke(*words: str):
        return CliRunner().invoke(main, [*words], catch_exceptions=False)

    return invoke


def write_answers(table: pa.Table, name: str = "answers.csv") -> None:
    write_csv(Path(name), table.column_names, table.to_pylist())


def stories(n: int) -> pa.Table:
    """Stories of drawn words, no two of which are nearly alike."""
    draw = random.Random(3)
    things = ["bike", "boat", "cake", "dog", "hat", "kite", "lamp", "map", "pen", "shoe", "tent", "vase"]
    rows = []
    for at in range(n):
        name, (one, two, three) = f"Person{at}", draw.sample(things, 3)
        sentences = [
            f"{name} wanted a {one} and a {two}.",
            f"The shop sold {name} a {three}.",
            f"The {three} broke on day {at}.",
            f"{name} brought the {three} back.",
            f"Now {name} has a {one}.",
        ]
        rows.append({"story_id": f"t{at}", "title": f"The {one}", "sentences": sentences, "status": "approved"})
    return as_table("collected_stories", rows)


def test_a_file_of_stories_is_checked_and_a_refusal_is_status_1(run, tmp_path):
    write_table(stories(6), tmp_path / "stories.parquet", "collected_stories")
    good = run("collect", "check", "stories.parquet")
    assert good.exit_code == 0, good.output
    bad = stories(6).to_pylist()
    bad[1]["sentences"][2] = 'He said "gonna".'
    bad[5]["sentences"] = [text.replace("Now", "Then") for text in bad[0]["sentences"]]
    write_table(as_table("collected_stories", bad), tmp_path / "stories.parquet", "collected_stories")
    found = run("collect", "check", "stories.parquet", "--json")
    assert found.exit_code == 1
    said = json.loads(found.stdout)
    assert [(row["code"], row["refuses"], row["texts"]) for row in said["counts"]] == [
        ("quotation", True, 1),
        ("informal", False, 1),
        ("nearly_like", False, 1),
    ]
    assert [(text["number"], text["id"]) for text in said["remarks"]] == [(2, "t1"), (6, "t5")]
    shown = run("collect", "check", "stories.parquet").stdout
    assert "sentence 3" in shown
    assert "No quotation marks" in shown


@pytest.mark.slow
def test_endings_that_give_too_much_away_are_status_1(run, tmp_path):
    """In `endings` every right ending takes the bus and every wrong one swims."""
    write_endings(Path("endings.csv"), endings(120))
    found = run("collect", "check", "endings.csv", "--cache", "cache", "--picture", "curve.svg")
    assert found.exit_code == 1
    assert "exceeded: a model that sees only the endings is right in" in found.stderr
    assert "exceeded: writer w" in found.stderr
    assert "swam" in found.stdout
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    few = endings(20)
    write_endings(Path("endings.csv"), few)
    found = run("collect", "check", "endings.csv")
    assert found.exit_code == 0, found.output
    assert "20 pairs of endings; something can be said from 100 on" in " ".join(found.stdout.split())


def test_the_rules_are_those_of_the_collection(run, tmp_path):
    (tmp_path / "COLLECTION.yaml").write_text("name: k\nendings: {way: method_1, longest: 20, max_accuracy: 0.9}\n")
    pairs = endings(1).to_pylist()
    pairs[0] |= {"right": "Person 0 left.", "wrong": "Person 0 was so very, very glad."}
    write_endings(Path("endings.csv"), as_table("collected_endings", pairs))
    said = json.loads(run("collect", "check", "endings.csv", "--collection", "COLLECTION.yaml", "--json").stdout)
    assert [row["code"] for row in said["counts"] if row["refuses"]] == ["too_long"]
    assert said["watch"]["threshold"] == 0.9
    without = run("collect", "check", "endings.csv", "--json")
    assert (without.exit_code, json.loads(without.stdout)["watch"]["threshold"]) == (0, 0.65)
    stated = run("collect", "check", "endings.csv", "--max-accuracy", "0.7", "--json")
    assert json.loads(stated.stdout)["watch"]["threshold"] == 0.7


def test_filter_by_the_rules_of_a_file_and_again_when_it_has_grown(run, tmp_path):
    (tmp_path / "COLLECTION.yaml").write_text(LEAST)
    answers = {f"c{at}": (["sense", "sense", "other"], ["until_last"] * 3) for at in range(5)}
    write_endings(Path("endings.csv"), endings(5))
    write_answers(verifications(answers))
    words = ("collect", "filter", "endings.csv", "answers.csv", "--collection", "COLLECTION.yaml", "--json")
    found = run(*words, "--out", "first.parquet")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["outcomes"]["kept"] == 5
    first = read_table(tmp_path / "first.parquet", "filtered_cases")
    write_endings(Path("endings.csv"), endings(9))
    write_answers(verifications({f"c{at}": answers["c0"] for at in range(9)}))
    assert run(*words, "--out", "second.parquet", "--earlier", "first.parquet").exit_code == 0
    second = read_table(tmp_path / "second.parquet", "filtered_cases")
    assert second["split"].to_pylist()[:5] == first["split"].to_pylist()
    without = run("collect", "filter", "endings.csv", "answers.csv", "--out", "third.parquet")
    assert without.exit_code == 2
    assert "none of 1, 0, -1" in without.stderr
    assert not (tmp_path / "third.parquet").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("check", "missing.csv"), "missing.csv: no such file"),
        (("check", "endings.csv", "--picture", "curve.txt"), "must end with .svg or .png"),
        (("check", "endings.csv", "--picture", "endings.csv"), "must end with"),
        (("check", "endings.csv", "--picture", "curve.svg"), "nothing to draw (3 pairs"),
        (("check", "answers.csv"), "holds verifications, not stories"),
        (("filter", "answers.csv", "endings.csv", "--out", "out.parquet"), "holds verifications, not endings"),
        (("filter", "endings.csv", "answers.csv", "--out", "endings.csv"), "endings.csv"),
        (("export", "--endings", "endings.csv", "--out", "out"), "--release: is missing"),
        (("export", "--endings", "endings.csv", "--out", "out", "--release", "k"), "belong together"),
        (("export", "--out", "out", "--release", "k"), "nothing to export"),
        (("export", "--stories", "s.parquet", "--out", "out", "--release", "v1.0"), "no published release"),
    ],
)
def test_mistakes_are_one_line_and_status_2(run, tmp_path, words, message):
    write_endings(Path("endings.csv"), endings(3))
    write_answers(all_confirmed(endings(3)))
    write_table(stories(2), tmp_path / "s.parquet", "collected_stories")
    before = {*tmp_path.iterdir()}
    found = run("collect", *words)
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert {*tmp_path.iterdir()} == before


@pytest.mark.slow
def test_every_later_command_reads_an_export(run, tmp_path):
    """As `make run` walks: files, tables, statistics, sentiment, generators, Story Cloze systems and the report."""
    pairs = endings(40)
    write_endings(Path("endings.csv"), pairs)
    write_answers(all_confirmed(pairs))
    write_table(stories(40), tmp_path / "stories.parquet", "collected_stories")
    release = "kitchen-2026.1"
    given = ("--stories", "stories.parquet", "--endings", "endings.csv", "--answers", "answers.csv")
    exported = run("collect", "export", *given, "--release", release, "--out", "out")
    assert exported.exit_code == 0, exported.output
    files = sorted(str(path) for path in (tmp_path / "out/public").glob("*.csv"))
    of_release = ("--release", release, "--split", "test")
    of_test = ("--contexts", "corpus/cloze.parquet", *of_release)
    walk = [
        ("ingest", *files, "--out", "corpus"),
        ("statistics", "corpus/stories.parquet", "corpus/cloze.parquet", "--no-events", "--json"),
        ("sentiment", "corpus/cloze.parquet", "corpus/stories.parquet", "--json"),
        ("train", "bm25", "--stories", "corpus/stories.parquet", "--out", "bm25"),
        ("generate", "--model", "bm25/best.parquet", *of_test, "--out", "endings.parquet"),
        ("cloze", "evaluate", "--train", "corpus/cloze.parquet", "--system", "constant_first", "--json"),
        ("cloze", "evaluate", "--train", "corpus/cloze.parquet", *of_release, "--system", "ngram_overlap", "--json"),
    ]
    found = {}
    for words in walk:
        done = run(*words)
        assert done.exit_code == 0, (words, done.output)
        found[" ".join(words[:2])] = done.stdout
    said = json.loads(found["statistics corpus/stories.parquet"])
    assert f"{release} validation" in json.dumps(said)
    assert [row["release"] for row in json.loads(found["cloze evaluate"])["systems"]] == [release]
    assert read_table(tmp_path / "endings.parquet", "endings").num_rows == 20


def test_texts_of_a_megabyte_are_refused_and_not_read(run, tmp_path):
    pairs = endings(3).to_pylist()
    pairs[0]["wrong"] = "He was sad " * 100_000
    pairs[1]["right"] = "x" * 1_000_000
    pairs[2]["wrong"] = "He \u202eran."
    write_table(as_table("collected_endings", pairs), tmp_path / "endings.parquet", "collected_endings")
    found = run("collect", "check", "endings.parquet", "--json")
    assert found.exit_code == 1
    said = json.loads(found.stdout)
    assert {row["code"]: row["texts"] for row in said["counts"] if row["refuses"]} == {"too_large": 2, "not_shown": 1}
    assert said["watch"]["pairs"] == 1
