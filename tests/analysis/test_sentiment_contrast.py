"""The sentiment of systems' endings against that of human endings."""

import pyarrow as pa
import pytest
from scipy import stats

from denouement.analysis.sentiment_contrast import against_right
from denouement.schemas import TABLES


def test_the_contrast_by_hand():
    """Differences 0.2, 0.4, 0.6: mean 0.4, standard error 0.2 / sqrt(3), t(2) at 97.5% 4.302653."""
    scores = [
        *(("right", f"v1.0/validation/{case}", 0.1) for case in "abc"),
        ("mine", "a", 0.3),
        ("mine", "b", 0.4),
        ("mine", "b#2", 0.6),  # a second ending of the case: the mean of both counts
        ("mine", "c", 0.7),
        ("mine", "of no case", -1.0),
        ("rocstories", "a/train/a", -1.0),
    ]
    names = TABLES["sentiment"].schema.names
    rows = [dict(zip(names, (text_id, group, score, 0.0, 0.0, 0.0), strict=True)) for group, text_id, score in scores]
    [found] = against_right(pa.Table.from_pylist(rows, schema=TABLES["sentiment"].schema))
    assert (found.system, found.n) == ("mine", 3)
    assert found.difference == pytest.approx(0.4)
    half = 4.302653 * 0.2 / 3**0.5
    assert (found.low, found.high) == (pytest.approx(0.4 - half, abs=1e-6), pytest.approx(0.4 + half, abs=1e-6))
    assert found.p == found.p_holm == pytest.approx(2 * stats.t.sf(0.4 / (0.2 / 3**0.5), 2))


def test_p_is_corrected_for_the_number_of_systems():
    of_case = {"a": (0.1, 0.3, 0.0), "b": (0.1, 0.5, 0.3), "c": (0.1, 0.7, 0.1)}  # of people, one and two
    scores = [("right", f"v1.0/validation/{case}", its[0]) for case, its in of_case.items()]
    scores += [(name, case, its[n]) for n, name in ((1, "one"), (2, "two")) for case, its in of_case.items()]
    names = TABLES["sentiment"].schema.names
    rows = [dict(zip(names, (text_id, group, score, 0.0, 0.0, 0.0), strict=True)) for group, text_id, score in scores]
    one, two = against_right(pa.Table.from_pylist(rows, schema=TABLES["sentiment"].schema))
    assert one.p < two.p
    assert (one.p_holm, two.p_holm) == (2 * one.p, two.p)


def test_a_single_case_has_no_interval_and_a_system_without_a_common_case_no_row():
    scores = [("right", "v1.0/validation/a", 0.1), ("mine", "a", 0.3), ("other", "b", 0.3)]
    names = TABLES["sentiment"].schema.names
    rows = [dict(zip(names, (text_id, group, score, 0.0, 0.0, 0.0), strict=True)) for group, text_id, score in scores]
    [found] = against_right(pa.Table.from_pylist(rows, schema=TABLES["sentiment"].schema))
    assert (found.system, found.n, found.low, found.high) == ("mine", 1, None, None)
    assert found.difference == pytest.approx(0.2)
