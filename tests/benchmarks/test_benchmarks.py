import importlib
import inspect
import time
from pathlib import Path

import pytest

import benchmarks
import benchmarks.__main__ as run
from benchmarks.__main__ import NO_PARTS, TITLE, main, with_section
from benchmarks.table import Row, as_text, best_of_three
from denouement.errors import UserError


def row(ratio: float, at_least: float | None) -> Row:
    return Row("work", "a loop", 1.0, ratio, "s", ratio, at_least)


def test_a_ratio_below_what_is_asked_is_marked():
    slow, exact, free = row(1.59, 1.6), row(1.6, 1.6), row(0.5, None)
    assert [each.holds for each in (slow, exact, free)] == [False, True, True]
    lines = as_text([slow, exact, free]).splitlines()[2:]
    assert ["TOO LOW" in line for line in lines] == [True, False, False]


def test_a_way_that_is_not_measured_has_no_value_and_fails_nothing():
    unmeasured = Row("work", "a loop: not measured", 1.0, None, "s", None, 2.0)
    assert unmeasured.holds
    assert (
        as_text([unmeasured]).splitlines()[2]
        == "| work | a loop: not measured |    1 |      - | s    |     - |       2x |"
    )


def test_the_fastest_of_three_is_taken_in_turns():
    calls = []
    pauses = iter([0.03, 0.0, 0.03])

    def ours():
        calls.append("ours")
        time.sleep(next(pauses))

    fastest, _ = best_of_three(ours, lambda: calls.append("theirs"))
    assert calls == ["ours", "theirs"] * 3
    assert fastest < 0.03


def test_a_section_is_replaced_and_the_others_stay():
    page = with_section("", "sentiment", "first")
    page = with_section(page, "ingest", "| a | b |")
    page = with_section(page, "sentiment", "second")
    assert page == (
        f"{TITLE}\n\n## gpu\n\nNot measured on a GPU.\n\n## ingest\n\n| a | b |\n\n## sentiment\n\nsecond\n"
    )
    assert with_section(page, "gpu", "Measured.").count("## gpu\n\nMeasured.\n") == 1


def test_every_part_has_something_to_measure():
    parts = {path.stem for path in Path(benchmarks.__path__[0]).glob("[a-z]*.py")} - set(NO_PARTS)
    assert "sentiment" in parts
    for name in parts:  # imported, so that a name that has moved in the library is noticed here
        measure = importlib.import_module(f"benchmarks.{name}").measure
        assert inspect.signature(measure).return_annotation == list[Row], name


def test_an_unknown_part_is_named(capsys: pytest.CaptureFixture[str]):
    assert main(["nope"]) == 2
    assert capsys.readouterr().err.startswith("error: no benchmark nope; there are ")


def test_a_part_that_cannot_be_measured_says_why_and_the_others_go_on(tmp_path, monkeypatch, capfd):
    kept = tmp_path / "benchmarks.md"
    monkeypatch.setattr(run, "PAGE", kept)
    results = [None, [row(2.0, 1.0)]]
    monkeypatch.setattr(run, "_measured_apart", lambda name: results.pop(0))
    assert main(["pipeline", "sentiment"]) == 1
    assert "## sentiment" in kept.read_text()
    assert "## pipeline" not in kept.read_text()


def test_what_a_part_lacks_is_one_line(monkeypatch, capsys):
    def measure():
        raise UserError("there is something to do; `make run` does it")

    monkeypatch.setattr("benchmarks.pipeline.measure", measure)
    with pytest.raises(SystemExit):
        run.print_rows("pipeline")
    assert capsys.readouterr().err == (
        "error: pipeline is not measured: there is something to do; `make run` does it\n"
    )
