"""From a generator's word probabilities to endings: greedy, beam and sampled decoding, many contexts at a time."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import torch
from torch import Tensor

from denouement.errors import UserError
from denouement.generators.base import Generator
from denouement.text.vocabulary import END, NEVER_GENERATED, START

Method = Literal["greedy", "beam", "sample"]

# Settings that mean something to one method alone.
_OWNERS: dict[str, Method] = {
    "beam_width": "beam",
    "length_penalty": "beam",
    "temperature": "sample",
    "top_p": "sample",
    "top_k": "sample",
}
# Stands for the log-probability of an END that is forced although the model holds it impossible; finite, so that a
# row without any other word still has a choice.
_FORCED = -1e25
# Rows decoded side by side: more are decoded part by part, since a row takes memory for every word of the vocabulary.
_MOST_ROWS = 2048
_MOST_ENDINGS = 1_000_000


@dataclass(frozen=True)
class Decoding:
    """How endings are chosen. A setting of another method than `method` must keep its default.

    Attributes:
        method: `greedy`, the likeliest word each time; `beam`, the likeliest endings that a beam of partial endings
            finds; `sample`, words drawn at random by their probability.
        beam_width: partial and finished endings kept for each context (beam). Width 1 is greedy decoding.
        length_penalty: alpha of Wu et al. (2016), equation 14 without the coverage term: finished endings are ranked by
            `log_prob / ((5 + n_tokens) / 6) ** alpha` (beam). 0 ranks by probability; more favours longer endings.
        temperature: divides the log-probabilities before drawing (sample). Below 1 sharpens, above 1 flattens.
        top_p: draw from the likeliest words that together hold at least this probability (sample; Holtzman et al.
            2020, section 3.1), measured after temperature and `top_k`; words as likely as the last of them stay too. 1
            keeps all.
        top_k: draw from this many likeliest words (sample; Fan et al. 2018). None keeps all.
        no_repeat_ngram: no sequence of this many words stands twice in an ending. None allows it.
        min_length: words before the ending may end.
        max_length: words after which it is ended.
        seed: of the draws (sample).
    """

    method: Method = "greedy"
    beam_width: int = 5
    length_penalty: float = 0.0
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int | None = None
    no_repeat_ngram: int | None = None
    min_length: int = 1
    max_length: int = 30
    seed: int = 1

    def __str__(self) -> str:
        """In words: the method, what it always asks for, and what else is not the default."""
        always = {"beam": "beam_width", "sample": "seed"}.get(self.method)
        told = (field for field in fields(self) if field.name != "method")
        return ", ".join(
            [
                self.method,
                *(
                    f"{field.name} {getattr(self, field.name):g}"
                    for field in told
                    if field.name == always or getattr(self, field.name) != field.default
                ),
            ]
        )

    def __post_init__(self) -> None:
        if self.method not in ("greedy", "beam", "sample"):
            raise ValueError(f"method: must be greedy, beam or sample, not {self.method!r}")
        for field in fields(self):
            owner = _OWNERS.get(field.name, self.method)
            if owner != self.method and getattr(self, field.name) != field.default:
                raise ValueError(f"{field.name}: belongs to method {owner}, but method is {self.method}")
        _require(1 <= self.beam_width <= 1000, "beam_width", "from 1 to 1000", self.beam_width)
        _require(0 <= self.length_penalty <= 10, "length_penalty", "from 0 to 10", self.length_penalty)
        # What float32 can hold of quotients by it, of _FORCED too.
        _require(1e-9 <= self.temperature <= 1e9, "temperature", "from 1e-9 to 1e9", self.temperature)
        _require(0 < self.top_p <= 1, "top_p", "above 0 and at most 1", self.top_p)
        _require(self.top_k is None or self.top_k >= 1, "top_k", "at least 1", self.top_k)
        _require(self.no_repeat_ngram is None or self.no_repeat_ngram >= 1, "no_repeat_ngram", "at least 1",
                 self.no_repeat_ngram)  # fmt: skip
        _require(self.min_length >= 0, "min_length", "0 or more", self.min_length)
        _require(1 <= self.max_length <= 10_000, "max_length", "from 1 to 10000", self.max_length)
        _require(self.min_length <= self.max_length, "min_length", f"at most max_length, {self.max_length}",
                 self.min_length)  # fmt: skip

    def check_count(self, n: int) -> None:
        """Raise a UserError unless this decoding can give `n` endings for one context."""
        if n < 1:
            raise UserError(f"n: must be at least 1, not {n}")
        if n > _MOST_ENDINGS:
            raise UserError(f"n: must be at most {_MOST_ENDINGS:,}, not {n}")
        if self.method == "greedy" and n > 1:
            raise UserError(f"greedy decoding gives one ending, not {n}: decode with sample or beam for several")
        if self.method == "beam" and n > self.beam_width:
            raise UserError(f"a beam of width {self.beam_width} gives at most as many endings, not {n}: widen it")


def _require(holds: bool, key: str, wanted: str, found: object) -> None:
    if not holds:
        raise ValueError(f"{key}: must be {wanted}, not {found}")


@dataclass(frozen=True)
class Ending:
    """An ending that a generator wrote.

    Attributes:
        text: detokenised, cased.
        words: their ids, without END.
        log_prob: nats, the sum over `words` and END of the model's own log-probabilities: before temperature, top-k and
            top-p, and with the share of words that decoding forbids still in them. It is what `endings.score` gives.
        n_tokens: `len(words) + 1`, since END counts.
    """

    text: str
    words: tuple[int, ...]
    log_prob: float
    n_tokens: int


@dataclass
class _Rows:
    """Endings in the making: R rows, those of one origin side by side.

    An origin is what asks for endings: a context, or for sampling a context and the number of the sample.

    Attributes:
        words: LongTensor [R, words so far].
        log_prob: FloatTensor [R], nats.
        origin: LongTensor [R], ascending.
        room: LongTensor [origins], endings not yet finished that an origin may have.
    """

    words: Tensor
    log_prob: Tensor
    origin: Tensor
    room: Tensor


def decode(
    generator: Generator, contexts: Sequence[Sequence[str]], decoding: Decoding | None = None, n: int = 1
) -> list[list[Ending]]:
    """`n` endings for each context, contexts decoded side by side, as many as memory is sure to hold.

    PAD, START and UNKNOWN are never generated. An ending that reaches `max_length` words without END is ended there and
    END's log-probability counts like any other. Where the settings forbid every word (no n-gram left that is new), the
    ending ends too, even before `min_length`. Finished rows leave the batch. What a context gets depends on nothing
    else in the batch, up to the rounding of sums: a sample's draws are seeded by the seed, the context's text and the
    number of the sample, so equal contexts get equal samples.

    A finished ending takes its place in the beam (Sutskever et al. 2014, section 3.2), so a beam of width 1 is greedy
    decoding and the search stops by itself.

    Args:
        generator: put into evaluation mode.
        contexts: the sentences of each context.
        decoding: greedy by default.
        n: endings for each context: 1 for greedy, up to `beam_width` for beam, any number for sample.

    Returns:
        For each context its endings: the beam's best first (fewer than `n` only if the vocabulary cannot make `n`), or
        samples in the order of their numbers.

    Raises:
        UserError: `n` does not fit the method, or the model's probabilities are not numbers.
    """
    decoding = decoding or Decoding()
    decoding.check_count(n)
    generator.eval()
    rows = {"greedy": 1, "beam": decoding.beam_width, "sample": n}[decoding.method]  # of a context
    together = max(1, _MOST_ROWS // rows)
    size = _MOST_ROWS if decoding.method == "sample" else n
    parts = [range(first, min(first + size, n)) for first in range(0, n, size)]
    decoded: list[list[Ending]] = []
    for start in range(0, len(contexts), together):
        some = contexts[start : start + together]
        found = [_decode(generator, some, decoding, part) for part in parts]
        decoded += [[ending for endings in of_context for ending in endings] for of_context in zip(*found, strict=True)]
    return decoded


@torch.inference_mode()
def _decode(
    generator: Generator, contexts: Sequence[Sequence[str]], decoding: Decoding, numbers: range
) -> list[list[Ending]]:
    """The endings `numbers` of each context: the samples so numbered, or so many of the best that a beam finds."""
    state = generator.start(generator.prepare(contexts))
    device = state[0].device
    copies = len(numbers) if decoding.method == "sample" else 1
    state = tuple(part.repeat_interleave(copies, dim=0) for part in state)
    origins = len(contexts) * copies
    rows = _Rows(
        words=torch.empty(origins, 0, dtype=torch.long, device=device),
        log_prob=torch.zeros(origins, device=device),
        origin=torch.arange(origins, device=device),
        room=torch.full((origins,), decoding.beam_width if decoding.method == "beam" else 1, device=device),
    )
    draws = _draws(contexts, numbers, decoding).to(device) if decoding.method == "sample" else None
    last = torch.full((origins,), START, device=device)
    finished: list[list[Ending]] = [[] for _ in range(origins)]
    for length in range(decoding.max_length + 1):
        log_probs, state = generator.step(last, state)
        allowed = _allowed(log_probs, rows.words, decoding)
        if decoding.method == "beam":
            parents, chosen = _best(allowed, rows)
        else:
            parents = torch.arange(len(allowed), device=device)
            chosen = allowed.argmax(-1) if draws is None else _draw(allowed, draws[rows.origin, length], decoding)
        rows.log_prob = rows.log_prob[parents] + log_probs[parents, chosen]
        rows.words, rows.origin = rows.words[parents], rows.origin[parents]
        ended = chosen == END
        _finish(generator, rows, ended, finished)
        going = ~ended
        last = chosen[going]
        if len(last) == 0:
            break
        rows.words = torch.cat([rows.words[going], last[:, None]], dim=1)
        rows.log_prob, rows.origin = rows.log_prob[going], rows.origin[going]
        state = tuple(part[parents[going]] for part in state)
    if decoding.method == "beam":
        return [sorted(endings, key=lambda ending: -_rank(ending, decoding))[: len(numbers)] for endings in finished]
    return [[ending for endings in finished[i : i + copies] for ending in endings] for i in range(0, origins, copies)]


def _finish(generator: Generator, rows: _Rows, ended: Tensor, finished: list[list[Ending]]) -> None:
    """Add the rows that have `ended` [R] to `finished`, by origin."""
    columns = (rows.words[ended], rows.log_prob[ended], rows.origin[ended])
    for words, log_prob, origin in zip(*(column.tolist() for column in columns), strict=True):
        text = generator.vocabulary.decode(words)
        finished[origin].append(Ending(text, tuple(words), log_prob, len(words) + 1))
    rows.room -= torch.bincount(rows.origin[ended], minlength=len(rows.room))


def _allowed(log_probs: Tensor, words: Tensor, decoding: Decoding) -> Tensor:
    """`log_probs` [R, V] with minus infinity for what may not follow `words` [R, length]; each row keeps a choice."""
    length = words.shape[1]
    allowed = log_probs.clone()
    allowed[:, NEVER_GENERATED] = -torch.inf
    if length >= decoding.max_length:
        allowed[:] = -torch.inf
    if length < decoding.min_length:
        allowed[:, END] = -torch.inf
    if decoding.no_repeat_ngram is not None and length >= decoding.no_repeat_ngram:
        ngrams = words.unfold(1, decoding.no_repeat_ngram, 1)  # [R, ngrams so far, n]
        begun = words[:, None, length - decoding.no_repeat_ngram + 1 :]  # [R, 1, n - 1]
        row, place = (ngrams[:, :, :-1] == begun).all(-1).nonzero(as_tuple=True)
        allowed[row, ngrams[row, place, -1]] = -torch.inf
    best = allowed.amax(-1)
    if best.isnan().any():
        raise UserError("the model's probabilities are not numbers: its training diverged; use another checkpoint")
    stuck = best.isneginf()
    allowed[stuck, END] = log_probs[stuck, END].clamp(min=_FORCED)
    return allowed


def _best(allowed: Tensor, rows: _Rows) -> tuple[Tensor, Tensor]:
    """The likeliest continuations of each origin's rows, as many as it has room for: their parents and their words."""
    width = int(rows.room.max())
    scores, words = (rows.log_prob[:, None] + allowed).topk(min(width, allowed.shape[1]))  # [R, k]: no more can win
    k = scores.shape[1]
    sizes = torch.bincount(rows.origin, minlength=len(rows.room))
    first = sizes.cumsum(0) - sizes
    place = torch.arange(len(scores), device=scores.device) - first[rows.origin]
    table = scores.new_full((len(sizes), int(sizes.max()), k), -torch.inf)
    table[rows.origin, place] = scores
    scores, position = table.flatten(1).topk(min(width, table[0].numel()))
    kept = (torch.arange(scores.shape[1], device=scores.device) < rows.room[:, None]) & ~scores.isneginf()
    parents = first[kept.nonzero()[:, 0]] + position[kept] // k
    return parents, words[parents, position[kept] % k]


