"""How long endings are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.grams import words


@dataclass
class Length(EndingMetric):
    """The number of words; punctuation is not counted. Many scores, and people, prefer longer or shorter texts."""

    name: ClassVar[str] = "length"
    measures: ClassVar[Mapping[str, Measure]] = {
        "length": Measure("words of the ending", "neither", "words", 1, None),
    }

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""
        return {"length": np.array([len(words(ending)) for ending in rows.endings], np.float64)}
