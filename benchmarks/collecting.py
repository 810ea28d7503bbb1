"""A collection's pages under the load of 50 writers: real HTTP, drafts as they type, and stories that are handed in.

The load comes from the same machine. Whatever is not as it must be (a draft that is not saved, a story that is not
taken, a confirmed story that the store lacks or has twice) ends the benchmark with an error.
"""

import asyncio
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.study import Browser, Load, hidden, require, serving
from benchmarks.table import Row
from denouement.collect.description import collection_from
from denouement.collect.store import open_store

WRITERS = 50
SECONDS = 30
DRAFTS = 9  # a story, one a second: far more than people type
NAME = "load"


def measure() -> list[Row]:
    """The 99th percentile of a request while all write at once."""
    with tempfile.TemporaryDirectory() as made:
        url = f"sqlite:///{Path(made) / 'studies.db'}"
        section = {"name": NAME, "entry": {"kind": "open"}, "stories": {"qualification": False}, "review": True}
        store = open_store(url)
        store.create_collection(collection_from(section, "benchmark"))
        store.close()
        with serving(url) as (_, address):
            load = asyncio.run(write(int(address.rpartition(":")[2])))
        check(url, load.confirmed)
    slow = 1000 * sorted(load.seconds)[int(0.99 * len(load.seconds))]
    rate = len(load.seconds) / load.took
    what = (
        f"99th percentile of a request, {WRITERS} writers at once, {rate:.0f} requests/s in all, no error, nothing lost"
    )
    return [Row(what, "what it may take", slow, 250, "ms", 250 / slow, 1)]


async def write(port: int) -> Load:
    """Writers who each come in, type and hand in stories. They come one after the other within the time of a story, so
    that all are there from then on, each at another place of theirs.
    """
    load = Load()
    writers = [Browser(port, load) for _ in range(WRITERS)]
    start = time.perf_counter()
    await asyncio.gather(*(_write(writer, number, start) for number, writer in enumerate(writers)))
    load.took = time.perf_counter() - start
    for writer in writers:
        writer.writer.close()
    return load


async def _write(writer: Browser, number: int, start: float) -> None:
    turn = await _at(start, 0.0, number)
    await writer.enter(NAME, f"/s/{NAME}/work")
    for story in range(SECONDS // (DRAFTS + 1)):
        page = b""
        location = f"/s/{NAME}/work"
        while not page:
            status, further, body = await writer.request("GET", location)
            require(status in (200, 303), f"{location}: {status}")
            location, page = further, body if status == 200 else b""
        form = hidden(page)
        sentences = [
            f"Writer {number} lost key {story} on day {number * story}.",
            f"They looked for it in room {number + story}.",
            f"A dog called Number {number} dug in the garden.",
            f"Something shone there at {story} in the morning.",
            "The key was under the old tree.",
        ]
        for typed in range(1, DRAFTS + 1):
            turn = await _at(start, turn, number)
            boxes = {f"sentence-{n}": text[: 6 * typed] for n, text in enumerate(sentences, 1)}
            status, _, body = await writer.request("POST", f"/s/{NAME}/work/draft", {**form, "title": "Key", **boxes})
            require(status == 200 and json.loads(body)["saved"], f"draft: {status} {body[:200]!r}")
        turn = await _at(start, turn, number)
        boxes = {f"sentence-{n}": text for n, text in enumerate(sentences, 1)}
        status, further, _ = await writer.request("POST", f"/s/{NAME}/work/hand_in", {**form, "title": "Key", **boxes})
        require(status == 303 and further.endswith("?note=stories"), f"handing in: {status} {further}")
        writer.load.confirmed += 1


async def _at(start: float, turn: float, number: int) -> float:
    """Wait for this writer's next second."""
    due = start + turn + number * (DRAFTS + 1) / WRITERS
    await asyncio.sleep(max(0, due - time.perf_counter()))
    return turn + 1


def check(url: str, confirmed: int) -> None:
    """Make sure that the store has each story that was confirmed, once."""
    store = open_store(url)
    stories = store.collected(NAME).stories
    store.close()
    assert stories is not None
    found = Counter(tuple(sentences) for sentences in stories["sentences"].to_pylist())
    require(stories.num_rows == confirmed, f"{confirmed} stories were confirmed, {stories.num_rows} are kept")
    require(set(found.values()) == {1}, "a story is kept twice")
