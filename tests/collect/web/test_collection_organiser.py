"""The organiser's pages of a collection of which all numbers are known by hand."""

import csv
import html
import io
import re
from contextlib import closing
from zipfile import ZipFile

import pyarrow.parquet as pq
import pytest
from collect.gathered import came, does, gathered
from hosted import ORIGIN, TOKEN, Person, design, items_of
from starlette.testclient import TestClient

from denouement.collect.crowd import CollectedCrowd
from denouement.collect.overview import Overview, overview
from denouement.collect.store import ReviewWork, StoryWork, open_store
from denouement.collect.watching import EndingWatch, WatchPoint, WriterBias
from denouement.collect.web.app import create_app
from denouement.collect.web.monitor import Look, Monitor


@pytest.fixture
def store(tmp_path):
    with closing(open_store(f"sqlite:///{tmp_path / 'studies.db'}")) as opened:
        yield gathered(opened)


@pytest.fixture
def found():
    """What the monitor's process finds; a test may put something else here."""
    return {"look": Look(Overview(CollectedCrowd(None, None, None), None, None))}


@pytest.fixture
def organiser(store, found, monkeypatch):
    """A browser of the organiser at the collection's page; no process is started."""
    monkeypatch.setattr(Monitor, "_asked", lambda self, name: found["look"])
    client = TestClient(create_app(store, TOKEN, ORIGIN), ORIGIN, raise_server_exceptions=False)
    return Person.at_server(client, ORIGIN).open("/organiser/").send(token=TOKEN).open("/organiser/kitchen")


def rows(page: str) -> dict[str, list[str]]:
    """The cells of all tables' rows by the first one, in words."""
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", page, re.S):
        cells = [
            html.unescape(" ".join(re.sub("<[^>]*>", " ", cell).split()))
            for cell in re.findall(r"<(?:th|td)[ >].*?</(?:th|td)>", row, re.S)
        ]
        found[cells[0]] = cells[1:]
    return found


def about(store, person: str):
    (found,) = [each for each in store.collection_progress("kitchen").people if each.person == person]
    return found


def test_the_steps_are_counted(organiser):
    found = rows(organiser.text)
    does = "Pause … Close …"
    assert found["Write stories"] == [does, "open", "2", "2", "4", "0", "4.0", "0", "0"]
    assert found["Review stories"] == [does, "open", "1", "3", "3", "0", "1.0", "0", "0"]
    assert found["Write endings"] == [does, "open", "1", "2", "2", "0", "2.0", "0", "0"]
    assert found["Verify stories"] == [does, "open", "3", "6", "12", "0", "0.5", "0", "0"]


def test_what_waits_where_is_drawn_and_said(organiser):
    parts = re.findall(r'<li class="([a-z-]+)">([^<]*)</li>', organiser.text)
    assert parts[:3] == [("done", "2 approved"), ("wanted", "2 still to be done"), ("lost", "1 rejected")]
    assert parts[-2:] == [("done", "6 done"), ("wanted", "6 still to be done")]
    bars = [
        [(kind, int(x), int(width)) for kind, x, width in re.findall(r'class="([a-z-]+)" x="(\d+)" width="(\d+)"', bar)]
        for bar in re.findall(r"<svg.*?</svg>", organiser.text, re.S)
    ]
    assert bars[0] == [("done", 0, 2), ("wanted", 2, 2), ("lost", 4, 1)]
    assert "<rect" in organiser.text


def test_people_and_what_each_did(organiser):
    found = rows(organiser.text)
    assert found["Ada"][1:4] == ["answering", "2 stories (2 approved), median 3.0 minutes", "1"]
    assert found["Ben"][2] == "1 story (1 rejected), median 6.0 minutes"
    assert found["Cem"][2] == "2 pairs of endings, median 2.0 minutes"
    assert found["link_1"][2] == "3 reviews, median 1.0 minutes"
    assert found["Vera"][2] == "2 verifications, median 0.5 minutes"


