from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denouement.errors import UserError
from denouement.metrics.agreement.reading import read_scores
from denouement.metrics.agreement.tables import ratings_of_table, scores_of_table
from denouement.metrics.agreement.values import gathered_ratings, gathered_scores, matched

WIDE = "item_id,system,bleu,text,chrf\ni1,a,0.5,He ran.,3\ni1,b,,She ran.,NA\ni2,a,1e-1,x,7\n"
LONG = """score,value,system,case_id
chrf,7,a,i2
bleu,0.1,a,i2
bleu,0.5,a,i1
chrf,3,a,i1
chrf,,b,i1
"""


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_column_for_each_score_and_a_row_for_each_value_are_the_same(file):
    wide, long = scores_of_table(file(WIDE)), scores_of_table(file(LONG, "long.csv")).only(["bleu", "chrf"])
    assert wide.endings == long.endings == [("i1", "a"), ("i1", "b"), ("i2", "a")]
    assert wide.names == long.names == ["bleu", "chrf"]
    assert wide.left_out == ["text"]
    np.testing.assert_array_equal(wide.values, [[0.5, np.nan, 0.1], [3, np.nan, 7]])
    np.testing.assert_array_equal(long.values, wide.values)


def test_parquet_and_json_lines_are_read_too(file, tmp_path):
    rows = [{"case_id": "i1", "system": "a", "score": "bleu", "value": 0.5}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "scores.parquet")
    lines = file('{"case_id": "i1", "system": "a", "bleu": 0.5}\n', "scores.jsonl")
    for path in (tmp_path / "scores.parquet", lines):
        found = read_scores(path)
        assert (found.endings, found.names, found.values.tolist()) == ([("i1", "a")], ["bleu"], [[0.5]])


def test_a_column_a_rater_and_a_row_a_rating_are_the_same(file):
    wide = "item_id,ann,bob\ni1,1,2\ni2,,5\n"
    long = "rating,rater,item_id\n5,bob,i2\n2,bob,i1\n1,ann,i1\n"
    one, other = (ratings_of_table(file(text, name), None, [])[0] for text, name in ((wide, "w.csv"), (long, "l.csv")))
    assert one.endings == other.endings == [("i1", ""), ("i2", "")]
    assert one.raters == other.raters == ["ann", "bob"]
    assert one.means().tolist() == other.means().tolist() == [1.5, 5]
    only = ratings_of_table(file(wide), None, ["bob"])[0]
    assert only.means().tolist() == [2, 5]


def test_one_of_several_questions_is_read(file):
    path = file("case_id,question,rater,value\ni,logic,ann,1\ni,style,ann,4\n")
    ratings, question, others = ratings_of_table(path, None, [])
    assert (question, others, ratings.value.tolist()) == ("logic", ["style"], [1])
    assert ratings_of_table(path, "style", [])[0].value.tolist() == [4]
    with pytest.raises(UserError, match="no question 'tone'; there are logic, style"):
        ratings_of_table(path, "tone", [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id,bleu\n1,2\n", "no column case_id or item_id; it has id, bleu"),
        ("item_id,text\n1,x\n", "no column of scores; it has item_id, text"),
        ("item_id,bleu\n1,2\n1,3\n", "1 rows repeat another, such as bleu for 1; keep one of them"),
        ("item_id,score,value\n1,bleu,much\n", "line 2: value is 'much', no number"),
        ("item_id,bleu\n1,inf\n", "line 2: bleu is 'inf', no number"),
        ("item_id,bleu\n,2\n", "line 2: item_id is empty"),
        ("item_id,score,value\n", "no row in it"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_the_place(file, text, problem):
    with pytest.raises(UserError, match=r"table.csv: ") as raised:
        scores_of_table(file(text))
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_two_ratings_of_one_rater_are_refused(file):
    with pytest.raises(UserError, match="repeat another, such as ann for i of a"):
        ratings_of_table(file("item_id,system,rater,rating\ni,a,ann,1\ni,a,ann,2\n"), None, [])


def rows(*endings: tuple[str, str]):
    return [(ending, "x", float(place)) for place, ending in enumerate(endings)]


def test_endings_without_a_partner_are_counted_and_none_in_common_is_refused():
    scores = gathered_scores("s.csv", rows(("i", "a"), ("j", "a"), ("k", "a")))
    people = gathered_ratings("p.csv", rows(("j", "a"), ("l", "a"), ("m", "a"), ("k", "a")))
    grid, ratings, count = matched(scores, people)
    assert (count.endings, count.items, count.only_scores, count.only_people) == (2, 2, 1, 2)
    assert (grid.items, grid.values.tolist(), grid.people.tolist()) == (["j", "k"], [[[1, 2]]], [[0, 3]])
    assert ratings.value.tolist() == [0, 3]
    with pytest.raises(UserError, match="no ending in common: the first has i of a, the second n of a"):
        matched(scores, gathered_ratings("p.csv", rows(("n", "a"))))


def test_the_order_of_rows_does_not_matter():
    endings = [(item, system) for item in "ijk" for system in "ab"]
    one = matched(gathered_scores("s", rows(*endings)), gathered_ratings("p", rows(*endings)))[0]
    turned = matched(gathered_scores("s", rows(*endings)[::-1]), gathered_ratings("p", rows(*endings)[::-1]))[0]
    np.testing.assert_array_equal(one.values, turned.values)
    np.testing.assert_array_equal(one.people, turned.people)


def test_one_system_need_not_be_named_in_both_and_several_must_be():
    bare = gathered_ratings("p.csv", rows(("i", ""), ("j", "")))
    assert matched(gathered_scores("s.csv", rows(("i", "a"), ("j", "a"))), bare)[2].endings == 2
    with pytest.raises(
        UserError, match=r"p\.csv: names no system, but s\.csv has endings of a, b; add a column system"
    ):
        matched(gathered_scores("s.csv", rows(("i", "a"), ("i", "b"))), bare)


def test_a_system_is_left_out():
    endings = [(item, system) for item in "ij" for system in "ab"]
    scores, people = gathered_scores("s", rows(*endings)), gathered_ratings("p", rows(*endings))
    assert matched(scores, people, ["b"])[0].systems == ["a"]
    with pytest.raises(UserError, match="no system c to leave out; there are a, b"):
        matched(scores, people, ["c"])
    with pytest.raises(UserError, match="every system is left out"):
        matched(scores, people, ["a", "b"])
