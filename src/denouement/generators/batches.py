"""Contexts in batches of similar length."""

from collections.abc import Sequence
from typing import Any

from denouement.generators.base import Context


def context_length(context: Context) -> int:
    """The characters of all sentences of a context."""
    return sum(map(len, context))


def similar_batches(lengths: Sequence[Any], size: int) -> list[list[int]]:
    """The indices of `lengths` in batches of similar length. The longest come first: a lack of memory shows at once."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    return [order[start : start + size] for start in range(0, len(order), size)]
