"""Constant-choose-first: Mostafazadeh et al. 2016, table 6."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, has_ending
from denouement.cloze.resources import Resources


@dataclass
class ConstantFirst(ClozeSystem):
    """Always the first ending: what any system has to beat, and the share of cases whose first ending is right."""

    name: ClassVar[str] = "constant_first"
    reads_endings: ClassVar[bool] = False

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        is_there = has_ending(cases)
        return {"": np.where(np.arange(is_there.shape[1]) == 0, 1.0, np.where(is_there, 0.0, -np.inf))}
