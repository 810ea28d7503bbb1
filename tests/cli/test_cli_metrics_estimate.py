import json

import pytest
from click.testing import CliRunner

from denouement.cli import main
from denouement.schemas import write_table
from tests.study.votes_by_hand import votes

CHOICES = [["one", "one", "two"], ["two", "both", "two"], ["one", "two", "one"]]
VOTES = votes({str(n): ("one", "two", CHOICES[n % 3]) for n in range(15)})
SCORES = "case_id,system,bleu,rouge\n" + "".join(
    f"case-{n},one,{n % 3 + n / 50},1\ncase-{n},two,1,{n}\n" for n in range(60)
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(SCORES)
    for name in ("votes", "copy"):
        write_table(VOTES, tmp_path / f"{name}.parquet", "votes")

    def invoke(*arguments: str):
        return CliRunner().invoke(main, ["metrics", "estimate", *arguments])

    return invoke


def test_both_estimates_are_printed(run):
    result = run("scores.csv", "votes.parquet", "--score", "bleu")
    assert result.exit_code == 0, result.output
    assert "60 items have a score; people gave 45 answers to 15 of them." in result.stdout
    for row in ("items on which it is preferred, ties half", "of answers for one of the two, those for it"):
        assert row in result.stdout


def test_json_is_one_document(run):
    found = json.loads(run("scores.csv", "votes.parquet", "--score", "bleu", "--json").stdout)
    [pair] = found["pairs"]
    assert [row["what"] for row in pair["values"]] == ["items", "wins", "preferred"]
    assert pair["values"][1]["alone"]["value"] == pytest.approx((5 * 2 + 5 * 0.5 + 5 * 2) / 45)


def test_a_draw_that_is_not_random_is_a_warning(run, tmp_path):
    (tmp_path / "scores.csv").write_text(
        "case_id,system,bleu\n" + "".join(f"case-{n},one,{n}\ncase-{n},two,0\n" for n in range(60))
    )
    result = run("scores.csv", "votes.parquet")
    assert result.exit_code == 0
    assert "warning: one and two: the answered items have other scores than the others" in result.stderr


def test_out_writes_a_page_with_the_warnings_and_the_document(run, tmp_path):
    (tmp_path / "scores.csv").write_text(
        "case_id,system,bleu\n" + "".join(f"case-{n},one,{n % 4}\ncase-{n},two,0\n" for n in range(15))
    )
    result = run("scores.csv", "votes.parquet", "--out", "out")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["estimates.html", "estimates.json"]
    assert "every scored item is answered" in (tmp_path / "out/estimates.html").read_text()
    printed = json.loads(run("scores.csv", "votes.parquet", "--json").stdout)
    assert json.loads((tmp_path / "out/estimates.json").read_text()) == printed
    assert run("scores.csv", "votes.parquet", "--out", "scores.csv").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["scores.csv", "votes.parquet"], "scores.csv: has 2 scores; choose one with --score"),
        (["scores.csv", "gone.parquet", "--score", "bleu"], "gone.parquet: no such file"),
        (["scores.csv", "scores.csv", "--score", "bleu"], "scores.csv and scores.csv: have the same content"),
        (["copy.parquet", "votes.parquet"], "copy.parquet and votes.parquet: have the same content"),
        (["votes.parquet", "scores.csv"], "scores.csv: no table votes"),
        (["scores.csv", "votes.parquet", "--score", "bleu", "--question", "x"], "no question 'x'; there are better"),
    ],
)
def test_a_mistake_is_one_line(run, arguments, problem):
    result = run(*arguments)
    assert result.exit_code == 2
    assert problem in result.output
    assert len(result.output.strip().splitlines()) == 1
