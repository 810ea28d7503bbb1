import pytest

from denouement.report.tables import count_and_share, endings_text, number, p_value, sentiment_text

COUNTS = {"n": 4, "mean": 0.1464, "positive": 2, "negative": 1, "positive_share": 0.5, "negative_share": 0.25}


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


def sentiment_row(group: str, of: str, paper: dict | None, **figures: int) -> dict:
    return {"group": group, "of": of, "paper": paper, "t": 1.5, "p": 0.0, **COUNTS, **figures}


def test_the_papers_figures_stand_below_ours_where_there_are_any():
    paper = {"of": "v1.0 validation and test", **COUNTS, "n": 3742}
    rows = [sentiment_row("right", "v1.0 test", paper), sentiment_row("seq2seq", "", None)]
    text = sentiment_text(rows, None)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert lines[2] == ["right", "v1.0 test", "4", "0.146", "2 (50.0%)", "1 (25.0%)", "1.50", "<1e-300"]
    of_paper = "Mori et al. 2019: v1.0 validation and test"
    assert lines[3] == ["right", of_paper, "3,742", "0.146", "2 (50.0%)", "1 (25.0%)", "", ""]
    assert lines[4][0] == "seq2seq"


def test_figures_of_fewer_cases_than_the_papers_are_said_to_be():
    paper = {"of": "v1.0 validation and test", **COUNTS, "n": 3742}
    said = (
        "The paper's right and wrong endings are of v1.0 validation and test together, 3,742 cases; those here are of"
    )
    rows = [sentiment_row(group, "v1.0 validation", paper, n=1871) for group in ("right", "wrong")]
    assert sentiment_text(rows, None).count(f"{said} v1.0 validation, 1,871 cases.") == 1
    all_of_them = [sentiment_row("right", "v1.0 validation and test", paper, n=3742)]
    assert said not in sentiment_text(all_of_them, None)


def test_the_sample_corpus_is_said_to_be_written_by_a_grammar():
    assert "written by a grammar, not by people" in sentiment_text([sentiment_row("right", "sample test", None)], None)
    assert "grammar" not in sentiment_text([sentiment_row("right", "v1.0 test", None)], None)


def test_no_published_figure_stands_beside_the_sample_corpus():
    row = {"group": "right", "of": "sample validation", "t": None, "p": None, "paper": None, **COUNTS}
    assert "written by a grammar" in sentiment_text([row], None)
    assert "grammar" not in sentiment_text([{**row, "of": "v1.0 test"}], None)
    comparison = {
        **{"n": 4, "mean_difference": 0.1, "t": 1.0, "df": 6, "p": 0.3, "paired_t": 1.0, "paired_df": 3},
        **{"paired_p": 0.3, "paper_p": None},
    }
    assert "Sharma" not in sentiment_text([row], comparison)


def test_both_tests_of_right_against_wrong_are_printed():
    comparison = {
        **{"n": 3742, "mean_difference": 0.1354, "t": 15.6, "df": 7482, "p": 3.0e-54},
        **{"paired_t": 13.1, "paired_df": 3741, "paired_p": 0.0, "paper_p": 3.48e-54},
    }
    text = sentiment_text([], comparison)
    assert "3,742 cases: mean difference 0.135" in text
    assert "t(7,482) = 15.60, p = 3.00e-54 (Sharma et al. 2018, v1.0 validation and test, 3,742 cases: p" in text
    assert "paired by case t(3,741) = 13.10, p <1e-300." in text
    assert "Sharma" not in sentiment_text([], {**comparison, "paper_p": None})


def test_endings_of_people_have_no_probability():
    row = {
        **{"system": "right", "n": 2000, "distinct": 1500, "distinct_share": 0.75, "mean_words": 7.52},
        **{"distinct_1": 0.5, "distinct_2": None, "log_prob_per_token": None, "decoding": None},
        **{"most_frequent": "It was a|b.", "most_frequent_count": 20, "most_frequent_share": 0.01},
    }
    line = endings_text([row]).splitlines()[2]
    assert [cell.strip() for cell in line.replace("\\|", "!").split("|")[1:-1]] == [
        *("right", "2,000", "1,500 (75.0%)", "7.5", "0.500", "-", "-"),
        "It was a!b. (20, 1.0%)",
    ]
    assert "Decoding" not in endings_text([row])
    assert endings_text([row | {"system": "toy", "decoding": "beam, beam_width 5"}]).endswith(
        "Decoding of toy: beam, beam_width 5."
    )
