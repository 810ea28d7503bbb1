"""The base class of neural generators, which read a context and give the probability of each ending, word by word.

A subclass defines how a context becomes numbers (`prepare`), how these become the decoder's first state (`start`) and
how the decoder reads further words (`decode`). It is a plain PyTorch module; `neural.lightning` wraps it for training.
"""

from __future__ import annotations

import typing
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from denouement import settings as settings_module
from denouement.generators.base import Context, Ending, Generator, OnEpoch
from denouement.generators.decoding import Decoding
from denouement.generators.history import History
from denouement.generators.neural.output import AdaptiveSoftmax, FullSoftmax, Output
from denouement.generators.neural.scoring import score
from denouement.generators.neural.search import decode
from denouement.generators.neural.settings import NeuralSettings
from denouement.text.vocabulary import PAD, START, Vocabulary

State: TypeAlias = tuple[Tensor, ...]
"""A decoder's state: tensors whose first dimension is the batch, so that rows can be selected and repeated."""


class ContextBatch(NamedTuple):
    """Contexts as numbers.

    Attributes:
        values: word ids [B, T] or sentence vectors [B, S, D], padded with zeros.
        lengths: how many of the T words or S sentences are real, int64 [B], at least one.
    """

    values: Tensor
    lengths: Tensor

    def to(self, device: torch.device | str) -> ContextBatch:
        """The same on another device."""
        return ContextBatch(self.values.to(device), self.lengths.to(device))


class NeuralGenerator(nn.Module, Generator):
    """A generator that decodes an ending word by word.

    Attributes:
        settings: those that it was made with.
        vocabulary: the words that it knows.
        output: the last layer, from hidden vectors to words.
    """

    settings_class: ClassVar[type[NeuralSettings]]
    decodes: ClassVar[bool] = True
    can_score: ClassVar[bool] = True

    settings: NeuralSettings
    vocabulary: Vocabulary
    output: Output

    def __init__(self, settings: NeuralSettings, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.settings = settings
        self.vocabulary = vocabulary

    # What each kind of neural generator defines.

    @abstractmethod
    def prepare(self, contexts: Sequence[Context]) -> ContextBatch:
        """The sentences of B contexts, each of one or more, as numbers on this generator's device.

        Raises:
            UserError: a context without any word or sentence.
        """

    @abstractmethod
    def start(self, inputs: ContextBatch) -> State:
        """The state of the decoder before its first word."""

    @abstractmethod
    def decode(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """Read the words [B, T] from `state` on.

        Returns:
            Hidden vectors [B, T, H], from each of which the next word is predicted, and the state after the last word.
        """

    def decode_padded(self, words: Tensor, lengths: Tensor, state: State) -> Tensor:
        """The hidden vectors of `decode` for rows of different lengths.

        This one computes the vectors at padding too; a subclass that can skip them overrides it.

        Args:
            words: int64 [B, T].
            lengths: how many of the T words are real, int64 [B], at least one.
            state: as `start` gives it.

        Returns:
            Hidden vectors [B, T, H]; those at padding mean nothing.
        """
        return self.decode(words, state)[0]

    def disturb(self, inputs: ContextBatch, noise: torch.Generator) -> ContextBatch:
        """Change the inputs of a training step against overfitting, with randomness from `noise`; here no change."""
        return inputs

    def architecture(self) -> dict[str, Any]:
        """The constructor's arguments other than settings and vocabulary, as values that JSON can hold."""
        return {}

    # What is the same for all kinds.

    @classmethod
    def fit(
        cls,
        settings: NeuralSettings,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """See `Generator`, and `neural.training.train_network`."""
        from denouement.generators.neural.training import train_network

        return train_network(cls, settings, stories, folder, embeddings=embeddings, on_epoch=on_epoch)

    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """See `Generator`, and `neural.search.decode`."""
        decoding = decoding or Decoding()
        self.check(decoding, n)
        self.eval()
        return [[*endings] for endings in decode(self, contexts, decoding, n)]

    def score(
        self, contexts: Sequence[Context], endings: Sequence[str], batch_size: int = 128
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """See `Generator`, and `neural.scoring.score`."""
        self.eval()
        return score(self, contexts, endings, batch_size)

    def checkpoint(self) -> dict[str, Any]:
        """See `Generator`. The weights are under `state_dict`."""
        described = {
            "name": self.name,
            "kind": self.kind,
            "settings": asdict(self.settings),
            "vocabulary": self.vocabulary.to_json(),
            "architecture": self.architecture(),
        }
        return {"state_dict": self.state_dict(), "generator": described}

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> NeuralGenerator:
        """See `Generator`. It is in evaluation mode."""
        described = checkpoint["generator"]
        architecture = described["architecture"]
        _check_types(cls, architecture)
        generator = cls(
            settings_module.build(cls.settings_class, described["settings"], "settings"),
            Vocabulary.from_json(described["vocabulary"]),
            **architecture,
        )
        generator.load_state_dict(checkpoint["state_dict"])
        return generator.to(device).eval()

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def make_output(self, units: int) -> Output:
        """The last layer that the settings ask for, over hidden vectors of so many `units`."""
        kind = FullSoftmax if self.settings.softmax == "full" else AdaptiveSoftmax
        return kind(units, len(self.vocabulary))

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """Read one word of each ending.

        Args:
            words: the last word of each ending, int64 [B]; START before the first.
            state: from `start`, or from the step before.

        Returns:
            Log-probabilities of the next word, float32 [B, V] in nats, special words included, and the next state.
        """
        hidden, state = self.decode(words[:, None], state)
        return self.output.log_probs(hidden[:, 0]), state

    def token_log_probs(self, inputs: ContextBatch, targets: Tensor) -> Tensor:
        """Log-probability of every word of given endings.

        Args:
            inputs: B contexts, or a single one that all endings follow and that is read once.
            targets: their endings, int64 [B, T]: END is the last word, PAD comes after it.

        Returns:
            Float32 [B, T] in nats, 0 at padding.
        """
        real = targets != PAD
        of_words = self.output.target_log_probs(self._hidden(inputs, targets)[real], targets[real])
        return torch.zeros(targets.shape, device=targets.device).masked_scatter(real, of_words)

    def loss(self, inputs: ContextBatch, targets: Tensor) -> Tensor:
        """Mean loss of a batch in nats per token; no logits are made for padding."""
        real = targets != PAD
        return self.output.loss(self._hidden(inputs, targets)[real], targets[real])

    def _hidden(self, inputs: ContextBatch, targets: Tensor) -> Tensor:
        """Hidden vectors [B, T, H] from which `targets` are predicted, each after the right words before it."""
        before = nn.functional.pad(targets[:, :-1], (1, 0), value=START)
        state = tuple(part.expand(len(targets), *part.shape[1:]) for part in self.start(inputs))
        return self.decode_padded(before, (targets != PAD).sum(dim=1), state)


def _check_types(kind: type[NeuralGenerator], architecture: Mapping[str, Any]) -> None:
    """Refuse values of other types than `kind` takes: PyTorch would accept some, and fail much later.

    Raises:
        TypeError: which value is of which type.
    """
    wanted = typing.get_type_hints(kind.__init__)
    for name, value in architecture.items():
        if wanted.get(name) in (str, int) and type(value) is not wanted[name]:
            raise TypeError(f"its {name} is {value!r}")
