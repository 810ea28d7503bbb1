"""A served model: endings by a language model behind an OpenAI-compatible endpoint, on any host.

Answers are kept by content (`language_models.answers`), so a run that was killed goes on where it was, and the same
settings give the same endings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from denouement import settings as settings_module
from denouement.errors import UserError
from denouement.generators.base import BEST, Context, Ending, Generator, GeneratorSettings, OnEpoch, check_contexts
from denouement.generators.checkpoints import save_generator
from denouement.generators.copying import read_training, without_epochs
from denouement.generators.decoding import Decoding
from denouement.generators.history import History
from denouement.language_models import prompts
from denouement.language_models.answers import usual_place
from denouement.language_models.asking import Connection, Tally, ask_all
from denouement.language_models.endpoint import Api, address
from denouement.language_models.one_sentence import WrittenSentence, first_sentence, without_ending
from denouement.settings import above_zero, at_least, at_most

_TOKENS_A_WORD = 2  # more than the words of any English sentence need on average
_NOT_SERVED = ("beam_width", "length_penalty", "top_k", "no_repeat_ngram", "min_length")


@dataclass(frozen=True)
class ServedSettings(GeneratorSettings):
    """Settings of `Served`.

    Attributes:
        base_url: address of the endpoint, such as http://localhost:8000/v1.
        model: name of the model, as the server calls it.
        api: chat, for models that answer messages, or completions, for models that continue a text.
        key_variable: environment variable that holds the key; a local host needs none.
        prompt: few_shot, an instruction and example stories before the context, or plain, the context alone.
        shots: example stories of the training split (few_shot).
        prompt_seed: of their draw.
        token_limit: what the server calls the limit of an answer's tokens, which is 2 for each word of max_length.
        requests: sent at the same time.
        timeout: seconds without a byte after which a request is sent again.
        retries: how often a request is sent again where the server is busy or cannot be reached.
        cache: file of the answers; null: served.db in the user's folder of caches.
        price_prompt: of a million tokens of prompts, to say what a run cost; null: unknown.
        price_completion: of a million tokens of answers.
    """

    base_url: str = ""
    model: str = ""
    api: Api = "chat"
    key_variable: str = "OPENAI_API_KEY"
    prompt: prompts.Kind = "few_shot"
    shots: int = 5
    prompt_seed: int = 1
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 - no password
    requests: int = 4
    timeout: float = 60.0
    retries: int = 5
    cache: str | None = None
    price_prompt: float | None = None
    price_completion: float | None = None

    def __post_init__(self) -> None:
        at_least(self, 0, "shots", "prompt_seed", "retries", "price_prompt", "price_completion")
        at_least(self, 1, "requests")
        at_most(self, 1000, "requests", "retries")
        above_zero(self, "timeout")
        if self.base_url:
            address(self.base_url, self.api)

    @property
    def prompts(self) -> prompts.Prompt:
        """Which prompts the model gets."""
        return prompts.Prompt(self.prompt, self.shots, self.prompt_seed)


class Served(Generator):
    """Endings by a served model: the first sentence of each answer.

    Greedy decoding asks for temperature 0; sampling passes temperature, top_p and seed on. Other settings of decoding
    are refused by name. An answer that is empty, repeats the story or refuses gives no ending; `notes` counts them, and
    the tokens. There are no probabilities.
    """

    name: ClassVar[str] = "served"
    settings_class: ClassVar[type[GeneratorSettings]] = ServedSettings
    decodes: ClassVar[bool] = True

    settings: ServedSettings

    def __init__(self, settings: ServedSettings, examples: Sequence[Sequence[str]]) -> None:
        """Make a generator that shows these example stories."""
        self.settings = settings
        self._examples = [list(story) for story in examples]
        self._prompts = prompts.build(settings.prompts, self._examples)
        self._url = address(settings.base_url, settings.api)
        self._forget()

    @classmethod
    def fit(
        cls,
        settings: ServedSettings,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """See `Generator`. It draws the example stories; nothing is sent."""
        if lacking := [name for name in ("base_url", "model") if not getattr(settings, name)]:
            raise UserError(f"{cls.name} needs the setting {' and '.join(lacking)}: which model, and where it is")
        training, counts = read_training(stories)
        try:
            examples = prompts.draw(settings.prompts, training["sentences"].to_pylist())
        except ValueError as error:
            raise UserError(f"{stories}: {error}") from error
        save_generator(cls(settings, examples), folder / BEST)
        return without_epochs(cls.name, counts)

    def checkpoint(self) -> dict[str, Any]:
        """See `Generator`."""
        return {
            "generator": {"name": self.name, "kind": self.kind, "settings": asdict(self.settings)},
            "examples": self._examples,
        }

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> Served:
        """See `Generator`. `device` is ignored."""
        settings = settings_module.build(ServedSettings, checkpoint["generator"]["settings"], "settings")
        examples = checkpoint["examples"]
        if not all(isinstance(sentence, str) for story in examples for sentence in story):
            raise TypeError("its example stories are no texts")
        return cls(settings, examples)

    @classmethod
    def check(cls, decoding: Decoding, n: int) -> None:
        """See `Generator`: refuse what such a server has no setting for."""
        refused = [name for name in decoding.changed if name in _NOT_SERVED]
        if decoding.method == "beam":
            refused = ["method beam", *refused]
        if refused:
            raise UserError(f"{cls.name}: a served model takes no {', '.join(refused)}; decode with greedy or sample")
        super().check(decoding, n)

    def expect(self, contexts: Sequence[Context]) -> None:
        """See `Generator`: what `notes` counts begins here."""
        self._forget()

    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """See `Generator`; a context whose answers give no ending has fewer, or none.

        Raises:
            UserError: as there; a server that cannot be reached or refuses, or a cache that cannot be written. What was
                answered before is kept.
        """
        decoding = decoding or Decoding()
        self.check(decoding, n)
        check_contexts(contexts)
        settings = self.settings
        connection = Connection(
            self._url,
            settings.key_variable,
            settings.timeout,
            settings.retries,
            settings.requests,
            Path(settings.cache) if settings.cache else usual_place(),
        )
        answers = ask_all(connection, [self._body(context, decoding, n) for context in contexts], self._tally)
        endings = []
        for context, answer in zip(contexts, answers, strict=True):
            written = [first_sentence(text, context) for text in answer.texts[:n]]
            written += [WrittenSentence(None, "empty")] * (n - len(written))  # a server may give fewer than asked for
            self._written += written
            endings.append([Ending(each.text) for each in written if each.text is not None])
        self._without += endings.count([])
        return endings

    def notes(self) -> list[str]:
        """See `Generator`: how many answers and tokens there were, what they cost, and what gave no ending."""
        said = [f"{self.name}: {self._tally.told(self.settings.price_prompt, self.settings.price_completion)}"]
        if failed := without_ending(self._written):
            said.append(f"{self.name}: {failed}; contexts without any ending: {self._without:,}")
        return said

    def _body(self, context: Context, decoding: Decoding, n: int) -> dict[str, Any]:
        """The request for a context."""
        settings = self.settings
        body: dict[str, Any] = {
            "model": settings.model,
            "n": n,
            "temperature": 0.0,
            settings.token_limit: _TOKENS_A_WORD * decoding.max_length,
        }
        if decoding.method == "sample":
            body |= {"temperature": decoding.temperature, "top_p": decoding.top_p, "seed": decoding.seed}
        if settings.api == "chat":
            return body | {"messages": self._prompts.messages(context)}
        another_story = {"stop": ["\n\n", "\nStory:"]} if settings.prompt == "few_shot" else {}
        return body | {"prompt": self._prompts(context), **another_story}

    def _forget(self) -> None:
        """Count from nothing."""
        self._written: list[WrittenSentence] = []
        self._without = 0
        self._tally = Tally()
