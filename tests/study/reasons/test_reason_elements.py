import csv
import io

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import t
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from denouement.errors import UserError
from denouement.schemas import read_table, write_table
from denouement.study.reasons import ELEMENTS
from denouement.study.reasons.elements import (
    RuleCount,
    elements_summary,
    read_labels,
    reason_digest,
    rules_quality,
    tag_reasons,
)
from denouement.study.reasons.rules import packaged, read_rules

REASONS = [
    ("It makes sense. She was happy.", "ours"),
    ("A makes no sense.", "theirs"),
    ("B makes no sense, C makes sense.", "ours"),
    ("She was happy.", "both"),
    ("She was not happy.", "ours"),
    ("Tom went home.", "neither"),
]


@pytest.fixture(scope="module")
def rules():
    return read_rules()


@pytest.fixture(scope="module")
def tagged(votes_of, rules):
    votes = votes_of(*REASONS)
    return votes, tag_reasons(votes, rules)


def test_tags_are_a_table_with_a_row_for_each_rule_that_applies(tagged, tmp_path):
    _, tags = tagged
    write_table(tags, tmp_path / "tags.parquet", "reason_elements")
    rows = read_table(tmp_path / "tags.parquet", "reason_elements").to_pylist()
    found = [(row["item_id"], row["element"], row["words"], row["denied"]) for row in rows]
    assert found == [
        ("item-0", "logic", "makes sense", False),
        ("item-0", "emotion", "happy", False),
        ("item-1", "logic", "makes no sense", True),
        ("item-2", "logic", "makes no sense", True),
        ("item-3", "emotion", "happy", False),
        ("item-4", "emotion", "happy", True),
    ]
    assert rows[0]["choice"] == "ours"


def test_summary_counts_elements_and_what_is_named_together(tagged):
    summary = elements_summary(*tagged, {})
    assert (summary.reasons, summary.untagged) == (6, 1)
    of = {row.element: row for row in summary.elements}
    assert tuple(of) == ELEMENTS
    assert (of["logic"].n, of["logic"].share, of["logic"].denied) == (3, 0.5, 2)
    assert (of["emotion"].n, of["emotion"].denied) == (3, 1)
    assert (of["grammar"].n, of["grammar"].share) == (0, 0.0)
    together = {tuple(row.elements): row.n for row in summary.together}
    assert len(together) == 15
    assert {pair: n for pair, n in together.items() if n} == {("logic", "emotion"): 1}
    assert RuleCount("logic", "makes sense", 3) in summary.rules


def test_the_summary_says_what_was_chosen(tagged):
    summary = elements_summary(*tagged, {})
    assert [(row.choice, row.n) for row in summary.choices] == [
        ("ours", 3),
        ("theirs", 1),
        ("both", 1),
        ("neither", 1),
    ]
    assert {row.share_without for row in summary.choices} == {None}
    [logic] = [row for row in summary.elements if row.element == "logic"]
    ours, theirs, both, neither = logic.choices
    assert (ours.n, theirs.n, both.n, neither.n) == (2, 1, 0, 0)
    assert ours.share == pytest.approx(2 / 3)
    assert ours.share_without == pytest.approx(1 / 3)
    # Two of three independent answers are for it: on logits, with the error of three clusters.
    half = t.ppf(0.975, 2) * np.sqrt((1 / 2 + 1 / 1) * 3 / 2)
    assert (logit(ours.low), logit(ours.high)) == pytest.approx((np.log(2) - half, np.log(2) + half))
    assert (both.share, both.low, both.why_not) == (0, None, "all answers are the same")
    [grammar] = [row for row in summary.elements if row.element == "grammar"]
    assert {row.share for row in grammar.choices} == {None}


def test_only_accepted_answers_to_real_questions_with_a_reason_are_read(votes_of, rules):
    votes = votes_of(
        ("She was happy.", "ours"),
        ("She was happy.", "ours", {"status": "excluded"}),
        ("She was happy.", "ours", {"status": "surplus"}),
        ("She was happy.", "ours", {"is_check": True}),
        (None, "ours"),
        (" \n", "ours"),
        ("\u200b\u2800", "ours"),
    )
    summary = elements_summary(votes, tag_reasons(votes, rules), {})
    assert summary.reasons == 1
    with pytest.raises(UserError, match="none of the 1 votes"):
        tag_reasons(votes_of(None), rules)


