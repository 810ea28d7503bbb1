"""What every story ending generator has in common.

A generator reads a context (the sentences of a story but its last) and gives the probability of each ending, word by
word. A kind of generator says how a context becomes numbers (`prepare`), how they become the decoder's first state
(`start`) and how the decoder goes on (`decode`); the rest is here.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import pytorch_lightning as pl
import torch
from torch import Tensor

from denouement.errors import UserError
from denouement.generators import GENERATORS
from denouement.generators.output import AdaptiveSoftmax, FullSoftmax, Output
from denouement.settings import above_zero, at_least
from denouement.text.vocabulary import PAD, START, Vocabulary

State: TypeAlias = tuple[Tensor, ...]
"""What a decoder remembers: tensors whose first dimension is the batch, so that rows can be picked and repeated."""


class Inputs(NamedTuple):
    """Contexts as numbers.

    Attributes:
        values: word ids [B, T] or sentence vectors [B, S, D], padded with zeros.
        lengths: how many of the T words or S sentences are real, int64 [B], at least one.
    """

    values: Tensor
    lengths: Tensor

    def to(self, device: torch.device | str) -> Inputs:
        """The same on another device."""
        return Inputs(self.values.to(device), self.lengths.to(device))


@dataclass(frozen=True)
class GeneratorSettings:
    """Settings that every generator has; the defaults are those of Mori et al. 2019, appendix A.1, where it says.

    Attributes:
        seed: of first weights, order of batches and dropout.
        epochs: passes over the training stories (A.1: 15).
        batch_size: stories a step on each device (the paper does not say).
        learning_rate: Adam's alpha (A.1, of H-Seq2seq; of Seq2seq the paper does not say how it was trained).
        beta_1: Adam's decay of the mean gradient (A.1).
        beta_2: Adam's decay of the mean squared gradient (A.1).
        epsilon: Adam's epsilon (A.1).
        softmax: `full`, or `adaptive` (Grave et al. 2017), which is several times faster with a large vocabulary.
        min_count: words seen less often in the training stories are unknown. With 1 no training story would hold the
            unknown word, whose probability would then stay what chance made it (the paper does not say).
        max_size: at most so many words in the vocabulary; null: no limit.
        precision: of the arithmetic: float32, or bfloat16 where that is safe.
        accelerator: Lightning's name of the kind of device: auto, cpu, gpu.
        devices: how many of them.
        max_time: hours:minutes:seconds after which training stops; null: never.
        patience: epochs without a better validation perplexity after which training stops; null: never (A.1).
        best_epoch: whose weights are used: the `last` (A.1: the fifteenth), or the one of the lowest perplexity on
            `validation` stories.
    """

    seed: int = 1
    epochs: int = 15
    batch_size: int = 64
    learning_rate: float = 0.001
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    softmax: Literal["full", "adaptive"] = "full"
    min_count: int = 2
    max_size: int | None = 20_000
    precision: Literal["32-true", "bf16-mixed"] = "32-true"
    accelerator: str = "auto"
    devices: int = 1
    max_time: str | None = None
    patience: int | None = None
    best_epoch: Literal["last", "validation"] = "last"

    def __post_init__(self) -> None:
        at_least(self, 1, "epochs", "min_count", "devices", "patience")
        at_least(self, 2, "batch_size")  # batch normalisation needs two contexts
        at_least(self, 6, "max_size")  # the special words and two more
        at_least(self, 0, "seed")
        above_zero(self, "learning_rate", "epsilon")
        for name in ("beta_1", "beta_2"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name}: must be at least 0 and below 1, not {getattr(self, name)}")
        self.time_limit()

    def time_limit(self) -> timedelta | None:
        """`max_time` as a duration."""
        if self.max_time is None:
            return None
        try:
            hours, minutes, seconds = map(int, self.max_time.split(":"))
        except ValueError:
            raise ValueError(f'max_time: must be like "02:00:00", in quotation marks, not {self.max_time!r}') from None
        try:
            limit = timedelta(hours=hours, minutes=minutes, seconds=seconds)
        except OverflowError:
            raise ValueError(f"max_time: is longer than can be counted: {self.max_time!r}") from None
        if min(hours, minutes, seconds) < 0 or not limit:
            raise ValueError(f"max_time: must be above zero, not {self.max_time!r}")
        return limit


class Generator(pl.LightningModule, ABC):
    """A story ending generator.

    Attributes:
        name: its row in the registry.
        settings_class: the dataclass of its settings.
        reads_vectors: whether contexts come to it as sentence vectors rather than words.
    """

    name: ClassVar[str]
    settings_class: ClassVar[type[GeneratorSettings]]
    reads_vectors: ClassVar[bool]

    output: Output

    def __init__(self, settings: GeneratorSettings, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.settings = settings
        self.vocabulary = vocabulary

    # What a kind of generator is.

    @abstractmethod
    def prepare(self, contexts: Sequence[Sequence[str]]) -> Inputs:
        """The sentences of B contexts, each of one or more, as numbers on this generator's device.

        Raises:
            UserError: a context without any word or sentence.
        """

    @abstractmethod
    def start(self, inputs: Inputs) -> State:
        """The state of the decoder before its first word."""

    @abstractmethod
    def decode(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """Read the words [B, T] from `state` on.

        Returns:
            Hidden vectors [B, T, H], each telling the word that follows, and the state after the last word.
        """

    def decode_padded(self, words: Tensor, lengths: Tensor, state: State) -> Tensor:
        """The hidden vectors of `decode` for rows of different lengths: here all of them, padding's too.

        A kind of generator overrides it where it can leave the work on padding out.

        Args:
            words: int64 [B, T].
            lengths: how many of the T words are real, int64 [B], at least one.
            state: as `start` gives it.

        Returns:
            Hidden vectors [B, T, H]; those at padding mean nothing.
        """
        return self.decode(words, state)[0]

    def disturb(self, inputs: Inputs, noise: torch.Generator) -> Inputs:
        """What a training step does to its inputs against overfitting, with randomness from `noise`: here nothing."""
        return inputs

    def architecture(self) -> dict[str, Any]:
        """JSON-ready arguments of the constructor beside settings and vocabulary."""
        return {}

    def find_vectors(self, embeddings: Path | None, options: Mapping[str, Any] | None = None) -> None:
        """Get ready to turn sentences into vectors, from the table `embeddings` or by encoding: here no need of it."""

    def expect(self, contexts: Sequence[Sequence[str]]) -> None:
        """Do at once what `prepare` would do anew for each batch of `contexts`: here nothing."""

    # What all of them do.

    def make_output(self, units: int) -> Output:
        """The last layer that the settings ask for, over hidden vectors of so many `units`."""
        kind = FullSoftmax if self.settings.softmax == "full" else AdaptiveSoftmax
        return kind(units, len(self.vocabulary))

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        """Read one word of each ending.

        Args:
            words: the last word of each ending, int64 [B]; START before the first.
            state: as `start` or the step before left it.

        Returns:
            Log-probabilities of the next word, float32 [B, V] in nats, special words included, and the next state.
        """
        hidden, state = self.decode(words[:, None], state)
        return self.output.log_probs(hidden[:, 0]), state

    def token_log_probs(self, inputs: Inputs, targets: Tensor) -> Tensor:
        """Log-probability of every word of given endings.

        Args:
            inputs: B contexts, or a single one that all endings follow and that is read once.
            targets: their endings, int64 [B, T]: END stands last, PAD after it.

        Returns:
            Float32 [B, T] in nats, 0 at padding.
        """
        real = targets != PAD
        found = self.output.target_log_probs(self._hidden(inputs, targets)[real], targets[real])
        return torch.zeros(targets.shape, device=targets.device).masked_scatter(real, found)

    def _hidden(self, inputs: Inputs, targets: Tensor) -> Tensor:
        """Hidden vectors [B, T, H] that tell `targets`, each after the right words before it."""
        before = torch.nn.functional.pad(targets[:, :-1], (1, 0), value=START)
        state = tuple(part.expand(len(targets), *part.shape[1:]) for part in self.start(inputs))
        return self.decode_padded(before, (targets != PAD).sum(dim=1), state)

    # Lightning's hooks.

    def training_step(self, batch: tuple[Inputs, Tensor], batch_index: int) -> Tensor:
        """Mean loss of a batch in nats per token. Its dropout depends on seed, epoch, step and device rank alone."""
        inputs, targets = batch
        noise = torch.Generator(self.device).manual_seed(
            _mix(self.settings.seed, self.current_epoch, batch_index, self.global_rank)
        )
        return self._loss(self.disturb(inputs, noise), targets)

    def validation_step(self, batch: tuple[Inputs, Tensor], batch_index: int) -> Tensor:
        """Mean loss of a batch in nats per token."""
        inputs, targets = batch
        return self._loss(inputs, targets)

    def on_validation_epoch_start(self) -> None:
        """Give all devices the same running means of batch normalisation: each has seen other batches."""
        if self.trainer.world_size > 1:
            for buffer in self.buffers():
                if buffer.is_floating_point():
                    buffer.copy_(self.trainer.strategy.reduce(buffer.clone(), reduce_op="mean"))

    def _loss(self, inputs: Inputs, targets: Tensor) -> Tensor:
        real = targets != PAD  # no logits are made for padding
        return self.output.loss(self._hidden(inputs, targets)[real], targets[real])

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam as in Mori et al. 2019, A.1; fused: one pass over the weights a step instead of a dozen."""
        settings = self.settings
        return torch.optim.Adam(
            self.parameters(),
            settings.learning_rate,
            (settings.beta_1, settings.beta_2),
            settings.epsilon,
            fused=True,
        )

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add what `checkpoints.load_generator` builds this generator from."""
        checkpoint["generator"] = {
            "name": self.name,
            "settings": asdict(self.settings),
            "vocabulary": self.vocabulary.to_json(),
            "architecture": self.architecture(),
        }


def generator_class(name: str) -> type[Generator]:
    """The class of a registered generator.

    Raises:
        UserError: no such generator.
    """
    if name not in GENERATORS:
        raise UserError(f"no generator {name!r}; there are {', '.join(sorted(GENERATORS))}")
    module, attribute = GENERATORS[name].split(":")
    found: type[Generator] = getattr(importlib.import_module(module), attribute)
    return found


def _mix(*numbers: int) -> int:
    """One seed from several numbers; close numbers give seeds that have nothing in common."""
    mixed = 0
    for number in numbers:  # splitmix64
        mixed = (mixed + number + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        mixed ^= mixed >> 31
    return mixed >> 1
