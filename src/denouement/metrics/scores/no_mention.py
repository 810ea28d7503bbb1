"""No mention: what an ending speaks of that nothing in its story prepares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from denouement.cloze.resources import Resources
from denouement.encoders.word_vectors import PackagedGlove
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.looking_up import parses
from denouement.settings import at_least
from denouement.text.syntax import Parse
from denouement.text.wordnet import NoWordNetError, Relations, find_wordnet

_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ"})
_LIGHT = frozenset({"be", "have", "do", "get", "go", "make", "take", "come", "other", "own", "same", "such", "thing"})
"""Lemmas that say too little to need preparing."""


@dataclass
class NoMention(EndingMetric):
    """The share of an ending's content words that nothing in the context prepares.

    Content words are nouns, names, verbs and adjectives, without a few that say little. A word is prepared by a content
    word of the context with the same lemma; by one that is next to it in WordNet (`wordnet.Relations`); or by one whose
    vector, of GloVe 6B, has at least the cosine `least_cosine` with its own. Each lemma counts once.

    Attributes:
        least_cosine: from which cosine on two words are near.
        wordnet: the folder of WordNet's database; null: where it is usually found.
    """

    name: ClassVar[str] = "no_mention"
    measures: ClassVar[Mapping[str, Measure]] = {
        "no_mention": Measure("content words of the ending that nothing in the context prepares, as a share", "lower"),
    }
    needs: ClassVar[Sequence[str]] = ("a parser", "WordNet")
    only_english: ClassVar[bool] = True
    unscorable: ClassVar[str] = "without a content word"

    least_cosine: float = 0.7
    wordnet: str | None = None

    def __post_init__(self) -> None:
        at_least(self, -1, "least_cosine")

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        lacks = resources.lacks(self.name, parser=True)
        try:
            self._folder()
        except NoWordNetError as error:
            lacks.append(str(error))
        return lacks

    def _folder(self) -> Path:
        return find_wordnet(Path(self.wordnet) if self.wordnet else None)

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""
        relations = resources.once(("relations", self.wordnet), lambda: Relations(self._folder()))
        sentences = [sentence for context in rows.contexts for sentence in context]
        parsed = parses([*rows.endings, *dict.fromkeys(sentences)], resources)
        of_endings = [_content(parsed[ending]) for ending in rows.endings]
        contexts = {tuple(context) for context in rows.contexts}
        of_contexts = {
            context: [*dict.fromkeys(lemma for sentence in context for lemma in _content(parsed[sentence]))]
            for context in contexts
        }
        vectors = _UnitVectors({lemma for lemmas in (*of_endings, *of_contexts.values()) for lemma in lemmas})
        matrices = {context: vectors.of(lemmas) for context, lemmas in of_contexts.items()}
        shares = np.full(len(rows), np.nan)
        for row, (lemmas, context) in enumerate(zip(of_endings, map(tuple, rows.contexts), strict=True)):
            if lemmas:
                before = frozenset(of_contexts[context])
                nearest = (vectors.of(lemmas) @ matrices[context].T).max(axis=1, initial=-1)
                prepared = [
                    cosine >= self.least_cosine or not before.isdisjoint(relations.near(lemma))
                    for lemma, cosine in zip(lemmas, nearest.tolist(), strict=True)
                ]
                shares[row] = 1 - sum(prepared) / len(prepared)
        return {"no_mention": shares}


def _content(parse: Parse) -> list[str]:
    """The lemmas of the content words, each once."""
    words = zip(parse.lemmas, parse.pos, strict=True)
    lemmas = (lemma.lower() for lemma, pos in words if pos in _CONTENT)
    return [*dict.fromkeys(lemma for lemma in lemmas if lemma not in _LIGHT)]


class _UnitVectors:
    """The vectors of words, each of length 1; zeros for an unknown one."""

    def __init__(self, lemmas: set[str]) -> None:
        words = PackagedGlove()
        words.learn(lemmas)
        self._zeros = np.zeros(words.dimension, np.float32)
        known = {lemma: words[lemma] for lemma in lemmas if lemma in words}
        self._vectors = {lemma: vector / np.linalg.norm(vector) for lemma, vector in known.items()}

    def of(self, lemmas: Sequence[str]) -> npt.NDArray[np.float32]:
        """float32 [lemmas, dimension]."""
        found = [self._vectors.get(lemma, self._zeros) for lemma in lemmas]
        return np.array(found, np.float32).reshape(-1, len(self._zeros))
