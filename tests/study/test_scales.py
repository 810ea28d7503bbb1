"""Ratings and orders, by hand and by other libraries."""

import json
from itertools import permutations

import krippendorff
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

from denouement.cli import main
from denouement.schemas import TABLES, table_name, write_table
from denouement.study.scales import order_results, rating_results

COMMON = {"study": "s", "is_check": False, "status": "accepted", "started_at": None, "submitted_at": None}


def ratings(*rows: tuple[str, str, str, int], **other) -> pa.Table:
    """Rows of system, item, annotator, value for the question "logic"."""
    made = [
        COMMON
        | {"item_id": item, "case_id": item, "annotator_id": person, "system": system}
        | {"question": "logic", "value": value, "reason": None}
        | other
        for system, item, person, value in rows
    ]
    return pa.Table.from_pylist(made, schema=TABLES["ratings"].schema)


def orders(*rows: tuple[str, str, list[int]]) -> pa.Table:
    made = [
        COMMON | {"item_id": item, "case_id": item, "annotator_id": person, "shown": order, "order": order}
        for item, person, order in rows
    ]
    return pa.Table.from_pylist(made, schema=TABLES["orders"].schema)


RATED = [("a", "i1", "p", 2), ("a", "i1", "q", 1), ("a", "i2", "p", 0), ("b", "i3", "p", 1), ("a", "i4", "q", 2)]


def test_means_are_of_items():
    table = pa.concat_tables([ratings(*RATED), ratings(("a", "check", "p", 0), is_check=True)])
    found = rating_results(table)
    a, b = found["means"]
    assert (found["answers"], a["system"], a["items"], a["answers"]) == (5, "a", 3, 4)
    assert a["mean"] == pytest.approx((1.5 + 0 + 2) / 3)
    assert (a["low"], a["high"]) == (0, 2)  # of three items hardly less than their range
    assert a["values"] == {"0": 1, "1": 1, "2": 2}
    assert (b["mean"], b["low"], b["high"]) == (1, None, None)


def test_items_that_are_all_alike_tell_no_interval():
    (row,) = rating_results(ratings(("a", "i1", "p", 2), ("a", "i2", "p", 2)))["means"]
    assert (row["mean"], row["low"], row["high"]) == (2, None, None)


def test_an_answer_to_several_questions_is_one_answer():
    found = rating_results(pa.concat_tables([ratings(*RATED), ratings(*RATED, question="grammar")]))
    assert found["answers"] == len(RATED)
    assert [row["answers"] for row in found["means"]] == [4, 1, 4, 1]


def test_one_sentence_is_in_order():
    (row,) = order_results(orders(("i", "p", [0])))["systems"]
    assert (row["right"], row["mean"]) == (1, 1)


def test_alpha_is_ordinal():
    rows = [
        ("a", f"i{i}", p, v)
        for i, given in enumerate([(0, 1), (5, 4), (2, 2), (5, 5)])
        for p, v in zip("pq", given, strict=True)
    ]
    (row,) = rating_results(ratings(*rows))["alphas"]
    by_person = np.array([[0, 5, 2, 5], [1, 4, 2, 5]])
    assert row["alpha"] == pytest.approx(krippendorff.alpha(by_person, level_of_measurement="ordinal"))
    assert row["items"] == 4
    assert rating_results(ratings(("a", "i", "p", 1), ("a", "i", "q", 1)))["alphas"][0]["alpha"] is None


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_tau_is_kendall_s(order):
    (row,) = order_results(orders(("i", "p", list(order))))["systems"]
    assert row["mean"] == pytest.approx(kendalltau(order, range(4)).statistic)
    assert row["right"] == (order == (0, 1, 2, 3))


