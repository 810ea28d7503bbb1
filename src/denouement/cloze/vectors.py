"""Comparing vectors of texts."""

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
