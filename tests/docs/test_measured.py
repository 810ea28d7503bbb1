"""No figure in the docs is of another run than `docs/measured.json`."""

import json

import pytest

from denouement.errors import UserError
from docs.measured import PAGES, VALUES, collect, filled, marks

SMALL = {"a": {"b c": 0.6054, "n": 12345, "p": 1.794e-28, "ten": 10.5, "small": -0.0004}, "list": [{"x": -0.5}]}


@pytest.mark.parametrize(
    ("shown", "now"),
    [
        ("60.1%<!-- a/b c -->", "60.5%<!-- a/b c -->"),
        (".7<!-- a/b c -->", ".6<!-- a/b c -->"),
        ("0.123<!-- a/b c -->", "0.605<!-- a/b c -->"),
        ("9<!-- a/n -->", "12,345<!-- a/n -->"),
        ("2.00e-10<!-- a/p -->", "1.79e-28<!-- a/p -->"),
        ("+.1<!-- a/b c -->", "+.6<!-- a/b c -->"),
        (".5<!-- a/ten -->", "10.5<!-- a/ten -->"),
        ("-.25<!-- a/small -->", ".00<!-- a/small -->"),
        ("+.1<!-- a/small -->", "+.0<!-- a/small -->"),
        ("-.25<!-- list/0/x -->", "-.50<!-- list/0/x -->"),
        ("from 1 to .9<!-- a/b c -->, v1.0", "from 1 to .6<!-- a/b c -->, v1.0"),
    ],
)
def test_a_figure_takes_the_value_and_keeps_its_form(shown, now):
    assert filled(shown, SMALL) == now


def test_a_value_or_a_table_that_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        filled("1.0<!-- a/gone -->", SMALL)
    with pytest.raises(KeyError):
        filled("<!-- table gone -->\n<!-- end -->", SMALL)


def test_a_run_whose_parts_do_not_belong_together_is_not_measured(tmp_path):
    (tmp_path / "data/statistics").mkdir(parents=True)
    (tmp_path / "data/statistics/statistics.json").write_text("{}")
    with pytest.raises(UserError, match="stale: data/statistics does not say what it was made from; renew it with"):
        collect(tmp_path / "data")


def test_every_marked_figure_and_table_of_the_docs_is_of_the_measured_run():
    values = json.loads(VALUES.read_text(encoding="utf-8"))
    found = []
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        assert filled(page, values) == page, f"{path.name}: python -m docs.measured fills it in"
        found += marks(page)
    assert len(found) > 30