def test_no_text_of_people_is_markup(store, organiser):
    key = came(store, '"><script>alert(1)</script>')
    story = ("<script>alert(2)</script> ran.", "She &amp; he ran.", "They sat.", "They ate.", "They slept.")
    does(store, key, "stories", StoryWork("<img src=x onerror=alert(3)>", story), 1)
    assert about(store, '"><script>alert(1)</script>').steps
    for address in ("", "/newest"):
        page = organiser.open(f"/organiser/kitchen{address}").text
        assert "<script>" not in page
        assert "<img src=x" not in page
    assert html.escape(story[0]) in organiser.text
    assert "The &lt;b&gt;key&lt;/b&gt;" in organiser.text
    assert "=1+1 &lt;i&gt;is&lt;/i&gt; no story." in organiser.text
    link = re.search(r'href="(/organiser/kitchen/newest\?by=%22[^"]*)"', organiser.text)[1]
    assert len(re.findall("<article", organiser.open(link).text)) == 1


def test_the_newest_work_of_a_person(organiser):
    titles = re.findall(r"<article.*?<h2>(.*?)</h2>", organiser.open("/organiser/kitchen/newest").text, re.S)
    assert titles[:3] == ["Story: The cake", "Story: The boat", "Pair of endings"]
    assert len(titles) == 2 + 1 + 3 + 2 + 6
    by_ben = organiser.open("/organiser/kitchen/newest?by=Ben").text
    assert re.findall(r"<h2>(.*?)</h2>", by_ben) == ["Story: The cake"]
    assert "Rejected" in by_ben
    assert "Nothing yet." in organiser.open("/organiser/kitchen/newest?by=Nobody&page=x").text


def test_pages_of_the_newest_work(store, organiser, monkeypatch):
    monkeypatch.setattr("denouement.collect.web.organiser._ON_PAGE", 5)
    seen = []
    address = "/organiser/kitchen/newest"
    while address:
        page = organiser.open(address).text
        seen += re.findall(r"<article.*?</article>", page, re.S)
        older = re.search(r'href="([^"]*)">Older', page)
        address = html.unescape(older[1]) if older else None
    assert len(seen) == 14
    assert [each.at for each in store.newest("kitchen")] == sorted(
        (each.at for each in store.newest("kitchen")), reverse=True
    )


def test_payments_are_those_of_the_description(store, organiser):
    formula = came(store, "=1+1")
    does(
        store,
        formula,
        "stories",
        StoryWork("A day", ("Ida ran.", "It rained.", "She sat.", "It grew dark.", "Ida slept.")),
        3,
    )
    reviewer = came(store, store.links("kitchen")[0])
    does(store, reviewer, "review", ReviewWork("approve"), 1)
    content = organiser.open("/organiser/kitchen/payments.csv").page.content
    assert content.startswith(b"\xef\xbb\xbf")
    paid = {row["person"]: row for row in csv.DictReader(io.StringIO(content.decode("utf-8-sig")))}
    assert list(paid["Ada"].values()) == ["Ada", "2", "6.0", "0.52", "0.10", "0.62", "USD"]
    assert list(paid["Cem"].values()) == ["Cem", "2", "4.0", "0.20", "0.00", "0.20", "USD"]
    assert list(paid["link_1"].values()) == ["link_1", "4", "4.0", "0.20", "0.00", "0.20", "USD"]
    assert paid["'=1+1"]["total"] == "0.26"
    assert "Ben" not in paid  # whose story was rejected


def test_a_step_is_paused_resumed_and_closed(store, organiser):
    key = came(store, "Ada")
    assert {each.step: each.state for each in store.offers(key)}["stories"] == "free"
    organiser.open("/organiser/kitchen/pause-stories").send()
    assert organiser.note == "The step “Write stories” is paused."
    assert {each.step: each.state for each in store.offers(key)}["stories"] == "paused"
    assert rows(organiser.text)["Write stories"][:2] == ["Resume … Close …", "paused"]
    again = organiser.open("/organiser/kitchen/pause-stories").send()
    assert "paused already" in again.problem
    organiser.open("/organiser/kitchen/resume-stories").send()
    organiser.open("/organiser/kitchen/close-endings").send()
    assert store.step_states("kitchen") == {
        "stories": "open",
        "review": "open",
        "endings": "closed",
        "verification": "open",
    }
    organiser.open("/organiser/kitchen/pause").send()
    assert store.state("kitchen") == "paused"
    log = organiser.open("/organiser/kitchen/log").text
    assert "step stories" in log