def _draw(allowed: Tensor, draws: Tensor, decoding: Decoding) -> Tensor:
    """A word for each row, where its number of `draws` [R] in [0, 1) falls in the cumulative distribution."""
    shares = (allowed / decoding.temperature).double().softmax(-1)
    if decoding.top_k is not None:
        kept, words = shares.topk(min(decoding.top_k, shares.shape[1]))
        shares = torch.zeros_like(shares).scatter(1, words, kept / kept.sum(-1, keepdim=True))
    if decoding.top_p < 1:
        shares = shares.masked_fill(shares < _smallest_kept(shares, decoding.top_p), 0)
    cumulative = shares.cumsum(-1)
    return torch.searchsorted(cumulative, draws[:, None] * cumulative[:, -1:], right=True)[:, 0]


def _smallest_kept(shares: Tensor, top_p: float, head: int = 512) -> Tensor:
    """The share [R, 1] of the word that carries the sum of the likeliest words' `shares` [R, V] to `top_p`.

    Sorting whole rows costs more than a step of the generator, so only their `head` is sorted, and four times as much
    of those where that does not reach `top_p`.
    """
    likeliest = shares.topk(min(head, shares.shape[1])).values
    size = ((likeliest.cumsum(-1) - likeliest) < top_p).sum(-1, keepdim=True)
    smallest = likeliest.gather(1, size - 1)
    longer = likeliest.sum(-1) < top_p
    if head < shares.shape[1] and longer.any():
        smallest[longer] = _smallest_kept(shares[longer], top_p, 4 * head)
    return smallest


def _draws(contexts: Sequence[Sequence[str]], numbers: range, decoding: Decoding) -> Tensor:
    """Uniform numbers in [0, 1), FloatTensor [contexts * samples, max_length + 1], of the samples so numbered.

    A row knows nothing of the others.
    """
    rows = []
    for context in contexts:
        for number in numbers:
            key = json.dumps([decoding.seed, number, *context]).encode()
            seed = int.from_bytes(hashlib.blake2b(key, digest_size=7).digest(), "big")
            rows.append(torch.rand(decoding.max_length + 1, generator=torch.Generator().manual_seed(seed)))
    return torch.stack(rows)


def _rank(ending: Ending, decoding: Decoding) -> float:
    """What beams are ranked by, see `Decoding.length_penalty`."""
    return ending.log_prob / float(((5 + ending.n_tokens) / 6) ** decoding.length_penalty)
