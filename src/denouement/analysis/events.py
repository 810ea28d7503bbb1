"""What happens in stories: the most frequent events. Mostafazadeh et al. 2016, section 3.1, Figure 3."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from denouement.analysis.corpus_statistics import sentences_of
from denouement.console import progress
from denouement.kept import kept
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
    rows = [{"lemma": lemma, "pos": pos, "count": n, "share": n / total} for (lemma, pos), n in ordered]
    return pa.Table.from_pylist(rows, TABLES["event_counts"].schema)


def lemma_counts(stories: pa.Table, cache: Path | None) -> Lemmas:
    """How often each lemma occurs as noun or verb; with a `cache`, counted once for the same stories and parser."""
    sentences = Counter(sentence for story in sentences_of(stories) for sentence in story)

    def count() -> Lemmas:
        parses = syntax.parse(list(sentences), cache / "parses.parquet" if cache else None)
        counts: Lemmas = Counter()
        for sentence, times in progress(sentences.items(), "counting", unit="sentences"):
            parse = parses[sentence]
            for lemma, pos in zip(parse.lemmas, parse.pos, strict=True):
                if pos in ("NOUN", "VERB"):
                    counts[lemma.lower(), pos] += times
        return counts

    if cache is None:
        return count()
    depends_on = [syntax.parser_version(), list(sentences.items())]
    return kept(cache / "lemmas.parquet", depends_on, count, _read_lemmas, _write_lemmas)


def _read_lemmas(path: Path) -> Lemmas:
    columns = read_table(path, "lemmas").to_pydict()
    return Counter(dict(zip(zip(columns["lemma"], columns["pos"], strict=True), columns["count"], strict=True)))


def _write_lemmas(counts: Lemmas, path: Path) -> None:
    rows = [{"lemma": lemma, "pos": pos, "count": count} for (lemma, pos), count in sorted(counts.items())]
    write_table(pa.Table.from_pylist(rows, TABLES["lemmas"].schema), path, "lemmas")
