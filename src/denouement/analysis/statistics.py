"""All statistics of stories, cases and endings."""

from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa

from denouement.analysis import story_findings
from denouement.analysis.bias_monitor import ANYTHING, BiasMonitor, Thresholds
from denouement.analysis.case_findings import EndingFeatures, NgramStatistics, case_findings
from denouement.analysis.corpus_statistics import SentenceLengths, VocabularyGrowth
from denouement.analysis.crowd import CrowdStatistics
from denouement.analysis.duplicates import Duplicates
from denouement.analysis.findings import Finding, NotWorkedOut, Tables
from denouement.analysis.orders import Orderings, OrderStatistics, TlinkStatistics, order_statistics
from denouement.analysis.sentiment_drift import SentimentSpread
from denouement.analysis.sentiment_finding import sentiment_finding
from denouement.analysis.story_findings import StoryEvents, TitleStatistics
from denouement.analysis.titles import title_paths
from denouement.charts.sunburst import Path as TitlePath
from denouement.corpus.cases import labelled_sets


@dataclass(frozen=True)
class Statistics:
    """The findings in the order in which they are read; None: nothing was given that it is measured on."""

    sentence_lengths: Finding[SentenceLengths] | None = None
    vocabulary: Finding[VocabularyGrowth] | None = None
    duplicates: Finding[Duplicates] | None = None
    events: Finding[StoryEvents | NotWorkedOut] | None = None
    titles: Finding[TitleStatistics | NotWorkedOut] | None = None
    workers: Finding[CrowdStatistics] | None = None
    orders: Finding[OrderStatistics] | None = None
    tlinks: Finding[TlinkStatistics] | None = None
    ending_features: Finding[EndingFeatures] | None = None
    ngrams: Finding[NgramStatistics] | None = None
    bias_monitor: Finding[BiasMonitor] | None = None
    sentiment: Finding[SentimentSpread] | None = None

    @property
    def found(self) -> dict[str, Finding[Any]]:
        """The findings that are there, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: finding for name, finding in named.items() if finding is not None}

    @property
    def above(self) -> tuple[str, ...]:
        """The values above the thresholds, each in a sentence."""
        return self.bias_monitor.values.above if self.bias_monitor else ()


@dataclass(frozen=True)
class Findings:
    """Statistics with what belongs to them.

    Attributes:
        statistics: the values.
        tables: those of `event_counts`, `ngram_odds` and `bias_cases` that findings have.
        title_paths: how titles begin, from which their chart is drawn; empty where the findings were read from files.
    """

    statistics: Statistics
    tables: Tables
    title_paths: Counter[TitlePath]


def find_statistics(
    stories: pa.Table | None = None,
    cloze: pa.Table | None = None,
    sentiment: pa.Table | None = None,
    orderings: Orderings = (),
    workers: CrowdStatistics | None = None,
    tlinks: TlinkStatistics | None = None,
    *,
    wordnet: Path | None = None,
    cache: Path | None = None,
    with_events: bool = True,
    folds: int = 10,
    most: Thresholds = ANYTHING,
) -> Findings:
    """Measure what is given.

    Args:
        stories: a table `stories` with at least one story.
        cloze: a table `cloze`; its labelled cases count.
        sentiment: the scores of endings (`sentiment.score_groups`), for which `cloze` is needed too.
        orderings: of shuffled sentences.
        workers, tlinks: what was counted in files of other programs.
        wordnet: the folder of WordNet's database; None looks for it.
        cache: a folder that keeps parses, scores and weights.
        with_events: whether events are counted, the one part of the statistics of stories that parses.
        folds: of the bias monitor's cross-validation.
        most: limits that a collection may not exceed.

    Raises:
        UserError: too few cases for a threshold, or a folder that does not hold WordNet.

    >>> names = ["story_id", "title", "sentences", "source", "split"]
    >>> story = ("a", "The Dog", ["The dog ran.", "It barked."], "mine", "train")
    >>> stories = pa.Table.from_pylist([dict(zip(names, story))])
    >>> found = find_statistics(stories, with_events=False).statistics
    >>> found.vocabulary.values.types, found.duplicates.values.n, found.titles.values.mean
    (6, 1, 2.0)
    """
    found: dict[str, Finding[Any] | None] = {}
    tables: dict[str, pa.Table] = {}
    paths: Counter[TitlePath] = Counter()
    if stories is not None:
        words = story_findings.words_of(stories)
        paths = title_paths(stories["title"].to_pylist())
        found["sentence_lengths"] = story_findings.lengths_finding(words)
        found["vocabulary"] = story_findings.vocabulary_finding(words)
        found["duplicates"] = story_findings.duplicates_finding(stories, words)
        found["titles"] = story_findings.titles_finding(stories, paths)
        if with_events:
            found["events"], events = story_findings.events_finding(stories, wordnet, cache)
            tables |= {"event_counts": events} if events is not None else {}
    if workers:
        found["workers"] = story_findings.workers_finding(workers)
    if orderings:
        found["orders"] = story_findings.orders_finding(order_statistics(orderings))
    if tlinks:
        found["tlinks"] = story_findings.tlinks_finding(tlinks)
    if cloze is not None and (sets := labelled_sets(cloze)):
        of_cases = case_findings(sets, cache, folds, most)
        found["ending_features"] = of_cases.ending_features
        found["ngrams"], found["bias_monitor"] = of_cases.ngrams, of_cases.bias_monitor
        tables |= of_cases.tables
    if cloze is not None and sentiment is not None:
        found["sentiment"] = sentiment_finding(sentiment, cloze)
    return Findings(Statistics(**found), tables, paths)


def logged_values(statistics: Statistics) -> dict[str, int | dict[str, float]]:
    """What is logged: size and vocabulary of the corpus, and how often a model that sees only endings is right."""
    values: dict[str, int | dict[str, float]] = {}
    if statistics.vocabulary:
        vocabulary = statistics.vocabulary.values
        values |= {"tokens": vocabulary.tokens, "types": vocabulary.types}
    if statistics.bias_monitor:
        for name, of_set in statistics.bias_monitor.values.sets.items():
            if of_set.variants:
                values["_".join(name.split())] = {row.variant or "all": row.accuracy for row in of_set.variants}
    return values


def chief_values(statistics: Statistics) -> dict[str, int | float]:
    """The values by which runs are compared: tokens, types, and the accuracy of the model that sees only endings."""
    values: dict[str, int | float] = {}
    for name, value in logged_values(statistics).items():
        if isinstance(value, dict):
            values[f"accuracy_by_endings_alone_{name}"] = next(iter(value.values()))
        else:
            values[name] = value
    return values
