"""Small studies in a store of their own, and a person who goes through their pages as a browser would."""

import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient

from denouement.study.design.description import Design
from denouement.study.design.items import Item
from denouement.study.design.making import check_items, training_items
from denouement.study.design.reading import design_from
from denouement.study.store import Store, open_store
from denouement.study.web.app import create_app

TOKEN = "the organiser's token"
ORIGIN = "http://study.example"
CONTEXT = ("Tom had a big test on Monday.", "He studied all weekend.", "He slept well.", "The test was easy.")

ENDINGS = ("Tom passed test {}.", "Tom was late for lesson {}.", "Tom forgot book {}.", "A cow sang song {}.")


def design(**keys: Any) -> Design:
    """A study of two systems, open to all, with some keys set."""
    section = {
        "name": "pilot",
        "systems": ["plain_system", "human_right"],
        "answers_per_item": 2,
        "entry": {"kind": "open", "completion_code": "DONE1"},
        "contact": "someone@example.org",
    }
    return design_from(section | keys, "test")


def items_of(study: Design, n: int) -> list[Item]:
    """`n` items, then the study's checks and training item."""
    wanted = study.n_shown or (2 if study.kind == "pair" else 1)
    made = [
        Item(
            f"{number:016x}",
            f"case-{number}",
            study.kind,
            CONTEXT,
            study.systems[:wanted],
            tuple(text.format(number) for text in ENDINGS[:wanted]),
        )
        for number in range(1, n + 1)
    ]
    return [*made, *check_items(study), *training_items(study)]


def store_with(folder: Path, study: Design, n: int = 3, items: list[Item] | None = None) -> Store:
    """A new store that holds one study."""
    store = open_store(f"sqlite:///{folder / 'studies.db'}")
    store.create(study, items_of(study, n) if items is None else items)
    return store


class Person:
    """One browser without JavaScript: it keeps cookies, follows links and sends forms."""

    def __init__(self, store: Store, base_url: str = ORIGIN) -> None:
        app = create_app(store, TOKEN, base_url)
        self.client = TestClient(app, base_url, raise_server_exceptions=False)
        self.client.headers["origin"] = base_url
        self.page: Any = None

    @classmethod
    def at_server(cls, client: httpx.Client, address: str) -> "Person":
        """One at the pages of a server that runs elsewhere; `client` knows its cookies."""
        person = object.__new__(cls)
        client.base_url, client.follow_redirects, client.headers["origin"] = address, True, address
        person.client, person.page = client, None
        return person

    def other(self) -> "Person":
        """Another browser at the same pages."""
        address = str(self.client.base_url)
        client = TestClient(self.client.app, address, raise_server_exceptions=False)
        return Person.at_server(client, self.client.headers["origin"])

    def open(self, address: str) -> "Person":
        self.page = self.client.get(address)
        return self

    def send(self, **fields: str) -> "Person":
        """Send the page's form, its hidden fields and these."""
        self.page = self.client.post(self.action, data=self.hidden | fields)
        return self

    def go(self, name: str = "pilot") -> "Person":
        """Come into an open study and agree."""
        return self.open(f"/s/{name}/").send(consent="yes")

    @property
    def text(self) -> str:
        return self.page.text

    @property
    def at(self) -> str:
        return self.page.url.path

    @property
    def action(self) -> str:
        return re.search(r'<form method="post" action="([^"]+)"', self.text)[1]

    @property
    def hidden(self) -> dict[str, str]:
        return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', self.text))

    @property
    def endings(self) -> dict[str, str]:
        """The endings on the page of a pair, by their sides, A and B."""
        found = re.findall(r'value="([AB])".*?<span class="word">(.*?)</span>', self.text, re.S)
        return {side: html.unescape(text) for side, text in found}

    def side_of(self, ending: str) -> str:
        """A or B: where an ending stands on the page of a pair."""
        return next(side for side, text in self.endings.items() if text == ending)

    @property
    def problem(self) -> str:
        found = re.search(r'<p class="problem" id="problem" role="alert"[^>]*>(.*?)</p>', self.text)
        return html.unescape(found[1]) if found else ""

    @property
    def note(self) -> str:
        found = re.search(r'<p class="note" role="status">(.*?)</p>', self.text)
        return html.unescape(found[1]) if found else ""


def statuses(store: Store, study: str = "pilot") -> Mapping[str, int]:
    """How many answers there are of each status."""
    counted: dict[str, int] = {}
    for answer in store.answers(study):
        counted[answer.status] = counted.get(answer.status, 0) + 1
    return counted
