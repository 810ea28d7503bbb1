"""From word probabilities to endings: greedy, beam and sampled decoding, many contexts at a time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from denouement.errors import UserError
from denouement.generators.base import Ending
from denouement.generators.decoding import Decoding
from denouement.text.vocabulary import END, NEVER_GENERATED, START

if TYPE_CHECKING:
    from denouement.generators.neural.decoder import NeuralGenerator

# The log-probability of an END that is forced though the model gives it probability 0. It is finite, so that a row
# without any other word can still choose it.
_FORCED = -1e25
# The most rows decoded at once, since each row takes memory for every word of the vocabulary.
_MOST_ROWS = 2048


@dataclass(frozen=True)
class DecodedEnding(Ending):
    """An ending that was decoded word by word.

    Attributes:
        words: their ids, without END.
        log_prob: nats, the sum over `words` and END of the model's own log-probabilities: before temperature, top-k and
            top-p, and without excluding words that decoding forbids. `score` returns the same.
        n_tokens: `len(words) + 1`, since END counts.
    """

    log_prob: float
    n_tokens: int
    words: tuple[int, ...] = ()


@dataclass
class _Rows:
    """Unfinished endings: R rows, those of one origin next to each other.

    An origin is a context; in sampling, a context and the number of a sample.

    Attributes:
        words: LongTensor [R, words so far].
        log_prob: FloatTensor [R], nats.
        origin: LongTensor [R], ascending.
        room: LongTensor [origins], how many unfinished endings an origin may have.
    """

    words: Tensor
    log_prob: Tensor
    origin: Tensor
    room: Tensor


def decode(
    generator: NeuralGenerator, contexts: Sequence[Sequence[str]], decoding: Decoding | None = None, n: int = 1
) -> list[list[DecodedEnding]]:
    """`n` endings for each context; as many contexts are decoded together as surely fit into memory.

    PAD, START and UNKNOWN are never generated. An ending that reaches `max_length` words without END is ended there and
    END's log-probability counts like any other. Where the settings forbid every word (each would repeat an n-gram), the
    ending ends too, even before `min_length`. Finished rows leave the batch. A context's endings do not depend on the
    rest of the batch, up to the rounding of sums: the seed, the context's text and the number of the sample determine a
    sample's draws, so equal contexts get equal samples.

    A finished ending takes its place in the beam (Sutskever et al. 2014, section 3.2), so a beam of width 1 is greedy
    decoding and the search stops by itself.

    Args:
        generator: in evaluation mode.
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
    rows = {"greedy": 1, "beam": decoding.beam_width, "sample": n}[decoding.method]  # of a context
    together = max(1, _MOST_ROWS // rows)
    size = _MOST_ROWS if decoding.method == "sample" else n
    parts = [range(first, min(first + size, n)) for first in range(0, n, size)]
    decoded: list[list[DecodedEnding]] = []
    for start in range(0, len(contexts), together):
        some = contexts[start : start + together]
        found = [_decode(generator, some, decoding, part) for part in parts]
        decoded += [[ending for endings in of_context for ending in endings] for of_context in zip(*found, strict=True)]
    return decoded


@torch.inference_mode()
def _decode(
    generator: NeuralGenerator, contexts: Sequence[Sequence[str]], decoding: Decoding, numbers: range
) -> list[list[DecodedEnding]]:
    """The endings of each context: the samples with these `numbers`, or as many of the best that a beam finds."""
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
    finished: list[list[DecodedEnding]] = [[] for _ in range(origins)]
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


def _finish(generator: NeuralGenerator, rows: _Rows, ended: Tensor, finished: list[list[DecodedEnding]]) -> None:
    """Add the rows that have `ended` [R] to `finished`, by origin."""
    columns = (rows.words[ended], rows.log_prob[ended], rows.origin[ended])
    for words, log_prob, origin in zip(*(column.tolist() for column in columns), strict=True):
        text = generator.vocabulary.decode(words)
        finished[origin].append(DecodedEnding(text, log_prob, len(words) + 1, words=tuple(words)))
    rows.room -= torch.bincount(rows.origin[ended], minlength=len(rows.room))


def _allowed(log_probs: Tensor, words: Tensor, decoding: Decoding) -> Tensor:
    """`log_probs` [R, V], minus infinity for words that may not follow `words` [R, length]; each row keeps a choice."""
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
    """The likeliest continuations of each origin's rows, as many as its room allows: rows to continue, and words."""
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
    """The smallest share [R, 1] that is kept: with it the sum of the largest `shares` [R, V] reaches `top_p`.

    Sorting whole rows costs more than a step of the generator, so only the `head` largest shares are sorted, and four
    times as many in rows where these do not reach `top_p`.
    """
    likeliest = shares.topk(min(head, shares.shape[1])).values
    size = ((likeliest.cumsum(-1) - likeliest) < top_p).sum(-1, keepdim=True)
    smallest = likeliest.gather(1, size - 1)
    longer = likeliest.sum(-1) < top_p
    if head < shares.shape[1] and longer.any():
        smallest[longer] = _smallest_kept(shares[longer], top_p, 4 * head)
    return smallest


def _draws(contexts: Sequence[Sequence[str]], numbers: range, decoding: Decoding) -> Tensor:
    """Uniform numbers in [0, 1), FloatTensor [contexts * samples, max_length + 1], of the samples with these numbers.

    Each row has a random generator of its own.
    """
    rows = []
    for context in contexts:
        for number in numbers:
            key = json.dumps([decoding.seed, number, *context]).encode()
            seed = int.from_bytes(hashlib.blake2b(key, digest_size=7).digest(), "big")
            rows.append(torch.rand(decoding.max_length + 1, generator=torch.Generator().manual_seed(seed)))
    return torch.stack(rows)


def _rank(ending: DecodedEnding, decoding: Decoding) -> float:
    """The value by which a beam ranks endings, see `Decoding.length_penalty`."""
    return ending.log_prob / float(((5 + ending.n_tokens) / 6) ** decoding.length_penalty)
