"""H-Seq2seq: a GRU reads the sentences of the context as vectors, another writes the ending.

Source: Mori et al. 2019, section 3 and appendix A.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from denouement.encoders.embeddings import EmbeddingTable, SentenceVectors
from denouement.errors import UserError
from denouement.generators.base import Generator, GeneratorSettings, Inputs, State
from denouement.settings import at_least
from denouement.text.vocabulary import PAD, Vocabulary


@dataclass(frozen=True)
class HSeq2SeqSettings(GeneratorSettings):
    """Settings of `HSeq2Seq`.

    Attributes:
        units: width of the context encoder, the decoder and the word embeddings (A.1: 256; embeddings not said).
        sentence_dropout: probability that an element of a sentence vector is set to 0 (A.1: 0.5).
    """

    units: int = 256
    sentence_dropout: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "units")
        if not 0 <= self.sentence_dropout < 1:
            raise ValueError(f"sentence_dropout: must be at least 0 and below 1, not {self.sentence_dropout}")


class HSeq2Seq(Generator):
    """Vectors of the context's sentences, from a frozen sentence encoder, to the words of the ending.

    1-layer GRU over the vectors, batch normalisation of its last state, which is the first state of the 1-layer GRU
    that writes the ending. Word dropout has its place before the sentence encoder: the encode stage does it.

    Attributes:
        encoder: name of the sentence encoder.
        fingerprint: of the encoder's files and options: vectors of others mean nothing to this generator.
        dimension: elements in a sentence vector.
        sentence_vectors: where `prepare` takes the vectors from; `find_vectors` sets it.
    """

    name: ClassVar[str] = "h_seq2seq"
    settings_class: ClassVar[type[GeneratorSettings]] = HSeq2SeqSettings
    reads_vectors: ClassVar[bool] = True

    settings: HSeq2SeqSettings
    sentence_vectors: SentenceVectors | None = None

    def __init__(
        self, settings: HSeq2SeqSettings, vocabulary: Vocabulary, encoder: str, fingerprint: str, dimension: int
    ) -> None:
        """Make one for the vectors of a sentence encoder."""
        super().__init__(settings, vocabulary)
        self.encoder = encoder
        self.fingerprint = fingerprint
        self.dimension = dimension
        self.context = nn.GRU(dimension, settings.units, batch_first=True)
        self.normalisation = nn.BatchNorm1d(settings.units)
        self.embedding = nn.Embedding(len(vocabulary), settings.units, padding_idx=PAD)
        self.decoder = nn.GRU(settings.units, settings.units, batch_first=True)
        self.output = self.make_output(settings.units)

    def architecture(self) -> dict[str, Any]:
        """See `Generator`."""
        return {"encoder": self.encoder, "fingerprint": self.fingerprint, "dimension": self.dimension}

    def find_vectors(self, embeddings: Path | None, options: Mapping[str, Any] | None = None) -> None:
        """Take vectors from the table `embeddings`; encode the sentences that it does not have, or all without one.

        Args:
            embeddings: table of sentence vectors, or None.
            options: of the sentence encoder (`encode.options` in params.yaml).

        Raises:
            UserError: a table of another encoder, or an option that the encoder does not know; without a table also
                options that are missing or wrong, or that make other vectors than those it was trained with.
        """
        table = None if embeddings is None else EmbeddingTable.open(embeddings)
        if table is not None and table.fingerprint != self.fingerprint:
            raise UserError(f"{embeddings}: not the encoder {self.encoder} that this generator was trained with")
        self.sentence_vectors = SentenceVectors(self.encoder, options, table, self.fingerprint)
        if table is None:
            _ = self.sentence_vectors.encoder  # what is wrong with it is said now

    def expect(self, contexts: Sequence[Sequence[str]]) -> None:
        """Read what the encoder needs for all sentences that have to be encoded."""
        self._vectors().prepare([sentence for context in contexts for sentence in context])

    def prepare(self, contexts: Sequence[Sequence[str]]) -> Inputs:
        """See `Generator`. Values are sentence vectors [B, S, dimension], padded at the end."""
        if not all(contexts):
            raise UserError(f"context {[*map(bool, contexts)].index(False) + 1} of {len(contexts)} holds no sentence")
        vectors = torch.from_numpy(self._vectors()([sentence for context in contexts for sentence in context]))
        lengths = [*map(len, contexts)]
        padded = pad_sequence([*torch.split(vectors, lengths)], batch_first=True)
        return Inputs(padded, torch.tensor(lengths)).to(self.device)

    def _vectors(self) -> SentenceVectors:
        if self.sentence_vectors is None:
            raise RuntimeError("call find_vectors first")
        return self.sentence_vectors

    def disturb(self, inputs: Inputs, noise: torch.Generator) -> Inputs:
        """Sentence-level dropout: some elements of the vectors become 0 and the rest are scaled up (section 3)."""
        kept = 1 - self.settings.sentence_dropout
        mask = torch.rand(inputs.values.shape, generator=noise, device=noise.device) < kept
        return inputs._replace(values=inputs.values * mask / kept)

    def start(self, inputs: Inputs) -> State:
        """The normalised context vector [B, units]."""
        outputs, _ = self.context(inputs.values)
        last = outputs[torch.arange(len(outputs), device=outputs.device), inputs.lengths - 1]
        return (self.normalisation(last),)

    def decode(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """See `Generator`."""
        outputs, after = self.decoder(self.embedding(words), state[0][None].contiguous())
        return outputs, (after[0],)

    def decode_padded(self, words: Tensor, lengths: Tensor, state: State) -> Tensor:
        """See `Generator`. A row leaves the computation after its last real word (a packed sequence).

        So a batch of endings of all lengths takes hardly longer than one of equal lengths.
        """
        packed = pack_padded_sequence(self.embedding(words), lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, _ = self.decoder(packed, state[0][None].contiguous())
        return pad_packed_sequence(outputs, batch_first=True, total_length=words.shape[1])[0]
