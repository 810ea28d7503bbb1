"""Which weights of a language model a fine-tuning changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torch import Tensor

from denouement.errors import UserError, first_line
from denouement.language_models.source import INSTALL

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from denouement.generators.causal.settings import FineTuningSettings


def make_trainable(network: PreTrainedModel, settings: FineTuningSettings) -> None:
    """Add adapters where the settings ask for them, and let the weights that they name, no others, require gradients.

    Raises:
        UserError: peft is missing, or no layer has the name of `targets`.
    """
    network.requires_grad_(settings.method == "full")
    if settings.method == "lora":
        _add_adapters(network, settings)
    elif settings.freeze_embeddings:
        network.get_input_embeddings().requires_grad_(False)


def trained_weights(network: PreTrainedModel) -> dict[str, Tensor]:
    """The weights that the fine-tuning changes, by name. A weight that two layers share is there once."""
    return {name: weight.detach() for name, weight in network.named_parameters() if weight.requires_grad}


def put_weights(network: PreTrainedModel, weights: Mapping[str, Tensor]) -> None:
    """Put weights that `trained_weights` returned into a network that `make_trainable` has prepared.

    Raises:
        ValueError: the weights of another network or of other settings.
    """
    wanted = {name: weight.shape for name, weight in trained_weights(network).items()}
    if wanted != {name: weight.shape for name, weight in weights.items()}:
        raise ValueError(f"its {len(weights)} trained weights are not those of its model and settings")
    network.load_state_dict(dict(weights), strict=False)


def _add_adapters(network: PreTrainedModel, settings: FineTuningSettings) -> None:
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError as error:
        raise UserError(f"{error.name} is missing, which method lora needs: install it with `{INSTALL}`") from error
    config = LoraConfig(
        r=settings.rank, lora_alpha=settings.alpha, lora_dropout=0.0, target_modules=settings.targets, bias="none"
    )
    try:
        inject_adapter_in_model(config, network)
    except ValueError as error:
        raise UserError(f"targets: {settings.targets!r} fits no layer of the model ({first_line(error)})") from error
