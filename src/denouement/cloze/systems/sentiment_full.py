"""Sentiment-Full: Mostafazadeh et al. 2016, section 5, system 4; Sharma et al. 2018, table 6, "average sentiment"."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores
from denouement.cloze.parts.sentiment import closeness
from denouement.cloze.resources import Resources


@dataclass
class SentimentFull(ClozeSystem):
    """The ending whose sentiment is closest to the mean sentiment of the context's sentences; a variant a scale."""

    name: ClassVar[str] = "sentiment_full"
    only_english: ClassVar[bool] = True

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        return closeness(cases, expected=np.mean)