def test_people_are_excluded_readmitted_and_withdrawn(store, organiser):
    organiser.open("/organiser/kitchen/exclude?annotator=Cem").send(reason="copies")
    assert organiser.note == "Cem is excluded."
    assert rows(organiser.text)["Cem"][1] == "excluded: copies"
    assert store.collected("kitchen").endings.num_rows == 0
    organiser.open("/organiser/kitchen/readmit?annotator=Cem").send()
    assert store.collected("kitchen").endings.num_rows == 2
    page = organiser.open("/organiser/kitchen/withdraw?annotator=Ben").text
    assert "What was approved stays" in page
    organiser.send()
    assert about(store, "Ben").state == "withdrawn"
    assert "Lea baked" not in organiser.open("/organiser/kitchen/newest").text
    assert organiser.open("/organiser/kitchen/exclude?annotator=Nobody").page.status_code == 404


def test_links_are_listed_by_step_and_added(store, organiser):
    (token,) = store.links("kitchen")
    assert rows(organiser.text)[f"{ORIGIN}/s/kitchen/link/{token}"] == ["Review stories", "link_1"]
    assert f"<code>{ORIGIN}/s/kitchen/?step=endings</code>" in organiser.text
    organiser.open("/organiser/kitchen/links-verification").send(n="2")
    listed = [cells for name, cells in rows(organiser.text).items() if "/link/" in name]
    assert listed == [["Review stories", "link_1"], ["Verify stories", "–"], ["Verify stories", "–"]]
    assert "whole number" in organiser.open("/organiser/kitchen/links-review").send(n="0").problem


def test_all_tables_as_a_zip_and_then_it_may_be_deleted(store, organiser):
    assert organiser.client.get("/organiser/kitchen/export/all.zip").status_code in (404, 405)
    assert organiser.client.post("/organiser/kitchen/export/all.zip", data={"form": "x"}).status_code == 403
    organiser.open("/organiser/kitchen/close").send()
    refused = organiser.open("/organiser/kitchen/delete").send(name="kitchen")
    assert "in no export" in refused.problem
    packed = organiser.open("/organiser/kitchen").client.post(
        "/organiser/kitchen/export/all.zip", data=organiser.hidden
    )
    with ZipFile(io.BytesIO(packed.content)) as files:
        names = [name for name in files.namelist() if name.endswith(".parquet")]
        tables = {name: pq.read_table(io.BytesIO(files.read(name))) for name in names}
        assert files.read("reviews.csv").startswith(b"story_id,version,reviewer,decision,bonus,remark\r\n")
    assert {name: table.num_rows for name, table in tables.items()} == {
        "collected_stories.parquet": 3,
        "collected_endings.parquet": 2,
        "verifications.parquet": 6,
    }
    assert tables["collected_endings.parquet"]["minutes"].to_pylist() == [1, 3]
    organiser.open("/organiser/kitchen/delete").send(name="kitchen")
    assert organiser.note == "It is deleted."
    assert store.collections() == []
    assert organiser.open("/organiser/kitchen").page.status_code == 404


def test_data_of_a_person(organiser):
    data = organiser.open("/organiser/kitchen/person.json?annotator=Ada").page.json()
    assert [each["work"]["title"] for each in data["handed_in"]] == ["The <b>key</b>", "The boat"]
    assert organiser.open("/organiser/kitchen/person.json?annotator=Nobody").page.status_code == 404


def test_pages_of_one_kind_are_not_those_of_the_other(store, organiser):
    study = design(name="pilot")
    store.create(study, items_of(study, 2))
    home = organiser.open("/organiser/").text
    assert 'href="/organiser/pilot"' in home
    assert 'href="/organiser/kitchen"' in home
    for page in (
        "review",
        "edit",
        "copy",
        "preview",
        "export/votes.parquet",
        "export/answers.csv",
        "pause-filter",
        "bias.svg",
    ):
        assert organiser.open(f"/organiser/kitchen/{page}").page.status_code == 404, page
    for page in ("newest", "payments.csv", "pause-stories"):
        assert organiser.open(f"/organiser/pilot/{page}").page.status_code == 404, page
    assert "Answers per item" in organiser.open("/organiser/pilot").text
    organiser.open("/organiser/pilot/pause").send()
    assert (organiser.note, store.state("pilot"), store.state("kitchen")) == ("The study is paused.", "paused", "open")


