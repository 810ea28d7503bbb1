"""Sentiment-Last: Mostafazadeh et al. 2016, section 5, system 5; Sharma et al. 2018, table 6, "last sentiment"."""

from dataclasses import dataclass
from operator import itemgetter
from typing import ClassVar

import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores
from denouement.cloze.parts.sentiment import closeness
from denouement.cloze.resources import Resources


@dataclass
class SentimentLast(ClozeSystem):
    """The ending whose sentiment is closest to that of the context's last sentence; a variant a scale."""

    name: ClassVar[str] = "sentiment_last"
    only_english: ClassVar[bool] = True

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        return closeness(cases, expected=itemgetter(-1))
