"""How much of an ending is copied from its own context."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.grams import longest_shared_runs, words


@dataclass
class Copying(EndingMetric):
    """The longest run of words that the context has, too, as a share of the ending's words."""

    name: ClassVar[str] = "copying"
    measures: ClassVar[Mapping[str, Measure]] = {
        "copied": Measure("longest run of words that is in the context, as a share of the ending", "lower"),
    }

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""
        endings = [words(ending) for ending in rows.endings]
        contexts = [words(" ".join(context)) for context in rows.contexts]
        runs = longest_shared_runs(endings, contexts, np.arange(len(endings)))
        return {"copied": runs / [*map(len, endings)]}
