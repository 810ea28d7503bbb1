"""The organiser's page of what came in."""

from pathlib import Path

import pytest
from hosted import TOKEN, Person, design, store_with


@pytest.fixture
def organiser(tmp_path: Path) -> Person:
    study = design(checks={"rate": 0.5}, reason={"mode": "required", "min_length": 3})
    store = store_with(tmp_path, study, n=2)
    person = Person(store).go()
    while person.at.endswith("question"):
        person.send(answer="both", reason="<b>!!!</b> 123")
    return person.other().open("/organiser/").send(token=TOKEN)


def test_people_are_flagged_and_answers_are_shown_escaped(organiser: Person):
    text = organiser.open("/organiser/pilot/review").text
    assert "1 of 1 people have a flag (⚑)." in text
    assert '<strong title="fast_answers&gt;20%">⚑ 100%</strong>' in text
    assert '<strong title="repeated_reasons&gt;20%">⚑ 100%</strong>' in text
    assert 'title="one_side' not in text
    assert "&lt;b&gt;!!!&lt;/b&gt; 123" in text
    assert "<b>!!!" not in text
    assert "Tom passed test 1." in text
    assert 'href="/organiser/pilot/review"' in organiser.open("/organiser/pilot").text


def test_other_rules_and_wrong_ones(organiser: Person):
    text = organiser.open("/organiser/pilot/review?flags=answers%3C2, median_seconds%3E99").text
    assert "0 of 1 people have a flag (⚑)." in text
    assert ">answers&lt;2, median_seconds&gt;99</textarea>" in text
    wrong = organiser.open("/organiser/pilot/review?flags=speed%3C2")
    assert wrong.page.status_code == 422
    assert "unknown measure" in wrong.problem


def test_strangers_and_unknown_studies(organiser: Person):
    assert organiser.other().open("/organiser/pilot/review").page.status_code == 403
    assert organiser.open("/organiser/nothing/review").page.status_code == 404


def test_tables_for_spreadsheets(organiser: Person):
    page = organiser.open("/organiser/pilot/export/answers.csv").page
    assert page.headers["content-disposition"] == 'attachment; filename="pilot-answers.csv"'
    assert page.content.startswith(b"\xef\xbb\xbfstudy,item_id,")
    assert "<b>!!!</b> 123" in page.text, "text/csv is no page"
    assert page.headers["content-type"] == "text/csv; charset=utf-8"
    assert organiser.open("/organiser/pilot/export/nothing.csv").page.status_code == 404
    assert organiser.other().open("/organiser/pilot/export/people.csv").page.status_code == 403