def test_every_page_needs_the_token(store, organiser):
    stranger = organiser.other()
    pages = ["", "/newest", "/payments.csv", "/person.json?annotator=Ada", "/log", "/log.json", "/pause", "/bias.svg"]
    for page in pages:
        assert stranger.open(f"/organiser/kitchen{page}").page.status_code == 403, page
    for page in ("/export/all.zip", "/pause", "/withdraw"):
        assert stranger.client.post(f"/organiser/kitchen{page}", data={"annotator": "Ada"}).status_code == 403, page
    assert "kitchen" not in stranger.open("/organiser/").text
    forged = organiser.client.post("/organiser/kitchen/pause", data={"form": "x"})
    assert (forged.status_code, store.state("kitchen")) == (403, "open")


def watched(*alarms: str) -> EndingWatch:
    return EndingWatch(
        pairs=120,
        missing=None,
        threshold=0.65,
        curve=(WatchPoint(100, 100, 0.6, 0.5, 0.7), WatchPoint(120, 120, 0.7, 0.61, 0.78)),
        writers=(WriterBias("<b>Cem</b>", 12, 9, 0.75, 0.43, 0.95),),
        few=108,
        above=alarms,
    )


def test_an_alarm_stands_at_the_top_and_the_curve_is_a_picture(store, organiser, found):
    assert "alert" not in organiser.text
    found["look"] = Look(Overview(CollectedCrowd(None, None, None), None, watched("it is <too> often right")), "<svg/>")
    does(store, came(store, "Ada"), "stories", StoryWork("New", tuple(f"Word {n} was said." for n in range(5))), 1)
    page = _looked(organiser)
    assert page.index("it is &lt;too&gt; often right") < page.index("<h2>Steps")
    assert "in 70.0% of 120 pairs (95% interval 61.0% to 78.0%)" in page
    assert rows(page)["<b>Cem</b>"] == ["12", "75.0%", "43.0% to 95.0%"]
    picture = organiser.open(re.search(r'src="([^"]*bias.svg[^"]*)"', page)[1]).page
    assert (picture.headers["content-type"], picture.text) == ("image/svg+xml", "<svg/>")


def test_a_look_that_failed_is_said_and_the_last_one_stays(store, organiser, found):
    found["look"] = Look(Overview(CollectedCrowd(None, None, None), None, watched()), "<svg/>")
    does(store, came(store, "Ada"), "stories", StoryWork("New", tuple(f"Word {n} was said." for n in range(5))), 1)
    _looked(organiser)
    found["look"] = Look(failure="no memory <left>")
    does(store, came(store, "Ada"), "stories", StoryWork("Old", tuple(f"Thing {n} was seen." for n in range(5))), 1)
    page = _looked(organiser)
    assert "It could not be worked out: no memory &lt;left&gt;." in page
    assert "in 70.0% of 120 pairs" in page


def _looked(organiser: Person) -> str:
    """The collection's page, after what it asked the monitor for."""
    for _ in range(100):
        if "being worked out" not in organiser.open("/organiser/kitchen").text:
            return organiser.text
    raise AssertionError(organiser.text)


def test_tables_2_and_5_and_what_was_confirmed(store, organiser, found):
    found["look"] = Look(overview(store.collected("kitchen"), store.collection("kitchen")))
    does(store, came(store, "Ada"), "stories", StoryWork("New", tuple(f"Word {n} was said." for n in range(5))), 1)
    shown = rows(_looked(organiser))
    assert shown["handed in"] == ["3", "49,895", "2", "13,500"]
    assert shown["approved or confirmed"] == ["2", "49,255", "1", "3,744"]
    assert shown["minutes for one, mean of writers"] == ["3.00", "4.80", "2.00", "-"]
    assert shown["both endings are confirmed"] == ["1 (50.0%)"]
    assert shown["an ending has too few answers"] == ["1 (50.0%)"]
