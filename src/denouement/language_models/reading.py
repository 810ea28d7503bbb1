"""How likely texts go on in given ways, and the states of a layer while they are read.

The continuations of one context are read in one row: the context once, then each continuation, which sees the context
and itself (one mask), at the positions that it would have alone. Rows of similar length are read together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from denouement.language_models.model import LanguageModel, Pair, pair

_TOKENS = 1024  # of a batch, padding included


@dataclass(frozen=True)
class Likelihoods:
    """How likely each continuation of a context is.

    Attributes:
        log_prob: of all tokens of each continuation after the context, in nats, float64 [k].
        n_tokens: of each continuation, int64 [k].
    """

    log_prob: npt.NDArray[np.float64]
    n_tokens: npt.NDArray[np.int64]


def likelihoods(
    model: LanguageModel, contexts: Sequence[str], continuations: Sequence[Sequence[str]]
) -> list[Likelihoods]:
    """How likely each context goes on in each of its ways.

    Args:
        model: the language model.
        contexts: N texts; an empty one is the beginning of any text.
        continuations: for each context k >= 1 texts with the blank before their first word, k as it comes.
    """
    rows = [_row(model, context, each) for context, each in zip(contexts, continuations, strict=True)]
    found: list[Likelihoods | None] = [None] * len(rows)
    with torch.inference_mode():
        for batch in _batches(rows):
            inputs = _Inputs.of([rows[at] for at in batch], model)
            logits = inputs.logits(model)
            for at, row, of_row in zip(batch, inputs.rows, logits, strict=True):
                found[at] = inputs.likelihoods(row, of_row)
    return [each for each in found if each is not None]


def states(
    model: LanguageModel, contexts: Sequence[str], continuations: Sequence[Sequence[str]], layer: int
) -> list[npt.NDArray[np.float32]]:
    """The mean state of a layer over the tokens of each continuation, read after its context.

    Args:
        model: the language model.
        contexts, continuations: as `likelihoods`.
        layer: how many layers are below; 0 is the embeddings.

    Returns:
        For each context float32 [k, width].
    """
    rows = [_row(model, context, each) for context, each in zip(contexts, continuations, strict=True)]
    found: list[npt.NDArray[np.float32] | None] = [None] * len(rows)
    with torch.inference_mode():
        for batch in _batches(rows):
            inputs = _Inputs.of([rows[at] for at in batch], model)
            hidden = inputs.hidden(model, layer)
            for at, row, of_row in zip(batch, inputs.rows, hidden, strict=True):
                found[at] = inputs.means(row, of_row)
    return [each for each in found if each is not None]


@dataclass(frozen=True)
class _Row:
    """A context and its continuations in one row of tokens.

    Attributes:
        shared: tokens that all of them begin with, all of the context's.
        branches: the other tokens of each.
        skipped: how many tokens of each branch are the context's still.
    """

    shared: Sequence[int]
    branches: Sequence[Sequence[int]]
    skipped: Sequence[int]

    @property
    def n_branches(self) -> int:
        return sum(map(len, self.branches))

    def __len__(self) -> int:
        return len(self.shared) + self.n_branches


def _row(model: LanguageModel, context: str, continuations: Sequence[str]) -> _Row:
    pairs = [pair(model, context, each) for each in continuations]
    n_shared = _n_shared(pairs)
    return _Row(
        pairs[0].ids[:n_shared],
        [each.ids[n_shared:] for each in pairs],
        [each.n_context - n_shared for each in pairs],
    )


def _n_shared(pairs: Sequence[Pair]) -> int:
    """How many tokens all pairs begin with, of those of the context."""
    least = min(each.n_context for each in pairs)
    columns = zip(*(each.ids[:least] for each in pairs), strict=True)
    return next((at for at, column in enumerate(columns) if len(set(column)) > 1), least)


def _batches(rows: Sequence[_Row]) -> Iterator[list[int]]:
    """The places of rows that are read together: of similar length, the longest first."""
    batch: list[int] = []
    for at in sorted(range(len(rows)), key=lambda at: -len(rows[at])):
        if batch and (len(batch) + 1) * len(rows[batch[0]]) > _TOKENS:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


@dataclass(frozen=True)
class _Inputs:
    """A batch of rows as tensors: the shared tokens end at the same column, where all branches begin."""

    rows: Sequence[_Row]
    ids: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    begin: int

    @classmethod
    def of(cls, rows: Sequence[_Row], model: LanguageModel) -> _Inputs:
        begin = max(len(row.shared) for row in rows)
        width = begin + max(row.n_branches for row in rows)
        ids = torch.full((len(rows), width), model.start)
        positions = torch.zeros((len(rows), width), dtype=torch.long)
        sees = torch.eye(width, dtype=torch.bool).repeat(len(rows), 1, 1)
        causal = torch.ones((width, width), dtype=torch.bool).tril()
        for at, row in enumerate(rows):
            n_shared = len(row.shared)
            first = begin - n_shared
            ids[at, first:begin] = torch.tensor(row.shared)
            positions[at, first:begin] = torch.arange(n_shared)
            sees[at, first:begin, first:begin] = causal[:n_shared, :n_shared]
            start = begin
            for branch in row.branches:
                end = start + len(branch)
                ids[at, start:end] = torch.tensor(branch)
                positions[at, start:end] = torch.arange(n_shared, n_shared + len(branch))
                sees[at, start:end, first:begin] = True
                sees[at, start:end, start:end] = causal[: len(branch), : len(branch)]
                start = end
        dtype = model.network.dtype
        mask = torch.zeros(sees.shape, dtype=dtype).masked_fill_(~sees, torch.finfo(dtype).min)
        device = model.device
        return cls(rows, ids.to(device), positions.to(device), mask[:, None].to(device), begin)

    def logits(self, model: LanguageModel) -> torch.Tensor:
        """From the last shared token on, float [rows, 1 + branches, vocabulary]."""
        out = model.network(
            input_ids=self.ids,
            position_ids=self.positions,
            attention_mask=self.mask,
            use_cache=False,
            logits_to_keep=self.ids.shape[1] - self.begin + 1,
        )
        logits: torch.Tensor = out.logits
        return logits

    def hidden(self, model: LanguageModel, layer: int) -> torch.Tensor:
        """The states of all tokens after so many layers, [rows, width, hidden]."""
        out = model.network(
            input_ids=self.ids,
            position_ids=self.positions,
            attention_mask=self.mask,
            use_cache=False,
            output_hidden_states=True,
            logits_to_keep=1,
        )
        state: torch.Tensor = out.hidden_states[layer]
        return state

    def likelihoods(self, row: _Row, logits: torch.Tensor) -> Likelihoods:
        """Of a row, from its logits [1 + branches, vocabulary]."""
        log_probs = torch.log_softmax(logits.float(), -1)
        sums, counts, start = [], [], 0
        for branch, skipped in zip(row.branches, row.skipped, strict=True):
            # the first token of a branch is foretold by the last shared one, the others by the one before
            before = [0, *range(start + 1, start + len(branch))]
            of_tokens = log_probs[before, torch.tensor(branch)][skipped:]
            sums.append(float(of_tokens.double().sum()))
            counts.append(len(branch) - skipped)
            start += len(branch)
        return Likelihoods(np.array(sums), np.array(counts, np.int64))

    def means(self, row: _Row, hidden: torch.Tensor) -> npt.NDArray[np.float32]:
        """The mean state over the tokens of each continuation, [k, hidden]."""
        means, start = [], self.begin
        for branch, skipped in zip(row.branches, row.skipped, strict=True):
            means.append(hidden[start + skipped : start + len(branch)].float().mean(0))
            start += len(branch)
        of_row: npt.NDArray[np.float32] = torch.stack(means).cpu().numpy()
        return of_row
