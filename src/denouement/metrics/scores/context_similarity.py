"""How near the sentence vector of an ending is to that of its story."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from denouement.cloze.parts.vectors import cosine
from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.looking_up import OfEncoder


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
        endings = self.vectors(rows.endings, resources)
        whole = self.vectors([" ".join(context) for context in rows.contexts], resources)
        last = self.vectors([context[-1] for context in rows.contexts], resources)
        return {
            f"context_similarity {self.encoder}": cosine(whole, endings),
            f"last_similarity {self.encoder}": cosine(last, endings),
        }
