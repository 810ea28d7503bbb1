"""Table 2, its tests, and how annotators agree: figures worked out by hand or by another formula."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from statsmodels.stats.multitest import multipletests
from votes_by_hand import votes

from denouement.documents import document, read_document, write_document
from denouement.errors import UserError
from denouement.present.markdown import render
from denouement.schemas import TABLES
from denouement.study.importing import import_answers
from denouement.study.results.ballot import count
from denouement.study.results.pairs import SignTest, sign_test
from denouement.study.results.preferences import AnswersBySide, StudyResults, study_results
from denouement.study.results.reliability import ChecksAnswered, alpha, annotator_results, kappa
from denouement.study.results.sections import study_sections
from denouement.study.results.tables import agreements, result_tables, table_3

N, P = "new", "plain"

# new / plain; what the five agree on is in the comment
SMALL = {
    "i1": (N, P, [N, N, N, P, "both"]),  # new
    "i2": (P, N, [N, N, P, P, "neither"]),  # two and two: both
    "i3": (N, P, [P, P, P, P, P]),  # plain
    "i4": (N, P, [N, N, "both", "both", P]),  # new
    "i5": (N, P, ["neither", "neither", "neither", "both", P]),  # neither
    "i6": (N, P, [N, P, "both", "", ""]),  # one each: none
}


def test_table_2_by_hand():
    (row,) = study_results(votes(SMALL)).pairs
    assert (row.first, row.second, row.items, row.answers) == (N, P, 6, 28)
    assert row.answers_per_item == (3, 5)
    assert {name: found.n for name, found in vars(row.agreement).items()} == {
        "first": 2,
        "second": 1,
        "both": 1,
        "neither": 1,
        "no_agreement": 1,
    }
    assert row.agreement.first.share == pytest.approx(2 / 6)
    assert {name: found.n for name, found in vars(row.single_answers).items()} == {
        "first": 8,
        "second": 11,
        "both": 5,
        "neither": 4,
    }
    assert row.paper is None


def test_agreements_name_the_system():
    table = agreements(count(votes(SMALL)))
    assert table["item_id"].to_pylist() == list(SMALL)
    assert table["agreement"].to_pylist() == [N, "both", P, N, "neither", None]
    assert table.slice(1, 1).select(["n_first", "n_second", "n_both", "n_neither"]).to_pylist() == [
        {"n_first": 2, "n_second": 2, "n_both": 0, "n_neither": 1}
    ]


def test_sides_do_not_matter_to_table_2_and_people_come_second():
    table = votes({"i": ("human_right", "a_net", ["human_right", "human_right", "a_net"])})
    assert len(set(table["position_a"].to_pylist())) == 2
    (row,) = study_results(table).pairs
    assert (row.first, row.second) == ("a_net", "human_right")
    assert row.agreement.second.n == 1


def test_sign_test_and_intervals_are_exact():
    found = sign_test(1, 7)
    assert found.p == pytest.approx(2 * (1 + 8) / 2**8)
    assert sign_test(0, 5).p == pytest.approx(2 / 2**5)
    assert sign_test(0, 5).high == pytest.approx(1 - 0.025 ** (1 / 5))  # Clopper and Pearson where nothing came
    assert sign_test(0, 5).low == 0
    assert sign_test(0, 0) == SignTest(n=0, share=None, low=None, high=None, of=0, p=1.0)


def test_only_accepted_answers_count_and_checks_are_apart():
    parts = [votes(SMALL)]
    for status in ("excluded", "rejected", "surplus"):
        parts.append(votes({f"x{status}": (N, P, [N])}, status=status))
    parts.append(votes({"check": ("check_first", "check_second", ["check_first"] * 5)}, is_check=True))
    found = study_results(pa.concat_tables(parts))
    assert found.answers == 28
    assert found.statuses == {"accepted": 28, "excluded": 1, "rejected": 1, "surplus": 1}
    assert found.pairs == study_results(parts[0]).pairs
    assert found.checks == ChecksAnswered(5, None, None, None)


def test_checks_are_counted_by_annotator():
    checks = votes({"check": ("check_first", "check_second", ["check_first", "both", "check_second"])}, is_check=True)
    items = pa.Table.from_pylist(
        [
            {
                "study": "s",
                "item_id": "check",
                "case_id": "check_1",
                "kind": "pair",
                "context": ["One."],
                "systems": ["check_first", "check_second"],
                "endings": ["Right.", "Wrong."],
                "is_check": True,
                "is_training": False,
                "expected": "check_first",
            }
        ],
        schema=TABLES["items"].schema,
    )
    found = study_results(pa.concat_tables([votes(SMALL), checks]), items)
    assert found.checks == ChecksAnswered(answers=3, known=3, failed=2, annotators_failing=2)
    failed = {row.annotator_id: (row.checks_failed, row.checks) for row in found.annotators}
    assert failed == {"p0": (0, 1), "p1": (1, 1), "p2": (1, 1), "p3": (0, 0), "p4": (0, 0)}


def test_annotators_are_held_against_the_others_alone():
    # p0 is alone with "new" on i1 and i2; p0 and p1 agree on i3, where p2 says nothing.
    ballot = count(votes({"i1": (N, P, [N, P, P]), "i2": (N, P, [N, P, "both"]), "i3": (N, P, [N, N, ""])}))
    rows, unnamed = annotator_results(ballot, {})
    assert unnamed == 0
    by_name = {row.annotator_id: row for row in rows}
    # The others: plain, plain; plain and both, hence plain; new.
    assert (by_name["p0"].agreeing, by_name["p0"].compared) == (1, 3)
    assert by_name["p0"].pairwise == pytest.approx((0 + 0 + 1) / 3)
    # new and plain, hence both; new and both, hence new; new.
    assert (by_name["p1"].agreeing, by_name["p1"].compared) == (1, 3)
    assert by_name["p1"].pairwise == pytest.approx((0.5 + 0 + 1) / 3)
    assert (by_name["p2"].agreeing, by_name["p2"].answers) == (1, 2)  # both is what new and plain come to
    assert by_name["p2"].seconds is None
    assert [row.annotator_id for row in rows] == ["p0", "p1", "p2"]


def test_who_answers_alone_is_compared_with_nobody():
    (row,) = study_results(votes({"i1": (N, P, [N])})).annotators
    assert (row.compared, row.share, row.pairwise) == (0, None, None)


def test_one_id_in_two_studies_is_two_annotators():
    table = pa.concat_tables([votes(SMALL), votes(SMALL, study="t")])
    found = study_results(table)
    assert found.studies == ["s", "t"]
    assert len(found.annotators) == 10
    assert found.pairs[0].items == 12


def test_times_and_sides():
    started = datetime(2026, 1, 31, 12, tzinfo=UTC)
    table = votes({"i1": (N, P, [N, P])}, started_at=started, submitted_at=started + timedelta(seconds=90))
    found = study_results(table)
    assert found.seconds == found.annotators[0].seconds == 90
    assert found.sides.answers == AnswersBySide(2, 0)  # both chose what stood on side A
    assert (found.sides.n, found.sides.of) == (1, 1)


def test_sides_are_tested_by_item():
    # Fixed sides, and all five agree: 8 items, of which A wins 7, and not 40 answers of which it wins 35.
    rows = {f"i{place}": (N, P, [N if place < 7 else P] * 5) for place in range(8)}
    fixed = votes(rows | {"even": (N, P, [N, P])}, position_a=N, position_b=P).to_pylist()
    table = pa.Table.from_pylist(
        [row | {"answer": "A" if row["choice"] == N else "B"} for row in fixed], schema=TABLES["votes"].schema
    )
    found = study_results(table).sides
    assert found.answers == AnswersBySide(36, 6)
    assert (found.n, found.of) == (7, 8)
    assert found.p == pytest.approx(2 * (1 + 8) / 2**8)


def test_answers_about_one_case_go_together():
    # Two items of a case, of different pairs, are one cluster: as many cases as there are.
    table = votes({"i1": (N, P, [N, P, N]), "i2": (N, P, [P, P, N])})
    third = votes({"i3": (N, "third", [N, "third"])}, case_id="case-i1")
    found = study_results(pa.concat_tables([table, third])).strengths
    assert (found.answers, found.cases, found.annotators) == (8, 2, 3)


def test_names_of_annotators_reach_the_intervals():
    # Of the same 40 items two people always say one thing and two the other: other people might say anything.
    named = votes({f"i{place}": (N, P, [N, P, P, N if place % 4 else P]) for place in range(40)})
    unnamed = pa.array([f"unnamed-{place}" for place in range(named.num_rows)])
    anonymous = named.set_column(named.schema.get_field_index("annotator_id"), "annotator_id", unnamed)
    for of in (lambda row: row.preference, lambda row: row.single_answers.first):
        known, unknown = (of(study_results(table).pairs[0]) for table in (named, anonymous))
        assert (known.over, unknown.over) == ("cases and annotators", "cases")
        assert known.share == unknown.share
        assert known.high - known.low > 3 * (unknown.high - unknown.low)
    known, unknown = (study_results(table).strengths for table in (named, anonymous))
    assert (known.over, known.annotators) == ("cases and annotators", 4)
    assert (unknown.over, unknown.annotators) == ("cases", None)
    assert known.systems[0].high > unknown.systems[0].high + 1


def test_answers_that_name_no_annotator_beside_named_ones_are_taken_for_one_person_s():
    table = votes({f"i{place}": (N, P, [N, P, N if place % 2 else P]) for place in range(10)})
    ids = [name if name != "p2" else f"unnamed-{row}" for row, name in enumerate(table["annotator_id"].to_pylist())]
    mixed = table.set_column(table.schema.get_field_index("annotator_id"), "annotator_id", pa.array(ids))
    found, same = (study_results(each).pairs[0].preference for each in (mixed, table))
    assert found == same


def test_one_id_in_two_studies_is_one_person_to_the_intervals():
    table = pa.concat_tables([votes(SMALL), votes(SMALL, study="t")])
    assert study_results(table).strengths.annotators == 5
    (row,) = study_results(table).pairs
    assert (row.items, row.cases) == (12, 6)
    assert "The 12 items are about 6 cases; the exact interval takes items as independent" in render(
        study_sections(study_results(table))
    )


def test_p_values_of_several_pairs_are_corrected():
    choices = {"ab": (N, P, 9, 1), "ac": (N, "third", 8, 2), "bc": (P, "third", 5, 5)}
    table = votes(
        {
            f"{pair}{place}": (first, second, [first if place < n else second] * 2)
            for pair, (first, second, n, m) in choices.items()
            for place in range(n + m)
        }
    )
    rows = study_results(table).pairs
    for test in ("sign_test", "preference"):
        p, corrected = ([getattr(getattr(row, test), name) for row in rows] for name in ("p", "p_holm"))
        assert corrected == pytest.approx(multipletests(p, method="holm")[1])
        assert corrected[0] > p[0]
    # The exact sign test of 9 of 10, three times.
    assert rows[0].sign_test.p_holm == pytest.approx(3 * 2 * 11 / 2**10)


def test_kappa_against_its_formula():
    # Fleiss 1971, from the probabilities themselves.
    counts = np.array([[3, 2, 0, 0], [0, 5, 0, 0], [1, 1, 2, 1], [0, 0, 4, 1]])
    observed = np.mean([sum(n * (n - 1) for n in row) / 20 for row in counts])
    expected = sum((counts.sum(axis=0) / 20) ** 2)
    assert kappa(counts).kappa == pytest.approx((observed - expected) / (1 - expected))


def test_alpha_against_pairs_of_answers():
    # Krippendorff: 1 - observed / expected disagreement, over all ordered pairs, weighted by 1 / (answers - 1).
    counts = np.array([[3, 2, 0, 0], [0, 2, 0, 0], [1, 0, 2, 0], [0, 0, 0, 1]])
    units = [[code for code, n in enumerate(row) for _ in range(n)] for row in counts[:3]]
    answers = [code for unit in units for code in unit]
    within = sum(2 * sum(a != b for a, b in combinations(unit, 2)) / (len(unit) - 1) for unit in units)
    across = 2 * sum(a != b for a, b in combinations(answers, 2)) / (len(answers) - 1)
    found = alpha(counts)
    assert found.alpha == pytest.approx(1 - within / across)
    assert (found.items, found.items_left_out) == (3, 1)


def test_kappa_takes_the_items_with_the_usual_number_of_answers():
    full = np.array([[3, 2, 0, 0], [0, 5, 0, 0], [1, 1, 2, 1]])
    missing = np.array([[2, 2, 0, 0], [1, 0, 0, 0]])
    found = kappa(np.concatenate([missing, full]))
    assert found == replace(kappa(full), items_left_out=2)
    assert found.answers_per_item == 5


@pytest.mark.parametrize("counts", [[[0, 5, 0, 0], [0, 5, 0, 0]], [[1, 0, 0, 0], [0, 1, 0, 0]]])
def test_without_variety_or_pairs_there_is_neither_kappa_nor_alpha(counts):
    assert kappa(np.array(counts)).kappa is None
    assert alpha(np.array(counts)).alpha is None


def test_no_answers_are_results_too():
    found = study_results(TABLES["votes"].schema.empty_table())
    assert (found.answers, found.pairs, found.annotators) == (0, [], [])
    assert found.strengths.why_not == "no answers"
    assert all(table.num_rows == 0 for table in result_tables(found).values())
    json.dumps(document(found), allow_nan=False)


def test_votes_that_contradict_themselves_are_refused():
    table = votes({"i1": (N, P, [N, P])})
    wrong = table.set_column(table.schema.get_field_index("choice"), "choice", pa.array([P, P]))
    with pytest.raises(UserError, match="in 1 rows the choice is not what answer and sides say"):
        study_results(wrong)
    with pytest.raises(UserError, match="both sides are the same system"):
        study_results(votes({"i1": (N, N, [N])}))


@pytest.mark.parametrize("name", ["both", "neither"])
def test_a_system_called_as_an_answer_is_refused_by_name(name):
    with pytest.raises(UserError, match=f"a system is called {name}, which is an answer; give it another name"):
        study_results(votes({"i1": (N, name, [N, name])}))


def test_results_of_a_ballot_at_hand_are_the_same():
    table = votes(SMALL)
    assert study_results(table, None, count(table)) == study_results(table)


def test_the_order_of_rows_does_not_matter():
    table = votes(SMALL | {"j": (N, "third", [N, "third", "both"])})
    shuffled = table.take(pa.array(np.random.default_rng(0).permutation(table.num_rows)))
    assert study_results(shuffled) == study_results(table)


def test_tables_hold_what_the_results_say():
    found = study_results(votes(SMALL))
    tables = result_tables(found)
    (pair,) = tables["pairs"].to_pylist()
    assert (pair["n_first"], pair["answers_second"], pair["n_no_agreement"]) == (2, 11, 1)
    (row,) = found.pairs
    assert (pair["items_p"], pair["answers_p"]) == (row.sign_test.p, row.preference.p)
    assert (pair["answers_low_both"], pair["answers_over"]) == (
        row.single_answers.both.low,
        "cases and annotators",
    )
    assert {strength["over"] for strength in tables["strengths"].to_pylist()} == {"cases and annotators"}
    assert tables["annotators"].num_rows == 5


def test_the_published_answers(shared_data):
    """Mori et al. 2019, 4.4."""
    path = shared_data / "human_evaluation/qualitative_evaluation_results.csv"
    if not path.exists():
        pytest.skip(f"real data absent: no file {path}")
    imported = import_answers([path])
    assert imported.counts["accepted"] == imported.counts["rows"] == 250
    ballot = count(imported.tables["votes"])
    found = study_results(imported.tables["votes"], imported.tables["items"])
    (row,) = found.pairs
    assert (row.first, row.second, row.items, row.answers) == ("h_seq2seq", "human_right", 50, 250)
    assert row.answers_per_item == (5, 5)
    assert row.sign_test.p == pytest.approx(2 * 0.5**42)
    assert {name: each.n for name, each in vars(row.agreement).items()} == {
        "first": 0,
        "second": 42,
        "both": 5,
        "neither": 3,
        "no_agreement": 0,
    }
    assert [each.n for each in vars(row.single_answers).values()] == [2, 200, 27, 21]
    # Nobody knows who answered, so intervals are of other cases with the same annotators.
    preferred = row.preference
    assert (preferred.n, preferred.of, preferred.over) == (2, 202, "cases")
    assert preferred.p < 1e-6
    assert found.strengths.over == "cases"
    assert row.kappa.kappa == pytest.approx(0.373, abs=0.0005)
    assert row.alpha.alpha == pytest.approx(0.375, abs=0.0005)
    assert (found.unnamed_answers, found.annotators) == (250, [])
    sides = found.sides
    assert (sides.answers, sides.n, sides.of) == (AnswersBySide(92, 110), 23, 49)
    assert sides.p == pytest.approx(0.775, abs=0.0005)
    third = table_3(ballot, imported.tables["items"])
    assert third.num_rows == 50
    assert pc.sum(pc.list_value_length(third["reasons"])).as_py() == 250
    assert third["context"][0].as_py()[0] == "Eileen was the new kid in school."
    assert third["ending_second"][0].as_py() == "Eileen and the girl became friends."


def test_results_are_read_back_as_they_were_written(tmp_path):
    found = study_results(pa.concat_tables([votes(SMALL), votes({"j": (N, "third", [N, "third", "both"])})]))
    write_document(found, tmp_path / "results.json")
    assert read_document(tmp_path / "results.json", StudyResults) == found
    whole = document(found)
    for key in whole:
        for odd in (
            {k: v for k, v in whole.items() if k != key},
            {**whole, key: 1 if key in ("question", "words") else "odd"},
            {**whole, key: [None]},
            [],
        ):
            (tmp_path / "results.json").write_text(json.dumps(odd))
            with pytest.raises(UserError, match="make it again: dvc repro study"):
                read_document(tmp_path / "results.json", StudyResults, "study")
    damaged = document(found)
    del damaged["pairs"][0]["agreement"]["no_agreement"]["n"]
    (tmp_path / "results.json").write_text(json.dumps(damaged))
    with pytest.raises(UserError, match=r"pairs > 0 > agreement > no_agreement > n is missing .* dvc repro study"):
        read_document(tmp_path / "results.json", StudyResults, "study")
