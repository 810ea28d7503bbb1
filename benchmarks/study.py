"""A study's pages under the load of 100 annotators: real HTTP, each question fetched and each answer posted.

The load comes from the same machine. Whatever is not as it must be (an answer that is no redirect, an item with too
many answers, a confirmed answer that the store lacks) ends the benchmark with an error: there is no speed without that.
"""

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.table import Row
from denouement.study.design.description import Design
from denouement.study.design.entry import Entry
from denouement.study.design.items import Item
from denouement.study.design.names import ANSWERS
from denouement.study.store import open_store

ANNOTATORS = 100
ANSWERS_PER_ITEM = 5
ITEMS = 600  # few enough that the load fills them all
PACED_RATE = 40  # answers a second of all together
PACED_SECONDS = 30

_HIDDEN = re.compile(rb'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@dataclass
class Load:
    """What was measured: seconds of each request, how many answers the server confirmed, and seconds in all."""

    seconds: list[float] = field(default_factory=list)
    confirmed: int = 0
    took: float = 0


class Browser:
    """One annotator's connection, which stays open; it parses no more of HTTP than the server sends."""

    def __init__(self, port: int, load: Load) -> None:
        self.port, self.load = port, load
        self.cookies: dict[str, str] = {}

    async def request(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str, bytes]:
        """Status, where to go next, and body."""
        body = urlencode(form).encode() if form else b""
        head = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        if self.cookies:
            head.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        if form:
            head += [f"Origin: http://127.0.0.1:{self.port}", "Content-Type: application/x-www-form-urlencoded"]
            head.append(f"Content-Length: {len(body)}")
        start = time.perf_counter()
        self.writer.write("\r\n".join((*head, "", "")).encode() + body)
        raw = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(raw[0].split()[1])
        headers = [line.partition(": ")[::2] for line in raw[1:] if line]
        length = int(next(value for name, value in headers if name.lower() == "content-length"))
        answer = await self.reader.readexactly(length)
        self.load.seconds.append(time.perf_counter() - start)
        for name, value in headers:
            if name.lower() == "set-cookie":
                cookie, _, content = value.partition(";")[0].partition("=")
                self.cookies[cookie] = content
        return status, next((value for name, value in headers if name.lower() == "location"), ""), answer

    async def enter(self, name: str, first: str) -> None:
        """Come in to a study or collection and agree, which leads to its first page."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        _, _, page = await self.request("GET", f"/s/{name}/")
        status, location, _ = await self.request("POST", f"/s/{name}/enter", {**hidden(page), "consent": "yes"})
        require(status == 303 and location == first, f"entry: {status} {location}")

    async def answer(self) -> bool:
        """Fetch the next question and answer it; False where there is none left."""
        status, location, page = await self.request("GET", "/s/load/question")
        if (status, location) == (303, "/s/load/end"):
            return False
        require(status == 200, f"question: {status} {location}")
        form = {
            **hidden(page),
            "answer": ANSWERS[self.load.confirmed % 4],
            "reason": "It fits the story.",
        }
        status, location, _ = await self.request("POST", "/s/load/answer", form)
        require(status == 303 and location == "/s/load/question", f"answer: {status} {location}")
        self.load.confirmed += 1
        return True


def hidden(page: bytes) -> dict[str, str]:
    """The hidden fields of the page's form."""
    return {name.decode(): value.decode() for name, value in _HIDDEN.findall(page)}


def require(holds: bool, what: str) -> None:
    """Stop where something is wrong."""
    if not holds:
        raise RuntimeError(what)


@contextmanager
def server(folder: Path) -> Iterator[int]:
    """The port of a server of a new study."""
    entry = Entry(kind="open")
    design = Design(name="load", systems=("one", "other"), answers_per_item=ANSWERS_PER_ITEM, entry=entry)
    context = ("Tom had a big test on Monday.", "He studied all weekend.", "He slept well.", "The test was easy.")
    items = [
        Item(
            f"{n:016x}", f"case-{n}", "pair", context, design.systems, (f"He passed test {n}.", f"He failed test {n}.")
        )
        for n in range(ITEMS)
    ]
    url = f"sqlite:///{folder / 'studies.db'}"
    store = open_store(url)
    store.create(design, items)
    store.close()
    with serving(url) as (_, address):
        yield int(address.rpartition(":")[2])


@contextmanager
def serving(url: str, token: str = "") -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`denouement study serve` of the store at `url` in a process of its own, and its address."""
    command = [sys.executable, "-c", "from denouement.cli import main; main()"]
    command += ["study", "serve", "--store", url, "--port", "0"]
    environment = {**os.environ, "DENOUEMENT_ORGANISER_TOKEN": token}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=environment, **pipes) as process:  # type: ignore[call-overload]
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().split()[1].partition("/s/")[0]
        finally:
            process.send_signal(signal.SIGINT)


async def paced(port: int, rate: float, seconds: float) -> Load:
    """Annotators who each answer at even intervals from a beginning of their own, as if each read a while."""
    load = Load()
    interval = ANNOTATORS / rate
    each = round(seconds / interval)

    async def annotate(number: int, browser: Browser, start: float) -> None:
        for turn in range(each):
            due = start + interval * (turn + number / ANNOTATORS)
            await asyncio.sleep(max(0, due - time.perf_counter()))
            require(await browser.answer(), "no question was left for a paced annotator")

    await annotators(port, load, annotate)
    require(load.confirmed == each * ANNOTATORS, f"{load.confirmed} paced answers, not {each * ANNOTATORS}")
    return load


async def saturated(port: int) -> Load:
    """Annotators who answer as fast as the server does, until every item has its answers."""
    load = Load()

    async def annotate(number: int, browser: Browser, start: float) -> None:
        while await browser.answer():
            pass

    await annotators(port, load, annotate)
    return load


async def annotators(port: int, load: Load, annotate: Callable[[int, Browser, float], Awaitable[None]]) -> None:
    """Let all come in, then start together; entering is not measured."""
    browsers = [Browser(port, load) for _ in range(ANNOTATORS)]
    for browser in browsers:
        await browser.enter("load", "/s/load/question")
    load.seconds.clear()
    start = time.perf_counter()
    await asyncio.gather(*(annotate(number, browser, start) for number, browser in enumerate(browsers)))
    load.took = time.perf_counter() - start
    for browser in browsers:
        browser.writer.close()


def check(folder: Path, confirmed: int) -> None:
    """Make sure that the store has what was confirmed, and every item as many answers as asked for, exactly."""
    answers = open_store(f"sqlite:///{folder / 'studies.db'}").answers("load")
    require(len(answers) == confirmed, f"{confirmed} answers were confirmed, {len(answers)} are kept")
    per_item = Counter(answer.item.id for answer in answers if answer.status == "accepted")
    found = Counter(per_item.values())  # of how many items by their answers
    require(found == {ANSWERS_PER_ITEM: ITEMS}, f"items by their answers: {dict(found)}, not {ANSWERS_PER_ITEM} each")


def measure() -> list[Row]:
    """The 99th percentile at a steady load, and answers a second at saturation; both without any error."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with server(folder) as port:
            steady = asyncio.run(paced(port, PACED_RATE, PACED_SECONDS))
            full = asyncio.run(saturated(port))
        require(steady.took < 1.15 * PACED_SECONDS, f"the pace was lost: {steady.took:.1f} s, not {PACED_SECONDS}")
        check(folder, steady.confirmed + full.confirmed)
    slow = 1000 * sorted(steady.seconds)[int(0.99 * len(steady.seconds))]
    rate = full.confirmed / full.took
    return [
        Row(
            f"99th percentile of a request, {ANNOTATORS} annotators, {PACED_RATE} answers/s in all, no error",
            "what it may take",
            slow,
            250,
            "ms",
            250 / slow,
            1,
        ),
        Row(
            f"answers of {ANNOTATORS} annotators as fast as they are taken, no error, {ANSWERS_PER_ITEM} an item",
            "what it must reach",
            rate,
            100,
            "answers/s",
            rate / 100,
            1,
        ),
    ]
