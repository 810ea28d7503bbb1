import json

import pytest
from click.testing import CliRunner

from denouement.cli import main
from denouement.schemas import write_table
from tests.study.votes_by_hand import votes

FEW = ["--draws", "50", "--answers-per-item", "3"]
PILOT = votes({str(n): ("a", "b", ["a", "a", "b"] if n % 2 else ["b", "both", "a"]) for n in range(20)})


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table(PILOT, tmp_path / "pilot.parquet", "votes")

    def invoke(*arguments: str):
        return CliRunner().invoke(main, ["study", "plan", *arguments])

    return invoke


def test_a_plan_is_printed_and_written(run, tmp_path):
    result = run("--width", "0.3", "--pay", "0.10", *FEW, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "Assumed: 50.0% of the answers for one of the two systems are for it; two people agree" in result.stdout
    assert "| answers an item | items | answers | annotators | cost |" in " ".join(result.stdout.split()).replace(
        "  ", " "
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["plan.html", "plan.json", "plan.svg"]
    [size] = json.loads((tmp_path / "out/plan.json").read_text())["sizes"]
    assert size["cost"] == pytest.approx(size["answers"] * 0.1)


def test_what_a_pilot_says_is_used_unless_an_option_says_it(run):
    found = json.loads(run("--width", "0.3", "--pilot", "pilot.parquet", "--ties", "0.3", *FEW, "--json").stdout)
    assert found["pilot"]["assumed"]["share"] == found["assumed"]["share"] == pytest.approx(30 / 50)
    assert found["pilot"]["assumed"]["ties"] == pytest.approx(10 / 60)
    assert found["assumed"]["ties"] == 0.3


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "give --width, or --power"),
        (["--power", "0.8"], "--power: a share of 50% cannot be told from 50%"),
        (["--width", "0.1", "--pair", "a,b"], "--pair and --question: are of a pilot"),
        (["--width", "0.1", "--pilot", "gone.parquet"], "gone.parquet: no such file"),
        (["--width", "0.1", "--pilot", "pilot.parquet", "--pair", "a"], "--pair a: must be two systems"),
        (
            ["--width", "0.1", "--pilot", "pilot.parquet", "--pair", "a,c"],
            "--pair a,c: is not in the pilot; it has a,b",
        ),
        (["--width", "0.1", "--pilot", "pilot.parquet", "--question", "x"], "no question 'x'; there are better"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(run, tmp_path, arguments, problem):
    result = run(*arguments, *FEW, "--out", "out")
    assert result.exit_code == 2
    assert problem in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_few_people_are_planned_for_with_as_many_answers_an_item_as_they_can_give(run):
    few = run("--width", "0.5", "--people", "4", "--draws", "50", "--json")
    assert few.exit_code == 0, few.output
    assert [size["answers_per_item"] for size in json.loads(few.output)["sizes"]] == [1, 3]
    named = run("--width", "0.5", "--people", "4", "--draws", "50", "--answers-per-item", "5")
    assert (named.exit_code, "name fewer with --answers-per-item" in named.output) == (2, True)