def test_orders_by_the_system_of_the_ending():
    table = orders(("i1", "p", [0, 1, 2]), ("i1", "q", [2, 1, 0]), ("i2", "p", [0, 1, 2]))
    shown = {"study": "s", "kind": "order", "context": ["One.", "Two."], "endings": ["Three."], "expected": None}
    items = [
        shown | {"item_id": item, "case_id": item, "systems": [system], "is_check": False, "is_training": False}
        for item, system in (("i1", "net"), ("i2", "people"))
    ]
    net, people = order_results(table, pa.Table.from_pylist(items, schema=TABLES["items"].schema))["systems"]
    assert (net["system"], net["right"], net["share"], net["mean"]) == ("net", 1, 0.5, 0)
    assert (people["system"], people["share"], people["mean"]) == ("people", 1, 1)
    assert order_results(table)["systems"][0]["right"] == 2


@pytest.mark.parametrize(
    ("name", "table", "told"),
    [
        ("ratings", ratings(*RATED), "| logic | a | 3 | 4 | 1.17 | 0.00 to 2.00 |"),
        ("orders", orders(("i", "p", [0, 1])), "| 1 (100.0%) |"),
        ("ratings", ratings(), "0 answers count"),
        ("orders", orders(), "0 answers count"),
    ],
)
def test_the_command_prints_them(name, table, told, tmp_path):
    write_table(table, tmp_path / "answers.parquet", name)
    done = CliRunner().invoke(main, ["study", "results", str(tmp_path / "answers.parquet")])
    assert done.exit_code == 0, done.output
    assert told in " ".join(done.output.split())
    done = CliRunner().invoke(main, ["study", "results", str(tmp_path / "answers.parquet"), "--json"])
    assert json.loads(done.stdout)["answers"] == table.num_rows
    done = CliRunner().invoke(main, ["study", "results", str(tmp_path / "answers.parquet"), "--reasons"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


def written(folder, name, table) -> dict[str, bytes]:
    write_table(table, folder / "answers.parquet", name)
    for out in ("one", "two"):
        words = ["study", "results", str(folder / "answers.parquet"), "--out", str(folder / out)]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        assert f"Tables and the page results.html: {folder / out}" in done.stdout
    one, two = ({path.name: path.read_bytes() for path in (folder / out).iterdir()} for out in ("one", "two"))
    assert one == two
    return one


def test_ratings_are_written(tmp_path):
    evil = "<script>alert(1)</script>"
    files = written(tmp_path, "ratings", ratings(*RATED, (evil, "i5", "p", 1)))
    assert set(files) == {"results.json", "results.html", "rating_means.parquet", "rating_alphas.parquet"}
    assert table_name(tmp_path / "one/rating_means.parquet") == "rating_means"
    means = pq.read_table(tmp_path / "one/rating_means.parquet").to_pylist()
    assert [row["system"] for row in means] == [evil, "a", "b"]
    assert (means[1]["items"], means[1]["values"], means[1]["counts"]) == (3, [0, 1, 2], [1, 1, 2])
    assert means[1]["mean"] == pytest.approx((1.5 + 0 + 2) / 3)
    assert (means[2]["low"], means[2]["high"]) == (None, None)
    (alpha,) = pq.read_table(tmp_path / "one/rating_alphas.parquet").to_pylist()
    assert (alpha["question"], alpha["items"]) == ("logic", 1)
    assert json.loads(files["results.json"])["answers"] == 6
    page = files["results.html"].decode()
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_orders_are_written(tmp_path):
    table = orders(("i1", "p", [0, 1, 2]), ("i1", "q", [2, 1, 0]))
    files = written(tmp_path, "orders", table)
    assert set(files) == {"results.json", "results.html", "order_means.parquet"}
    assert pq.read_table(tmp_path / "one/order_means.parquet").to_pylist() == [
        {"system": "all", "items": 1, "answers": 2, "right": 1, "share": 0.5, "mean": 0.0, "low": None, "high": None}
    ]


def test_without_ratings_the_tables_are_empty(tmp_path):
    written(tmp_path, "ratings", ratings())
    assert pq.read_table(tmp_path / "one/rating_means.parquet").num_rows == 0
