"""A language model made elsewhere that was fine-tuned to end stories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from denouement import settings as settings_module
from denouement.generators.base import GeneratorSettings, OnEpoch
from denouement.generators.causal.generator import CausalGenerator, read_base
from denouement.generators.causal.settings import FineTuningSettings
from denouement.generators.causal.weights import make_trainable, put_weights, trained_weights
from denouement.generators.history import History
from denouement.language_models.model import LanguageModel


class FineTunedModel(CausalGenerator):
    """A fine-tuned language model. It continues the context alone, and the token that ends an ending counts in scores.

    Its checkpoint has the weights that were trained, and the digest of the model that has the others.
    """

    name: ClassVar[str] = "fine_tuned"
    settings_class: ClassVar[type[GeneratorSettings]] = FineTuningSettings

    settings: FineTuningSettings

    def __init__(self, settings: FineTuningSettings, model: LanguageModel) -> None:
        self.settings = settings
        self.model = model
        of_tokenizer = model.tokenizer.eos_token_id
        self.end = str(model.tokenizer.convert_ids_to_tokens(model.start if of_tokenizer is None else of_tokenizer))

    @classmethod
    def fit(
        cls,
        settings: FineTuningSettings,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """See `Generator`, and `causal.training.fine_tune`."""
        from denouement.generators.causal.training import fine_tune

        return fine_tune(cls, settings, stories, folder, on_epoch)

    def checkpoint(self) -> dict[str, Any]:
        """See `Generator`. The trained weights are under `state_dict`."""
        described = {
            "name": self.name,
            "kind": self.kind,
            "settings": asdict(self.settings),
            "architecture": {"digest": self.model.source.digest},
        }
        return {"state_dict": trained_weights(self.model.network), "generator": described}

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> FineTunedModel:
        """See `Generator`."""
        described = checkpoint["generator"]
        settings = settings_module.build(FineTuningSettings, described["settings"], "settings")
        model = read_base(settings.model, described["architecture"]["digest"], device)
        make_trainable(model.network, settings)
        put_weights(model.network, checkpoint["state_dict"])
        model.network.eval()
        return cls(settings, model)
