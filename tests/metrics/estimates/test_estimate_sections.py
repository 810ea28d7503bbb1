"""How estimates with a score are shown."""

from denouement.metrics.estimates.estimates import WINS, EstimatedValue, Estimates, PairEstimates, PoweredValue
from denouement.metrics.estimates.sections import estimate_blocks
from denouement.present.cells import written
from denouement.present.sections import Section, Table

SHARE = PoweredValue(WINS, EstimatedValue(0.4, 0.3, 0.5, "cases"), EstimatedValue(0.42, 0.35, 0.49, "cases"), worth=1.5)
NONE = PoweredValue(WINS, EstimatedValue(0.4, 0.3, 0.5, "cases"), EstimatedValue(None, why_not="too few"), None)


def found_of(value: PoweredValue, strengths: list[PoweredValue] | None = None) -> Estimates:
    pair = PairEstimates("one", "two", 1000, 20, 60, 0, 0.5, 0.25, [value])
    return Estimates("bleu", "better", "Which is better?", [pair], strengths or [], None)


def rows_of(section: object) -> list[list[str]]:
    assert isinstance(section, Section)
    [table] = section.blocks
    assert isinstance(table, Table)
    return [list(table.columns), *([written(cell) for cell in row] for row in table.rows)]


def test_a_share_is_shown_with_both_intervals():
    about, pair = estimate_blocks(found_of(SHARE))
    assert "“Which is better?”" in about.text
    assert pair.what.startswith("1,000 items have a score; people gave 60 answers to 20 of them.")
    assert rows_of(pair) == [
        ["one", "people alone", "95%", "with the score", "95%", "times as many items"],
        ["answers for it, ties half", "40.0%", "30.0% to 50.0%", "42.0%", "35.0% to 49.0%", "1.50"],
    ]


def test_a_value_that_is_missing_has_its_reason():
    [columns, row] = rows_of(estimate_blocks(found_of(NONE))[1])
    assert columns[-1] == "why not"
    assert row[3:] == ["-", "-", "-", "too few"]


def test_strengths_are_logarithms():
    strength = PoweredValue("one", EstimatedValue(0.5, 0.1, 0.9), EstimatedValue(0.4, 0.2, 0.6), 4.0)
    section = estimate_blocks(found_of(SHARE, [strength]))[-1]
    assert rows_of(section)[1] == ["one", "0.50", "0.10 to 0.90", "0.40", "0.20 to 0.60", "4.00"]
