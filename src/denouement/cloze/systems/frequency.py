"""Frequency: Mostafazadeh et al. 2016, section 5, system 1."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from denouement.cloze.base import Scores, by_case, endings
from denouement.cloze.parts import corpora
from denouement.cloze.parts.corpora import CountingSystem, Document
from denouement.cloze.resources import Resources
from denouement.text.clauses import OBJECT, SUBJECT, fillers, main_verb
from denouement.text.syntax import Parse

# How much each estimate of an event's frequency counts, from the most to the least specific.
_WEIGHTS = (0.6, 0.3, 0.1)


class VerbEvent(NamedTuple):
    """The lemmas of a verb and of the heads of its subject and object; "" where it has none."""

    subject: str
    verb: str
    object: str


@dataclass
class VerbEventCounts:
    """How often events, and each verb with its subject and with its object, occur."""

    events: Counter[VerbEvent] = field(default_factory=Counter)
    with_subject: Counter[tuple[str, str]] = field(default_factory=Counter)
    with_object: Counter[tuple[str, str]] = field(default_factory=Counter)
    subjects: Counter[str] = field(default_factory=Counter)
    verbs: Counter[str] = field(default_factory=Counter)
    objects: Counter[str] = field(default_factory=Counter)
    total: int = 0

    def add(self, event: VerbEvent, count: int) -> None:
        """Count `event` as occurring `count` times more."""
        subject, verb, object_ = event
        self.events[event] += count
        self.with_subject[subject, verb] += count
        self.with_object[verb, object_] += count
        self.subjects[subject] += count
        self.verbs[verb] += count
        self.objects[object_] += count
        self.total += count

    def log_frequency(self, event: VerbEvent) -> float:
        """The natural logarithm of the share of all events that `event` is expected to have; never minus infinity.

        A mixture, as in Jelinek and Mercer 1980, of three estimates, so that events which the more specific one has
        never seen still differ by the less specific ones: the share of the event; its share if the subject and the
        object of its verb were independent; its share if all three were, each counted once more than it occurs.
        """
        subject, verb, object_ = event
        n = self.total + 1
        seen = self.events[event] / n
        pairs = 0.0
        if self.verbs[verb]:
            pairs = self.with_subject[subject, verb] * self.with_object[verb, object_] / self.verbs[verb] / n
        words = (self.subjects[subject] + 1) * (self.verbs[verb] + 1) * (self.objects[object_] + 1) / n**3
        return float(np.log(np.dot(_WEIGHTS, (seen, pairs, words))))


def main_event(parse: Parse) -> VerbEvent | None:
    """The event of a sentence's main verb; None where there is no verb."""
    verb = main_verb(parse)
    return None if verb is None else _events(parse)[verb]


def count_events(documents: Iterable[Document]) -> VerbEventCounts:
    """Count the events of all verbs of all sentences."""
    counts = VerbEventCounts()
    for document in documents:
        for parse in document.sentences:
            for event in _events(parse).values():
                counts.add(event, document.count)
    return counts


def _events(parse: Parse) -> dict[int, VerbEvent]:
    """The event of each verb, by its position.

    It has the verb's first subject, and its first object or else first argument with a preposition
    ("went to the beach").
    """
    found = {}
    for verb, filled in fillers(parse).items():
        with_preposition = next((word for role, word in filled.items() if role not in (SUBJECT, OBJECT)), None)
        words = (filled.get(SUBJECT), verb, filled.get(OBJECT, with_preposition))
        found[verb] = VerbEvent(*("" if word is None else parse.lemmas[word].lower() for word in words))
    return found


@dataclass
class Frequency(CountingSystem):
    """The ending whose main event is more frequent; the context is not read.

    Variants: "stories" counts in the stories, "corpora" in the texts that the user names. The paper asks a search
    engine for the hits of the verb with the semantic roles that the TRIPS parser finds; neither is open. Here texts are
    counted, and the roles are the subject and the object of a dependency parse.
    """

    name: ClassVar[str] = "frequency"
    only_english: ClassVar[bool] = True

    def prepare(self, resources: Resources) -> None:
        """See `ClozeSystem`."""
        self._counts: dict[str, VerbEventCounts] = {
            source: count_events(corpora.documents(source, resources))
            for source in corpora.sources(resources, self.name)
        }

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        texts = endings(cases)
        parses = resources.parse(texts)
        events = [main_event(parses[text]) for text in texts]
        resources.notes["frequency: endings without a verb"] += events.count(None)
        # An ending without a verb counts as an event without words, as frequent as one that never occurs.
        return {
            source: by_case([counts.log_frequency(event or VerbEvent("", "", "")) for event in events], cases)
            for source, counts in self._counts.items()
        }
