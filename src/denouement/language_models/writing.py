"""Texts that a language model writes after others.

What all prompts begin with is read once, each prompt once however many texts are drawn after it, and the texts of many
prompts are written side by side; those that have ended leave the batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from denouement.console import progress, warn
from denouement.errors import UserError
from denouement.language_models.model import LanguageModel
from denouement.text.sentences import split_sentences

if TYPE_CHECKING:
    from denouement.language_models.key_values import KeysAndValues

_TOKENS = 24_576  # of the texts that are written side by side, prompts included: 1.1 GB of keys and values in SmolLM2
_SHARED = 16  # at least so many tokens that all prompts begin with are read apart
_WORTH_LEAVING = 0.875  # the rows that ended leave when no more than this share goes on: leaving copies those
_BLOCK = 256
_LIKELIEST = 512  # of which a nucleus seldom needs more


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

    A text ends at the model's own end of a text, at a line break, or where a second sentence begins. The first two are
    not drawn before there is something to read, however likely they are. What is drawn
    depends on the prompt, the seed and the number of the draw alone, whatever else is written in the same call.

    Raises:
        UserError: `most_tokens` are more than the model can read.
    """
    ids = _read_as(model, prompts, sampling.most_tokens)
    n_shared = _n_shared(ids) if len(ids) > 1 else 0
    shared, rests = ids[0][:n_shared] if ids else [], [each[n_shared:] for each in ids]
    found: list[list[Continuation]] = [[] for _ in prompts]
    with model.running():
        begun = _cache(model, n_shared)
        if n_shared:
            model.network(input_ids=torch.tensor([shared], device=model.device), cache=begun, logits_to_keep=1)
        for batch in progress(list(_batches(rests, n_shared + sampling.most_tokens, n)), "writing", unit="batch"):
            texts = [_Text(at, _uniform(sampling, prompts[at], number)) for at, numbers in batch for number in numbers]
            _write(model, texts, rests, begun, sampling)
            for text in texts:
                found[text.prompt].append(text.finished(model))
    return found


@dataclass
class _Text:
    """A text while it is written.

    Attributes:
        prompt: after which one.
        draws: one number of [0, 1) for each draw.
        tokens, log_probs: so far.
        begun: whether there is something to read among them.
    """

    prompt: int
    draws: npt.NDArray[np.float64]
    tokens: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    begun: bool = False

    def take(self, token: int, log_prob: float, model: LanguageModel) -> bool:
        """Add a token; whether the text goes on after it."""
        if token in model.ends:
            return False
        self.tokens.append(token)
        self.log_probs.append(log_prob)
        text = model.decode(self.tokens)
        self.begun = bool(text.strip())
        if "\n" in text:
            if model.decode(self.tokens[:-1]) == text.partition("\n")[0]:  # the token is nothing but the break
                self._drop()
            return False
        if len(split_sentences(text)) < 2:
            return True
        while len(split_sentences(text)) > 1 or text.endswith(" "):
            self._drop()
            text = model.decode(self.tokens)
        return False

    def finished(self, model: LanguageModel) -> Continuation:
        """The text as it is so far, up to a line break."""
        return Continuation(model.decode(self.tokens).partition("\n")[0], sum(self.log_probs), len(self.tokens))

    def _drop(self) -> None:
        self.tokens.pop()
        self.log_probs.pop()


def _read_as(model: LanguageModel, prompts: Sequence[str], most_tokens: int) -> list[Sequence[int]]:
    """The tokens of each prompt; of those that are too long the last ones, and this is said."""
    ids: list[Sequence[int]] = [[*model.before, *model.tokens(each)] or [model.start] for each in prompts]
    if not model.window:
        return ids
    most, given = model.window - most_tokens, model.source.given
    if most < 1:
        raise UserError(f"most_tokens: at most {model.window - 1:,}, since {given} reads no more at once")
    if n_cut := sum(len(each) > most for each in ids):
        what = "prompt is" if n_cut == 1 else "prompts are"
        warn(f"{n_cut:,} {what} longer than the {most:,} tokens that {given} reads: only the ends are read")
    return [each[-most:] for each in ids]


def _n_shared(ids: Sequence[Sequence[int]]) -> int:
    """How many tokens all prompts begin with, but for the last of each; 0 where they are few."""
    least = min(map(len, ids)) - 1
    columns = zip(*(each[:least] for each in ids), strict=True)
    n = next((at for at, column in enumerate(columns) if len(set(column)) > 1), least)
    return n if n >= _SHARED else 0


