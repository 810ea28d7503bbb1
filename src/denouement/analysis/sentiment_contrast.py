"""Whether a system's endings are more positive or more negative than the human endings of the same cases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from denouement.analysis.comparison import compare
from denouement.analysis.sentiment import RIGHT, STORIES, WRONG, case_of
from denouement.multiple_tests import holm


@dataclass(frozen=True)
class SentimentContrast:
    """The sentiment of a system's endings next to that of the right endings of the same cases.

    Attributes:
        system: its name.
        n: cases that have both endings, one or more.
        mean, right_mean: of VADER's compound scores, from -1 to 1.
        difference: the first mean less the second, with its 95% interval `low`, `high` (Student's t, paired by case).
            The interval is None for one case, and where all differences are equal.
        p: of the test paired by case; None without an interval.
        p_holm: the same, corrected for the number of systems that are tested (Holm 1979).
    """

    system: str
    n: int
    mean: float
    right_mean: float
    difference: float
    low: float | None
    high: float | None
    p: float | None = None
    p_holm: float | None = None


def against_right(sentiment: pa.Table) -> list[SentimentContrast]:
    """Compare each system with the right endings, in the order of the table; systems without a case in common are left
    out.

    Of several endings of a system for one case the mean counts.

    Args:
        sentiment: the table `sentiment`.
    """
    columns = (sentiment[name].to_pylist() for name in ("group", "text_id", "compound"))
    rows = [(group, text_id, round(compound, 4)) for group, text_id, compound in zip(*columns, strict=True)]
    right: dict[str, float] = {}
    for group, text_id, compound in rows:
        if group == RIGHT:
            right.setdefault(text_id.split("/", 2)[-1], compound)
    scores: dict[str, dict[str, list[float]]] = {}
    for group, text_id, compound in rows:
        case_id = None if group in (RIGHT, WRONG, STORIES) else case_of(group, text_id, right)
        if case_id is not None:
            scores.setdefault(group, {}).setdefault(case_id, []).append(compound)
    found = [_contrast(system, by_case, right) for system, by_case in scores.items()]
    corrected = iter(holm([row.p for row in found if row.p is not None]))
    return [row if row.p is None else replace(row, p_holm=next(corrected)) for row in found]


def _contrast(system: str, by_case: dict[str, list[float]], right: dict[str, float]) -> SentimentContrast:
    own = _values([float(np.mean(scores)) for scores in by_case.values()])
    human = _values([right[case_id] for case_id in by_case])
    found = compare(own, human)
    means = float(own.mean()), float(human.mean()), float((own - human).mean())
    return SentimentContrast(system, found.n, *means, found.low, found.high, found.paired_p)


def _values(scores: Sequence[float]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.array(scores, dtype=np.float64)
