"""Contexts with their continuations as rows of tokens that a network reads at once.

All continuations of a context are in one row: the context once, then each continuation, which sees the context and
itself (one mask), at the positions that it would have alone. Rows of similar length are read together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from denouement.console import warn
from denouement.errors import UserError
from denouement.language_models.model import LanguageModel, Pair, pair

_TOKENS = 1024  # of a batch, padding included
_COLUMNS = 4  # a batch has so many or a multiple: oneDNN keeps memory for each new shape


@dataclass(frozen=True)
class TokenRow:
    """A context and its continuations in one row of tokens.

    Attributes:
        shared: tokens that all of them begin with, all of the context's.
        branches: the other tokens of each.
        skipped: how many tokens of each branch are the context's still.
    """

    shared: Sequence[int]
    branches: Sequence[Sequence[int]]
    skipped: Sequence[int]

    def __len__(self) -> int:
        return len(self.shared) + sum(map(len, self.branches))

    @cached_property
    def starts(self) -> list[int]:
        """The column at which each branch begins."""
        starts = [len(self.shared)]
        for branch in self.branches[:-1]:
            starts.append(starts[-1] + len(branch))
        return starts

    @property
    def spans(self) -> list[slice]:
        """The columns of each continuation."""
        each = zip(self.starts, self.branches, self.skipped, strict=True)
        return [slice(start + skipped, start + len(branch)) for start, branch, skipped in each]

    @property
    def foretelling(self) -> list[int]:
        """The columns whose states foretell the tokens of the continuations, one after another."""
        columns = []
        for start, span in zip(self.starts, self.spans, strict=True):
            # the first token of a branch is foretold by the last shared one, the others by the one before
            columns += [len(self.shared) - 1 if at == start else at - 1 for at in range(span.start, span.stop)]
        return columns

    @property
    def foretold(self) -> list[int]:
        """The tokens of the continuations, one after another."""
        each = zip(self.branches, self.skipped, strict=True)
        return [token for branch, skipped in each for token in branch[skipped:]]


def make_rows(model: LanguageModel, contexts: Sequence[str], continuations: Sequence[Sequence[str]]) -> list[TokenRow]:
    """The row of each context; of those that are too long for the model only the end is read, and this is said.

    Args:
        model: the language model.
        contexts: N texts; an empty one is the beginning of any text.
        continuations: for each context k >= 1 texts with the blank before their first word, k as it comes.

    Raises:
        UserError: a continuation is empty, or too long for the model by itself.
    """
    rows, n_cut = [], 0
    for context, of_context in zip(contexts, continuations, strict=True):
        pairs = [pair(model, context, each) for each in of_context]
        too_many = max(len(each.ids) for each in pairs) - model.window if model.window else 0
        if too_many > 0:
            pairs = [_cut(each, too_many, model) for each in pairs]
            n_cut += 1
        n_shared = _n_shared(pairs)
        rows.append(
            TokenRow(
                pairs[0].ids[:n_shared],
                [each.ids[n_shared:] for each in pairs],
                [each.n_context - n_shared for each in pairs],
            )
        )
    if n_cut:
        were, given = "context is" if n_cut == 1 else "contexts are", model.source.given
        warn(f"{n_cut:,} {were} longer than the {model.window:,} tokens that {given} reads: only the ends are read")
    return rows


def batches(rows: Sequence[TokenRow]) -> list[list[int]]:
    """The places of rows that are read together: of similar length, the longest first."""
    found: list[list[int]] = []
    for at in sorted(range(len(rows)), key=lambda at: -len(rows[at])):
        if not found or (len(found[-1]) + 1) * len(rows[found[-1][0]]) > _TOKENS:
            found.append([])
        found[-1].append(at)
    return found


@dataclass(frozen=True)
class Inputs:
    """A batch of rows as tensors, each from the first column on.

    Attributes:
        rows: the rows.
        ids: of tokens, int64 [rows, width].
        positions: of tokens in their texts, int64 [rows, width].
        mask: 0 where a token sees another, else the least number, [rows, 1, width, width].
    """

    rows: Sequence[TokenRow]
    ids: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor

    @classmethod
    def of(cls, rows: Sequence[TokenRow], model: LanguageModel) -> Inputs:
        """The inputs of some rows, on the device of the model."""
        width = -(-max(map(len, rows)) // _COLUMNS) * _COLUMNS
        ids = torch.full((len(rows), width), model.start)
        positions = torch.zeros((len(rows), width), dtype=torch.long)
        sees = torch.eye(width, dtype=torch.bool).repeat(len(rows), 1, 1)
        causal = torch.ones((width, width), dtype=torch.bool).tril()
        for at, row in enumerate(rows):
            n_shared = len(row.shared)
            ids[at, : len(row)] = torch.tensor([*row.shared, *(token for branch in row.branches for token in branch)])
            positions[at, :n_shared] = torch.arange(n_shared)
            sees[at, :n_shared, :n_shared] = causal[:n_shared, :n_shared]
            for start, branch in zip(row.starts, row.branches, strict=True):
                end = start + len(branch)
                positions[at, start:end] = torch.arange(n_shared, n_shared + len(branch))
                sees[at, start:end, :n_shared] = True
                sees[at, start:end, start:end] = causal[: len(branch), : len(branch)]
        return cls(rows, ids.to(model.device), positions.to(model.device), model.mask(sees))


def _cut(of_pair: Pair, n: int, model: LanguageModel) -> Pair:
    """Without the first `n` tokens."""
    if n >= of_pair.n_context:
        raise UserError(f"a continuation is too long for the {model.window:,} tokens that {model.source.given} reads")
    return Pair(of_pair.ids[n:], of_pair.n_context - n)


def _n_shared(pairs: Sequence[Pair]) -> int:
    """How many tokens all pairs begin with, of those of the context."""
    least = min(each.n_context for each in pairs)
    columns = zip(*(each.ids[:least] for each in pairs), strict=True)
    return next((at for at, column in enumerate(columns) if len(set(column)) > 1), least)
