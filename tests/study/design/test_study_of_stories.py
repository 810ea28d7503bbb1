"""`study create` with a table of stories in the place of cases: the human ending is a story's last sentence."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from denouement.cli import main
from denouement.schemas import TABLES, write_table
from tests.study.story_tables import endings


def stories(path: Path, *splits: str) -> None:
    rows = [
        {"story_id": f"c{n}", "title": "", "sentences": [f"Story {n}.", "It goes on.", f"Human {n}."],
         "source": "sample", "split": split}
        for n, split in enumerate(splits)
    ]  # fmt: skip
    write_table(pa.Table.from_pylist(rows, TABLES["stories"].schema), path, "stories")


@pytest.fixture
def create(tmp_path, monkeypatch):
    """`study create` of two systems in an empty folder; gives its JSON or its error."""
    monkeypatch.chdir(tmp_path)
    stories(Path("stories.parquet"), "validation", "validation", "train")
    write_table(endings("best", {"c0": "It won.", "c1": "Human 1.", "c2": "It fell."}), "best.parquet", "endings")

    def run(cases: str) -> dict:
        Path("study.yaml").write_text(
            f"name: pilot\nsystems: [best, human_right]\ncases: {cases}\nanswers_per_item: 1\n"
            "reason: {mode: optional}\nentry: {kind: links, links: 1}\n"
        )
        command = ["study", "create", "study.yaml", "--cases", "stories.parquet", "--endings", "best.parquet"]
        done = CliRunner().invoke(main, [*command, "--dry-run", "--json"])
        return json.loads(done.stdout) if done.exit_code == 0 else {"error": f"{done.exception}{done.output}"}

    return run


def test_items_compare_with_the_last_sentence_of_the_stories_of_a_split(create):
    made = create("{n: 2, split: validation}")
    assert "counts" in made, made
    assert (made["counts"]["items"], made["counts"]["identical_endings"]) == (1, 1), (
        "one system wrote just that sentence"
    )
    assert create("{n: 1, split: train}")["counts"]["items"] == 1
    assert "only 2 of 2 have an ending" in create("{n: 3, split: validation}")["error"]
