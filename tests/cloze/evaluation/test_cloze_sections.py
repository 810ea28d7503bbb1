"""Results of Story Cloze systems as people read them."""

from denouement.cloze.evaluation.results import (
    Accuracy,
    ClozeResult,
    ModuleAccuracy,
    SystemComparison,
    SystemRow,
    VectorResult,
)
from denouement.cloze.evaluation.sections import (
    accuracy_blocks,
    comparison_tables,
    further_blocks,
    overview_blocks,
    vector_blocks,
)
from denouement.present.cells import PValue
from denouement.present.markdown import render


def row(system, split, accuracy=None, **other):
    """A row of 100 cases, whose accuracy has the interval .1 to .9 where none is given."""
    measured = {}
    if accuracy is not None:
        measured = {"correct": round(accuracy * 100), "accuracy": accuracy, "low": 0.1, "high": 0.9, "ties": 0}
        measured |= {"accuracy_half_ties": accuracy, "trained_on": "nothing"}
    return SystemRow(
        system, split=split, **{"variant": "", "release": "v1.0", "blind": False, "n": 100, **measured, **other}
    )


def text_of(*rows):
    return render(accuracy_blocks(rows))


def cells_of(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]


def groups(**n):
    return {group.replace("_", " "): Accuracy(size, size // 2, 0.5, 0.1, 0.9) for group, size in n.items()}


def test_sizes_of_groups_are_those_of_their_set_of_cases():
    rows = [
        row("dssm", "validation", 0.5, by_length=groups(equal=4, right_longer=6)),
        row("dssm", "test", 0.5, by_length=groups(equal=7, right_longer=3)),
        row("cogcomp", "test", 0.5, by_length=groups(equal=7, right_longer=3)),
    ]
    tables = further_blocks(ClozeResult(rows))
    what = "Accuracy by the right ending's length, against the wrong one's"
    assert [table.title for table in tables] == [f"{what}, v1.0 validation", f"{what}, v1.0 test"]
    assert [table.columns for table in tables] == [
        ["system", "equal (4)", "right longer (6)"],
        ["system", "equal (7)", "right longer (3)"],
    ]
    assert [[line[0] for line in table.rows] for table in tables] == [["dssm"], ["dssm", "cogcomp"]]


def test_validation_and_test_are_side_by_side():
    rows = [
        row("one", "validation", 0.75, best=True),
        row("one", "test", 0.625, paper=0.715, p_best=0.0421),
        row("other", "test", 0.7, best=True),
    ]
    lines = cells_of(text_of(*rows))
    assert lines[0] == ["system", "v1.0 validation (n = 100)", "v1.0 test (n = 100)"]
    assert lines[2:4] == [["one", "0.750", "0.625 (0.715)"], ["other", "", "0.700"]]
    details = [line for line in lines[4:] if line[0] in ("one", "other")]
    assert [(line[0], line[3]) for line in details] == [("one", "best"), ("other", "best"), ("one", "0.042")]
    assert len(cells_of(text_of(*rows[1:]))) == 4, "one set of cases needs no second table"


def test_the_overview_has_a_row_a_system_by_its_best_variant_and_a_column_a_set():
    rows = [
        row("plain", "validation", 0.5),
        row("glove", "validation", 0.6, variant="last"),
        row("glove", "validation", 0.7, variant="mean"),
        row("plain", "test", 0.8),
        row("glove", "test", 0.9, variant="last"),
        row("glove", "test", 0.55, variant="mean"),  # not the best one there, but the one that was chosen
        SystemRow("plain", "", "v1.5", "test", blind=True, n=1571, trained_on="nothing"),
        SystemRow("glove", "mean", "v1.5", "test", blind=True, n=1571, trained_on="nothing"),
    ]
    text = render(overview_blocks(rows))
    assert cells_of(text)[2:] == [["glove, mean", "0.700", "0.550"], ["plain", "0.500", "0.800"]]
    assert text.count("Blind, so no accuracy is known: v1.5 test (1,571 cases).") == 1
    assert "the one that is most accurate on the first cases" in text


def test_people_s_published_accuracy_has_a_row():
    rows = [row("one", "test", 0.5, paper=0.6), row("human", "test", paper=1.0, trained_on="as published")]
    text = render(overview_blocks(rows))
    assert cells_of(text)[2:] == [["human", "(1.000)"], ["one", "0.500 (0.600)"]]


def test_half_ties_are_shown_where_there_are_ties_and_no_column_without_papers():
    five_point = row("five_point", "test", 0.531, ties=48, accuracy_half_ties=0.508)
    lines = cells_of(text_of(five_point, row("other", "test", 0.7)))
    at = lines[0].index("half ties")
    assert [line[at - 1 : at + 1] for line in lines[2:]] == [["0", ""], ["48", "0.508"]]
    assert "paper" not in lines[0]
    assert "paper" in cells_of(text_of(row("five_point", "test", 0.531, paper=0.5)))[0]


def test_blind_cases_have_no_accuracy():
    blind = SystemRow("one", "", "v1.5", "test", blind=True, n=1571, ties=3, trained_on="nothing")
    assert text_of(blind) == "Blind, so no accuracy is known: v1.5 test (1,571 cases)."


def test_an_accuracy_below_chance_is_explained():
    low = row("overlap", "test", 0.46, low=0.43, high=0.499)
    assert "Below chance, with the whole interval under .500: overlap (v1.0 test)." in text_of(low)
    assert "Below chance" not in text_of(row("overlap", "test", 0.46, low=0.43, high=0.5))


def test_what_is_missing_or_failed_names_its_sets_unless_it_is_all():
    text = text_of(
        row("few", "validation", 0.5),
        row("few", "test", missing="too few cases"),
        row("dssm", "validation", missing="give stories"),
        row("dssm", "test", missing="give stories"),
        row("likelihood", "validation", failed="a damaged\nfile"),
        row("likelihood", "test", failed="a damaged\nfile"),
    )
    assert "Not run:\n- few (v1.0 test): too few cases\n- dssm: give stories\n\n" in text
    assert "Failed:\n- likelihood: a damaged file" in text
    assert [line[0] for line in cells_of(text)[2:]] == ["few"]


def test_the_best_system_is_compared_with_every_other():
    rows = [row("one", "test", 0.5), row("two", "test", 0.7, best=True), row("three", "test", 0.6)]
    pairs = [
        SystemComparison("one", "two", 5, 25, 0.125, 0.25),
        SystemComparison("one", "three", 1, 11, 0.5, 0.5),
        SystemComparison("two", "three", 13, 3, 0.375, 0.5),
    ]
    [table] = comparison_tables(ClozeResult(rows, {"v1.0 test": pairs}))
    assert table.title == "two, the most accurate on v1.0 test, against every other system"
    assert [[*line] for line in table.rows] == [
        ["one", 25, 5, PValue(0.125), PValue(0.25)],
        ["three", 13, 3, PValue(0.375), PValue(0.5)],
    ]


def test_both_modules_of_the_evaluator():
    joint = ModuleAccuracy(1871, 1117, 0.597, 0.574, 0.619, 0, 0.597)
    level = ModuleAccuracy(1871, 800, 0.428, 0.405, 0.451, 2, 0.429)
    text = render(vector_blocks(VectorResult(1871, ["v1.0"], 384, "whole", joint, level)))
    assert cells_of(text)[2:] == [
        ["joint (whole context)", "1,871", "0.597", "0.574 to 0.619", "0", ""],
        ["sentence level", "1,871", "0.428", "0.405 to 0.451", "2", "0.429"],
    ]
    assert "The paper has .539 for averaged word2vec, .552 for skip-thoughts and .585 for DSSM" in text
    assert "under .500: sentence level." in text
    sample = render(vector_blocks(VectorResult(1871, ["sample"], 384, "whole", joint, None)))
    assert "The paper has" not in sample
    assert len(cells_of(sample)) == 3
