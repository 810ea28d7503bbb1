"""What hints need to know: the stories that a collection has, and the parser. Both are kept in memory."""

import logging
import math
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime
from threading import Lock, Thread

from denouement.analysis.duplicates import NearDuplicate
from denouement.collect import hints
from denouement.collect.checks import LONGEST_TEXT, Remark
from denouement.collect.store import CollectionStore
from denouement.errors import UserError
from denouement.text.syntax import Parse, Parses, parse

_WAIT = 0.2  # seconds that a draft waits for the parser or the stories; then it gets no hint, and the next one may
_KEPT = 5000  # parses
_EVERY = 5.0  # seconds after which the stories are brought up to date


class Parser:
    """Parses sentences, one request after the other, and keeps what it parsed last.

    It takes seconds to load, so nothing waits for that: `begin` has it loaded, and until then no sentence has a parse.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._parses: OrderedDict[str, Parse] = OrderedDict()
        self._has_begun = self._is_ready = False

    def begin(self) -> None:
        """Load the parser, unless that was asked for before."""
        with self._lock:
            has_begun, self._has_begun = self._has_begun, True
        if not has_begun:
            Thread(target=self._load, name="parser", daemon=True).start()

    def parses(self, sentences: Sequence[str]) -> Parses | None:
        """The parses of these sentences, none of them empty; None where the parser is not ready or busy for long."""
        if not self._is_ready or not self._lock.acquire(timeout=_WAIT):
            return None
        try:
            if missing := [each for each in sentences if each not in self._parses]:
                self._parses.update(parse(missing, cache=None))
            found = {each: self._parses[each] for each in sentences}
            while len(self._parses) > _KEPT:
                self._parses.popitem(last=False)
            return found
        finally:
            self._lock.release()

    def _load(self) -> None:
        try:
            parse(["She smiled."], cache=None)
        except UserError as error:  # not installed: there are no hints
            logging.getLogger(__name__).warning("%s", error)
        else:
            self._is_ready = True


class StoriesSoFar:
    """The stories that a collection has, as `hints.WrittenStories`, brought up to date when somebody asks."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stories = hints.WrittenStories()
        self._known: set[str] = set()
        self._until: datetime | None = None
        self._looked_at = -math.inf

    def nearest(
        self, store: CollectionStore, collection: str, piece: str, sentences: Sequence[str]
    ) -> NearDuplicate | None:
        """The story that is nearly like this one; None where there is none, or another request is looking for long."""
        if not self._lock.acquire(timeout=_WAIT):
            return None
        try:
            if time.monotonic() - self._looked_at >= _EVERY:
                self._look(store, collection)
                self._looked_at = time.monotonic()
            return self._stories.nearest(piece, sentences)
        finally:
            self._lock.release()

    def _look(self, store: CollectionStore, collection: str) -> None:
        if self._known - store.story_ids(collection):  # some were deleted: nothing of them stays
            self._stories, self._known, self._until = hints.WrittenStories(), set(), None
        for story in store.stories_since(collection, self._until):
            self._until = story.at
            if story.id not in self._known:  # an improved one is known as it was first
                self._known.add(story.id)
                self._stories.add(story.id, story.sentences)


class Knowing:
    """What hints need to know, for all collections of a store."""

    def __init__(self, store: CollectionStore) -> None:
        self._store = store
        self._written: dict[str, StoriesSoFar] = {}
        self.parser = Parser()

    def nearest_story(self, collection: str, piece: str, sentences: Sequence[str]) -> NearDuplicate | None:
        """The story of a collection that is nearly like this one, of another piece."""
        written = self._written.setdefault(collection, StoriesSoFar())
        return written.nearest(self._store, collection, piece, sentences)

    def no_shared_character(self, context: Sequence[str], endings: Mapping[str, str]) -> list[Remark]:
        """`hints.no_shared_character`; none while the parser is not ready."""
        short = {box: text for box, text in endings.items() if len(text) <= LONGEST_TEXT}
        parses = self.parser.parses([*context, *short.values()])
        return hints.no_shared_character(context, short, parses) if parses is not None else []
