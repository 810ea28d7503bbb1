"""Contexts in batches of similar length."""

from collections.abc import Sequence
from typing import Any

from denouement.generators.base import Context


def context_length(context: Context) -> int:
    """How many characters a context has."""
    return sum(map(len, context))


def similar_batches(lengths: Sequence[Any], size: int) -> list[list[int]]:
    """Places of `lengths` in batches of similar length, the longest first: if memory is short, it shows at once."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    return [order[start : start + size] for start in range(0, len(order), size)]
