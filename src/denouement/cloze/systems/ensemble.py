"""Several systems that learn from cases, together."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, load_system, prepared
from denouement.cloze.resources import Resources


@dataclass
class Ensemble(ClozeSystem):
    """The mean of the scores of several systems that learn from cases.

    Differences of such scores are log-odds, so the mean is a logarithmic opinion pool (Genest and Zidek 1986,
    *Combining Probability Distributions*, section 3) in which all systems weigh the same. To learn weights would need
    scores of each system for cases that it was not fitted to: as many trainings again as there are folds in a fold.

    Attributes:
        systems: the options of each system, by its name; of a system with variants the first one counts, which is
            named "".
    """

    name: ClassVar[str] = "ensemble"
    learns_from_cases: ClassVar[bool] = True

    systems: dict[str, Any] = field(default_factory=lambda: {"combined": {}, "lm_probe": {}, "lm_pairwise": {}})

    def __post_init__(self) -> None:
        if len(self.systems) < 2:
            raise ValueError(f"systems: an ensemble needs two or more, not {len(self.systems)}")
        if self.name in self.systems:
            raise ValueError(f"systems: {self.name} cannot be one of its own systems")
        self._members = [load_system(name, options) for name, options in self.systems.items()]
        if others := [each.name for each in self._members if not each.learns_from_cases]:
            raise ValueError(
                f"systems: {', '.join(others)} does not learn from cases, so its scores cannot be added to log-odds"
            )

    def cannot_score(self, cases: pa.Table) -> str | None:
        """The reason of the first system that cannot."""
        return next((why for each in self._members if (why := each.cannot_score(cases))), None)

    def learns_from_stories(self, variant: str) -> bool:
        """Whether one of its systems does."""
        return any(each.learns_from_stories("") for each in self._members)

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """See `ClozeSystem`."""
        each = [each.learned_elsewhere("", resources) for each in self._members]
        return "; ".join(dict.fromkeys(where for where in each if where)) or None

    def reads_pretrained(self, variant: str, resources: Resources) -> bool:
        """Whether one of its systems does."""
        return any(each.reads_pretrained("", resources) for each in self._members)

    def files(self, resources: Resources) -> list[Path]:
        """Those of its systems."""
        return [path for each in self._members for path in each.files(resources)]

    def lacks(self, resources: Resources) -> list[str]:
        """What its systems lack."""
        return [lack for each in self._members for lack in each.lacks(resources)]

    def prepare(self, resources: Resources) -> None:
        """Prepare its systems.

        Raises:
            MissingResourceError: one of them lacks what it needs.
        """
        self._members = [prepared(each, resources) for each in self._members]

    def fit(self, cases: pa.Table, resources: Resources) -> None:
        """Fit each system to the cases.

        Raises:
            MissingResourceError: too few cases for one of them.
        """
        self._members = [copy.copy(each) for each in self._members]
        for each in self._members:
            each.fit(cases, resources)

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`. The differences of scores are log-odds."""
        return {"": np.mean([each.score(cases, resources)[""] for each in self._members], axis=0)}
