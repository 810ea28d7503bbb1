"""Several tests side by side: p-values corrected for their number."""

from collections.abc import Sequence


def holm(p: Sequence[float]) -> list[float]:
    """Each p-value corrected for the number of tests (Holm 1979), in the order given.

    The k-th smallest of m is multiplied by m - k + 1, is at least as large as those before it, and at most 1. So the
    chance of one or more false findings among all tests stays below the level at which the corrected values are read.
    """
    corrected = [0.0] * len(p)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - rank) * p[place]))
        corrected[place] = largest
    return corrected
