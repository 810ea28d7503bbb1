"""Several tests at a time."""

from collections.abc import Sequence


def holm(p: Sequence[float]) -> list[float]:
    """p-values corrected for their number, so that any false alarm among them has a chance of at most the level.

    Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6: the
    smallest of m is multiplied by m, the next by m - 1, and so on, none coming below the one before; at most 1.

    Args:
        p: p-values from 0 to 1, in any order.

    Returns:
        The corrected ones, in the same order.
    """
    corrected, least = [0.0] * len(p), 0.0
    for place, index in enumerate(sorted(range(len(p)), key=lambda index: p[index])):
        least = max(least, min(1.0, (len(p) - place) * p[index]))
        corrected[index] = least
    return corrected
