"""chrF of single endings (Popović 2015), as sacrebleu works it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.grams import Ints, in_blocks, matches

_ORDER = 6
_BETA = 2

_BLOCK = 10_000


@dataclass
class Chrf(EndingMetric):
    """F2 of shared n-grams of one to six characters, 0 to 100; of several references the best one counts.

    White space is not counted, upper and lower case differ, and only orders count that both texts are long enough for.
    """

    name: ClassVar[str] = "chrf"
    measures: ClassVar[Mapping[str, Measure]] = {
        "chrf_2": Measure("n-grams of characters shared with a reference (F2)", "higher", "points", 0, 100),
    }
    needs: ClassVar[Sequence[str]] = ("references",)
    needs_references: ClassVar[bool] = True

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""

        def of_block(block: slice) -> Values:
            references = rows.references[block]
            row = np.repeat(np.arange(len(references)), [*map(len, references)])
            endings = ["".join(ending.split()) for ending in rows.endings[block]]
            pairs = [endings[at] for at in row]
            others = ["".join(text.split()) for of_ending in references for text in of_ending]
            best = np.zeros(len(references))
            np.maximum.at(best, row, _f(*matches(pairs, others, np.arange(len(pairs)), _ORDER)))
            return best

        return {"chrf_2": in_blocks(_BLOCK, len(rows), of_block)}


def _f(matched: Ints, of_endings: Ints, of_references: Ints) -> Values:
    """float64 [N], 0 to 100: the F of the means of precision and recall over the orders, each [order, N]."""
    counts = (of_endings > 0) & (of_references > 0)
    n = np.maximum(counts.sum(axis=0), 1)
    precision = np.where(counts, matched / np.maximum(of_endings, 1), 0.0).sum(axis=0) / n
    recall = np.where(counts, matched / np.maximum(of_references, 1), 0.0).sum(axis=0) / n
    weighted = _BETA**2 * precision + recall
    found: Values = np.divide(
        100 * (1 + _BETA**2) * precision * recall, weighted, out=np.zeros_like(weighted), where=weighted > 0
    )
    return found
