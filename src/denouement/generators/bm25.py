"""BM25: the ending of the training story whose context shares the rarest words with the given one.

A baseline that copies endings and knows nothing but words. A story's value is the sum, over the words of the given
context (each as often as it is there), of

    idf * tf / (tf + k1 * (1 - b + b * length / mean length)),    idf = ln(1 + (N - df + 0.5) / (df + 0.5)),

where tf is how often the word is in the story's context, df in how many of the N contexts it is, and lengths are in
words. This is BM25 (Robertson and Zaragoza 2009, section 3) with the idf of Lucene, which is never below zero, and
without the constant factor k1 + 1, which changes no order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import bm25s
import numpy as np
import numpy.typing as npt
import torch

from denouement import settings as settings_module
from denouement.errors import UserError
from denouement.generators.base import BEST, Context, Ending, Generator, GeneratorSettings, OnEpoch, check_contexts
from denouement.generators.checkpoints import save_generator
from denouement.generators.copying import digests, left_out, read_training, without_epochs
from denouement.generators.decoding import Decoding
from denouement.generators.history import History
from denouement.settings import above_zero
from denouement.text.words import lowered


@dataclass(frozen=True)
class Bm25Settings(GeneratorSettings):
    """Settings of `Bm25`.

    Attributes:
        k1: how much more a word counts that is there several times; small values count it nearly once.
        b: how far long contexts are discounted: 0, not at all; 1, in proportion to their length.
    """

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        above_zero(self, "k1")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b: must be from 0 to 1, not {self.b}")


@dataclass(frozen=True)
class _Stories:
    """The training stories.

    Attributes:
        words: all different words of their contexts.
        ids: places in `words` of the words of all contexts, int32 [words], context after context.
        lengths: words of each context, int64 [N].
        contexts: digests of the contexts, int64 [N].
        endings: their last sentences, N.
    """

    words: list[str]
    ids: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]
    contexts: npt.NDArray[np.int64]
    endings: list[str]


class Bm25(Generator):
    """The endings of the training stories with the highest BM25 for the words of the context.

    Where several endings are asked for, they are those of the best stories, without repetition. Of stories of one value
    the first in the table of stories counts. Words are in lower case and have a letter or digit. Settings of decoding
    are refused, and there are no probabilities.
    """

    name: ClassVar[str] = "bm25"
    settings_class: ClassVar[type[GeneratorSettings]] = Bm25Settings

    settings: Bm25Settings

    def __init__(self, settings: Bm25Settings, stories: _Stories) -> None:
        self.settings = settings
        self._stories = stories
        self._places = {word: place for place, word in enumerate(stories.words)}
        self._index = bm25s.BM25(k1=settings.k1, b=settings.b, method="lucene", dtype="float64")
        ids = [part.tolist() for part in np.split(stories.ids, np.cumsum(stories.lengths)[:-1])]
        self._index.index((ids, dict(self._places)), show_progress=False)

    @classmethod
    def fit(
        cls,
        settings: Bm25Settings,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """See `Generator`. There are no epochs."""
        training, counts = read_training(stories)
        places: dict[str, int] = {}
        told = training["sentences"].to_pylist()
        ids = [[places.setdefault(word, len(places)) for word in _words(story[:-1])] for story in told]
        known = _Stories(
            list(places),
            np.array([place for of_story in ids for place in of_story], np.int32),
            np.array([len(of_story) for of_story in ids], np.int64),
            digests(training),
            [story[-1] for story in told],
        )
        if not places:
            raise UserError(f"{stories}: the contexts of the training stories hold no word")
        save_generator(cls(settings, known), folder / BEST)
        return without_epochs(cls.name, counts, len(places))

    def checkpoint(self) -> dict[str, Any]:
        """See `Generator`."""
        stories = self._stories
        return {
            "generator": {"name": self.name, "kind": self.kind, "settings": asdict(self.settings)},
            "index": {
                "words": stories.words,
                "ids": torch.from_numpy(stories.ids),
                "lengths": torch.from_numpy(stories.lengths),
                "contexts": torch.from_numpy(stories.contexts),
                "endings": stories.endings,
            },
        }

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> Bm25:
        """See `Generator`. It always works on the CPU; `device` is ignored."""
        settings = settings_module.build(Bm25Settings, checkpoint["generator"]["settings"], "settings")
        index = checkpoint["index"]
        ids, lengths, contexts = (index[name].numpy() for name in ("ids", "lengths", "contexts"))
        words, endings = index["words"], index["endings"]
        if not all(isinstance(texts, list) and texts and all(isinstance(each, str) for each in texts)
                   for texts in (words, endings)):  # fmt: skip
            raise TypeError("its words or endings are no texts")
        if (ids.dtype, lengths.dtype, contexts.dtype) != (np.int32, np.int64, np.int64) or ids.ndim != 1:
            raise TypeError("its words, lengths or contexts are no whole numbers")
        if not lengths.shape == contexts.shape == (len(endings),) or (lengths < 0).any() or lengths.sum() != len(ids):
            raise TypeError("its words or contexts are not those of its endings")
        if not set(np.unique(ids).tolist()) == set(range(len(words))) or len(set(words)) != len(words):
            raise TypeError("its words are not those of its contexts")
        return cls(settings, _Stories(words, ids, lengths, contexts, endings))

    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """See `Generator`."""
        self.check(decoding or Decoding(), n)
        check_contexts(contexts)
        same = left_out(contexts, self._stories.contexts)
        return [
            self._best(np.where(its_own, -np.inf, self._values(context)), n)
            for context, its_own in zip(contexts, same, strict=True)
        ]

    def _values(self, context: Context) -> npt.NDArray[np.float64]:
        """BM25 of each story for the words of a context."""
        known = [self._places[word] for word in _words(context) if word in self._places]
        values: npt.NDArray[np.float64] = self._index.get_scores_from_ids(known)
        return values

    def _best(self, values: npt.NDArray[np.float64], n: int) -> list[Ending]:
        """The first `n` different endings of the stories of the highest values."""
        size, there = n, int(np.isfinite(values).sum())
        if not there:
            raise UserError(f"{self.name}: every training story has the context that an ending is asked for")
        while True:
            size = min(size, there)
            rows = np.flatnonzero(values >= np.partition(values, -size)[-size])
            best = dict.fromkeys(self._stories.endings[row] for row in rows[np.argsort(-values[rows], kind="stable")])
            if len(best) >= n or size == there:
                return [Ending(text) for text in list(best)[:n]]
            size *= 4


def _words(context: Context) -> list[str]:
    """The words of all sentences, in lower case, without punctuation marks."""
    return [word for sentence in context for word in lowered(sentence) if any(map(str.isalnum, word))]
