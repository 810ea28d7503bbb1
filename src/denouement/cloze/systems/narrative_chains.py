"""Narrative chains: Mostafazadeh et al. 2016, section 5, systems 7 and 8, after Chambers and Jurafsky 2008."""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from statistics import fmean
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from denouement.cloze.base import Scores, by_case
from denouement.cloze.parts import corpora
from denouement.cloze.parts.corpora import CountingSystem, Document
from denouement.cloze.resources import Resources
from denouement.settings import at_least
from denouement.text.coreference import Entity, entities
from denouement.text.syntax import Parse


class EntityEvent(NamedTuple):
    """What an entity does or undergoes: a verb's lemma, and the place of that verb which the entity fills."""

    verb: str
    role: str


Link = tuple[list[EntityEvent], list[EntityEvent]]
"""The events of one entity in an ending, and those in its context."""


@dataclass
class ChainCounts:
    """How often two events share an entity.

    Attributes:
        pairs: in how many pairs of places of one entity two events are; the lesser event is named first.
        events: in how many such pairs an event is, one with itself counting twice.
        total: of `events`: twice the number of pairs.
    """

    pairs: Counter[tuple[EntityEvent, EntityEvent]] = field(default_factory=Counter)
    events: Counter[EntityEvent] = field(default_factory=Counter)
    total: int = 0

    def add(self, chain: Sequence[EntityEvent], count: int) -> None:
        """Count each two events of an entity, whichever came first."""
        for one, other in combinations(sorted(chain), 2):
            self.pairs[one, other] += count
            self.events[one] += count
            self.events[other] += count
            self.total += 2 * count

    def pmi(self, one: EntityEvent, other: EntityEvent, min_count: int) -> float:
        """Pointwise mutual information in nats: log P(one, other) / (P(one) P(other)); symmetric.

        P(one, other) is a share of the ordered pairs, each pair counting in both orders; P(one) is the share of those
        that begin with `one`. A pair met fewer than `min_count` times counts as independent: 0.
        """
        met = self.pairs[min(one, other), max(one, other)]
        if met < min_count:
            return 0.0
        ordered = 2 * met if one == other else met
        return math.log(ordered * self.total / (self.events[one] * self.events[other]))

    def least_pmi(self) -> float:
        """A lower bound of every PMI."""
        return -math.log(max(self.total, 1))


def count_chains(documents: Iterable[Document]) -> ChainCounts:
    """Count the pairs of events of each entity of each document."""
    counts = ChainCounts()
    known: dict[EntityEvent, EntityEvent] = {}  # each event is one object, however many pairs it is in
    for document in documents:
        for entity in entities(document.sentences):
            counts.add(
                [known.setdefault(event, event) for event in _events(entity, document.sentences)], document.count
            )
    return counts


def links(context: Sequence[Parse], ending: Parse) -> list[Link]:
    """The events of each entity that fills places both in an ending and in its context."""
    story = [*context, ending]
    found = []
    for entity in entities(story):
        events = _events(entity, story)
        in_context = sum(number < len(context) for number, _ in entity.places)
        if 0 < in_context < len(events):
            found.append((events[in_context:], events[:in_context]))
    return found


def _events(entity: Entity, sentences: Sequence[Parse]) -> list[EntityEvent]:
    return [EntityEvent(sentences[number].lemmas[place.verb].lower(), place.role) for number, place in entity.places]


@dataclass
class NarrativeChains(CountingSystem):
    """The ending whose events go best, by PMI, with what the same entity did and underwent in the context.

    An ending's score is the average PMI over all pairs of an event of the ending and one of the context; of several
    entities, the highest. An ending that has no entity of the context scores less than any other. Where the scores are
    equal, as when no ending has such an entity, one is drawn by the seed and the words of the case.

    Variants: "stories" counts in the stories, "corpora" in the texts that the user names (in the paper, the Associated
    Press part of the English Gigaword). The paper resolves coreference by a program it does not name, here done by the
    rules of `denouement.text.coreference`.

    Attributes:
        min_count: a pair that occurs less often has a PMI of 0.
    """

    min_count: int = 2

    name: ClassVar[str] = "narrative_chains"
    only_english: ClassVar[bool] = True

    def __post_init__(self) -> None:
        at_least(self, 1, "min_count")

    def prepare(self, resources: Resources) -> None:
        """See `ClozeSystem`."""
        self._counts: dict[str, ChainCounts] = {
            source: count_chains(corpora.documents(source, resources))
            for source in corpora.sources(resources, self.name)
        }

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        linked = _links_of_cases(cases, resources)
        drawn = [_draw(resources.seed, row) for row in cases.select(["context", "endings"]).to_pylist()]
        resources.notes["narrative_chains: cases drawn, no entity of the context in any ending"] += sum(
            not any(pair) for pair in linked
        )
        scored = {}
        for source, counts in self._counts.items():
            scores = by_case([self._score(ending, counts) for of_case in linked for ending in of_case], cases)
            for case, best in enumerate(map(np.flatnonzero, scores == scores.max(axis=1, keepdims=True))):
                if len(best) > 1:
                    resources.notes[f"narrative_chains-{source}: cases drawn, equal PMI"] += any(linked[case])
                    chosen = best[drawn[case] % len(best)]
                    scores[case, chosen] = np.nextafter(scores[case, chosen], np.inf)
            scored[source] = scores
        return scored

    def _score(self, ending: Sequence[Link], counts: ChainCounts) -> float:
        averages = (
            fmean(counts.pmi(one, other, self.min_count) for one, other in product(*events)) for events in ending
        )
        return max(averages, default=counts.least_pmi() - 1)


def _links_of_cases(cases: pa.Table, resources: Resources) -> list[list[list[Link]]]:
    """The links of each ending of each case."""
    rows = cases.select(["context", "endings"]).to_pylist()
    parses = resources.parse([sentence for row in rows for sentence in (*row["context"], *row["endings"])])
    return [
        [links([parses[each] for each in row["context"]], parses[ending]) for ending in row["endings"]] for row in rows
    ]


def _draw(seed: int, case: Mapping[str, Any]) -> int:
    """A large number, which depends on the seed and the words of the case alone."""
    words = {"context": case["context"]} | {f"ending_{place}": text for place, text in enumerate(case["endings"], 1)}
    digest = hashlib.sha256(f"{seed} {json.dumps(words, sort_keys=True)}".encode()).digest()
    return int.from_bytes(digest, "little")
