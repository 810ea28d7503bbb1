"""Scores made elsewhere: read, held against the cases, refused where they do not belong to them."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denouement import schemas
from denouement.cloze.evaluation.brought_scores import read_scores
from denouement.cloze.evaluation.evaluate import evaluate
from denouement.cloze.resources import Resources
from denouement.errors import UserError

HEADER = "case_id,score_1,score_2\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="gpt.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def rows_of(path, cases, names=()):
    found = evaluate(names, None, cases, Resources(), brought=read_scores(path))
    return found, [row for row in found.result.systems if row.system != "human"]


def test_a_file_of_scores_is_a_system(make_cases, write):
    # Right, a tie, and wrong; in another order than the cases, beside a case that is not scored.
    path = write(f"{HEADER}case-2,0.5,1\ncase-0,-1,-2\ncase-1,3,3\nelsewhere,1,2\n")
    found, [ours, brought] = rows_of(path, make_cases([1, 2, 1]), ["constant_first"])
    assert (ours.system, brought.system, brought.variant) == ("constant_first", "gpt", "")
    assert (brought.correct, brought.ties, brought.accuracy_half_ties) == (1, 1, 0.5)
    assert (brought.trained_on, brought.paper) == ("not known: gpt.csv", None)
    assert [first for first, _ in found.scores["scores"].to_pylist()[3:]] == [-1, 3, 0.5]
    assert found.result.notes == {"scores made elsewhere": {"gpt.csv: scores of gpt for cases that are not scored": 1}}
    assert [(pair.one, pair.other) for pair in found.result.comparisons["v1.0 validation"]] == [
        ("constant_first", "gpt")
    ]


def test_systems_and_variants_of_columns_in_csv_and_parquet(make_cases, tmp_path, write):
    cases = make_cases([1, 2])
    text = "system;variant;case_id;score_1;score_2\na;;case-0;1;0\na;;case-1;1;0\na;big;case-0;1;0\na;big;case-1;0;1\n"
    _, rows = rows_of(write(text), cases)
    assert [(row.system, row.variant, row.correct) for row in rows] == [("a", "", 1), ("a", "big", 2)]
    table = pa.table({"case_id": ["case-1", "case-0"], "score_1": [0, 1], "score_2": [1.5, 0.5], "model": ["x", "x"]})
    pq.write_table(table, tmp_path / "elsewhere.parquet")
    _, [row] = rows_of(tmp_path / "elsewhere.parquet", cases)
    assert (row.system, row.correct) == ("elsewhere", 2)


def test_our_own_table_of_scores_comes_back_as_it_went(make_cases, tmp_path):
    cases = pa.concat_tables([make_cases([1, 2, 2]), make_cases([1, 2], "v1.5", "test")])
    first = evaluate(["constant_first", "sentiment_last"], None, cases, Resources())
    schemas.write_table(first.scores, tmp_path / "scores.parquet", "scores")
    again, _ = rows_of(tmp_path / "scores.parquet", cases)
    key = ["system", "variant", "release", "split", "case_id"]
    assert again.scores.sort_by([(name, "ascending") for name in key]).equals(
        first.scores.sort_by([(name, "ascending") for name in key])
    )
    with pytest.raises(UserError, match="constant_first has the name of a system that is evaluated here"):
        rows_of(tmp_path / "scores.parquet", cases, ["constant_first"])


def test_a_set_without_all_its_scores_has_none(make_cases, write):
    cases = pa.concat_tables([make_cases([1, 2]), make_cases([1, 2, 1], "v1.5", start=1)])
    _, rows = rows_of(write(f"{HEADER}case-0,1,0\ncase-1,1,0\n"), cases)
    assert rows[0].correct == 1
    assert rows[1].missing == "gpt.csv has no scores for 2 of 3 cases of v1.5 validation; the first is case-2"


def turned_round(cases: pa.Table) -> pa.Table:
    """The cases with their endings in the other order."""
    rows = [{**row, "endings": row["endings"][::-1]} for row in cases.to_pylist()]
    return pa.Table.from_pylist(rows, cases.schema)


def test_scores_of_one_release_are_no_scores_of_another(make_cases, write):
    cases = pa.concat_tables([make_cases([1, 2]), make_cases([1, 2], "v1.5")])
    of_v1_0 = "case_id,release,score_1,score_2\ncase-0,v1.0,1,0\ncase-1,v1.0,1,0\n"
    _, rows = rows_of(write(of_v1_0), cases)
    assert [row.missing is None for row in rows] == [True, False]
    _, rows = rows_of(write(f"{HEADER}case-0,1,0\ncase-1,1,0\n"), cases)
    assert [row.correct for row in rows] == [1, 1], "the same endings in the same order, so the same scores"
    turned = turned_round(cases.slice(2))
    with pytest.raises(UserError, match=r"case case-0 has other endings, or the same in another order, in v1\.0 valid"):
        rows_of(write(f"{HEADER}case-0,1,0\ncase-1,1,0\n"), pa.concat_tables([cases.slice(0, 2), turned]))


@pytest.mark.parametrize(
    ("columns", "other_set", "message"),
    [
        ("release", ("v1.0", "test"), "other endings, or the same in another order, in v1.0 validation and v1.0 test"),
        ("split", ("v1.5", "validation"), "other endings, or the same in another order, in v1.0 validation and v1.5"),
        ("release,split", ("v1.0", "validation"), "is twice in v1.0 validation, with other endings"),
    ],
)
def test_one_score_is_not_of_two_pairs_of_endings(make_cases, write, columns, other_set, message):
    one, other = make_cases([1]), make_cases([1], *other_set)
    turned = turned_round(other)
    of_case = {"release": "v1.0", "split": "validation"}
    cells = ",".join(of_case[name] for name in columns.split(","))
    path = write(f"case_id,{columns},score_1,score_2\ncase-0,{cells},1,0\n")
    with pytest.raises(UserError) as refused:
        rows_of(path, pa.concat_tables([one, turned]))
    assert message in str(refused.value)


def test_a_name_with_a_blank_is_no_variant_of_another_system(make_cases, write):
    text = "system,variant,case_id,score_1,score_2\nbig,model,case-0,1,0\nbig model,,case-0,0,1\n"
    with pytest.raises(UserError, match=r"big model has the name of a system in gpt\.csv"):
        rows_of(write(text), make_cases([1]))
    text = "system,case_id,score_1,score_2\nsentiment_last vader,case-0,1,0\n"
    with pytest.raises(UserError, match="sentiment_last vader has the name of a system that is evaluated here"):
        rows_of(write(text), make_cases([1]), ["sentiment_last"])
    _, rows = rows_of(write(text), make_cases([1]), ["constant_first"])
    assert [row.system for row in rows] == ["constant_first", "sentiment_last vader"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case_id,score\ncase-0,1\n", "no header with the columns case_id, score_1 and score_2"),
        (HEADER, "no row of scores in it"),
        (f"{HEADER}case-0,1,0\ncase-0,1,0\n", "line 3: case case-0 is there twice for gpt"),
        (f"{HEADER}case-0,1,nan\n", "line 2: 'nan' is not a finite number"),
        (f"{HEADER}case-0,1,\n", "line 2: '' is not a finite number"),
        (f"{HEADER}case-0,1,1_0\n", "line 2: '1_0' is not a finite number"),
        (f"{HEADER}case-0,1,inf\n", "line 2: 'inf' is not a finite number"),
        (f"{HEADER},1,2\n", "line 2 has no case_id"),
        (f"{HEADER}case-0,1\n", "line 2 has 2 cells where the header has 3"),
        (f"{HEADER}case-7,1,0\n", "none of the 1 scores of gpt is of a case of v1.0 validation"),
        ("case_id,score_1,score_1,score_2\ncase-0,1,1,0\n", "two columns score_1"),
        ("case_id,split,score_1,score_2\ncase-0,dev,1,0\n", "split must be one of train, validation, test, not 'dev'"),
        ("case_id,system,score_1,score_2\ncase-0,../up,1,0\n", "'../up' cannot name a system"),
        ("case_id,system,score_1,score_2\ncase-0,human,1,0\n", "human has the name of a system that is evaluated here"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(make_cases, write, text, message):
    with pytest.raises(UserError) as refused:
        rows_of(write(text), make_cases([1]))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"case_id": ["a"], "score_1": [1.0]}, "no column score_2"),
        ({"case_id": [1], "score_1": [1.0], "score_2": [1.0]}, "column case_id holds int64; give text"),
        ({"case_id": ["a"], "score_1": ["1"], "score_2": [1.0]}, "column score_1 holds string; give numbers"),
        ({"case_id": ["a", "b"], "score_1": [1.0, None], "score_2": [1.0, 2.0]}, "row 2 has no score_1"),
        ({"case_id": ["a"], "score_1": [float("nan")], "score_2": [1.0]}, "row 1: nan is not a finite number"),
    ],
)
def test_what_is_wrong_with_a_parquet_file_is_one_line(tmp_path, columns, message):
    pq.write_table(pa.table(columns), tmp_path / "scores.parquet")
    with pytest.raises(UserError) as refused:
        read_scores(tmp_path / "scores.parquet")
    assert message in str(refused.value)


def test_columns_that_are_not_read_are_named(write, capsys):
    read_scores(write("case_id,score_1,score_2,comment\ncase-0,1,0,good\n"))
    assert "columns that are not read: comment" in capsys.readouterr().err


def test_one_system_in_two_files_is_refused(make_cases, write):
    one, other = write(f"{HEADER}case-0,1,0\n"), write("system,case_id,score_1,score_2\ngpt,case-0,1,0\n", "b.csv")
    with pytest.raises(UserError, match=r"b\.csv: gpt has the name of a system in gpt\.csv"):
        evaluate([], None, make_cases([1]), Resources(), brought=[*read_scores(one), *read_scores(other)])
