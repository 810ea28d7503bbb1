"""H-Seq2seq: a GRU reads the sentences of the context as vectors, another writes the ending.

Source: Mori et al. 2019, section 3 and appendix A.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from denouement.generators.base import Context
from denouement.generators.neural.decoder import ContextBatch, NeuralGenerator, State
from denouement.generators.neural.settings import NeuralSettings
from denouement.generators.vectors import VectorReader
from denouement.settings import at_least
from denouement.text.vocabulary import PAD, Vocabulary


@dataclass(frozen=True)
class HSeq2SeqSettings(NeuralSettings):
    """Settings of `HSeq2Seq`.

    Attributes:
        units: width of the context encoder, the decoder and the word embeddings (A.1: 256; it does not say for the
            embeddings).
        sentence_dropout: probability that an element of a sentence vector is set to 0 (A.1: 0.5).
    """

    units: int = 256
    sentence_dropout: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "units")
        if not 0 <= self.sentence_dropout < 1:
            raise ValueError(f"sentence_dropout: must be at least 0 and below 1, not {self.sentence_dropout}")


class HSeq2Seq(VectorReader, NeuralGenerator):
    """Vectors of the context's sentences, from a frozen sentence encoder, to the words of the ending.

    A 1-layer GRU reads the vectors. Its last state, batch-normalised, is the first state of the 1-layer GRU that writes
    the ending. The encode stage drops words, since that has to happen before the sentence encoder.
    """

    name: ClassVar[str] = "h_seq2seq"
    settings_class: ClassVar[type[NeuralSettings]] = HSeq2SeqSettings

    settings: HSeq2SeqSettings

    def __init__(
        self, settings: HSeq2SeqSettings, vocabulary: Vocabulary, encoder: str, fingerprint: str, dimension: int
    ) -> None:
        """Make an untrained generator for the vectors of a sentence encoder; see `VectorReader` for the arguments."""
        super().__init__(settings, vocabulary)
        self.encoder = encoder
        self.fingerprint = fingerprint
        self.dimension = dimension
        self.context = nn.GRU(dimension, settings.units, batch_first=True)
        self.normalisation = nn.BatchNorm1d(settings.units)
        self.embedding = nn.Embedding(len(vocabulary), settings.units, padding_idx=PAD)
        self.decoder = nn.GRU(settings.units, settings.units, batch_first=True)
        self.output = self.make_output(settings.units)

    def prepare(self, contexts: Sequence[Context]) -> ContextBatch:
        """See `NeuralGenerator`. Values are sentence vectors [B, S, dimension], padded at the end."""
        vectors = torch.from_numpy(self.vectors_of(contexts))
        lengths = [*map(len, contexts)]
        padded = pad_sequence([*torch.split(vectors, lengths)], batch_first=True)
        return ContextBatch(padded, torch.tensor(lengths)).to(self.device)

    def disturb(self, inputs: ContextBatch, noise: torch.Generator) -> ContextBatch:
        """Sentence-level dropout: some elements of the vectors become 0 and the rest are scaled up (section 3)."""
        kept = 1 - self.settings.sentence_dropout
        mask = torch.rand(inputs.values.shape, generator=noise, device=noise.device) < kept
        return inputs._replace(values=inputs.values * mask / kept)

    def start(self, inputs: ContextBatch) -> State:
        """The normalised context vector [B, units]."""
        outputs, _ = self.context(inputs.values)
        last = outputs[torch.arange(len(outputs), device=outputs.device), inputs.lengths - 1]
        return (self.normalisation(last),)

    def decode(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """See `NeuralGenerator`."""
        outputs, after = self.decoder(self.embedding(words), state[0][None].contiguous())
        return outputs, (after[0],)

    def decode_padded(self, words: Tensor, lengths: Tensor, state: State) -> Tensor:
        """See `NeuralGenerator`. A row leaves the computation after its last real word (a packed sequence).

        So a batch of endings of different lengths takes hardly longer than one of equal lengths.
        """
        packed = pack_padded_sequence(self.embedding(words), lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, _ = self.decoder(packed, state[0][None].contiguous())
        return pad_packed_sequence(outputs, batch_first=True, total_length=words.shape[1])[0]
