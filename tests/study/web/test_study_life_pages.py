"""What the organiser does to a study and its people on the pages, and the preview."""

import html
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

import pytest
from hosted import TOKEN, Person, design, items_of, statuses, store_with

from denouement.study.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_with(tmp_path, design(entry={"kind": "links", "links": 2}), n=2)


@pytest.fixture
def organiser(store: Store) -> Person:
    return Person(store).open("/organiser/").send(token=TOKEN)


def do(organiser: Person, action: str, **fields: str) -> Person:
    """Open the page of an action, and send its form."""
    organiser.open(f"/organiser/pilot/{action}")
    assert organiser.page.status_code == 200
    return organiser.send(**fields)


def come(store: Store, organiser: Person, number: int = 0) -> Person:
    return organiser.other().open(f"/s/pilot/link/{store.links('pilot')[number]}")


ACTIONS = ("pause", "close", "edit", "copy", "delete", "links", "idle")


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_is_the_organiser_s_alone_and_needs_a_form_of_theirs(store: Store, organiser: Person, action: str):
    assert Person(store).open(f"/organiser/pilot/{action}").page.status_code == 403
    address = f"/organiser/pilot/{action}"
    assert Person(store).client.post(address, data={"form": "x"}).status_code == 403
    organiser.open(address)
    own = organiser.hidden
    assert organiser.client.post(address, data={**own, "form": "forged"}).status_code == 403
    foreign = {"origin": "https://evil.example"}
    assert organiser.client.post(address, data=own, headers=foreign).status_code == 403
    assert [entry.what for entry in store.log("pilot").entries] == ["created"]


def test_what_is_posted_leads_back_to_the_study_with_what_was_done(store: Store, organiser: Person):
    do(organiser, "pause")
    assert organiser.page.history[-1].status_code == 303
    assert organiser.at == "/organiser/pilot"
    assert organiser.note == "The study is paused."
    assert "Study pilot (paused)" in organiser.text
    assert do(organiser, "pause").problem == "study pilot: is paused already"
    assert store.log("pilot").entries[-1].by == "organiser"
    assert organiser.open("/organiser/pilot?done=<script>").note == ""


def test_paused_closed_and_open_again_as_annotators_see_it(store: Store, organiser: Person):
    holder = come(store, organiser).send(consent="yes")
    do(organiser, "pause")
    waiting = come(store, organiser, 1)
    assert "The study is paused" in waiting.text
    assert 'http-equiv="refresh" content="20; url=/s/pilot/question"' in waiting.text
    assert "The study is paused" in holder.send(answer="A").text
    assert "Your answer is saved" in holder.text
    do(organiser, "reopen")
    assert holder.open("/s/pilot/question").at == "/s/pilot/question"
    do(organiser, "close")
    assert "The study is closed" in waiting.open("/s/pilot/question").text
    assert "DONE1" not in waiting.text
    assert "The study is closed, so there are no more questions" in holder.send(answer="A").text
    assert statuses(store) == {"accepted": 2}
    do(organiser, "links", n="1")
    stranger = come(store, organiser, 2)
    assert stranger.page.status_code == 403
    assert "The study is closed" in stranger.text
    assert len(store.progress("pilot").people) == 2


def test_title_contact_and_share_are_edited(store: Store, organiser: Person):
    do(organiser, "edit", title="<b>Endings</b>", contact="you@example.org", most="1")
    assert store.design("pilot").max_items_per_person == 1
    person = come(store, organiser)
    assert "&lt;b&gt;Endings" in person.text
    assert "you@example.org" in person.text
    assert "title: is empty" in do(organiser, "edit", title=" ", contact="", most="").problem
    assert "whole number" in do(organiser, "edit", title="a", contact="", most="many").problem
    assert len([entry for entry in store.log("pilot").entries if entry.what == "edited"]) == 1


def test_a_refused_action_leads_back_to_its_page_once_with_what_was_typed(store: Store, organiser: Person):
    do(organiser, "edit", title=" ", contact='"me" <me@example.org>', most="7")
    assert [each.status_code for each in organiser.page.history] == [303]
    assert organiser.at == "/organiser/pilot/edit"
    values = dict(re.findall(r'name="(title|contact|most)" value="([^"]*)"', organiser.text))
    assert {name: html.unescape(value) for name, value in values.items()} == {
        "title": " ",
        "contact": '"me" <me@example.org>',
        "most": "7",
    }
    assert "title: is empty" in organiser.problem
    assert organiser.open("/organiser/pilot/edit").problem == "", "a page that is opened later does not say it again"
    assert "value=" + '"me' not in organiser.text
    do(organiser, "copy", name="No!")
    assert organiser.open("/organiser/pilot/edit").problem == "", "it is about another action"
    assert "whole number" in do(organiser, "links", n="0").problem
    do(organiser, "links", n="1")
    assert organiser.note == "The links are added."
    long = do(organiser, "copy", name="x" * 9000)
    assert long.at == "/organiser/pilot/copy"
    assert "first a letter" in long.problem, "a form that is too long for a cookie is shown at once"


