"""The organiser's page of what came in."""

import html
import re
from pathlib import Path

import pytest
from hosted import TOKEN, Person, design, store_with

from denouement.study.web import organiser_review


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


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """An organiser of a study with answers to five items, of which a page shows two."""
    monkeypatch.setattr(organiser_review, "_ITEMS", 2)
    store = store_with(tmp_path, design(), n=5)
    person = Person(store).go()
    while person.at.endswith("question"):
        person.send(answer="A")
    return person.other().open("/organiser/").send(token=TOKEN)


def shown(organiser: Person) -> list[str]:
    of_items = re.findall(
        '<summary>([^<]+): 1 answer</summary>\\s*<p>([^<]+) <span class="hint">.case ([^)]+)', organiser.text
    )
    assert all(context.startswith(summary) for summary, context, _ in of_items), "a story's beginning names it"
    return [case for *_, case in of_items]


def test_every_item_is_on_one_page_and_links_lead_from_page_to_page(full: Person):
    seen, addresses = [], ["/organiser/pilot/review?flags=answers%3C99"]
    while addresses:
        full.open(html.unescape(addresses[0]))
        seen.append(shown(full))
        assert "answers&lt;99</textarea>" in full.text, "the rules stay"
        addresses = re.findall('<a rel="next" href="([^"]+)"', full.text)
        assert len(addresses) in (0, 2), "above and below"
    assert [len(each) for each in seen] == [2, 2, 1]
    assert len({case for each in seen for case in each}) == 5
    assert "Items 5 to 5 of 5." in full.text
    [back, _] = re.findall('<a rel="prev" href="([^"]+)"', full.text)
    assert shown(full.open(html.unescape(back))) == seen[1]


@pytest.mark.parametrize(("page", "first"), [("0", 1), ("", 1), ("-1", 1), ("two", 1), ("99", 5), ("9" * 40, 1)])
def test_a_page_that_is_none_is_the_first_or_the_last(full: Person, page: str, first: int):
    text = full.open(f"/organiser/pilot/review?page={page}").text
    assert f"Items {first} to " in text


def test_few_items_have_no_links(organiser: Person):
    assert 'rel="next"' not in organiser.open("/organiser/pilot/review").text
