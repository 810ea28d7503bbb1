"""Text of tables and files that commands print sends no commands to the terminal, whichever command prints it."""

import json
import subprocess
import sys

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement.cli import main
from denouement.legible import can_be_shown
from denouement.schemas import TABLES, empty_table, write_table

NASTY = "\x1b[2J\x1b]0;owned\x07 happy \x9b31m\u202egood\u202c \x7f"


def vote(annotator: str, choice: str) -> dict[str, object]:
    return {
        "study": NASTY,
        "item_id": "i",
        "case_id": NASTY,
        "annotator_id": f"{annotator}{NASTY}",
        "position_a": f"ours{NASTY}",
        "position_b": "people",
        "answer": "A" if choice != "people" else "B",
        "question": "better",
        "choice": choice,
        "reason": f"It makes sense that she was happy. {NASTY}",
        "is_check": False,
        "status": "accepted",
        "kind": "person",
    }


ITEM = {
    "study": NASTY,
    "item_id": "i",
    "case_id": NASTY,
    "kind": "pair",
    "context": [NASTY],
    "systems": [f"ours{NASTY}", "people"],
    "endings": [NASTY, f"b {NASTY}"],
    "is_check": False,
    "is_training": False,
}


def texts(document: object) -> str:
    """All texts of a JSON document, one after another."""
    if isinstance(document, dict):
        return texts([*document, *document.values()])
    return "".join(map(texts, document)) if isinstance(document, list) else str(document)


@pytest.fixture
def tables(tmp_path):
    rows = {"votes": [vote("a", f"ours{NASTY}"), vote("b", "people")], "items": [ITEM]}
    for name, its in rows.items():
        write_table(pa.Table.from_pylist(its, TABLES[name].schema), tmp_path / f"{name}.parquet", name)
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, [*map(str, words)])


@pytest.mark.parametrize(
    "words",
    [
        ["study", "results", "VOTES", "--items", "ITEMS", "--reasons"],
        ["study", "results", "VOTES", "--items", "ITEMS", "--json"],
        ["reasons", "words", "VOTES"],
        ["reasons", "elements", "VOTES"],
        ["reasons", "elements", "VOTES", "--json"],
        ["reasons", "examples", "VOTES"],
        ["reasons", "examples", "VOTES", "--json"],
    ],
)
def test_no_command_reaches_the_terminal(words, tables):
    files = {"VOTES": tables / "votes.parquet", "ITEMS": tables / "items.parquet"}
    done = run(*(files.get(word, word) for word in words))
    assert done.exit_code == 0, done.output
    assert done.stdout
    assert can_be_shown(done.stdout)
    if "--json" in words:
        assert NASTY in texts(json.loads(done.stdout))  # the document means the same


def test_nor_does_text_of_files_of_answers(tmp_path):
    (tmp_path / "votes.csv").write_text(
        ",".join(TABLES["votes"].earlier[1].names) + f'\ns,i,c,p,a,b,"{NASTY}",a,why,false,accepted,,\n',
        encoding="utf-8",
    )
    done = run("study", "import", tmp_path / "votes.csv", "--out", tmp_path / "out.parquet")
    assert done.exit_code == 2
    assert can_be_shown(done.output)


def test_the_text_of_table_3_may_be_read_from_its_file(tables):
    done = run("study", "results", tables / "votes.parquet", "--items", tables / "items.parquet", "--out", tables / "r")
    assert done.exit_code == 0, done.output
    assert can_be_shown((tables / "r" / "table_3.txt").read_text(encoding="utf-8"))


def test_a_reader_that_ends_early_is_no_error(tables):
    start = f"{sys.executable} -c 'from denouement.cli import main; main()'"
    command = f"{start} study results {tables / 'votes.parquet'} --json | head -c 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "{"
    assert done.stderr == ""


def test_without_answers_table_3_says_that_there_is_nothing(tmp_path):
    for name in ("votes", "items"):
        write_table(empty_table(name), tmp_path / f"{name}.parquet", name)
    words = [
        "study",
        "results",
        str(tmp_path / "votes.parquet"),
        "--items",
        str(tmp_path / "items.parquet"),
        "--reasons",
    ]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0, found.output
    assert found.stdout.rstrip().endswith("No answer counts, so there is no story to show.")