def test_a_refused_action_about_a_person_leads_back_to_their_page(store: Store, organiser: Person):
    come(store, organiser).send(consent="yes")
    [who] = [each.annotator_id for each in store.progress("pilot").people]
    assert do(organiser, f"readmit?annotator={who}").problem == f"{who}: is not excluded from study pilot"
    assert organiser.page.url.query == f"annotator={who}".encode()
    assert organiser.page.history[-1].status_code == 303


@pytest.mark.parametrize("number", ["9" * 5000, "1" * 6, "٣", "1e3", "0", "-1"])
def test_what_is_no_number_of_the_form_is_refused(store: Store, organiser: Person, number: str):
    assert "must be a whole number from 1 to 10,000" in do(organiser, "links", n=number).problem
    assert len(store.links("pilot")) == 2


def test_no_copy_is_named_as_the_previews(store: Store, organiser: Person):
    assert "address of the organiser's previews" in do(organiser, "copy", name="preview").problem
    assert store.studies() == ["pilot"]


def test_copy_then_delete_with_the_name_typed(store: Store, organiser: Person):
    person = come(store, organiser).send(consent="yes").send(answer="A")
    do(organiser, "copy", name="second")
    assert store.studies() == ["pilot", "second"]
    assert "first a letter" in do(organiser, "copy", name="No!").problem
    do(organiser, "close")
    assert "another name" in do(organiser, "delete", name="pilo").problem
    assert "in no export" in do(organiser, "delete", name="pilot").problem
    assert organiser.open("/organiser/pilot/export/items.parquet").page.status_code == 200
    assert "in no export" in do(organiser, "delete", name="pilot").problem
    seen = organiser.open("/organiser/pilot/export/votes.parquet").page
    address = "/organiser/pilot/export/all.zip"
    assert organiser.client.head("/organiser/pilot/export/votes.parquet").status_code == seen.status_code == 200
    assert organiser.client.get(address).status_code == 405
    assert organiser.client.post(address, data={"form": "forged"}).status_code == 403
    assert "in no export" in do(organiser, "delete", name="pilot").problem, "nobody pressed the button"
    sent = organiser.client.post(address, data=organiser.open("/organiser/pilot").hidden)
    with ZipFile(io.BytesIO(sent.content)) as files:
        assert files.namelist() == ["votes.parquet", "items.parquet"]
        assert files.read("votes.parquet") == seen.content
    assert [entry.by for entry in store.log("pilot").entries if entry.what == "exported"] == ["organiser"]
    do(organiser, "delete", name="pilot")
    assert organiser.at == "/organiser/"
    assert organiser.note == "The study is deleted."
    assert store.studies() == ["second"]
    assert person.open("/s/pilot/question").page.status_code == 404


def test_people_are_released_excluded_and_taken_back_and_their_data_given(store: Store, organiser: Person):
    person = come(store, organiser).send(consent="yes").send(answer="A")
    [who] = [each.annotator_id for each in store.progress("pilot").people]
    about = f"?annotator={who}"
    organiser.open("/organiser/pilot")
    assert f"/organiser/pilot/release{about}" in organiser.text
    assert do(organiser, f"release{about}").note == f"What {who} held is released."
    assert f"/organiser/pilot/release{about}" not in organiser.text
    assert do(organiser, f"exclude{about}", reason="<i>spam</i>").note.startswith(f"{who} is excluded")
    assert "excluded: &lt;i&gt;spam" in organiser.text
    assert "ended your part" in person.open("/s/pilot/question").text
    do(organiser, f"readmit{about}")
    assert statuses(store) == {"accepted": 1}
    data = organiser.open(f"/organiser/pilot/person.json{about}").page
    assert "attachment" in data.headers["content-disposition"]
    assert json.loads(data.text)["answers"][0]["answers"] == {"better": "A"}
    assert organiser.open("/organiser/pilot/person.json?annotator=nobody").page.status_code == 404
    do(organiser, f"withdraw{about}")
    assert not store.answers("pilot")
    log = html.unescape(organiser.open("/organiser/pilot/log").text)
    for what in ("created", "released", "excluded", "<i>spam</i>", "readmitted", "withdrew"):
        assert what in log
    entries = json.loads(organiser.open("/organiser/pilot/log.json").text)["entries"]
    assert {entry["by"] for entry in entries[1:]} == {"organiser"}


