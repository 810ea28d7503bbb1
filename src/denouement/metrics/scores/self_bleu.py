"""Self-BLEU: how like each other the endings of a system are (Zhu et al. 2018)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from denouement.metrics.base import Measure, SetMetric
from denouement.metrics.grams import Ints, coded
from denouement.metrics.scores.bleu import bleu, tokens

_ORDER = 4


@dataclass
class SelfBleu(SetMetric):
    """The mean BLEU-4 of each ending with all other endings of the system as its references, 0 to 100.

    All others are used, none is drawn: what the references have of an n-gram is the most that one ending has of it, or
    the second most for the ending that has most. So the work grows with the number of words, not with its square.
    """

    name: ClassVar[str] = "self_bleu"
    measures: ClassVar[Mapping[str, Measure]] = {
        "self_bleu_4_13a_exp": Measure(
            "BLEU-4 of each ending against the other endings of the system", "lower", "points", 0, 100
        ),
    }
    unscorable: ClassVar[str] = "of a system with a single one"

    def score_set(self, endings: Sequence[str]) -> dict[str, float | None]:
        """See `SetMetric`."""
        [name] = self.measures
        n = len(endings)
        if n < 2:
            return {name: None}
        texts = coded([*map(tokens, endings)])
        matched, n_grams = [], []
        for grams, owner in texts.grams(_ORDER):
            matched.append(_matched_by_others(grams, owner, n))
            n_grams.append(np.bincount(owner, minlength=n))
        return {name: float(bleu(np.array(matched), np.array(n_grams), _closest(texts.lengths)).mean())}


def _matched_by_others(grams: Ints, owner: Ints, n: int) -> Ints:
    """int64 [n]: how many n-grams of each text are in another one, at most as often as there."""
    pairs, counts = np.unique(grams * n + owner, return_counts=True)
    of_gram, of_text = pairs // n, pairs % n
    order = np.lexsort((counts, of_gram))  # for each n-gram the text that has most of it is last
    of_gram, of_text, counts = of_gram[order], of_text[order], counts[order]
    ends = np.flatnonzero(np.diff(of_gram, append=-1))
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.int64)
    most, second = counts[ends], np.where(ends > starts, counts[ends - 1], 0)
    of_others = np.repeat(most, ends - starts + 1)
    of_others[ends] = second
    return np.bincount(of_text, np.minimum(counts, of_others), n).astype(np.int64)


def _closest(lengths: Ints) -> Ints:
    """int64 [n]: of the lengths of the other texts the one closest to each, of equally close ones the shorter."""
    different, place, counts = np.unique(lengths, return_inverse=True, return_counts=True)
    below = np.concatenate([[-np.inf], different[:-1]])
    above = np.concatenate([different[1:], [np.inf]])
    neighbour = np.where(different - below <= above - different, below, above)
    closest = np.where(counts > 1, different, neighbour)
    return np.asarray(closest[place.reshape(-1)], np.int64)
