"""Which model judges, and how it is asked."""

from dataclasses import dataclass
from typing import Literal

from denouement.language_models.endpoint import Api, address
from denouement.language_models.source import SMOLLM2
from denouement.settings import above_zero, at_least, at_most


@dataclass(frozen=True)
class JudgeSettings:
    """Which model judges, and how it is asked.

    Attributes:
        model: the folder of a language model, a GGUF file, or smollm2; with `base_url` the server's name for it.
        base_url: the address of an OpenAI-compatible endpoint; empty: the model is on this computer.
        api: of a served model: chat, for models that answer messages, or completions, for models that continue a text.
        key_variable: the environment variable that holds the key; a local host needs none.
        temperature: of a served model; 0 takes its likeliest answer. One on this computer has none but 0.
        most_tokens: of an answer with its reason.
        token_limit: what the server calls this limit.
        again: how often an answer that cannot be read is asked for once more.
        requests: sent at the same time.
        timeout: seconds without a byte after which a request is sent again.
        retries: how often a request is sent again where the server is busy or cannot be reached.
        weights: of a model on this computer: float32, or bfloat16, which is faster where the processor has it.
        cache: the file of the answers; None: served.db in the user's folder of caches.
        price_prompt: of a million tokens of prompts, to say what a run cost; None: unknown.
        price_completion: of a million tokens of answers.
    """

    model: str = SMOLLM2
    base_url: str = ""
    api: Api = "chat"
    key_variable: str = "OPENAI_API_KEY"
    temperature: float = 0.0
    most_tokens: int = 200
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 - no password
    again: int = 1
    requests: int = 4
    timeout: float = 60.0
    retries: int = 5
    weights: Literal["float32", "bfloat16"] = "float32"
    cache: str | None = None
    price_prompt: float | None = None
    price_completion: float | None = None

    def __post_init__(self) -> None:
        at_least(self, 0, "temperature", "again", "retries", "price_prompt", "price_completion")
        at_least(self, 1, "requests", "most_tokens")
        at_most(self, 1000, "requests", "retries")
        at_most(self, 10, "again")
        above_zero(self, "timeout")
        if self.base_url:
            address(self.base_url, self.api)
        elif self.temperature:
            raise ValueError("temperature: must be 0 for a model on this computer, whose answer is the likeliest one")
