"""Ratings and orders, by hand and by other libraries."""

import json
import re
from itertools import permutations

import krippendorff
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau
from statsmodels.stats.proportion import proportion_confint

from denouement.cli import main
from denouement.documents import document, read_document
from denouement.errors import UserError
from denouement.legible import can_be_shown
from denouement.present.markdown import render
from denouement.schemas import TABLES, table_name, write_table
from denouement.study.results.page import scale_page
from denouement.study.results.reliability import ChecksAnswered
from denouement.study.results.scales import OrderResults, RatingResults, order_results, rating_results
from denouement.study.results.sections import scale_section

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
    a, b = found.means
    assert (found.answers, a.system, a.items, a.answers) == (5, "a", 3, 4)
    assert a.mean == pytest.approx((1.5 + 0 + 2) / 3)
    assert (a.low, a.high) == (None, None), "three items are too few"
    assert a.values == {"0": 1, "1": 1, "2": 2}
    assert (b.mean, b.low, b.high) == (1, None, None)


def test_items_that_are_all_alike_have_no_interval():
    (row,) = rating_results(ratings(*(("a", f"i{place}", "p", 2) for place in range(12)))).means
    assert (row.mean, row.low, row.high) == (2, None, None)
    assert row.why_not == "all answers are the same"


def test_annotators_who_differ_make_the_interval_of_a_mean_wider():
    # Each gives every item the same, but for noise: with four people the mean is known as little as of four answers.
    generator = np.random.default_rng(1)
    given = [
        ("a", f"i{item}", person, value + int(generator.integers(0, 2)))
        for item in range(20)
        for person, value in zip("pqrs", (1, 2, 3, 4), strict=True)
    ]
    known = ratings(*given)
    unnamed = pa.array([f"unnamed-{place}" for place in range(known.num_rows)])
    unknown = known.set_column(known.schema.get_field_index("annotator_id"), "annotator_id", unnamed)
    (one,), (other,) = (rating_results(table).means for table in (known, unknown))
    assert (one.over, other.over) == ("cases and annotators", "cases")
    assert one.mean == other.mean
    assert 1 < one.low < one.high < 5
    assert one.high - one.low > 5 * (other.high - other.low)


def test_an_interval_of_an_order_is_of_other_annotators_too():
    first, last = [2, 1, 0], [0, 1, 2]
    table = orders(*((f"i{item}", f"p{n}", last if n < 2 else first) for item in range(20) for n in range(4)))
    (row,) = order_results(table).systems
    assert (row.mean, row.over) == (0, "cases and annotators")
    assert -1 < row.low < -0.7, "of two people who are always right and two who never are, others may be either"
    told = render([scale_section(order_results(table))])
    assert "The 95% interval shows what other cases and other annotators would give." in told


def test_why_a_mean_has_no_interval_is_printed_with_its_name():
    few = ratings(*RATED, *(("b", f"j{place}", "pq"[place % 2], place % 3) for place in range(12)))
    told = render([scale_section(rating_results(few))])
    assert "There is no 95% interval of logic a, since the answers are about 3 cases, fewer than 10." in told
    assert "The 95% interval of logic b shows what other cases and other annotators would give." in told


def test_questions_stay_in_their_order_and_values_between_the_ends_are_printed():
    table = pa.concat_tables([ratings(*RATED), ratings(("a", "i1", "p", 5), ("b", "i3", "p", 2), question="grammar")])
    found = rating_results(table)
    assert [(row.question, row.system) for row in found.means] == [
        *(("logic", "a"), ("logic", "b"), ("grammar", "a"), ("grammar", "b"))
    ]
    assert [row.question for row in found.alphas] == ["logic", "grammar"]
    values = [row.values for row in found.means]
    assert values[1] == {"0": 0, "1": 1, "2": 0}
    assert values[2:] == [{"2": 0, "3": 0, "4": 0, "5": 1}, {"2": 1, "3": 0, "4": 0, "5": 0}]


def items_of(**expected: str | None) -> pa.Table:
    shown = {"study": "s", "kind": "rating", "context": ["One.", "Two."], "systems": ["a"], "is_training": False}
    rows = [
        shown | {"item_id": i, "case_id": i, "endings": [f"End {i}."], "is_check": e is not None, "expected": e}
        for i, e in expected.items()
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["items"].schema)


