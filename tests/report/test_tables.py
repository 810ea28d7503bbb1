import pytest

from denouement.report.tables import cloze_text, count_and_share, number, p_value


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (None, "-"),
        (0.0, "<1e-300"),
        (3.48e-54, "3.48e-54"),
        (0.00099, "9.90e-04"),
        (0.001, "0.001"),
        (0.5264, "0.526"),
        (1, "1.000"),
    ],
)
def test_p_values(p, text):
    assert p_value(p) == text


def test_numbers():
    assert count_and_share(1652, 1652 / 3742) == "1,652 (44.1%)"
    assert number(None, 2) == "-"
    assert number(-1.666, 2) == "-1.67"


def accuracies(**n: int) -> dict:
    return {group.replace("_", " "): {"n": size, "accuracy": 0.5} for group, size in n.items()}


def test_sizes_of_groups_are_those_of_their_set_of_cases():
    common = {"system": "dssm", "variant": "", "release": "v1.0", "blind": False, "n": 10, "accuracy": 0.5}
    common |= {"low": 0.1, "high": 0.9, "paper": None, "ties": 0, "trained_on": "nothing", "missing": None}
    common |= {"failed": None, "best": False, "p_best": None, "accuracy_half_ties": None}
    rows = [
        {**common, "split": "validation", "by_length": accuracies(equal=4, right_longer=6), "by_sentiment": None},
        {**common, "split": "test", "by_length": accuracies(equal=7, right_longer=3), "by_sentiment": None},
        {**common, "split": "test", "system": "cogcomp", "by_length": accuracies(equal=7, right_longer=3)}
        | {"by_sentiment": None},
    ]
    paragraphs = cloze_text(rows, {}).split("\n\n")
    said = {table: paragraphs[place] for place, table in enumerate(paragraphs[1:]) if table.startswith("| system")}
    of_set = {what: table for table, what in said.items() if what.startswith("Accuracy by")}
    what = "Accuracy by the right ending's length, against the wrong one's"
    assert list(of_set) == [f"{what}, v1.0 validation:", f"{what}, v1.0 test:"]
    headers = [[cell.strip() for cell in table.splitlines()[0].split("|")[1:-1]] for table in of_set.values()]
    assert headers == [["system", "equal (4)", "right longer (6)"], ["system", "equal (7)", "right longer (3)"]]
    assert [len(table.splitlines()) for table in of_set.values()] == [3, 4]


def cloze_row(system, split, accuracy=None, **other):
    n = 100
    return {
        **{"system": system, "variant": "", "release": "v1.0", "split": split, "blind": False, "n": n},
        **{"correct": None if accuracy is None else round(accuracy * n), "accuracy": accuracy, "low": 0.1, "high": 0.9},
        **{"ties": 0, "accuracy_half_ties": accuracy, "best": False, "p_best": None, "paper": None},
        **{"trained_on": "nothing", "fitted_to": None, "missing": None, "failed": None},
        **{"by_sentiment": None, "by_length": None},
        **other,
    }


def cells_of(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]


def test_validation_and_test_stand_side_by_side():
    rows = [
        cloze_row("one", "validation", 0.75, best=True),
        cloze_row("one", "test", 0.625, paper=0.715, p_best=0.0421),
        cloze_row("other", "test", 0.7, best=True),
    ]
    lines = cells_of(cloze_text(rows, {}))
    assert lines[0] == ["system", "v1.0 validation (n = 100)", "v1.0 test (n = 100)"]
    assert lines[2:4] == [["one", "0.750", "0.625 (0.715)"], ["other", "", "0.700"]]
    assert [line[5] for line in lines[6:]] == ["best", "0.042", "best"]
    assert len(cells_of(cloze_text(rows[1:], {}))) == 4, "one set of cases needs no second table"


def test_half_ties_stand_where_there_are_ties_and_no_column_without_papers():
    rows = [
        cloze_row("five_point", "test", 0.531, ties=48, accuracy_half_ties=0.508),
        cloze_row("other", "test", 0.7),
    ]
    lines = cells_of(cloze_text(rows, {}))
    at = lines[0].index("half ties")
    assert [line[at - 1 : at + 1] for line in lines[2:]] == [["48", "0.508"], ["0", ""]]
    assert "paper" not in lines[0]
    assert "paper" in cells_of(cloze_text([{**rows[0], "paper": 0.5}], {}))[0]


def test_an_accuracy_below_chance_is_explained():
    low = cloze_row("overlap", "test", 0.46, low=0.43, high=0.499)
    assert "Below chance, with the whole interval under .500: overlap (v1.0 test)." in cloze_text([low], {})
    assert "Below chance" not in cloze_text([{**low, "high": 0.5}], {})


def test_what_is_missing_or_failed_names_its_sets_unless_it_is_all():
    none = {"low": None, "high": None, "ties": None, "trained_on": None}
    rows = [
        cloze_row("few", "validation", 0.5),
        cloze_row("few", "test", **none, missing="too few cases"),
        cloze_row("dssm", "validation", **none, missing="give stories"),
        cloze_row("dssm", "test", **none, missing="give stories"),
        cloze_row("likelihood", "validation", **none, failed="a damaged\nfile"),
        cloze_row("likelihood", "test", **none, failed="a damaged\nfile"),
    ]
    text = cloze_text(rows, {})
    assert "Not run:\n- few (v1.0 test): too few cases\n- dssm: give stories\n\n" in text
    assert "Failed:\n- likelihood: a damaged file" in text
    assert [line[0] for line in cells_of(text)[2:]] == ["few"]
