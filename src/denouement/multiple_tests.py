"""P-values of several tests together."""

from collections.abc import Sequence


def holm(p: Sequence[float]) -> list[float]:
    """P-values corrected by Holm's method (1979), in the order given.

    The probability that any true null hypothesis has a corrected p of at most a is at most a, also for dependent tests.

    Raises:
        ValueError: a p-value that is not between 0 and 1.
    """
    if not all(0 <= value <= 1 for value in p):
        raise ValueError("a p-value is not between 0 and 1")
    corrected = [0.0] * len(p)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - rank) * p[place]))
        corrected[place] = largest
    return corrected


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """P-values corrected by Benjamini and Hochberg's method (1995), in the order given.

    Of the tests whose corrected p is at most a, the expected share of true null hypotheses is at most a, where the
    tests are independent or positively dependent.

    Raises:
        ValueError: a p-value that is not between 0 and 1.
    """
    if not all(0 <= value <= 1 for value in p):
        raise ValueError("a p-value is not between 0 and 1")
    corrected = [0.0] * len(p)
    least = 1.0
    for rank, place in sorted(enumerate(sorted(range(len(p)), key=p.__getitem__), 1), reverse=True):
        least = min(least, len(p) / rank * p[place])
        corrected[place] = least
    return corrected
