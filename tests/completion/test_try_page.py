"""The page of `denouement try`, as a browser without JavaScript uses it."""

import html
import os
import re
import signal
import threading
import urllib.request

import pytest
from small_systems import Fixed, neural
from starlette.testclient import TestClient

from denouement.completion import page
from denouement.completion.page import create_app
from denouement.generators.language_model import PromptedModel, PromptedSettings
from denouement.language_models.model import load
from denouement.study.web.app import serve
from denouement.study.web.security import HEADERS

ORIGIN = "http://127.0.0.1"
STORY = "Zed bought a red car. He drove it to the hill."


class Visitor:
    def __init__(self, **systems) -> None:
        app = create_app(systems or {"mine": neural(), "fixed": Fixed()})
        self.client = TestClient(app, ORIGIN, raise_server_exceptions=False)
        self.client.headers["origin"] = ORIGIN
        self.page = self.client.get("/")

    @property
    def text(self) -> str:
        return self.page.text

    @property
    def problem(self) -> str:
        found = re.search(r'<p class="problem" role="alert">(.*?)</p>', self.text)
        return html.unescape(found[1]) if found else ""

    def fields(self, **changes: str) -> dict[str, str]:
        token = re.search(r'name="form" value="([^"]+)"', self.text)[1]
        boxes = re.findall(r'<input type="checkbox" name="([^"]+)" checked>', self.text)
        return {"form": token, "story": STORY, "n": "2", "seed": "1", **dict.fromkeys(boxes, "on"), **changes}

    def send(self, **changes: str) -> "Visitor":
        self.page = self.client.post("/endings", data=self.fields(**changes))
        return self


def test_a_way_to_decode_that_a_system_does_not_know_is_left_out_aloud(taught_model):
    model = PromptedModel(PromptedSettings(str(taught_model)), load(str(taught_model)), [])
    visitor = Visitor(mine=neural(), tiny=model).send()
    assert re.findall("<h3>(.+?)</h3>", visitor.text) == ["Beam", "Sample"]
    assert re.findall("<h4>(.+?)</h4>", visitor.text) == ["mine", "mine", "tiny"]
    assert "Beam: left out for tiny, which decodes by greedy or sample" in visitor.text
    alone = Visitor(tiny=model)
    data = {name: value for name, value in alone.fields().items() if name != "decoding Sample"}
    alone.page = alone.client.post("/endings", data=data)
    assert "Choose another way to decode: tiny decodes by greedy or sample" in alone.problem


def test_a_story_gets_endings_of_each_system_in_each_way():
    visitor = Visitor().send()
    assert visitor.page.status_code == 200
    assert visitor.page.url.path.startswith("/endings/")
    assert re.findall("<h3>(.+?)</h3>", visitor.text) == ["Beam", "Sample", "Chosen as a whole"]
    assert re.findall("<h4>(.+?)</h4>", visitor.text) == ["mine", "mine", "fixed"]
    assert "Read 2 sentences, 11 words" in visitor.text
    assert "mine does not know these words: Zed" in visitor.text
    assert "<li><mark>Zed</mark> bought a red car.</li>" in visitor.text
    assert "It was great &lt;b&gt;&amp; new&lt;/b&gt;." in visitor.text
    assert "positive, 0.62" in visitor.text
    assert len(re.findall(r"-\d+\.\d\d nats per token", visitor.text)) == 2 + 2
    assert visitor.client.get(visitor.page.url.path).text == visitor.text, "the page can be loaded again"


def test_the_page_is_served_until_ctrl_c():
    pages = []

    def visit(address: str) -> None:
        try:
            with urllib.request.urlopen(address, timeout=30) as page:
                pages.append(page.read().decode())
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    def started(address: str) -> None:
        threading.Thread(target=visit, args=[address]).start()

    serve(create_app({"fixed": Fixed()}), "127.0.0.1", 0, started)
    (page,) = pages
    assert "Endings for your story" in page


def test_a_quoted_word_and_markup_are_shown_as_typed():
    visitor = Visitor().send(story='Tom said "Quux" <script>alert(1)</script>.')
    assert "&#34;<mark>Quux</mark>&#34; &lt;<mark>script</mark>&gt;" in visitor.text
    assert "<script>alert" not in visitor.text


