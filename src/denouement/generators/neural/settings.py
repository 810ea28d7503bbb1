"""Settings of all trainings in epochs, and those that every neural generator has."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from denouement.generators.base import GeneratorSettings
from denouement.settings import above_zero, at_least


@dataclass(frozen=True)
class TrainingSettings(GeneratorSettings):
    """The settings of every training in epochs; the defaults are those of Mori et al. 2019, A.1, where it says.

    Attributes:
        seed: of the first weights, the order of batches and dropout.
        epochs: passes over the training stories (A.1: 15).
        learning_rate: Adam's alpha (A.1, for H-Seq2seq; the paper does not say how Seq2seq was trained).
        precision: of the arithmetic: float32, or bfloat16 where PyTorch's autocast takes it for safe.
        accelerator: Lightning's name of the kind of device: auto, cpu, gpu.
        max_time: hours:minutes:seconds after which training stops; null: never.
        patience: epochs without a better validation perplexity after which training stops; null: never (A.1).
        best_epoch: the epoch whose weights are used: the `last` one (A.1: the fifteenth), or the one with the lowest
            perplexity on `validation` stories.
    """

    seed: int = 1
    epochs: int = 15
    learning_rate: float = 0.001
    precision: Literal["32-true", "bf16-mixed"] = "32-true"
    accelerator: str = "auto"
    max_time: str | None = None
    patience: int | None = None
    best_epoch: Literal["last", "validation"] = "last"

    def __post_init__(self) -> None:
        at_least(self, 1, "epochs", "patience")
        at_least(self, 0, "seed")
        above_zero(self, "learning_rate")
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


@dataclass(frozen=True)
class NeuralSettings(TrainingSettings):
    """The settings of all neural generators; the defaults are those of Mori et al. 2019, A.1, where it says.

    Attributes:
        batch_size: stories in a step on each device (the paper does not say).
        beta_1: Adam's decay of the mean gradient (A.1).
        beta_2: Adam's decay of the mean squared gradient (A.1).
        epsilon: Adam's epsilon (A.1).
        softmax: `full`, or `adaptive` (Grave et al. 2017), which is several times faster with a large vocabulary.
        min_count: words that are rarer in the training stories are unknown. With 1 no training story would hold the
            unknown word, so its probability would stay random (the paper does not say).
        max_size: most words in the vocabulary; null: no limit.
        devices: how many devices.
    """

    batch_size: int = 64
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    softmax: Literal["full", "adaptive"] = "full"
    min_count: int = 2
    max_size: int | None = 20_000
    devices: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "min_count", "devices")
        at_least(self, 2, "batch_size")  # batch normalisation needs two contexts
        at_least(self, 6, "max_size")  # the special words and two more
        above_zero(self, "epsilon")
        for name in ("beta_1", "beta_2"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name}: must be at least 0 and below 1, not {getattr(self, name)}")
