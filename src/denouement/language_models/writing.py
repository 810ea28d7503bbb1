"""Texts that a language model writes after others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from denouement.language_models.model import LanguageModel


@dataclass(frozen=True)
class Continuation:
    """A text that the model wrote.

    Attributes:
        text: without special tokens.
        log_prob: of its tokens, in nats, under the model as it is (temperature 1, all tokens).
        n_tokens: how many there are.
    """

    text: str
    log_prob: float
    n_tokens: int


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn.

    Attributes:
        temperature: divides the logits; 0 takes the likeliest token each time.
        top_p: draw from the likeliest tokens that together hold at least this probability.
        top_k: draw from this many likeliest tokens; None: all.
        most_tokens: after which a text ends.
        seed: of the draws.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int | None = None
    most_tokens: int = 60
    seed: int = 1


def continuations(
    model: LanguageModel, prompts: Sequence[str], sampling: Sampling, n: int = 1
) -> list[list[Continuation]]:
    """`n` continuations of each prompt, in the order in which they were drawn.

    A text ends at the model's own end of a text, at a line break, or where a second sentence begins.
    """
    found = []
    for at, prompt in enumerate(prompts):
        draws = torch.Generator().manual_seed(sampling.seed + at)
        found.append(_of_one(model, model.tokens(prompt) or [model.start], sampling, n, draws))
    return found


def _of_one(
    model: LanguageModel, ids: Sequence[int], sampling: Sampling, n: int, draws: torch.Generator
) -> list[Continuation]:
    from transformers import DynamicCache

    cache = DynamicCache()
    written: list[list[int]] = [[] for _ in range(n)]
    sums = torch.zeros(n, dtype=torch.float64)
    ended = [False] * n
    with torch.inference_mode():
        logits = model.network(input_ids=torch.tensor([ids]), cache=cache, logits_to_keep=1).logits[:, -1]
        cache.batch_repeat_interleave(n)
        logits = logits.repeat(n, 1)
        for _ in range(sampling.most_tokens):
            log_probs = torch.log_softmax(logits.float(), -1)
            drawn = _drawn(log_probs, sampling, draws)
            for at, token in enumerate(drawn.tolist()):
                if ended[at]:
                    continue
                piece = model.tokenizer.decode([token])
                if token in model.ends or "\n" in piece:
                    ended[at] = True
                    continue
                written[at].append(token)
                sums[at] += float(log_probs[at, token])
            if all(ended):
                break
            logits = model.network(input_ids=drawn[:, None], cache=cache, logits_to_keep=1).logits[:, -1]
    return [
        Continuation(model.tokenizer.decode(tokens), float(total), len(tokens))
        for tokens, total in zip(written, sums, strict=True)
    ]


def _drawn(log_probs: torch.Tensor, sampling: Sampling, draws: torch.Generator) -> torch.Tensor:
    """The next token of each text, int64 [n]."""
    if not sampling.temperature:
        return log_probs.argmax(-1)
    scaled = torch.log_softmax(log_probs / sampling.temperature, -1)
    if sampling.top_k is not None:
        least = scaled.topk(min(sampling.top_k, scaled.shape[-1])).values[:, -1:]
        scaled = scaled.masked_fill(scaled < least, -torch.inf)
    if sampling.top_p < 1:
        ordered, places = scaled.softmax(-1).sort(descending=True)
        before = ordered.cumsum(-1) - ordered
        scaled = scaled.masked_fill((before >= sampling.top_p).gather(-1, places.argsort(-1)), -torch.inf)
    return torch.multinomial(scaled.softmax(-1), 1, generator=draws)[:, 0]
