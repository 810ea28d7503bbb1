"""The mean of a sentence's word vectors: the simplest encoder, and a fast one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from denouement.encoders.base import SentenceEncoder, Vectors
from denouement.encoders.word_vectors import WordVectors, open_vectors
from denouement.text.treebank import treebank_tokens


@dataclass(eq=False)
class GloveMean(SentenceEncoder):
    """Mean over the known tokens of a sentence, punctuation included; zeros, and a note, where no token is known.

    A token is looked up as it is written, then in lower case, so that cased and uncased vectors both work.

    Attributes:
        vectors: a text file of word vectors; null takes the packaged GloVe 6B, 50 numbers.
    """

    name: ClassVar[str] = "glove"
    pretrained: ClassVar[bool] = False

    vectors: str | None = None

    @property
    def dimension(self) -> int:
        """Numbers in a vector, the same as in a word's vector."""
        return self._words.dimension

    @property
    def fingerprint(self) -> str:
        """A digest of the word vectors' source."""
        return f"{self.name}-{self._words.fingerprint}"

    @cached_property
    def _words(self) -> WordVectors:
        return open_vectors(self.vectors)

    def prepare(self, texts: Iterable[str]) -> None:
        """Read the vectors of the words of `texts` that were not read before."""
        self._words.learn(form for text in texts for token in treebank_tokens(text) for form in (token, token.lower()))

    def encode_with_tokens(self, sentences: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """See `SentenceEncoder`; the tokens are the known words."""
        whole = self.encode(sentences)
        empty = np.zeros((0, self.dimension), np.float32)
        known = ([self._words[form] for form in self._known_forms(sentence)] for sentence in sentences)
        return whole, [np.stack(vectors) if vectors else empty for vectors in known]

    def _encode_batch(self, sentences: Sequence[str]) -> Vectors:
        return np.stack([self._mean(sentence) for sentence in sentences])

    def _mean(self, sentence: str) -> Vectors:
        known = [self._words[form] for form in self._known_forms(sentence)]
        if not known:
            self._note("no known word, so its vector is zero", sentence)
            return np.zeros(self.dimension, np.float32)
        return np.asarray(np.mean(known, axis=0, dtype=np.float64), np.float32)

    def _known_forms(self, sentence: str) -> Iterator[str]:
        for token in treebank_tokens(sentence):
            form = token if token in self._words else token.lower()
            if form in self._words:
                yield form