def test_reasons_that_name_nothing_make_an_empty_table(votes_of, rules):
    votes = votes_of("ok")
    tags = tag_reasons(votes, rules)
    assert tags.num_rows == 0
    assert elements_summary(votes, tags, {}).untagged == 1


def test_quality_is_that_of_an_independent_computation(tagged):
    votes, tags = tagged
    by_hand = [{"logic"}, {"logic"}, {"emotion"}, {"emotion", "morality"}, set()]  # the sixth has no label
    labels = {
        reason_digest(f"case-{place}", reason): frozenset(wanted)
        for place, ((reason, _), wanted) in enumerate(zip(REASONS[:5], by_hand, strict=True))
    }
    by_rule = [{"logic", "emotion"}, {"logic"}, {"logic"}, {"emotion"}, {"emotion"}]
    quality = rules_quality(votes, tags, labels)
    assert quality.n == 5
    assert quality.exact == pytest.approx(1 / 5)
    truth, guess = (np.array([[e in row for e in ELEMENTS] for row in rows]) for rows in (by_hand, by_rule))
    precision, recall, f1, _ = precision_recall_fscore_support(truth, guess, average=None, zero_division=np.nan)
    for place, row in enumerate(quality.elements):
        for name, expected in (("precision", precision), ("recall", recall), ("f1", f1)):
            if np.isnan(expected[place]):
                assert getattr(row, name) is None
            else:
                assert getattr(row, name) == pytest.approx(expected[place])
    micro = precision_recall_fscore_support(truth, guess, average="micro")
    assert [getattr(quality.micro, name) for name in ("precision", "recall", "f1")] == pytest.approx(list(micro[:3]))
    assert quality.macro.precision == pytest.approx(np.nanmean(precision))
    assert quality.macro.recall == pytest.approx(np.nanmean(recall))
    assert quality.macro.f1 == pytest.approx(np.nanmean(f1))


def test_quality_needs_a_labelled_reason(tagged):
    assert rules_quality(*tagged, {}) is None


def test_a_reason_is_known_by_its_case_and_its_words():
    assert reason_digest("a", "It  is\nso ") == reason_digest("a", "It is so")
    assert reason_digest("a", "It is so") != reason_digest("b", "It is so")


def test_labels_of_the_package_are_of_98_reasons():
    labels = read_labels()
    assert len(labels) == 98
    assert set().union(*labels.values()) == set(ELEMENTS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("digest,tags\n", "no columns digest and labels"),
        ("digest,labels\na,logic colour\n", "line 2: unknown label colour"),
        ("digest,labels\na,logic\na,\n", "line 3: the reason a is there twice"),
        ("digest,labels\na,logic\nb\n", "line 3 has 1 cell where the header has 2"),
    ],
)
def test_mistakes_of_a_file_of_labels_are_named(tmp_path, text, message):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_labels(path)


def test_rules_agree_with_the_labelled_98_of_the_published_answers(published_votes, rules):
    quality = rules_quality(published_votes, tag_reasons(published_votes, rules), read_labels())
    assert quality.n == 98
    # As measured once, after the rules were finished: the table of docs/reasons.md (tagged, labelled, both).
    counts = {row.element: (row.tagged, row.labelled, row.both) for row in quality.elements}
    assert counts == {
        "logic": (53, 56, 51),
        "relevance": (6, 7, 6),
        "emotion": (25, 29, 25),
        "morality": (2, 6, 2),
        "common_sense": (9, 14, 8),
        "grammar": (2, 3, 2),
    }
    assert quality.exact == pytest.approx(76 / 98)


def test_two_readings_of_the_98_agree_as_the_docs_say():
    rows = list(csv.DictReader(io.StringIO(packaged("labels.csv"))))
    readings = [[set(row[name].split()) for row in rows] for name in ("first_reader", "labels")]
    assert sum(one == other for one, other in zip(*readings, strict=True)) == 91
    kappas = {
        element: cohen_kappa_score(*([element in labels for labels in reading] for reading in readings))
        for element in ELEMENTS
    }
    assert {element: round(float(kappa), 2) for element, kappa in kappas.items()} == {
        "logic": 0.98,
        "relevance": 0.93,
        "emotion": 0.98,
        "morality": 0.85,
        "common_sense": 0.92,
        "grammar": 0.85,
    }
