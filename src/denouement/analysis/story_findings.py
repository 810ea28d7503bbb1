"""What a corpus of stories is like: Mostafazadeh et al. 2016, section 3."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from denouement.analysis import titles
from denouement.analysis.corpus_statistics import (
    Lengths,
    SentenceLengths,
    VocabularyGrowth,
    Words,
    sentence_lengths,
    sentences_of,
    title_lengths,
    vocabulary_growth,
)
from denouement.analysis.crowd import CrowdStatistics
from denouement.analysis.duplicates import Duplicates, duplicates
from denouement.analysis.events import EventTotals, event_counts
from denouement.analysis.findings import ChartFile, Finding, NotWorkedOut
from denouement.analysis.orders import OrderStatistics, TlinkStatistics
from denouement.charts.sunburst import Path as TitlePath
from denouement.console import progress
from denouement.corpus.kind import SAMPLE, corpus_kind
from denouement.text.syntax import NoParserError
from denouement.text.wordnet import NoWordNetError

EVENTS_CHART, LENGTHS_CHART, TITLES_CHART, VOCABULARY_CHART = (
    "events.svg",
    "sentence_lengths.svg",
    "titles.svg",
    "vocabulary.svg",
)
_FIRST_WORDS = 10


@dataclass(frozen=True)
class StoryEvents:
    """The events of stories by this project's rule, and `spelled` by the paper's word for word (`events.EventCounts`).

    Attributes:
        sample: whether the stories are those of the sample corpus; then no published value is shown.
    """

    events: EventTotals
    spelled: EventTotals
    sample: bool


@dataclass(frozen=True, kw_only=True)
class TitleStatistics(Lengths):
    """The lengths of titles in words, and how titles begin.

    Attributes:
        untitled: stories without a title.
        faded_share: see `titles.faded_share`.
        first_words: the most frequent ones.
        sample: as of `StoryEvents`.
    """

    untitled: int
    faded_share: float | None
    first_words: tuple[titles.FirstWord, ...]
    sample: bool


def lengths_finding(words: Words) -> Finding[SentenceLengths]:
    """The lengths of sentences."""
    what = "How many sentences at each place of a story have each number of words. The few longest are cut off."
    return Finding(
        "Length of sentences",
        "How many words the first, second, ... sentence of a story has.",
        sentence_lengths(words),
        (ChartFile(LENGTHS_CHART, what),),
    )


def vocabulary_finding(words: Words) -> Finding[VocabularyGrowth]:
    """The growth of the vocabulary."""
    growth = vocabulary_growth(words)
    chart = ChartFile.where(
        len(growth.points) > 1,
        VOCABULARY_CHART,
        "Different words so far, while the stories are read from first to last. Where the curve is steep, many "
        "words are new.",
        "there are too few words",
    )
    return Finding(
        "Vocabulary", "How many different words the stories use, and how fast new ones keep coming.", growth, (chart,)
    )


def duplicates_finding(stories: pa.Table, words: Words) -> Finding[Duplicates]:
    """Stories that are in the table more than once."""
    return Finding(
        "Duplicates",
        "How many stories are in the corpus more than once, which would count what they say twice.",
        duplicates(stories, words),
    )


def events_finding(
    stories: pa.Table, wordnet: Path | None, cache: Path | None
) -> tuple[Finding[StoryEvents | NotWorkedOut], pa.Table | None]:
    """The most frequent events, and the table `event_counts`, None without WordNet or a parser.

    Raises:
        NoWordNetError: the folder `wordnet` does not hold its database.
    """
    title, what = "Events", "What happens most often in the stories: verbs and nouns that name an event or a process."
    try:
        counts = event_counts(stories, wordnet, cache)
    except (NoWordNetError, NoParserError) as error:
        if wordnet and isinstance(error, NoWordNetError):  # the folder that was asked for
            raise
        return Finding(title, what, NotWorkedOut(str(error))), None
    totals = EventTotals.of(counts.events)
    chart = ChartFile.where(
        bool(totals.n),
        EVENTS_CHART,
        f"The {len(totals.most_frequent)} most frequent events, each with its share of all events.",
        "no sentence has an event",
    )
    found = StoryEvents(totals, EventTotals.of(counts.spelled), is_sample(stories))
    return Finding(title, what, found, (chart,), ("event_counts.parquet",)), counts.events


def titles_finding(stories: pa.Table, paths: Counter[TitlePath]) -> Finding[TitleStatistics | NotWorkedOut]:
    """How long titles are and how they begin.

    Args:
        stories: the table `stories`.
        paths: `title_paths` of their titles.
    """
    title = "Titles"
    what = "How long titles are and how they begin; the more even the circle, the more varied they are."
    given = stories["title"].to_pylist()
    lengths = title_lengths(given)
    if not lengths.n:
        return Finding(title, what, NotWorkedOut("no story of the table has a title"))
    found = TitleStatistics(
        **vars(lengths),
        untitled=len(given) - lengths.n,
        faded_share=titles.faded_share(paths),
        first_words=tuple(titles.first_words(paths, _FIRST_WORDS)),
        sample=is_sample(stories),
    )
    chart = ChartFile.where(
        bool(paths),
        TITLES_CHART,
        "Titles word by word, from the first word inside to the fifth outside; the wider an arc, the more titles begin "
        "so. Dark grey: the title ends. Pale: all beginnings of under 0.1%.",
        "no title has a word",
    )
    return Finding(title, what, found, (chart,))


def workers_finding(found: CrowdStatistics) -> Finding[CrowdStatistics]:
    """Tables 2 and 5."""
    what = "How many people wrote the stories or cases, how long it took them and what they were paid."
    return Finding("Workers", what, found)


def orders_finding(found: OrderStatistics) -> Finding[OrderStatistics]:
    """Table 3."""
    return Finding(
        "Order of sentences",
        "People were shown the sentences of stories in a shuffled order and put them back: how often that is possible "
        "shows how far a story follows the order of its events.",
        found,
    )


def tlinks_finding(found: TlinkStatistics) -> Finding[TlinkStatistics]:
    """Section 3.3."""
    return Finding(
        "Order of events",
        "Annotators marked which events of a story come before others: how often the text has them in that order.",
        found,
    )


def words_of(stories: pa.Table) -> Words:
    """The words of the stories, with a bar of progress."""
    return Words.of(progress(sentences_of(stories), "splitting", total=stories.num_rows, unit="stories"))


def is_sample(stories: pa.Table) -> bool:
    """Whether they are the sample corpus, which does not compare with the papers' values, of stories by people."""
    return corpus_kind(stories) == SAMPLE
