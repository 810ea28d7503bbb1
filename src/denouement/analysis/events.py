"""What happens in stories: the most frequent events. Mostafazadeh et al. 2016, section 3.1, Figure 3."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.analysis.corpus_statistics import sentences_of
from denouement.console import progress, warn
from denouement.errors import UserError
from denouement.schemas import TABLES, read_table, write_table
from denouement.text import syntax
from denouement.text.wordnet import find_wordnet, read_events

SHOWN = 50

Lemmas = Counter[tuple[str, str]]
"""How often each lemma occurs as a NOUN or a VERB."""


@dataclass(frozen=True)
class EventShare:
    """A lemma, whether it is a VERB or a NOUN, how often it is an event, and its share of all events (0 to 1)."""

    lemma: str
    pos: str
    count: int
    share: float


@dataclass(frozen=True)
class EventTotals:
    """How many events there are by one rule, how many `different` ones, and the most frequent, at most `SHOWN`."""

    n: int
    different: int
    most_frequent: tuple[EventShare, ...]

    @classmethod
    def of(cls, events: pa.Table) -> "EventTotals":
        """The totals of a table `event_counts`."""
        shown = tuple(EventShare(**row) for row in events.slice(0, SHOWN).to_pylist())
        return cls(sum(events["count"].to_pylist()), events.num_rows, shown)

    def share_of(self, lemma: str) -> float | None:
        """The share of a verb that is among the most frequent."""
        return next((row.share for row in self.most_frequent if (row.lemma, row.pos) == (lemma, "VERB")), None)


@dataclass(frozen=True)
class EventCounts:
    """The events of stories, the most frequent first, each a table `event_counts`.

    Attributes:
        events: by the rule of this project (`text.wordnet.Events.nouns` and `verbs`).
        spelled: by the paper's rule word for word: nouns and verbs alike count by the senses that their spelling has as
            a noun (`text.wordnet.Events.spelled`). The paper does not say how a verb, above which WordNet has no noun,
            is a hyponym of *event*.
    """

    events: pa.Table
    spelled: pa.Table


def event_counts(stories: pa.Table, wordnet: Path | None, cache: Path | None) -> EventCounts:
    """The events of the stories: verbs and nouns that WordNet puts under event or process.

    Auxiliaries and names are neither verbs nor nouns here. Parts of speech and lemmas are the parser's; the
    sense that a word has in its sentence is not looked for (`text.wordnet.Events`).

    Args:
        stories: the table `stories`.
        wordnet: the folder of its database; None looks for it.
        cache: a folder that keeps parses and the counts of lemmas.

    Returns:
        Tables of `lemma`, `pos` (VERB or NOUN), `count`, `share` of all events of the table (0 to 1).

    Raises:
        NoWordNetError, syntax.NoParserError: not installed.
    """
    found = read_events(find_wordnet(wordnet))  # before the long part
    counts = lemma_counts(stories, cache)
    of_pos = {"VERB": found.verbs, "NOUN": found.nouns}
    return EventCounts(
        _shares({(lemma, pos): count for (lemma, pos), count in counts.items() if lemma in of_pos[pos]}),
        _shares({(lemma, pos): count for (lemma, pos), count in counts.items() if lemma in found.spelled}),
    )


def _shares(counts: Mapping[tuple[str, str], int]) -> pa.Table:
    total = sum(counts.values())
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows: dict[str, list[Any]] = {
        "lemma": [lemma for (lemma, _), _ in ordered],
        "pos": [pos for (_, pos), _ in ordered],
        "count": [count for _, count in ordered],
        "share": [count / total for _, count in ordered],
    }
    return pa.table(rows, schema=TABLES["event_counts"].schema)


def lemma_counts(stories: pa.Table, cache: Path | None) -> Lemmas:
    """How often each lemma occurs as noun or verb; with a `cache`, counted once for the same stories and parser."""
    sentences = Counter(sentence for story in sentences_of(stories) for sentence in story)
    kept = cache / f"lemmas-{_digest(sentences)}.parquet" if cache else None
    if kept and kept.exists():
        try:
            columns = read_table(kept, "lemmas").to_pydict()
        except UserError as error:
            warn(f"{error}; lemmas are counted anew")
        else:
            keys = zip(columns["lemma"], columns["pos"], strict=True)
            return Counter(dict(zip(keys, columns["count"], strict=True)))
    parses = syntax.parse(list(sentences), cache / "parses.parquet" if cache else None)
    counts: Lemmas = Counter()
    for sentence, times in progress(sentences.items(), "counting", unit="sentences"):
        parse = parses[sentence]
        for lemma, pos in zip(parse.lemmas, parse.pos, strict=True):
            if pos in ("NOUN", "VERB"):
                counts[lemma.lower(), pos] += times
    if kept:
        ordered = sorted(counts.items())
        rows = {
            "lemma": [lemma for (lemma, _), _ in ordered],
            "pos": [pos for (_, pos), _ in ordered],
            "count": [count for _, count in ordered],
        }
        write_table(pa.table(rows, schema=TABLES["lemmas"].schema), kept, "lemmas")
    return counts


def _digest(sentences: Counter[str]) -> str:
    """Of what the counts depend on: each sentence, how often it occurs, and the parser."""
    found = hashlib.sha256(syntax.parser_version().encode())
    for line in _lines(sentences):
        found.update(line)
    return found.hexdigest()[:16]


def _lines(sentences: Counter[str]) -> Iterable[bytes]:
    for sentence, times in sentences.items():
        yield f"{times} {sentence}\n".encode()
