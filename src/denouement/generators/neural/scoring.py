"""How likely a neural generator holds given endings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from denouement.generators.base import Context
from denouement.generators.batches import context_length, similar_batches
from denouement.text.vocabulary import END, PAD

if TYPE_CHECKING:
    from denouement.generators.neural.decoder import NeuralGenerator


@torch.inference_mode()
def score(
    generator: NeuralGenerator, contexts: Sequence[Context], endings: Sequence[str], batch_size: int = 128
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """How likely the generator holds each ending after its context.

    Args:
        generator: in evaluation mode.
        contexts: N contexts.
        endings: N endings, one for each. A word outside the vocabulary counts as the word UNKNOWN.
        batch_size: pairs that are scored at once; those of similar length are together.

    Returns:
        `log_prob` float64 [N], nats, the sum over the ending's tokens and END; and `n_tokens` int64 [N], END included,
        so `-log_prob / n_tokens` is nats per token. For an ending that `decode` wrote they equal its values up to the
        rounding of sums, if tokenising its text gives the same words again.

    Raises:
        ValueError: not as many endings as contexts.
    """
    if len(contexts) != len(endings):
        raise ValueError(f"{len(contexts)} contexts but {len(endings)} endings")
    generator.expect(contexts)
    words = [[*generator.vocabulary.encode(ending), END] for ending in endings]
    n_tokens = np.array([len(ending) for ending in words], dtype=np.int64)
    log_prob = np.zeros(len(words))
    lengths = list(zip(map(context_length, contexts), n_tokens.tolist(), strict=True))
    for batch in similar_batches(lengths, batch_size):
        targets = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(words[i]) for i in batch], batch_first=True, padding_value=PAD
        )
        of_batch = [contexts[i] for i in batch]
        shared = all(context == of_batch[0] for context in of_batch)
        inputs = generator.prepare(of_batch[:1] if shared else of_batch)
        log_prob[batch] = generator.token_log_probs(inputs, targets.to(generator.device)).double().sum(1).cpu().numpy()
    return log_prob, n_tokens