def _batches(ids: Sequence[Sequence[int]], more: int, n: int) -> Iterator[list[tuple[int, range]]]:
    """Which draws after which prompts are written side by side: after prompts of similar length, the longest first.

    Args:
        ids: the tokens of each prompt that are its own.
        more: the tokens of a text besides.
        n: draws after each prompt.
    """
    batch: list[tuple[int, range]] = []
    rows = most = 0
    for at in sorted(range(len(ids)), key=lambda at: -len(ids[at])):
        begin = 0
        while begin < n:
            if rows >= most:
                if batch:
                    yield batch
                batch, rows, most = [], 0, max(1, _TOKENS // (len(ids[at]) + more))
            taken = min(n - begin, most - rows)
            batch.append((at, range(begin, begin + taken)))
            begin, rows = begin + taken, rows + taken
    if batch:
        yield batch


def _uniform(sampling: Sampling, prompt: str, number: int) -> npt.NDArray[np.float64]:
    """The numbers that decide a draw, which are those of this prompt and number in any call."""
    of_prompt = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:8])
    return np.random.default_rng([sampling.seed, of_prompt, number]).random(sampling.most_tokens)


def _cache(model: LanguageModel, room: int) -> KeysAndValues:
    from denouement.language_models.key_values import KeysAndValues

    return KeysAndValues(len(model.layers), room)


def _write(
    model: LanguageModel, texts: Sequence[_Text], ids: Sequence[Sequence[int]], begun: KeysAndValues, sampling: Sampling
) -> None:
    """Write texts to their ends.

    Args:
        model: the language model.
        texts: those of one prompt come one after another.
        ids: the tokens of each prompt, without those in `begun`.
        begun: of what all prompts begin with; empty where that is nothing.
        sampling: how tokens are drawn.
    """
    prompts = list(dict.fromkeys(text.prompt for text in texts))
    of_prompts = [ids[at] for at in prompts]
    cache = _cache(model, begun.get_seq_length() + max(map(len, of_prompts)) + sampling.most_tokens)
    batch = _read(model, of_prompts, begun, cache)
    batch.select([prompts.index(text.prompt) for text in texts])
    writing: list[_Text | None] = [*texts]  # None has ended
    for step in range(sampling.most_tokens):
        log_probs = torch.log_softmax(batch.logits, -1)
        draws = torch.tensor([text.draws[step] if text else 0.0 for text in writing], device=model.device)
        is_blank = [text is not None and not text.begun for text in writing]
        drawn = _drawn(_of_beginnings(log_probs, is_blank, model) if any(is_blank) else log_probs, sampling, draws)
        of_drawn = log_probs.gather(1, drawn[:, None])[:, 0]
        for row, (token, log_prob) in enumerate(zip(drawn.tolist(), of_drawn.tolist(), strict=True)):
            text = writing[row]
            if text and not text.take(token, log_prob, model):
                writing[row] = None
        rows = [row for row, text in enumerate(writing) if text]
        if not rows or step == sampling.most_tokens - 1:
            return
        if len(rows) < _WORTH_LEAVING * len(writing):
            batch.select(rows)
            writing, drawn = [writing[row] for row in rows], drawn[rows]
        batch.go_on(model, drawn)


@dataclass
class _Batch:
    """What is known of rows: keys and values, which of them a row sees, how long each is, and what may come next."""

    cache: KeysAndValues
    sees: torch.Tensor
    lengths: torch.Tensor
    logits: torch.Tensor

    def select(self, rows: Sequence[int]) -> None:
        """Keep these rows, in this order; the same one may come several times."""
        kept = torch.tensor(rows)
        on_device = kept.to(self.logits.device)
        self.cache.select(on_device)
        self.sees, self.lengths, self.logits = self.sees[kept], self.lengths[kept], self.logits[on_device]

    def go_on(self, model: LanguageModel, tokens: torch.Tensor) -> None:
        """Read one more token of each row."""
        self.sees = torch.cat([self.sees, torch.ones((len(tokens), 1), dtype=torch.bool)], 1)
        self.logits = model.network(
            input_ids=tokens[:, None],
            position_ids=self.lengths[:, None].to(model.device),
            attention_mask=model.mask(self.sees[:, None]),
            cache=self.cache,
            logits_to_keep=1,
        ).logits[:, -1].float()  # fmt: skip
        self.lengths = self.lengths + 1


