"""The words that reasons are made of, prepared as Mori et al. 2019 (A.4) prepared them for their Figure 2."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache as kept
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denouement.charts.bars import Bar, word_bars
from denouement.study.reasons.rules import packaged
from denouement.text.syntax import parse

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

MOST_FREQUENT = 20  # words that are printed and drawn, as in Mori et al. 2019, Figure 2
CONTENT = frozenset({"NOUN", "ADJ", "VERB", "ADV"})


@kept
def stop_words() -> frozenset[str]:
    """NLTK's English stop words: NLTK's own data where they are installed, else the same list kept here."""
    from nltk.corpus import stopwords

    try:
        return frozenset(stopwords.words("english"))
    except LookupError:  # NLTK's data are not part of the package
        lines = packaged("stop_words.txt").splitlines()
        return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def content_words(texts: Sequence[str], cache: Path | None = None) -> list[list[str]]:
    """The words of each text that A.4 keeps.

    Gensim's lower-case tokens (`simple_preprocess`: 2 to 15 letters, accents kept), without NLTK's stop words; of these
    the lemmas of nouns, adjectives, verbs and adverbs. spaCy is given each word by itself: A.4 lemmatizes "the words",
    and this gives the order of frequent words that is known of the published answers.

    Args:
        texts: any texts.
        cache: a file of parses to read and to add to (`text.syntax.parse`).
    """
    from gensim.utils import simple_preprocess

    left = [[word for word in simple_preprocess(text) if word not in stop_words()] for text in texts]
    parses = parse([word for words in left for word in words], cache)

    def lemmas(word: str) -> Iterator[str]:  # one word is several to spaCy when it is such as "gonna"
        parsed = parses[word]
        return (lemma.lower() for lemma, pos in zip(parsed.lemmas, parsed.pos, strict=True) if pos in CONTENT)

    return [[lemma for word in words for lemma in lemmas(word)] for words in left]


def word_frequencies(texts: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Each word with its `count` and the number of `reasons` it stands in; frequent ones first, then by alphabet."""
    counts = Counter(word for text in texts for word in text)
    reasons = Counter(word for text in texts for word in set(text))
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return [{"word": word, "count": counts[word], "reasons": reasons[word]} for word in ordered]


def words_document(
    texts: Sequence[Sequence[str]], rows: Sequence[Mapping[str, Any]], top: int = MOST_FREQUENT
) -> dict[str, Any]:
    """How many `reasons` there are, how many `distinct` words, and the `top` most frequent `words` of these `rows`."""
    return {"reasons": len(texts), "distinct": len(rows), "words": rows[:top]}


def word_chart(rows: Sequence[Mapping[str, Any]], n_reasons: int) -> "Figure | None":
    """Figure 2 of the paper: a bar for each word, as tall as it is frequent; None without a word.

    Args:
        rows: of `word_frequencies`, as many as are to be drawn.
        n_reasons: how many reasons were counted.
    """
    bars = [Bar(row["word"], row["count"]) for row in rows]
    return word_bars(bars, f"Words in {n_reasons:,} reasons, the {len(rows)} most frequent")
