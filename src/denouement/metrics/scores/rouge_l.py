"""ROUGE-L of single endings (Lin 2004), as the package rouge-score works it out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.grams import longest_common_subsequences

_WORD = re.compile(r"[^\W_]+")


@dataclass
class RougeL(EndingMetric):
    """F1 of the longest common subsequence of words; of several references the one with the highest F1 counts.

    Words are runs of letters and digits in lower case, and are not stemmed.
    """

    name: ClassVar[str] = "rouge_l"
    measures: ClassVar[Mapping[str, Measure]] = {
        "rouge_l": Measure("longest common subsequence of words with a reference (F1)", "higher"),
    }
    needs: ClassVar[Sequence[str]] = ("references",)
    needs_references: ClassVar[bool] = True

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""
        endings = [_WORD.findall(ending.lower()) for ending in rows.endings]
        references = [_WORD.findall(text.lower()) for of_ending in rows.references for text in of_ending]
        row = np.repeat(np.arange(len(endings)), [*map(len, rows.references)])
        shared = longest_common_subsequences([endings[at] for at in row], references)
        lengths = np.array([len(endings[at]) for at in row]) + np.array([*map(len, references)], np.int64)
        best = np.zeros(len(endings))
        np.maximum.at(best, row, 2 * shared / np.maximum(lengths, 1))
        return {"rouge_l": best}
