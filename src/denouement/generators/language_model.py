"""A language model made elsewhere, as it is: it continues the context, or answers after some example stories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from denouement import settings as settings_module
from denouement.errors import UserError
from denouement.generators.base import BEST, Context, GeneratorSettings, OnEpoch
from denouement.generators.causal.generator import CausalGenerator, read_base
from denouement.generators.checkpoints import save_generator
from denouement.generators.copying import read_training, without_epochs
from denouement.generators.history import Counts, History
from denouement.language_models import prompts
from denouement.language_models.model import LanguageModel, Precision, load
from denouement.language_models.source import SMOLLM2
from denouement.settings import at_least


@dataclass(frozen=True)
class PromptedSettings(GeneratorSettings):
    """Settings of `PromptedModel`.

    Attributes:
        model: the folder of a language model, a GGUF file, or smollm2.
        prompt: `plain`, the context alone; `few_shot`, an instruction and example stories before it.
        chat: whether these are a chat where the model has a template of chats, or else one text (few_shot).
        shots: example stories, drawn from the training stories (few_shot).
        prompt_seed: of their draw (few_shot).
        weights: what they are in memory: float32, or bfloat16, which is faster where the processor has it.
    """

    model: str = SMOLLM2
    prompt: prompts.Kind = "plain"
    chat: bool = True
    shots: int = 5
    prompt_seed: int = 1
    weights: Precision = "float32"

    def __post_init__(self) -> None:
        at_least(self, 0, "shots", "prompt_seed")

    def of_prompt(self) -> prompts.Prompt:
        """The settings of the prompt alone."""
        return prompts.Prompt(self.prompt, self.shots, self.prompt_seed)


class PromptedModel(CausalGenerator):
    """A language model as it is. Nothing is learned: only the example stories of its prompt are from the corpus."""

    name: ClassVar[str] = "language_model"
    settings_class: ClassVar[type[GeneratorSettings]] = PromptedSettings

    settings: PromptedSettings

    def __init__(self, settings: PromptedSettings, model: LanguageModel, examples: Sequence[Sequence[str]]) -> None:
        """Make a generator.

        Args:
            settings: of the generator.
            model: the language model that they name.
            examples: the stories of the prompt, each with its ending last.

        Raises:
            ValueError: another number of examples than the settings ask for.
        """
        self.settings = settings
        super().__init__(model)
        self._examples = [list(story) for story in examples]
        self._prompts = prompts.build(settings.of_prompt(), examples)

    @classmethod
    def fit(
        cls,
        settings: PromptedSettings,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """See `Generator`. There are no epochs: the examples are drawn, and the checkpoint names the model."""
        training, counts = read_training(stories)
        try:
            examples = prompts.draw(settings.of_prompt(), training["sentences"].to_pylist())
        except ValueError as error:
            raise UserError(f"{stories}: {error}") from error
        save_generator(cls(settings, load(settings.model, device="cpu"), examples), folder / BEST)
        return without_epochs(cls.name, Counts(len(examples), counts.validation))

    def checkpoint(self) -> dict[str, Any]:
        """See `Generator`. The weights stay where they are: the checkpoint has their digest."""
        described = {
            "name": self.name,
            "kind": self.kind,
            "settings": asdict(self.settings),
            "architecture": {"digest": self.model.source.digest},
        }
        return {"generator": described, "examples": self._examples}

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> PromptedModel:
        """See `Generator`."""
        described = checkpoint["generator"]
        settings = settings_module.build(PromptedSettings, described["settings"], "settings")
        model = read_base(settings.model, described["architecture"]["digest"], device, settings.weights)
        return cls(settings, model, checkpoint["examples"])

    def prompt(self, context: Context) -> str:
        """What the model continues: the context, one text with an instruction and examples, or a chat."""
        if self.settings.prompt == "few_shot" and self.settings.chat and self.model.tokenizer.chat_template:
            messages = self._prompts.messages(context)
            return str(self.model.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
        return self._prompts(context)
