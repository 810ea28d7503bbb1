"""Retrieval: the ending of the training story whose context is nearest to the given one.

A baseline that copies endings and has no parameters to learn: `fit` keeps the mean vector and the ending of every
training story. Nearness is the cosine between the means of the sentence vectors of two contexts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from denouement.encoders.base import Vectors
from denouement.errors import UserError
from denouement.generators.base import BEST, Context, Ending, GeneratorSettings, OnEpoch
from denouement.generators.checkpoints import save_generator
from denouement.generators.copying import digests, left_out, read_training, without_epochs
from denouement.generators.decoding import Decoding
from denouement.generators.history import History
from denouement.generators.vectors import VectorReader, open_embeddings

_STORIES = 8192  # the vectors of so many stories are converted to float32 at once
_CONTEXTS = 128  # the nearness of so many contexts to all stories is in memory at once
_ROUNDING = 1e-4  # larger than the error of a float32 product: closer values are compared again in float64


class Retrieval(VectorReader):
    """The endings of the training stories with the nearest contexts.

    Where several endings are asked for, they are those of the nearest stories, without repetition. Of equally near
    stories the first in the table of stories counts. Settings of decoding are refused, and there are no probabilities.

    The vectors are float16, as in the table of embeddings. They take 2 bytes for each story and element (90,000 stories
    with MiniLM's 384 elements: 69 MB); writing takes 4 more bytes for each story and each of 128 contexts (46 MB).
    """

    name: ClassVar[str] = "retrieval"

    def __init__(
        self,
        encoder: str,
        fingerprint: str,
        vectors: npt.NDArray[np.float16],
        contexts: npt.NDArray[np.int64],
        endings: Sequence[str],
    ) -> None:
        """Make a generator that knows N stories.

        Args:
            encoder: name of the sentence encoder.
            fingerprint: of the encoder's files and options.
            vectors: of the stories' contexts, [N, dimension], each of length 1.
            contexts: their digests, see `copying.digests`, [N].
            endings: the stories' last sentences.

        Raises:
            ValueError: the numbers of vectors, contexts and endings differ, or there is no story.
        """
        if not len(vectors) == len(contexts) == len(endings) > 0:
            raise ValueError(f"{len(vectors)} vectors and {len(contexts)} contexts of {len(endings)} stories")
        self.settings = GeneratorSettings()
        self.encoder = encoder
        self.fingerprint = fingerprint
        self.dimension = vectors.shape[1]
        self._vectors = vectors
        self._contexts = contexts
        self._endings = endings

    @classmethod
    def fit(
        cls,
        settings: GeneratorSettings,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """See `Generator`. There are no epochs."""
        table = open_embeddings(cls, embeddings)
        training, counts = read_training(stories)
        training_stories = training["sentences"].to_pylist()
        of_sentence = table.view(None)
        vectors = np.empty((len(training_stories), table.dimension), np.float16)
        for start in range(0, len(training_stories), _STORIES):
            some = [story[:-1] for story in training_stories[start : start + _STORIES]]
            places = table.rows([sentence for context in some for sentence in context])
            vectors[start : start + _STORIES] = _means(of_sentence[places].astype(np.float32), some)
        generator = cls(
            table.encoder,
            table.fingerprint,
            vectors,
            digests(training),
            [story[-1] for story in training_stories],
        )
        save_generator(generator, folder / BEST)
        return without_epochs(cls.name, counts)

    def checkpoint(self) -> dict[str, Any]:
        """See `Generator`."""
        return {
            "generator": {
                "name": self.name,
                "kind": self.kind,
                "settings": {},
                "architecture": self.architecture(),
            },
            "index": {
                "vectors": torch.from_numpy(self._vectors),
                "contexts": torch.from_numpy(self._contexts),
                "endings": list(self._endings),
            },
        }

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> Retrieval:
        """See `Generator`. It always works on the CPU; `device` is ignored."""
        architecture, index = checkpoint["generator"]["architecture"], checkpoint["index"]
        vectors, contexts, endings = index["vectors"].numpy(), index["contexts"].numpy(), index["endings"]
        texts = (architecture["encoder"], architecture["fingerprint"], *endings)
        if not all(isinstance(text, str) for text in texts) or not isinstance(endings, list):
            raise TypeError("its encoder, fingerprint or endings are no texts")
        wanted = ((len(endings), architecture["dimension"]), np.float16, (len(endings),), np.int64)
        if (vectors.shape, vectors.dtype, contexts.shape, contexts.dtype) != wanted:
            raise TypeError("its vectors or contexts are not those of its endings")
        return cls(architecture["encoder"], architecture["fingerprint"], vectors, contexts, endings)

    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """See `Generator`."""
        self.check(decoding or Decoding(), n)
        endings: list[list[Ending]] = []
        for start in range(0, len(contexts), _CONTEXTS):
            some = contexts[start : start + _CONTEXTS]
            wanted = _means(self.vectors_of(some), some)
            nearness = np.empty((len(some), len(self._vectors)), np.float32)
            for first in range(0, len(self._vectors), _STORIES):
                block = slice(first, first + _STORIES)
                nearness[:, block] = wanted @ self._vectors[block].astype(np.float32).T
            nearness[left_out(some, self._contexts)] = -np.inf
            endings += [self._nearest(*of_context, n) for of_context in zip(wanted, nearness, strict=True)]
        return endings

    def _nearest(self, wanted: Vectors, nearness: Vectors, n: int) -> list[Ending]:
        """The first `n` different endings of the stories nearest to the vector `wanted` [dimension].

        In a matrix product the values of equal vectors may differ in their last bits, so the nearest ones are compared
        again in float64, where equal vectors are equally near.
        """
        size = n
        while True:
            size = min(size, int(np.isfinite(nearness).sum()))
            if not size:
                raise UserError(f"{self.name}: every training story has the context that an ending is asked for")
            least = np.partition(nearness, -size)[-size]
            rows = np.flatnonzero(nearness >= least - _ROUNDING)
            exact = (self._vectors[rows].astype(np.float64) * wanted).sum(axis=1)
            rows, exact = rows[exact >= least - _ROUNDING / 2], exact[exact >= least - _ROUNDING / 2]
            nearest = dict.fromkeys(self._endings[row] for row in rows[np.argsort(-exact, kind="stable")])
            if len(nearest) >= n or size == np.isfinite(nearness).sum():
                return [Ending(text) for text in list(nearest)[:n]]
            size *= 4


def _means(vectors: Vectors, contexts: Sequence[Context]) -> Vectors:
    """The mean of each context's vectors, [contexts, dimension], scaled to length 1.

    Args:
        vectors: of all sentences of the contexts, [sentences, dimension], context after context.
        contexts: each of one sentence or more.
    """
    lengths = np.array([len(context) for context in contexts])
    sums = np.add.reduceat(vectors, np.cumsum(lengths) - lengths)  # a mean points where the sum does
    unit: Vectors = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return unit
