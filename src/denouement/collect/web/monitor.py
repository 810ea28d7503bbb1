"""The overview of a running collection, worked out by another process, so that no page waits for it.

It reads all texts and fits models, which takes seconds to a minute. The process has the lowest priority, is started
when somebody looks and something has changed since, and ends when it is done: `python -m
denouement.collect.web.monitor` reads what is wanted from standard input, and answers with JSON.
"""

import atexit
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock, Thread

from pydantic import TypeAdapter

from denouement.collect.overview import Overview, overview
from denouement.collect.sections import picture_of
from denouement.console import print_json
from denouement.documents import document
from denouement.errors import first_line

_LONGEST_SECONDS = 1800
_AGAIN_AFTER = timedelta(minutes=1)  # when what failed is tried again, though nothing has changed
_LOWEST_PRIORITY = 19
_LOOKS_EVERY = 1.0  # seconds, for the server
_PARSES = "parses.parquet"  # in the folder of a collection, while it is looked at


@dataclass(frozen=True)
class Look:
    """What a process found.

    Attributes:
        overview: of the collection; None where it failed.
        picture: the curve of what endings give away, as SVG; None where there is nothing to draw.
        failure: why it failed; empty where it did not.
    """

    overview: Overview | None = None
    picture: str | None = None
    failure: str = ""


@dataclass(frozen=True)
class LastLook:
    """What is there for a page.

    Attributes:
        look: the last one that did not fail; None before there is one.
        at: when it was begun, so that it may lack what came later.
        is_running: whether a newer one is being worked out, or waits for that of another collection.
        failure: why there is no newer one; empty where there is no such reason.
        failed_at: when that was.
    """

    look: Look | None = None
    at: datetime | None = None
    is_running: bool = False
    failure: str = ""
    failed_at: datetime | None = None

    @property
    def is_final(self) -> bool:
        """Whether this look stays: another one at the same state would find the same, or has just failed."""
        return self.failed_at is None or datetime.now(UTC) < self.failed_at + _AGAIN_AFTER


class Monitor:
    """Looks at collections of one store, one at a time.

    Args:
        url: of the store.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = Lock()
        self._running = False
        self._found: dict[str, tuple[object, LastLook]] = {}  # by collection, with the state of what was looked at
        self._cache: Path | None = None

    def look(self, name: str, state: object) -> LastLook:
        """The last look at a collection; where its state is another one by now, a new look begins.

        Args:
            name: of the collection.
            state: what is equal as long as a new look would find the same.
        """
        with self._lock:
            of, last = self._found.get(name, (None, LastLook()))
            if of == state and last.is_final:
                return last
            if not self._running:
                self._running = True
                Thread(target=self._work, args=(name, state), daemon=True).start()
            return replace(last, is_running=True)

    def last(self, name: str) -> LastLook:
        """The last look at a collection; no new one begins."""
        with self._lock:
            return self._found.get(name, (None, LastLook()))[1]

    def _work(self, name: str, state: object) -> None:
        at = datetime.now(UTC)
        try:
            found = self._asked(name)
        except Exception as error:  # whatever it is, the page says so
            found = Look(failure=first_line(error))
        if self._cache:
            (self._cache / name / _PARSES).unlink(missing_ok=True)  # where the process was ended before it did so
        with self._lock:
            before = self._found.get(name, (None, LastLook()))[1]
            failed = replace(before, failure=found.failure, failed_at=datetime.now(UTC))
            self._found[name] = state, failed if found.failure else LastLook(found, at)
            self._running = False

    def _asked(self, name: str) -> Look:
        """What another process finds."""
        if self._cache is None:
            self._cache = Path(mkdtemp(prefix="denouement-"))
            atexit.register(rmtree, self._cache, ignore_errors=True)
        wanted = json.dumps({"url": self._url, "name": name, "cache": str(self._cache / name), "server": os.getpid()})
        command = [sys.executable, "-P", "-m", __name__]
        with subprocess.Popen(  # noqa: S603 - our own
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            atexit.register(process.kill)
            try:
                answer, _ = process.communicate(wanted.encode(), _LONGEST_SECONDS)
            except subprocess.TimeoutExpired:
                return Look(failure=f"it took more than {_LONGEST_SECONDS // 60} minutes")
            finally:
                process.kill()
                atexit.unregister(process.kill)
        if process.returncode:
            return Look(failure=f"its process ended with status {process.returncode}")
        return TypeAdapter(Look).validate_json(answer, strict=True)


def main() -> None:
    """What the other process does."""
    os.nice(_LOWEST_PRIORITY)
    wanted = json.load(sys.stdin)
    Thread(target=_end_with, args=(wanted["server"], Path(wanted["cache"]).parent), daemon=True).start()
    try:
        found = _looked_at(wanted["url"], wanted["name"], Path(wanted["cache"]))
    except Exception as error:  # whatever it is, the page says so
        found = Look(failure=first_line(error))
    print_json(document(found))


def _end_with(server: int, kept: Path) -> None:
    """End this process, and remove what was kept, when the server that began it is gone, even one that was killed."""
    while os.getppid() == server:
        time.sleep(_LOOKS_EVERY)
    rmtree(kept, ignore_errors=True)
    os._exit(1)


def _looked_at(url: str, name: str, cache: Path) -> Look:
    from denouement.charts.output import as_svg
    from denouement.collect.store import open_store

    store = open_store(url, make=False)
    try:
        found = overview(store.collected(name), store.collection(name), cache)
    finally:
        store.close()
        # points of the curve are kept, and no text: people may withdraw theirs
        (cache / _PARSES).unlink(missing_ok=True)
    figure = picture_of(found.watch) if found.watch else None
    return Look(found, as_svg(figure) if figure else None)


if __name__ == "__main__":
    main()