def test_ratings_that_do_not_count_and_checks_are_printed(tmp_path):
    both = [("logic", [2]), ("grammar", [1, 2])]
    right = json.dumps(dict(both))
    tables = [ratings(("a", "i1", "p", 1), ("a", "i1", "q", 2), question=question) for question, _ in both] + [
        ratings(("a", "i2", "p", 0), question="logic", status="excluded"),
        ratings(("a", "i2", "q", 0), question="logic", status="surplus"),
        ratings(("a", "c1", "p", 2), ("a", "c1", "q", 2), ("a", "c2", "q", 0), question="logic", is_check=True),
        ratings(("a", "c1", "p", 2), ("a", "c1", "q", 0), ("a", "c2", "q", 0), question="grammar", is_check=True),
    ]
    table, items = pa.concat_tables(tables), items_of(i1=None, i2=None, c1=right, c2=right)
    found = rating_results(table, items)
    assert found.answers == 2
    assert found.statuses == {"accepted": 2, "excluded": 1, "surplus": 1}
    assert found.checks == ChecksAnswered(3, 3, 2, 1)
    write_table(table, tmp_path / "ratings.parquet", "ratings")
    write_table(items, tmp_path / "items.parquet", "items")
    words = ["study", "results", str(tmp_path / "ratings.parquet")]
    told = CliRunner().invoke(main, [*words, "--items", str(tmp_path / "items.parquet")]).output
    assert "2 answers count. By status: 2 accepted, 1 excluded, 1 surplus." in told
    assert "Apart from these, 3 are to attention checks." in told
    assert "Attention checks: 2 of 3 failed, by 1 annotator." in told
    assert "are in the table of items (--items)" in CliRunner().invoke(main, words).output


def test_checks_of_orders_are_printed():
    table = orders(("i", "p", [0, 1, 2]), ("c", "p", [0, 1, 2]), ("c", "q", [1, 0, 2]))
    is_check = pa.array([False, True, True])
    table = table.set_column(table.schema.get_field_index("is_check"), table.schema.field("is_check"), is_check)
    found = order_results(table, items_of(i=None, c="[0, 1, 2]"))
    assert found.answers == 1
    assert found.checks == ChecksAnswered(2, 2, 1, 1)


def test_reasons_for_ratings_are_printed(tmp_path):
    evil = "It\nreads <b>well</b> | \x1b[2J."
    table = pa.concat_tables(
        [
            ratings(("a", "i1", "p", 2), reason=evil),
            ratings(("a", "i1", "p", 0), question="grammar", reason=evil),
            ratings(("a", "i2", "p", 1)),
            ratings(("a", "c", "p", 1), reason="Of a check.", is_check=True),
        ]
    )
    (row,) = rating_results(table, items_of(i1=None)).reasons
    assert (row.item_id, row.annotator_id, row.ending) == ("i1", "p", "End i1.")
    assert (row.values, row.reason) == ({"logic": 2, "grammar": 0}, evil)
    write_table(table, tmp_path / "ratings.parquet", "ratings")
    write_table(items_of(i1=None), tmp_path / "items.parquet", "items")
    words = ["study", "results", str(tmp_path / "ratings.parquet")]
    assert "reads" not in CliRunner().invoke(main, words).output
    told = CliRunner().invoke(main, [*words, "--reasons"]).output
    assert can_be_shown(told)
    assert "| i1 | a | logic 2, grammar 0 | It reads <b>well</b> " in re.sub(" +", " ", told)
    more = ["--items", str(tmp_path / "items.parquet"), "--out", str(tmp_path / "out")]
    assert "| End i1. |" in re.sub(" +", " ", CliRunner().invoke(main, [*words, *more, "--reasons"]).output)
    page = (tmp_path / "out/results.html").read_text()
    assert "End i1." in page
    assert "It reads &lt;b&gt;well&lt;/b&gt;" in page
    assert "Of a check" not in page


def test_how_often_the_ending_is_put_last_is_of_items():
    first, last, elsewhere = [2, 1, 0], [1, 0, 2], [0, 2, 1]
    given = {"i1": [last, last, first], "i2": [last, elsewhere], "i3": [last], "i4": [elsewhere]}
    answers = [(item, f"p{n}", order) for item, given_orders in given.items() for n, order in enumerate(given_orders)]
    (row,) = order_results(orders(*answers)).systems
    assert row.last.n == 2, "i1 and i3; of i2 only half"
    interval = proportion_confint(2, 4, method="beta")
    assert (row.last.share, row.last.low, row.last.high) == pytest.approx((0.5, *interval))


def test_an_answer_to_several_questions_is_one_answer():
    found = rating_results(pa.concat_tables([ratings(*RATED), ratings(*RATED, question="grammar")]))
    assert found.answers == len(RATED)
    assert [row.answers for row in found.means] == [4, 1, 4, 1]


def test_one_sentence_is_in_order():
    (row,) = order_results(orders(("i", "p", [0]))).systems
    assert (row.right, row.mean) == (1, 1)