def _read(model: LanguageModel, ids: Sequence[Sequence[int]], begun: KeysAndValues, cache: KeysAndValues) -> _Batch:
    """Read what each prompt has of its own, after what is in `begun`; all prompts end at the same column."""
    width, n_begun = max(map(len, ids)), begun.get_seq_length()
    padded = torch.full((len(ids), width), model.start)
    positions = torch.zeros((len(ids), width), dtype=torch.long)
    sees = torch.zeros((len(ids), width, n_begun + width), dtype=torch.bool)
    sees[:, :, :n_begun] = True
    for row, of_row in enumerate(ids):
        first = width - len(of_row)
        padded[row, first:] = torch.tensor(of_row)
        positions[row, first:] = torch.arange(n_begun, n_begun + len(of_row))
        sees[row, first:, n_begun + first :] = torch.ones((len(of_row), len(of_row)), dtype=torch.bool).tril()
    if n_begun:
        cache.begin_with(begun, len(ids))
    logits = model.network(
        input_ids=padded.to(model.device),
        position_ids=positions.to(model.device),
        attention_mask=model.mask(sees),
        cache=cache,
        logits_to_keep=1,
    ).logits[:, -1].float()  # fmt: skip
    return _Batch(cache, sees[:, -1], positions[:, -1] + 1, logits)


def _of_beginnings(log_probs: torch.Tensor, is_blank: Sequence[bool], model: LanguageModel) -> torch.Tensor:
    """The log-probabilities [rows, vocabulary], in rows that are blank those given that a text begins now."""
    is_never = torch.ones(log_probs.shape[-1], dtype=torch.bool)  # a network may have outputs that are no token
    is_never[: len(model.never_first)] = model.never_first
    beginnings = torch.log_softmax(log_probs.masked_fill(is_never.to(log_probs.device), -torch.inf), -1)
    return torch.where(torch.tensor(is_blank, device=log_probs.device)[:, None], beginnings, log_probs)


def _drawn(log_probs: torch.Tensor, sampling: Sampling, draws: torch.Tensor) -> torch.Tensor:
    """The next token of each row, int64 [rows].

    Args:
        log_probs: float32 [rows, vocabulary].
        sampling: how tokens are drawn.
        draws: a number of [0, 1) for each row, float64.
    """
    if not sampling.temperature:
        return log_probs.argmax(-1)
    scaled = log_probs if sampling.temperature == 1 else log_probs / sampling.temperature
    if sampling.top_k is not None:
        least = scaled.topk(min(sampling.top_k, scaled.shape[-1])).values[:, -1:]
        scaled = scaled.masked_fill(scaled < least, -torch.inf)
    probs = scaled.exp() if scaled is log_probs else scaled.softmax(-1)
    if sampling.top_p < 1:
        probs = probs.masked_fill(probs < _least_of_nucleus(probs, sampling.top_p), 0)
    return _at(probs, draws)


def _at(probs: torch.Tensor, draws: torch.Tensor) -> torch.Tensor:
    """Where the running sum of each row of `probs` exceeds that share of its total that `draws` says.

    It runs in the order of the vocabulary, so that rounding hardly ever gives another token; first over blocks, since a
    sum of each prefix takes ten times as long as one of each block.
    """
    blocks = torch.nn.functional.pad(probs, (0, -probs.shape[-1] % _BLOCK)).reshape(len(probs), -1, _BLOCK)
    totals = blocks.sum(-1, dtype=torch.float64)
    sums = totals.cumsum(-1)
    wanted = draws[:, None] * sums[:, -1:]
    block = torch.searchsorted(sums, wanted, right=True).clamp_(max=sums.shape[-1] - 1)
    rows = torch.arange(len(probs), device=probs.device)
    within = blocks[rows, block[:, 0]].cumsum(-1, dtype=torch.float64)
    place = torch.searchsorted(within, wanted - (sums - totals).gather(1, block), right=True).clamp_(max=_BLOCK - 1)
    return (block * _BLOCK + place)[:, 0].clamp_(max=probs.shape[-1] - 1)


def _least_of_nucleus(probs: torch.Tensor, top_p: float) -> torch.Tensor:
    """The least probability of those likeliest tokens that together hold `top_p`, [rows, 1]."""
    likeliest = probs.topk(min(_LIKELIEST, probs.shape[-1])).values
    if bool((likeliest.sum(-1) < top_p).any()):
        likeliest = probs.sort(descending=True).values
    before = likeliest.cumsum(-1) - likeliest
    return likeliest.masked_fill(before >= top_p, torch.inf).amin(-1, keepdim=True)
