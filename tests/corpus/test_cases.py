"""Which Story Cloze cases count, and which of their two endings is right."""

import pyarrow as pa
import pytest

from denouement.corpus.cases import labelled_cases, right_and_wrong
from denouement.schemas import TABLES


def cloze(*cases: tuple[str, str, int | None]) -> pa.Table:
    """Cases of (id, release, number of the right ending)."""
    rows = [
        {
            "case_id": case_id,
            "context": ["A."],
            "ending_1": f"{case_id}: first.",
            "ending_2": f"{case_id}: second.",
            "right_ending": right,
            "release": release,
            "split": "validation",
        }
        for case_id, release, right in cases
    ]
    return pa.Table.from_pylist(rows, TABLES["cloze"].schema)


@pytest.mark.parametrize(
    ("releases", "counted"),
    [
        (["v1.5", "v1.0", "sample"], "v1.0"),
        (["sample", "v1.5"], "v1.5"),
        (["sample"], "sample"),
    ],
)
def test_one_release_counts_the_paper_s_before_others(releases, counted):
    cases, left_out = labelled_cases(cloze(*((release, release, 1) for release in releases)))
    assert cases["case_id"].to_pylist() == [counted]
    assert len(left_out) == (len(releases) > 1)
    for sentence in left_out:
        assert f"{len(releases) - 1} cloze cases of" in sentence
        assert f"only {counted} is counted" in sentence


def test_a_release_of_blind_cases_alone_does_not_count():
    cases, left_out = labelled_cases(cloze(("a", "v1.0", None), ("b", "v1.5", 2), ("c", "v1.0", None)))
    assert cases["case_id"].to_pylist() == ["b"]
    assert left_out == ["2 blind cloze cases are not in right and wrong: no label tells their right ending"]


def test_without_a_case_nothing_counts_and_nothing_is_left_out():
    cases, left_out = labelled_cases(cloze())
    assert (cases.num_rows, left_out) == (0, [])


def test_the_label_tells_right_from_wrong():
    right, wrong = right_and_wrong(cloze(("a", "v1.0", 1), ("b", "v1.0", 2)))
    assert right.to_pylist() == ["a: first.", "b: second."]
    assert wrong.to_pylist() == ["a: second.", "b: first."]