@pytest.mark.parametrize(
    ("story", "said"),
    [
        ("", "The story is empty: type at least one sentence."),
        ("He ran.\r\n" * 1000, "The story has 1,000 sentences, and at most 100 are read"),
        ("a" * 30_000, "The story has 30,000 characters, and at most 20,000 are read"),
        ("a" * 300_000, "That text is too long"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_line(story, said):
    visitor = Visitor().send(story=story)
    assert visitor.page.status_code in (413, 422)
    assert visitor.problem.startswith(said)
    assert "<h3>" not in visitor.text
    if len(story) < 100_000:
        typed = re.search(r"(?s)<textarea.*?>(.*?)</textarea>", visitor.text)[1]
        assert typed == story.replace("\r\n", "\n"), "what was typed stays"


def test_another_language_gets_a_line_and_endings():
    visitor = Visitor().send(story="Zed kaufte am Montag ein großes Auto und fuhr damit zum Berg.")
    assert "This does not look like English" in visitor.text
    assert "<h3>Beam</h3>" in visitor.text


def test_at_least_one_system_and_one_way_are_needed():
    visitor = Visitor()
    fields = visitor.fields()
    for missing in ("system", "decoding"):
        chosen = {name: value for name, value in fields.items() if not name.startswith(missing)}
        answer = visitor.client.post("/endings", data=chosen)
        assert answer.status_code == 422
        assert "Choose at least one" in answer.text


@pytest.mark.parametrize(
    ("n", "seed", "shown"), [("99", "-1", ("5", "1")), ("", "x", ("3", "1")), ("1", "7", ("1", "7"))]
)
def test_numbers_out_of_range_are_put_right(n, seed, shown):
    visitor = Visitor().send(n=n, seed=seed)
    assert re.search(r'name="n".*?value="(\d+)"', visitor.text)[1] == shown[0]
    assert re.search(r'name="seed".*?value="(\d+)"', visitor.text)[1] == shown[1]


def test_the_seed_changes_samples_alone():
    def endings(seed: str) -> list[str]:
        visitor = Visitor(mine=neural()).send(seed=seed)
        return visitor.text.partition("<h3>Beam</h3>")[2].replace(f"seed {seed}", "").split("<h3>Sample</h3>")

    (beam, one), (beam_too, other) = endings("1"), endings("2")
    assert beam == beam_too
    assert one != other


def test_only_forms_of_this_page_are_answered():
    visitor = Visitor()
    fields = visitor.fields()
    elsewhere = {"origin": "http://evil.example"}
    assert visitor.client.post("/endings", data=fields, headers=elsewhere).status_code == 403
    assert visitor.client.post("/endings", data={**fields, "form": Visitor().fields()["form"]}).status_code == 403
    assert visitor.client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert visitor.client.post("/endings", data=fields).status_code == 200


def test_every_response_has_the_headers_of_the_study_pages():
    visitor = Visitor()
    for response in (visitor.page, visitor.send().page, visitor.client.get("/nothing")):
        assert set(HEADERS) <= set(response.headers)
        assert "script" not in response.headers["content-security-policy"]
        assert response.headers["cache-control"] == "no-store"
    assert visitor.client.get("/nothing").status_code == 404
    assert "There is no such page here." in visitor.client.get("/nothing").text


def test_stories_are_kept_for_a_while(monkeypatch):
    monkeypatch.setattr(page, "_MOST_KEPT", 2)
    visitor = Visitor(fixed=Fixed())
    addresses = [visitor.send().page.url.path for _ in range(3)]
    assert [visitor.client.get(address).status_code for address in addresses] == [404, 200, 200]
    assert "no longer kept" in visitor.client.get(addresses[0]).text


def test_a_defect_is_no_blank_page(monkeypatch):
    visitor = Visitor(fixed=Fixed())
    monkeypatch.setattr(Fixed, "write", lambda *_: 1 / 0)
    visitor.send()
    assert visitor.page.status_code == 500
    assert "Something went wrong" in visitor.problem
    assert set(HEADERS) <= set(visitor.page.headers)
