"""N-gram models of sequences: of the events of a story, or of the words of a sentence."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

BEGIN, END = "<s>", "</s>"


class NgramModel:
    """Interpolated absolute discounting (Ney, Essen and Kneser 1994): the discounted counts of the longest n-gram, and
    the discounted part divided as by the model of n-grams one shorter; the shortest model of all is uniform.

    With c(h w) how often word w follows the history h, c(h .) how often anything does, and k(h) by how many words h is
    followed, p(w | h) = (max(c(h w) - d, 0) + d k(h) p(w | h without its first word)) / c(h .).
    """

    def __init__(self, sequences: Iterable[Sequence[str]], order: int, discount: float = 0.75) -> None:
        """Count the n-grams of `sequences` up to the length `order`."""
        self.order = order
        self.discount = discount
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._histories: Counter[tuple[str, ...]] = Counter()
        self._followers: Counter[tuple[str, ...]] = Counter()
        for sequence in sequences:
            padded = (*self._padding(), *sequence, END)
            for end in range(order, len(padded) + 1):
                for n in range(1, order + 1):
                    self._counts[padded[end - n : end]] += 1
        for gram, count in self._counts.items():
            self._histories[gram[:-1]] += count
            self._followers[gram[:-1]] += 1
        self._outcomes = self._followers[()] + 1  # and one for all that was never seen

    def log_probs(
        self, sequence: Sequence[str], after: Sequence[str] = (), ends: bool = True
    ) -> npt.NDArray[np.float64]:
        """The log-probability in nats of each item of `sequence`, and then of its end where it `ends`.

        Args:
            sequence: m items.
            after: what comes before the sequence; empty: it is the beginning.
            ends: whether nothing comes after it.

        Returns:
            float64 [m], or [m + 1] with the end.
        """
        history = (*self._padding(), *after)
        items = (*history, *sequence, *((END,) if ends else ()))
        grams = (items[end - self.order + 1 : end + 1] for end in range(len(history), len(items)))
        return np.array([math.log(self._prob(gram)) for gram in grams], np.float64)

    def _padding(self) -> tuple[str, ...]:
        return (BEGIN,) * (self.order - 1)

    def _prob(self, gram: tuple[str, ...]) -> float:
        if not gram:
            return 1 / self._outcomes
        shorter = self._prob(gram[1:])
        times = self._histories[gram[:-1]]
        if not times:
            return shorter
        freed = self.discount * self._followers[gram[:-1]]
        return (max(self._counts[gram] - self.discount, 0) + freed * shorter) / times
