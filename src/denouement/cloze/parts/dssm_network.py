"""The two towers of the Deep Structured Semantic Model (Huang et al. 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from denouement.cloze.parts.training import Learner

Trigrams: TypeAlias = npt.NDArray[np.int64]
"""Numbers of a text's letter trigrams, one for each time that it occurs."""

Batch: TypeAlias = tuple[Sequence[Trigrams], Sequence[Trigrams]]
"""Contexts and endings; row i of both is of one story."""


class Tower(nn.Module):
    """From letter-trigram counts to a vector: two layers, each followed by tanh (Huang et al. 2013, equations 3 to 5).

    Weights begin uniform between plus and minus sqrt(6 / (fan-in + fan-out)), as there (section 3.4).
    """

    def __init__(self, trigrams: int, hidden: int, dimension: int) -> None:
        super().__init__()
        # The sum of the rows of a text's trigrams is the product of its counts with a matrix.
        self.first = nn.EmbeddingBag(trigrams, hidden, mode="sum")
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.second = nn.Linear(hidden, dimension)
        nn.init.xavier_uniform_(self.first.weight)
        nn.init.xavier_uniform_(self.second.weight)
        nn.init.zeros_(self.second.bias)

    def forward(self, texts: Sequence[Trigrams]) -> Tensor:
        """Vectors [texts, dimension]."""
        flat = torch.from_numpy(np.concatenate(texts))
        starts = torch.tensor([0, *map(len, texts[:-1])]).cumsum(0)
        hidden = torch.tanh(self.first(flat, starts) + self.bias)
        return torch.tanh(self.second(hidden))


class TwoTowers(Learner[Batch]):
    """One tower for contexts and one for endings, compared by cosine."""

    def __init__(self, trigrams: int, hidden: int, dimension: int, gamma: float) -> None:
        super().__init__()
        self.context = Tower(trigrams, hidden, dimension)
        self.ending = Tower(trigrams, hidden, dimension)
        self.gamma = gamma

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Minus the log-probability of each context's own ending among all endings of the batch, summed.

        The probability is a softmax over gamma times the cosines (Huang et al. 2013, equation 6).
        """
        contexts, endings = batch
        cosines = functional.normalize(self.context(contexts)) @ functional.normalize(self.ending(endings)).T
        logits = self.gamma * cosines
        return functional.cross_entropy(logits, torch.arange(len(logits)), reduction="sum"), len(logits)
