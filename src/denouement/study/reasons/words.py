"""The words of reasons, prepared as in Mori et al. 2019 (A.4) for their Figure 2."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache as kept
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from denouement.charts.bars import Bar, word_bars
from denouement.schemas import TABLES
from denouement.study.reasons.rules import packaged
from denouement.text.syntax import parse

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

MOST_FREQUENT = 20  # words that are printed and drawn, as in Mori et al. 2019, Figure 2
CONTENT = frozenset({"NOUN", "ADJ", "VERB", "ADV"})


@dataclass(frozen=True)
class FrequentWord:
    """A word, how often it is used, and in how many reasons."""

    word: str
    count: int
    reasons: int


@dataclass(frozen=True)
class FrequentWords:
    """The most frequent words of reasons.

    Attributes:
        reasons: how many there are.
        distinct: how many different words they have.
        words: the most frequent ones, ordered by frequency.
        not_english: how many further reasons were left out, since they do not look English.
    """

    reasons: int
    distinct: int
    words: list[FrequentWord]
    not_english: int = 0  # documents of earlier versions have none


@kept
def stop_words() -> frozenset[str]:
    """NLTK's English stop words: from NLTK's data where they are installed, else from the same list in this package."""
    from nltk.corpus import stopwords

    try:
        return frozenset(stopwords.words("english"))
    except LookupError:  # pip installs NLTK without its data
        lines = packaged("stop_words.txt").splitlines()
        return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def content_words(texts: Sequence[str], cache: Path | None = None) -> list[list[str]]:
    """The words of each text that Mori et al. (A.4) keep.

    Gensim's lower-case tokens (`simple_preprocess`: 2 to 15 letters, accents kept), without NLTK's stop words; of these
    the lemmas of nouns, adjectives, verbs and adverbs. spaCy reads each word by itself: A.4 lemmatizes "the words", and
    this gives the published order of the frequent words of the published answers.

    Args:
        texts: any texts.
        cache: a file of parses, which is read and extended (`text.syntax.parse`).
    """
    from gensim.utils import simple_preprocess

    left = [[word for word in simple_preprocess(text) if word not in stop_words()] for text in texts]
    parses = parse([word for words in left for word in words], cache)

    def lemmas(word: str) -> Iterator[str]:  # spaCy divides some words, such as "gonna"
        parsed = parses[word]
        return (lemma.lower() for lemma, pos in zip(parsed.lemmas, parsed.pos, strict=True) if pos in CONTENT)

    return [[lemma for word in words for lemma in lemmas(word)] for words in left]


def word_frequencies(texts: Sequence[Sequence[str]]) -> list[FrequentWord]:
    """Every word of texts, each the list of its words; the frequent ones first, equally frequent ones by alphabet.

    >>> [(row.word, row.count, row.reasons) for row in word_frequencies([["make", "sense", "make"], ["make"]])]
    [('make', 3, 2), ('sense', 1, 1)]
    """
    counts = Counter(word for text in texts for word in text)
    reasons = Counter(word for text in texts for word in set(text))
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return [FrequentWord(word, counts[word], reasons[word]) for word in ordered]


def most_frequent(
    n_reasons: int, words: Sequence[FrequentWord], top: int = MOST_FREQUENT, not_english: int = 0
) -> FrequentWords:
    """The `top` most frequent of all words of so many reasons, which `word_frequencies` returned."""
    return FrequentWords(n_reasons, len(words), list(words[:top]), not_english)


def word_table(words: Sequence[FrequentWord]) -> pa.Table:
    """The table `reason_words`."""
    return pa.Table.from_pylist(list(map(vars, words)), TABLES["reason_words"].schema)


def word_chart(words: Sequence[FrequentWord], n_reasons: int) -> "Figure | None":
    """Figure 2 of the paper: a bar for each word, as tall as it is frequent; None without a word.

    Args:
        words: the words to draw.
        n_reasons: how many reasons were counted.
    """
    bars = [Bar(each.word, each.count) for each in words]
    return word_bars(bars, f"Words in {n_reasons:,} reasons, the {len(words)} most frequent")
