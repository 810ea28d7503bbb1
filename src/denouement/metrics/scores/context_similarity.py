"""How near the sentence vector of an ending is to that of its story."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from denouement.cloze.parts.vectors import cosine
from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.grams import in_blocks
from denouement.metrics.looking_up import OfEncoder

_BLOCK = 10_000


@dataclass
class ContextSimilarity(OfEncoder, EndingMetric):
    """The cosine with the context as one text, and with its last sentence.

    An ending that says the last sentence again has the highest value, so no value is better by itself.
    """

    name: ClassVar[str] = "context_similarity"
    measures: ClassVar[Mapping[str, Measure]] = {
        "context_similarity": Measure("cosine of the vectors of ending and whole context", "neither", "", -1),
        "last_similarity": Measure("cosine of the vectors of ending and last sentence before it", "neither", "", -1),
    }
    needs: ClassVar[Sequence[str]] = ("a sentence encoder",)

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""

        def of_block(block: slice) -> Values:
            contexts = rows.contexts[block]
            endings = self.vectors(rows.endings[block], resources)
            whole = self.vectors([" ".join(context) for context in contexts], resources)
            last = self.vectors([context[-1] for context in contexts], resources)
            return np.stack([cosine(whole, endings), cosine(last, endings)])

        whole, last = in_blocks(_BLOCK, len(rows), of_block)
        return {f"context_similarity {self.encoder}": whole, f"last_similarity {self.encoder}": last}
