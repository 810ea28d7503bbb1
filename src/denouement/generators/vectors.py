"""The base of generators that read the sentences of a context as vectors of a frozen sentence encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from denouement.encoders.base import Vectors
from denouement.encoders.embeddings import EmbeddingTable, SentenceVectors
from denouement.errors import UserError
from denouement.generators.base import Context, Generator, check_contexts


class VectorReader(Generator):
    """A generator that reads sentence vectors.

    Attributes:
        encoder: name of the sentence encoder.
        fingerprint: of the encoder's files and options; the generator can't use vectors with another fingerprint.
        dimension: elements in a sentence vector.
        sentence_vectors: the source of the vectors; `find_vectors` sets it.
    """

    reads_vectors: ClassVar[bool] = True

    encoder: str
    fingerprint: str
    dimension: int
    sentence_vectors: SentenceVectors | None = None

    def architecture(self) -> dict[str, Any]:
        """Which vectors it reads, as values that JSON can hold."""
        return {"encoder": self.encoder, "fingerprint": self.fingerprint, "dimension": self.dimension}

    def find_vectors(self, embeddings: Path | None, options: Mapping[str, Any] | None = None) -> None:
        """Take vectors from the table `embeddings`, and encode sentences that are not in it; without a table, all.

        Args:
            embeddings: table of sentence vectors, or None.
            options: of the sentence encoder (`encode.options` in params.yaml).

        Raises:
            UserError: a table of another encoder, or an option that the encoder does not know. Without a table also an
                option that is missing or wrong, or that gives other vectors than those of its training.
        """
        table = None if embeddings is None else EmbeddingTable.open(embeddings)
        if table is not None and table.fingerprint != self.fingerprint:
            raise UserError(f"{embeddings}: not the encoder {self.encoder} that this generator was trained with")
        self.sentence_vectors = SentenceVectors(self.encoder, options, table, self.fingerprint)
        if table is None:
            _ = self.sentence_vectors.encoder  # a mistake in its options is reported now

    def expect(self, contexts: Sequence[Context]) -> None:
        """Let the encoder read its files once for all sentences that it has to encode."""
        self._found_vectors().prepare([sentence for context in contexts for sentence in context])

    def vectors_of(self, contexts: Sequence[Context]) -> Vectors:
        """Vectors [sentences, dimension] of all sentences of the contexts, context after context.

        Raises:
            UserError: a context without a sentence, or one that cannot be encoded.
        """
        check_contexts(contexts)
        return self._found_vectors()([sentence for context in contexts for sentence in context])

    def _found_vectors(self) -> SentenceVectors:
        if self.sentence_vectors is None:
            raise RuntimeError("call find_vectors first")
        return self.sentence_vectors


def open_embeddings(kind: type[Generator], embeddings: Path | None) -> EmbeddingTable:
    """The table of sentence vectors that a generator is trained on.

    Raises:
        UserError: none is named, or it cannot be read.
    """
    if embeddings is None:
        raise UserError(f"{kind.name} reads sentence vectors: name an embeddings table (stage encode makes it)")
    return EmbeddingTable.open(embeddings)
