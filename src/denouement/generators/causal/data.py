"""Stories as tokens of a language model, and their batches in a fine-tuning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor
from torch.utils.data import Dataset, Sampler

from denouement.console import progress, warn
from denouement.generators.neural.data import Ragged, Rows, sentences
from denouement.language_models.model import LanguageModel, pair

_COLUMNS = 4
"""Batches have so many columns or a multiple: for each new shape oneDNN keeps memory, up to some gigabytes."""


class TokenBatch(NamedTuple):
    """Stories as tokens.

    Attributes:
        ids: int64 [B, T]; padding is on the right, where no token of a story sees it.
        learned: bool [B, T]: the tokens of endings, with the one that ends each. Never the first of a row.
    """

    ids: Tensor
    learned: Tensor


class TokenStories(Dataset[TokenBatch]):
    """Stories in the order of their table. An item is a whole batch; its key is the rows of the stories.

    Attributes:
        ids: tokens of each story.
        n_context: how many of them are the context's.
        widths: columns that each takes in a batch.
    """

    def __init__(self, ids: Ragged, n_context: Rows, window: int | None = None) -> None:
        """Name the stories.

        Args:
            ids, n_context: as the attributes.
            window: how many tokens the model reads at once; no story has more.
        """
        self.ids = ids
        self.n_context = n_context
        self.widths = np.minimum(-(-ids.lengths // _COLUMNS) * _COLUMNS, window or np.inf).astype(np.int64)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> TokenBatch:
        ids = self.ids.padded(rows)
        ids = np.pad(ids, ((0, 0), (0, int(self.widths[rows].max()) - ids.shape[1])))
        columns = np.arange(ids.shape[1])
        learned = (columns >= self.n_context[rows, None]) & (columns < self.ids.lengths[rows, None])
        return TokenBatch(torch.from_numpy(ids), torch.from_numpy(learned))

    @property
    def n_learned(self) -> int:
        """The tokens of all endings, with the one that ends each."""
        return int(self.ids.lengths.sum() - self.n_context.sum())


class BudgetBatches(Sampler[Rows]):
    """Batches of stories of similar length, each of at most so many tokens, padding included, or of one story.

    The stories are put in order of their length, those of equal length by chance, and cut into batches, which then come
    in random order. Both draws depend on seed and epoch alone, and each epoch has equally many batches. Without a seed
    (validation) nothing is drawn.
    """

    def __init__(self, lengths: Rows, tokens: int, seed: int | None = None) -> None:
        self._lengths = lengths
        self._seed = seed
        self._epoch = 0
        self._cuts = _cuts(np.sort(lengths), tokens)

    def set_epoch(self, epoch: int) -> None:
        """Lightning calls this before each epoch, with its number."""
        self._epoch = epoch

    def __len__(self) -> int:
        return len(self._cuts) + 1

    def __iter__(self) -> Iterator[Rows]:
        if self._seed is None:
            yield from np.split(np.argsort(self._lengths, kind="stable"), self._cuts)
            return
        draw = np.random.default_rng((self._seed, self._epoch))
        order = np.lexsort((draw.random(len(self._lengths)), self._lengths))
        batches = np.split(order, self._cuts)
        for at in draw.permutation(len(batches)):
            yield batches[at]


def read_token_stories(stories: pa.Table, model: LanguageModel, end: str, what: str) -> TokenStories:
    """The stories of a table as tokens: context, ending, and the token that ends it.

    A story that is longer than the model reads at once loses the beginning of its context, which is counted and said.

    Args:
        stories: table `stories`.
        model: whose tokens they are.
        end: text of the token that ends an ending.
        what: the stories are, for the progress bar.
    """
    most = model.window
    pairs = []
    n_cut = 0
    for story in progress(sentences(stories), what, total=stories.num_rows, unit="stories"):
        read = pair(model, " ".join(story[:-1]), f" {story[-1]}{end}")
        over = max(0, len(read.ids) - most) if most else 0
        n_cut += over > 0
        pairs.append((read.ids[over:], max(1, read.n_context - over)))
    if n_cut:
        warn(f"{n_cut:,} {what} are longer than the {most:,} tokens that the model reads: their beginning is left out")
    return TokenStories(Ragged.from_rows(ids for ids, _ in pairs), np.array([n for _, n in pairs], np.int64), most)


def _cuts(lengths: Rows, tokens: int) -> list[int]:
    """Where rows of ascending `lengths` are cut, so that each part takes at most `tokens`, padding included."""
    cuts, start = [], 0
    for at, length in enumerate(lengths.tolist()):
        if at > start and (at - start + 1) * length > tokens:
            cuts.append(at)
            start = at
    return cuts