def test_alpha_is_ordinal():
    rows = [
        ("a", f"i{i}", p, v)
        for i, given in enumerate([(0, 1), (5, 4), (2, 2), (5, 5)])
        for p, v in zip("pq", given, strict=True)
    ]
    (row,) = rating_results(ratings(*rows)).alphas
    by_person = np.array([[0, 5, 2, 5], [1, 4, 2, 5]])
    assert row.alpha == pytest.approx(krippendorff.alpha(by_person, level_of_measurement="ordinal"))
    assert row.items == 4
    assert rating_results(ratings(("a", "i", "p", 1), ("a", "i", "q", 1))).alphas[0].alpha is None


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_tau_is_kendall_s(order):
    (row,) = order_results(orders(("i", "p", list(order)))).systems
    assert row.mean == pytest.approx(kendalltau(order, range(4)).statistic)
    assert row.right == (order == (0, 1, 2, 3))


def test_orders_by_the_system_of_the_ending():
    table = orders(("i1", "p", [0, 1, 2]), ("i1", "q", [2, 1, 0]), ("i2", "p", [0, 1, 2]))
    shown = {"study": "s", "kind": "order", "context": ["One.", "Two."], "endings": ["Three."], "expected": None}
    items = [
        shown | {"item_id": item, "case_id": item, "systems": [system], "is_check": False, "is_training": False}
        for item, system in (("i1", "net"), ("i2", "people"))
    ]
    net, people = order_results(table, pa.Table.from_pylist(items, schema=TABLES["items"].schema)).systems
    assert (net.system, net.right, net.share, net.mean) == ("net", 1, 0.5, 0)
    assert (people.system, people.share, people.mean) == ("people", 1, 1)
    assert order_results(table).systems[0].right == 2


@pytest.mark.parametrize(
    ("name", "table", "told"),
    [
        ("ratings", ratings(*RATED), "| logic | a | 3 | 4 | 1.17 | - |"),
        ("orders", orders(("i", "p", [0, 1])), "| 1 (100.0%) |"),
        ("orders", orders(("i", "p", [0, 1])), "| 1 (100.0%) | 2.5% to 100.0% |"),
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
    assert (done.exit_code, done.stderr.count("\n")) == ((0, 0) if name == "ratings" else (2, 1))


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


def test_a_page_of_many_ratings_folds_the_reasons_of_all_but_the_first_hundred():
    table = ratings(*(("a", f"i{number:03}", "p", number % 3) for number in range(101)), reason="Because.")
    shown, folded = scale_page(rating_results(table)).split("<summary>Answers 101 to 101 of 101</summary>")
    assert (shown.count("Because."), folded.count("Because.")) == (100, 1)


def test_ratings_are_written(tmp_path):
    evil = "<script>alert(1)</script>"
    files = written(tmp_path, "ratings", ratings(*RATED, (evil, "i5", "p", 1)))
    tables = {"rating_means.parquet", "rating_alphas.parquet"}
    assert set(files) == {"results.json", "results.html", "made_from.json", *tables}
    assert table_name(tmp_path / "one/rating_means.parquet") == "rating_means"
    means = pq.read_table(tmp_path / "one/rating_means.parquet").to_pylist()
    assert [row["system"] for row in means] == [evil, "a", "b"]
    assert (means[1]["items"], means[1]["values"], means[1]["counts"]) == (3, [0, 1, 2], [1, 1, 2])
    assert means[1]["mean"] == pytest.approx((1.5 + 0 + 2) / 3)
    assert (means[2]["low"], means[2]["high"]) == (None, None)
    (alpha,) = pq.read_table(tmp_path / "one/rating_alphas.parquet").to_pylist()
    assert (alpha["question"], alpha["items"]) == ("logic", 1)
    assert read_document(tmp_path / "one/results.json", RatingResults).answers == 6
    page = files["results.html"].decode()
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_orders_are_written(tmp_path):
    table = orders(("i1", "p", [0, 1, 2]), ("i1", "q", [2, 1, 0]))
    files = written(tmp_path, "orders", table)
    assert read_document(tmp_path / "one/results.json", OrderResults) == order_results(table)
    assert set(files) == {"results.json", "results.html", "made_from.json", "order_means.parquet"}
    assert pq.read_table(tmp_path / "one/order_means.parquet").to_pylist() == [
        {"system": "all", "items": 1, "answers": 2, "right": 1, "share": 0.5, "mean": 0.0, "low": None, "high": None}
        | {"over": None}
    ]


def test_without_ratings_the_tables_are_empty(tmp_path):
    written(tmp_path, "ratings", ratings())
    assert pq.read_table(tmp_path / "one/rating_means.parquet").num_rows == 0


@pytest.mark.parametrize(("kind", "rows"), [(RatingResults, "means"), (OrderResults, "systems")])
def test_results_that_do_not_say_what_their_intervals_show_are_refused(kind, rows, tmp_path):
    results = rating_results(ratings(*RATED)) if kind is RatingResults else order_results(orders(("i", "p", [0, 1])))
    damaged = document(results)
    del damaged[rows][0]["over"]
    (tmp_path / "results.json").write_text(json.dumps(damaged))
    with pytest.raises(UserError, match=f"{rows} > 0 > over is missing .* dvc repro study"):
        read_document(tmp_path / "results.json", kind, "study")
