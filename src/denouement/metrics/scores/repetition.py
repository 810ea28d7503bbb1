"""How much the endings of a system repeat each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from denouement.analysis.endings import repetition
from denouement.metrics.base import Measure, SetMetric


@dataclass
class RepeatedWords(SetMetric):
    """Distinct words and pairs of words (Li et al. 2016), and how many endings repeat another one of the system.

    They are the values of the report's table of generated endings.
    """

    name: ClassVar[str] = "repetition"
    measures: ClassVar[Mapping[str, Measure]] = {
        "distinct_1": Measure("different words as a share of all words of a system's endings", "higher"),
        "distinct_2": Measure("different pairs of neighbouring words as a share of all", "higher"),
        "repeated": Measure("endings that repeat an earlier one of the system, as a share of all", "lower"),
    }
    unscorable: ClassVar[str] = "of a system that has not two words in any of them"

    def score_set(self, endings: Sequence[str]) -> dict[str, float | None]:
        """See `SetMetric`."""
        found = repetition(endings)
        return {
            "distinct_1": found.distinct_1,
            "distinct_2": found.distinct_2,
            "repeated": 1 - found.distinct_share,
        }
