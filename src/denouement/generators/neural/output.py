"""The last layer of a decoder: from a hidden vector to log-probabilities of words (nats)."""

from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional


class Output(Protocol):
    """What a generator needs from its last layer. `hidden` is [N, units], `targets` int64 [N]."""

    def log_probs(self, hidden: Tensor) -> Tensor:
        """Log-probabilities of all words, float32 [N, V]."""
        ...

    def target_log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Log-probabilities of the words `targets`, float32 [N]."""
        ...

    def loss(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Mean of minus `target_log_probs`, to learn from."""
        ...


class FullSoftmax(nn.Linear):
    """One softmax over the whole vocabulary."""

    def log_probs(self, hidden: Tensor) -> Tensor:
        """See `Output`."""
        return functional.log_softmax(self(hidden).float(), dim=-1)

    def target_log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See `Output`."""
        return -functional.cross_entropy(self(hidden).float(), targets, reduction="none")

    def loss(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See `Output`."""
        if not torch.is_grad_enabled():
            return -self.target_log_probs(hidden, targets).mean()
        device = hidden.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else self.weight.dtype
        summed: Tensor = _SummedLoss.apply(hidden, self.weight, self.bias, targets, dtype)  # type: ignore[no-untyped-call]
        return summed / len(targets)


class AdaptiveSoftmax(nn.AdaptiveLogSoftmaxWithLoss):
    """Softmax over the frequent words, and one within each group of rarer words (Grave et al. 2017).

    The probabilities are exact and sum to one over the whole vocabulary: it is another model than `FullSoftmax`, not an
    approximation of it. Needs words numbered by frequency.

    All of it is computed in float32, under autocast too: the layer puts the groups' results into one tensor, which
    cannot hold both bfloat16 and float32.
    """

    def __init__(self, units: int, words: int) -> None:
        cutoffs = _cutoffs(words)
        # The vectors of each further group are an eighth as wide, or with few units less narrow, so that the last has
        # one.
        narrower = max(factor for factor in range(1, 9) if factor ** len(cutoffs) <= units)
        super().__init__(units, words, cutoffs, div_value=narrower, head_bias=True)

    def log_probs(self, hidden: Tensor) -> Tensor:
        """See `Output`."""
        with torch.autocast(hidden.device.type, enabled=False):
            return self.log_prob(hidden.float())

    def target_log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See `Output`."""
        with torch.autocast(hidden.device.type, enabled=False):
            log_probs: Tensor = self(hidden.float(), targets).output
        return log_probs

    def loss(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See `Output`."""
        return -self.target_log_probs(hidden, targets).mean()


def _cutoffs(words: int) -> list[int]:
    """Where the groups of rarer words begin: after at most 1,000 words, and after four times as many more."""
    first = min(1000, max(words // 4, 1))
    return [first, 5 * first] if words > 8 * first else [first]


class _SummedLoss(torch.autograd.Function):
    """Minus the log-probabilities of the targets under a linear layer and softmax, summed, with all its gradients.

    Equal to `cross_entropy(linear(hidden), targets, reduction="sum")`, but it computes the logits of a few rows at a
    time, and turns them into probabilities and gradients while they are in the processor's cache. With a vocabulary of
    10,000 words training spends most of its time in this layer, and this saves a quarter of it.
    """

    ROWS = 256

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, dtype: torch.dtype) -> Tensor:
        """`hidden` [N, units], `weight` [V, units], `bias` [V], `targets` [N]; matrix products in `dtype`."""
        with torch.autocast(hidden.device.type, enabled=False):  # the products' type is chosen here
            narrow_hidden, narrow_weight, narrow_bias = hidden.to(dtype), weight.to(dtype), bias.to(dtype)[:, None]
            hidden_grad = torch.empty_like(narrow_hidden)
            weight_grad, bias_grad = torch.zeros_like(weight), torch.zeros_like(bias)
            loss = torch.zeros((), dtype=torch.float32, device=hidden.device)
            for start in range(0, len(hidden), _SummedLoss.ROWS):
                rows = slice(start, start + _SummedLoss.ROWS)
                wanted = targets[None, rows]
                # [V, rows]: V may be odd, and writing rows of odd length makes the product half as slow again.
                logits = torch.addmm(narrow_bias, narrow_weight, narrow_hidden[rows].t()).float()
                logits -= logits.amax(dim=0)
                loss -= logits.gather(0, wanted).sum()
                grad = logits.exp_()
                normaliser = grad.sum(dim=0)
                loss += normaliser.log().sum()
                grad /= normaliser
                grad.scatter_add_(0, wanted, torch.full_like(wanted, -1, dtype=torch.float32))
                bias_grad += grad.sum(dim=1)
                narrow_grad = grad.to(dtype)
                hidden_grad[rows] = narrow_grad.t() @ narrow_weight
                if dtype is weight.dtype:
                    weight_grad.addmm_(narrow_grad, narrow_hidden[rows])
                else:
                    weight_grad += narrow_grad @ narrow_hidden[rows]
        ctx.save_for_backward(hidden_grad.to(hidden.dtype), weight_grad, bias_grad)
        return loss

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Tensor | None, ...]:
        """The gradients that `forward` computed, times that of the loss."""
        hidden_grad, weight_grad, bias_grad = ctx.saved_tensors
        return hidden_grad * grads[0], weight_grad * grads[0], bias_grad * grads[0], None, None