@pytest.mark.parametrize("action", ["release", "exclude", "readmit", "withdraw", "nothing"])
def test_who_is_nobody_gets_no_page(organiser: Person, action: str):
    assert organiser.open(f"/organiser/pilot/{action}?annotator=nobody").page.status_code == 404


@pytest.mark.parametrize("kind", ["pair", "rating", "order"])
def test_the_preview_shows_each_page_and_keeps_nothing(tmp_path: Path, kind: str):
    ask = {"before": [{"name": "age", "text": "How old?"}], "after": [{"name": "remarks", "text": "Anything else?"}]}
    keys = {"kind": kind, "training": {"attempts": 1}, "systems": ["plain_system", "human_right"], "ask": ask}
    if kind == "rating":
        keys |= {
            "scales": "bad_to_perfect",
            "systems": ["human_right"],
            "training": {"attempts": 1, "values": {"quality": [3]}},
        }
    study = design(**keys)
    store = store_with(tmp_path, study, items=items_of(study, 2))
    before = store.log("pilot"), store.progress("pilot")
    organiser = Person(store).open("/organiser/").send(token=TOKEN)
    seen = {}
    for page in ("consent", "before", "training", "question", "after", "end", "screened_out"):
        organiser.open("/organiser/pilot/preview").send(page=page)
        assert organiser.page.status_code == 200, page
        assert "Preview: nothing that you do here is kept" in organiser.text
        seen[page] = organiser.text
    assert "I agree, begin" in seen["consent"]
    assert "How old?" in seen["before"]
    assert "Anything else?" in seen["after"]
    assert "First, an example" in seen["training"]
    assert "Question 1 of at most 2" in seen["question"]
    assert "You have answered 2 questions" in seen["end"]
    assert "did not fit" in seen["screened_out"]
    for text in seen.values():
        assert not re.search(r'(?:href|action)="/s/', text), "it leads to no real page"
    assert (store.log("pilot"), store.progress("pilot")) == before


def test_a_preview_goes_on_from_page_to_page_and_shows_what_was_edited(store: Store, organiser: Person):
    organiser.open("/organiser/pilot/preview").send(page="consent").send(consent="yes")
    assert organiser.at == "/organiser/preview/s/pilot/question"
    assert "Question 2" in organiser.send(answer="A").text
    store.edit("pilot", title="Another title")
    assert "Another title" in organiser.open("/organiser/pilot/preview").send(page="consent").text
    assert not store.answers("pilot")
    for page in ("training", "before", "after"):
        assert organiser.open("/organiser/pilot/preview").send(page=page).page.status_code == 404, "it has none"


@pytest.mark.parametrize("is_begun", [False, True])
def test_a_stranger_sees_no_page_of_a_preview(tmp_path: Path, is_begun: bool):
    store = store_with(tmp_path, design(), n=2)
    organiser = Person(store).open("/organiser/").send(token=TOKEN)
    assert organiser.other().open("/organiser/pilot/preview").page.status_code == 403
    if is_begun:
        organiser.open("/organiser/pilot/preview").send(page="question")
        assert organiser.page.status_code == 200
    stranger = organiser.other()
    stranger.client.cookies.set("organiser", "a guess")
    pages = ("", "enter", "consent", "question", "end", "link/x", "nothing")
    for address in [f"/organiser/preview/s/{study}/{page}" for study in ("pilot", "no-study") for page in pages]:
        assert stranger.open(address).page.status_code == 403
        assert "This page is the organiser" in stranger.text
        assert stranger.client.post(address, data={"consent": "yes"}).status_code == 403
    organiser.client.post("/organiser/logout", data={"log": "out"})
    assert organiser.open("/organiser/preview/s/pilot/").page.status_code == 403


def test_the_organiser_of_a_server_that_was_started_again_sees_that_no_preview_is_begun(store: Store):
    organiser = Person(store).open("/organiser/").send(token=TOKEN)
    assert organiser.open("/organiser/preview/s/pilot/").page.status_code == 404
    assert organiser.open("/organiser/preview/").page.status_code == 404


def test_several_previews_are_begun_at_once_after_the_study_was_edited(store: Store, organiser: Person):
    organiser.open("/organiser/pilot/preview").send(page="question")
    own = organiser.open("/organiser/pilot/preview").hidden
    store.edit("pilot", title="Another title")

    def click(number: int) -> int:
        form = own | {"page": "question"}
        return organiser.client.post("/organiser/pilot/preview", data=form, follow_redirects=False).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(click, range(8))) == {303}
    assert "Another title" in organiser.open("/organiser/pilot/preview").send(page="consent").text
