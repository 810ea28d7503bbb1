import json

import pytest
from click.testing import CliRunner

from denouement.cli import main

SCORES = "item_id,bleu,ppl\n" + "".join(f"i{n},{n % 7},{-n}\n" for n in range(14))
PEOPLE = "item_id,ann,bob\n" + "".join(f"i{n},{n % 5},{n % 7}\n" for n in range(15))
FEW = ["--draws", "100", "--permutations", "10"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(SCORES)
    (tmp_path / "people.csv").write_text(PEOPLE)

    def invoke(*arguments: str):
        return CliRunner().invoke(main, ["metrics", "agreement", *arguments])

    return invoke


def test_a_table_is_printed_and_files_are_written(run, tmp_path):
    result = run("scores.csv", "people.csv", *FEW, "--out", "out")
    assert result.exit_code == 0, result.output
    assert (
        "14 endings of 14 items have scores and ratings. 1 further endings have ratings and no scores" in result.output
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "agreement.html",
        "agreement.json",
        "agreement.svg",
    ]


def test_json_is_one_document(run):
    result = run("scores.csv", "people.csv", *FEW, "--json", "--lower", "ppl", "--score", "ppl")
    found = json.loads(result.output)
    assert [row["score"] for row in found["correlations"]] == ["ppl"] * 3
    assert found["matched"]["endings"] == 14


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["scores.csv", "gone.csv"], "gone.csv: no such file"),
        (["scores.csv", "people.csv", "--score", "rouge"], "scores.csv: no score rouge; there are bleu, ppl"),
        (["scores.csv", "people.csv", "--compare", "rouge"], "scores.csv: no score rouge; there are bleu, ppl"),
        (["scores.csv", "people.csv", "--rater", "cid"], "people.csv: no column cid; it has item_id, ann, bob"),
        (["scores.csv", "people.csv", "--question", "logic"], "people.csv: has no column question"),
        (["scores.csv", "people.csv", "--without", "gpt"], "no system gpt to leave out; there are none"),
        (["scores.csv", "people.csv", "--elements", "people.csv"], "people.csv: not a Parquet file"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(run, tmp_path, arguments, problem):
    result = run(*arguments, "--out", "out")
    assert result.exit_code == 2
    assert problem in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
