"""How long sentences and titles are, and how the vocabulary grows: Mostafazadeh et al. 2016, section 3.1, Figure 2."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.text.words import lowered

_GROWTH_POINTS = 60


@dataclass(frozen=True)
class Words:
    """The words of all stories as numbers, so that a large corpus takes little memory.

    Attributes:
        ids: int32 [words], the place of each word in `vocabulary`, in lower case, story after story.
        sentence_lengths: int64 [sentences], words of each sentence.
        story_lengths: int64 [stories], sentences of each story.
        vocabulary: the words in the order of their first occurrence.
    """

    ids: npt.NDArray[np.int32]
    sentence_lengths: npt.NDArray[np.int64]
    story_lengths: npt.NDArray[np.int64]
    vocabulary: list[str]

    @classmethod
    def of(cls, stories: Iterable[Sequence[str]]) -> "Words":
        """The words (`text.words.tokenize`) of stories, each a list of sentences."""
        from array import array

        place: dict[str, int] = {}
        ids, sentences, lengths = array("i"), array("q"), array("q")
        for story in stories:
            lengths.append(len(story))
            for sentence in story:
                words = lowered(sentence)
                sentences.append(len(words))
                ids.extend(place.setdefault(word, len(place)) for word in words)
        return cls(
            np.frombuffer(ids, np.int32) if ids else np.empty(0, np.int32),
            np.frombuffer(sentences, np.int64) if sentences else np.empty(0, np.int64),
            np.frombuffer(lengths, np.int64) if lengths else np.empty(0, np.int64),
            list(place),
        )


@dataclass(frozen=True)
class Lengths:
    """The lengths in words of `n` texts: mean, standard deviation, median; None of no text, and `sd` of one.

    `counts` says how many of the texts have 0, 1, 2, ... words.
    """

    n: int
    mean: float | None
    sd: float | None
    median: float | None
    counts: tuple[int, ...]

    @classmethod
    def of(cls, lengths: npt.NDArray[np.int64]) -> "Lengths":
        """The summary of lengths, int64 [n]."""
        n = len(lengths)
        return cls(
            n,
            float(lengths.mean()) if n else None,
            float(lengths.std(ddof=1)) if n > 1 else None,
            float(np.median(lengths)) if n else None,
            tuple(np.bincount(lengths).tolist()) if n else (),
        )

    @property
    def longest(self) -> int:
        """The words of the longest text; 0 of no text."""
        return max(len(self.counts) - 1, 0)


@dataclass(frozen=True)
class PositionLengths(Lengths):
    """The lengths of the sentences at one `position` of their stories, from 1."""

    position: int


@dataclass(frozen=True)
class MeanLength:
    """The mean length in words of `n` texts."""

    n: int
    mean: float


@dataclass(frozen=True)
class SentenceLengths:
    """The lengths of sentences at each position of a story, and the mean of `all` of them."""

    positions: tuple[PositionLengths, ...]
    all: MeanLength


@dataclass(frozen=True)
class VocabularyGrowth:
    """How many different words the first words of a corpus are, in the order of the file.

    Attributes:
        tokens: words.
        types: different words.
        once: words that occur once.
        points: pairs of tokens and the types up to there.
        heaps_exponent: the slope of log types by log tokens over these points (Heaps 1978): 1 would be a new word each
            time. None for fewer than two points.
    """

    tokens: int
    types: int
    once: int
    points: tuple[tuple[int, int], ...]
    heaps_exponent: float | None


def sentence_lengths(words: Words) -> SentenceLengths:
    """How many words sentences have, for stories with at least one sentence.

    >>> found = sentence_lengths(Words.of([["Tom ran.", "He fell down."], ["It rained all day."]]))
    >>> [(row.position, row.n, row.mean) for row in found.positions]
    [(1, 2, 4.0), (2, 1, 4.0)]
    """
    lengths = words.sentence_lengths
    return SentenceLengths(tuple(by_position(words)), MeanLength(len(lengths), float(lengths.mean())))


def by_position(words: Words) -> list[PositionLengths]:
    """How many words the sentences at each place in a story have: Figure 2."""
    starts = np.cumsum(words.story_lengths) - words.story_lengths
    positions = np.arange(len(words.sentence_lengths)) - np.repeat(starts, words.story_lengths)
    rows = []
    for position in range(int(words.story_lengths.max(initial=0))):
        lengths = words.sentence_lengths[positions == position]
        rows.append(PositionLengths(**vars(Lengths.of(lengths)), position=position + 1))
    return rows


def title_lengths(titles: Sequence[str | None]) -> Lengths:
    """How many words titles have; stories without one are left out."""
    return Lengths.of(np.array([len(lowered(title)) for title in titles if title], np.int64))


def vocabulary_growth(words: Words) -> VocabularyGrowth:
    """How many different words the first words of the corpus are, in the order of the file.

    >>> found = vocabulary_growth(Words.of([["The dog ran.", "The cat ran."]]))
    >>> found.tokens, found.types, found.once
    (8, 5, 2)
    """
    n = len(words.ids)
    if not n:
        return VocabularyGrowth(0, 0, 0, (), None)
    counts = np.bincount(words.ids)
    is_new = np.zeros(n, dtype=bool)
    is_new[np.unique(words.ids, return_index=True)[1]] = True
    seen = np.cumsum(is_new)
    ends = np.unique(np.geomspace(min(100, n), n, _GROWTH_POINTS).round().astype(np.int64))
    points = tuple((int(end), int(seen[end - 1])) for end in ends)
    exponent = None
    if len(points) > 1:
        tokens, types = np.log(np.array(points, float)).T
        exponent = float(np.polyfit(tokens, types, 1)[0])
    return VocabularyGrowth(n, len(counts), int((counts == 1).sum()), points, exponent)


def sentences_of(stories: pa.Table) -> Iterable[list[str]]:
    """The sentences of each story, read in parts, so that not all are in memory as Python's strings."""
    for batch in stories.select(["sentences"]).to_batches(max_chunksize=5000):
        yield from batch["sentences"].to_pylist()
