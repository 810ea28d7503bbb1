"""Seq2seq: an LSTM reads all words of the context as one sequence, another writes the ending.

Source: Sutskever et al. 2014, as the simple method of Mori et al. 2019, section 4.1 and appendix A.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from denouement.errors import UserError
from denouement.generators.base import Context
from denouement.generators.neural.decoder import ContextBatch, NeuralGenerator, State
from denouement.generators.neural.settings import NeuralSettings
from denouement.settings import at_least, at_most
from denouement.text.vocabulary import PAD, Vocabulary


@dataclass(frozen=True)
class Seq2SeqSettings(NeuralSettings):
    """Settings of `Seq2Seq`.

    Attributes:
        layers: LSTM layers of the encoder, and of the decoder (A.1: 2).
        units: width of each of them and of the word embeddings (A.1: 512; it does not say for the embeddings).
    """

    layers: int = 2
    units: int = 512

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "layers", "units")
        at_most(self, 1000, "layers")  # even counting the weights of more layers would take too long


class Seq2Seq(NeuralGenerator):
    """The words of all context sentences, without a mark between them, to the words of the ending.

    Word embeddings start at random (section 4.1). Encoder and decoder share them (the paper does not say).

    Contexts are padded on the left, and the encoder has no bias terms. A padding word is a vector of zeros, so it
    leaves the first state, which is zero, exactly unchanged. Hence padding does not change a context's state, and a
    batch is one dense call. (The embeddings can learn what a bias of the first layer would add.)
    """

    name: ClassVar[str] = "seq2seq"
    settings_class: ClassVar[type[NeuralSettings]] = Seq2SeqSettings

    settings: Seq2SeqSettings

    def __init__(self, settings: Seq2SeqSettings, vocabulary: Vocabulary) -> None:
        super().__init__(settings, vocabulary)
        self.embedding = nn.Embedding(len(vocabulary), settings.units, padding_idx=PAD)
        self.encoder = nn.LSTM(settings.units, settings.units, settings.layers, bias=False, batch_first=True)
        self.decoder = nn.LSTM(settings.units, settings.units, settings.layers, batch_first=True)
        self.output = self.make_output(settings.units)

    def prepare(self, contexts: Sequence[Context]) -> ContextBatch:
        """See `NeuralGenerator`. Values are word ids [B, T], padded on the left."""
        rows = [[word for sentence in context for word in self.vocabulary.encode(sentence)] for context in contexts]
        if not all(rows):
            raise UserError(
                f"context {rows.index([]) + 1} of {len(rows)} holds no word: give each at least one sentence"
            )
        longest = max(map(len, rows), default=1)
        padded = [[PAD] * (longest - len(row)) + row for row in rows]
        return ContextBatch(torch.tensor(padded).reshape(len(rows), longest), torch.tensor([*map(len, rows)])).to(
            self.device
        )

    def start(self, inputs: ContextBatch) -> State:
        """Hidden and cell state of each layer, both [B, layers, units]."""
        _, (hidden, cell) = self.encoder(self.embedding(inputs.values))
        return hidden.transpose(0, 1), cell.transpose(0, 1)

    def decode(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """See `NeuralGenerator`."""
        before = tuple(part.transpose(0, 1).contiguous() for part in state)
        outputs, after = self.decoder(self.embedding(words), before)
        return outputs, tuple(part.transpose(0, 1) for part in after)
