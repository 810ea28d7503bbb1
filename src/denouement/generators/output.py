"""The last layer of a decoder: from a hidden vector to log-probabilities of words (nats)."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor, nn
from torch.nn import functional


class Output(Protocol):
    """What a generator asks of its last layer."""

    def log_probs(self, hidden: Tensor) -> Tensor:
        """Log-probabilities of all words, float32 [N, V], from `hidden` [N, H]."""
        ...

    def target_log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Log-probabilities of the words `targets` [N], float32 [N], from `hidden` [N, H]."""
        ...


class FullSoftmax(nn.Linear):
    """One softmax over the whole vocabulary."""

    def __init__(self, units: int, words: int) -> None:
        super().__init__(units, words)

    def log_probs(self, hidden: Tensor) -> Tensor:
        """See `Output`."""
        return functional.log_softmax(self(hidden).float(), dim=-1)

    def target_log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See `Output`."""
        return -functional.cross_entropy(self(hidden), targets, reduction="none").float()


class AdaptiveSoftmax(nn.AdaptiveLogSoftmaxWithLoss):
    """Softmax over the frequent words, and one within each group of rarer words (Grave et al. 2017).

    The probabilities are exact for this model and sum to one over the whole vocabulary: it is another model than
    `FullSoftmax`, not an approximation of it. Needs words numbered by frequency.
    """

    def __init__(self, units: int, words: int) -> None:
        super().__init__(units, words, _cutoffs(words), div_value=4.0)

    def log_probs(self, hidden: Tensor) -> Tensor:
        """See `Output`."""
        return self.log_prob(hidden).float()

    def target_log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See `Output`."""
        log_probs: Tensor = self(hidden, targets).output
        return log_probs.float()


def _cutoffs(words: int) -> Sequence[int]:
    """Where the groups of rarer words begin: a head of at most 1,000 words, then groups four times as large."""
    cutoffs = [min(1000, max(words // 4, 1))]
    if words > 8 * cutoffs[0]:
        cutoffs.append(5 * cutoffs[0])
    return cutoffs
