"""Small collections in a store of their own, and people who go through their pages as a browser would."""

import html
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from hosted import ORIGIN, TOKEN, Person
from starlette.testclient import TestClient

from denouement.collect.description import Collection, collection_from
from denouement.collect.store import CollectionStore, open_store
from denouement.collect.web.app import create_app

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jim", "Kim", "Leo")
THINGS = ("key", "kite", "drum", "clock", "coat", "boat", "lamp", "ring", "book", "spoon", "phone", "mirror")


def described(**more: Any) -> Collection:
    """A collection of all steps without tests, open to all, with some keys set."""
    section = {
        "name": "kitchen",
        "contact": "ada@example.org",
        "entry": {"kind": "open", "completion_code": "DONE1"},
        "stories": {"qualification": False},
        "review": {},
        "endings": {"qualification": False},
        "verification": {"qualification": False},
        "filter": {},
    }
    return collection_from({**section, **more}, "test")


def story(n: int) -> dict[str, str]:
    """The boxes of the n-th story; no two are alike."""
    name, thing = NAMES[n % 12], THINGS[n % 12]
    sentences = (
        f"{name} lost a {thing} number {n} in the park.",
        f"{name} looked below each bench for the {thing}.",
        f"A dog dug up something near tree {n}.",
        f"It was the lost {thing}, all wet and brown.",
        f"{name} gave the dog a bone and went home.",
    )
    return {"title": f"The {thing} {n}"} | {f"sentence-{at}": text for at, text in enumerate(sentences, 1)}


def sentences(n: int) -> list[str]:
    """The sentences of the n-th story."""
    return list(story(n).values())[1:]


def opened(folder: Path, collection: Collection, **tables: Any) -> CollectionStore:
    """A new store that holds one collection."""
    store = open_store(f"sqlite:///{folder / 'studies.db'}")
    store.create_collection(collection, **tables)
    return store


def reviewers(store: CollectionStore, name: str = "kitchen") -> Iterator[str]:
    """The addresses of the links for reviewers."""
    return (f"/s/{name}/link/{token}" for token, steps in store.links_to(name).items() if steps == ("review",))


class Worker(Person):
    """One browser without JavaScript, at the pages of collections and studies."""

    def __init__(self, store: CollectionStore) -> None:
        self.client = TestClient(create_app(store, TOKEN, ORIGIN), ORIGIN, raise_server_exceptions=False)
        self.client.headers["origin"] = ORIGIN
        self.page: Any = None

    def come(self, step: str, name: str = "kitchen") -> "Person":
        """Another person, who comes for one step and agrees."""
        return self.other().open(f"/s/{name}/?step={step}").send(consent="yes")

    def arrive(self, address: str) -> "Person":
        """Another person, who opens a private link and agrees."""
        return self.other().open(address).send(consent="yes")


def at_piece(person: Person) -> bool:
    """Whether the person is at a piece of work."""
    return "/work/piece/" in person.at


def words(person: Person) -> str:
    """What the page says, without its tags."""
    body = re.sub("<[^>]+>", " ", person.text.partition("<body")[2])
    return " ".join(html.unescape(body).split())


def told(person: Person) -> dict[str, list[str]]:
    """What the page says at the boxes: by box, the refusals and then, after a star, the hints."""
    found = {}
    for box, items in re.findall(r'<ul class="remarks" id="remarks-([^"]*)"[^>]*>(.*?)</ul>', person.text, re.S):
        remarks = re.findall(r'<li class="(\w+)">(.*?)</li>', items)
        found[box] = [("*" if kind == "advice" else "") + html.unescape(text) for kind, text in remarks]
    return {box: remarks for box, remarks in found.items() if remarks}


def draft(person: Person, fields: Mapping[str, str]) -> Any:
    """What the server answers to the draft that a page's script sends."""
    address = re.search(r'data-draft="([^"]+)"', person.text)
    assert address
    return person.client.post(address[1], data=person.hidden | fields).json()


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[str]:
    """The address of a server, in a thread, of the store in `folder`, at this port or at a free one."""
    store = open_store(f"sqlite:///{folder / 'studies.db'}")
    config = uvicorn.Config(create_app(store, TOKEN), log_level="error", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", port))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()
        store.close()
