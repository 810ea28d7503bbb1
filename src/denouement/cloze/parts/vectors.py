"""Comparing vectors of texts."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def cosine(ones: npt.ArrayLike, others: npt.ArrayLike) -> Floats:
    """The cosine of each pair of vectors along the last axis, broadcast over the others; 0 where one is all zeros."""
    ones, others = np.asarray(ones, np.float64), np.asarray(others, np.float64)
    lengths = np.linalg.norm(ones, axis=-1) * np.linalg.norm(others, axis=-1)
    products = (ones * others).sum(axis=-1)
    cosines: Floats = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return cosines


def context_vectors(
    contexts: Sequence[Sequence[str]], encode: Callable[[Sequence[str]], npt.NDArray[np.float32]]
) -> dict[str, Floats]:
    """The vectors that can represent a context, each [contexts, dimension].

    "whole" is the vector of the context as one text, "mean" the mean of its sentences' vectors, "recent" that with
    weights 1, 2, 3 ..., "last" the vector of the last of them.

    Args:
        contexts: of one sentence or more each.
        encode: returns the vectors of sentences.
    """
    vectors = np.asarray(encode([sentence for context in contexts for sentence in context]), np.float64)
    lengths = np.array([*map(len, contexts)])
    starts = np.cumsum(lengths) - lengths
    weights = np.arange(1, len(vectors) + 1) - np.repeat(starts, lengths)
    return {
        "whole": np.asarray(encode([" ".join(context) for context in contexts]), np.float64),
        "mean": np.add.reduceat(vectors, starts) / lengths[:, None],
        "recent": np.add.reduceat(vectors * weights[:, None], starts) / np.add.reduceat(weights, starts)[:, None],
        "last": vectors[starts + lengths - 1],
    }
