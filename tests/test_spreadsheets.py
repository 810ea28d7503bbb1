import csv
import io
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from denouement.spreadsheets import csv_bytes, defused, undefused

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-2"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_is_a_text_and_comes_back(text):
    assert defused(text) == f"'{text}"
    assert undefused(defused(text)) == text


@pytest.mark.parametrize("text", ["", "'", "'tis", "a=1", " =1", "It's"])
def test_other_texts_stay_and_come_back(text):
    assert defused(text) == text
    assert undefused(text) == text


def test_cells_of_each_kind():
    row = {"=n": -1, "x": -0.5, "d": Decimal("1.20"), "t": True, "at": datetime(2026, 1, 2, 3, tzinfo=UTC)}
    row |= {"none": None, "order": [2, 0, 1], "why": '=HYPERLINK("x"),\r\nnext'}
    written = csv_bytes(list(row), [row])
    header, cells = csv.reader(io.StringIO(written.decode(), newline=""))
    assert header[0] == "'=n"
    assert cells == [
        *("-1", "-0.5", "1.20", "true", "2026-01-02 03:00:00+00:00", "", "2 0 1"),
        '\'=HYPERLINK("x"),\r\nnext',
    ]
    assert csv_bytes(["n"], [], bom=True) == b"\xef\xbb\xbfn\r\n"
