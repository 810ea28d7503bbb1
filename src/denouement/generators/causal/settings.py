"""Settings of the fine-tuning of a language model."""

from dataclasses import dataclass, fields
from typing import Literal

from denouement.generators.neural.settings import TrainingSettings
from denouement.language_models.source import SMOLLM2
from denouement.settings import above_zero, at_least

_LORA = ("rank", "alpha", "targets")


@dataclass(frozen=True)
class FineTuningSettings(TrainingSettings):
    """Settings of a fine-tuning.

    Attributes:
        epochs: passes over the training stories.
        learning_rate: Adam's alpha after the warm-up. Adapters need a higher one than all weights: 0.0002 or more.
        best_epoch: the epoch whose weights are used: the `last` one, or the one with the lowest perplexity on
            `validation` stories.
        model: the folder of a language model, a GGUF file, or smollm2.
        method: `full` changes the model's own weights; `lora` (Hu et al. 2022) leaves them and learns small adapters.
        batch_tokens: tokens in a step, padding included.
        warmup: the share of all steps over which the learning rate rises from 0; then it falls to 0.
        freeze_embeddings: whether the weights of words stay as they are (full), with those of the output layer where
            the model shares them. They are a fifth of the weights of SmolLM2.
        rank: of the adapters (lora).
        alpha: alpha / rank scales what the adapters add (lora).
        targets: the layers with adapters: all-linear, which leaves out the output layer, or a regular expression
            that a layer's name matches as a whole, such as .*(q_proj|v_proj) (lora).
    """

    epochs: int = 3
    learning_rate: float = 0.00005
    best_epoch: Literal["last", "validation"] = "validation"
    model: str = SMOLLM2
    method: Literal["full", "lora"] = "full"
    batch_tokens: int = 2048
    warmup: float = 0.1
    freeze_embeddings: bool = True
    rank: int = 16
    alpha: float = 32
    targets: str = "all-linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(self, 1, "batch_tokens", "rank")
        above_zero(self, "alpha")
        if not 0 <= self.warmup < 1:
            raise ValueError(f"warmup: must be at least 0 and below 1, not {self.warmup}")
        of_other = _LORA if self.method == "full" else ("freeze_embeddings",)
        for setting in fields(self):
            if setting.name in of_other and getattr(self, setting.name) != setting.default:
                raise ValueError(f"{setting.name}: does not belong to method {self.method}")
