"""How near the sentence vector of an ending is to that of a human one."""

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
class ReferenceSimilarity(OfEncoder, EndingMetric):
    """The cosine with the nearest reference. A text in which the encoder knows no word has the cosine 0 with all."""

    name: ClassVar[str] = "reference_similarity"
    measures: ClassVar[Mapping[str, Measure]] = {
        "reference_similarity": Measure("cosine of the sentence vectors of ending and reference", "higher", "", -1),
    }
    needs: ClassVar[Sequence[str]] = ("references", "a sentence encoder")
    needs_references: ClassVar[bool] = True

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""

        def of_block(block: slice) -> Values:
            references = rows.references[block]
            row = np.repeat(np.arange(len(references)), [*map(len, references)])
            texts = self.vectors([text for of_ending in references for text in of_ending], resources)
            nearest = np.full(len(references), -1.0)
            np.maximum.at(nearest, row, cosine(self.vectors(rows.endings[block], resources)[row], texts))
            return nearest

        return {f"{self.name} {self.encoder}": in_blocks(_BLOCK, len(rows), of_block)}
