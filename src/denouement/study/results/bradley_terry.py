"""How strong several systems are, from comparisons two at a time: Bradley and Terry 1952, with ties as Davidson 1970.

In Davidson's model, i wins, j wins and a tie of the two are as likely as `w_i : w_j : v * sqrt(w_i * w_j)`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denouement.study.results.choice_model import ChoicesMade, Option, Strengths, estimated


@dataclass(frozen=True)
class Comparisons:
    """Answers about two systems; a row is an answer, or all answers to an item.

    Attributes:
        first, second: the systems.
        counts: int64 [rows, 3]: answers for the first, for the second, and ties, row by row.
        cases: int64 [rows]: the number of each row's case; a case has the same number in all pairs.
        annotators: int64 [rows]: the number of the annotator who gave the row's answers, the same in all pairs; None
            where a row has answers of several annotators, or the annotators are not known.
    """

    first: str
    second: str
    counts: npt.NDArray[np.int64]
    cases: npt.NDArray[np.int64]
    annotators: npt.NDArray[np.int64] | None = None


def strengths(comparisons: Sequence[Comparisons]) -> Strengths:
    """Fit the model to all answers (`choice_model.estimated`, which says what the intervals allow for).

    Two stories, whose endings by systems a and b are compared by five people each; a tie is "both" or "neither":

    >>> counts = np.array([[3, 1, 1], [4, 0, 1]])
    >>> found = strengths([Comparisons("a", "b", counts, cases=np.arange(2))])
    >>> [(row.system, round(row.strength, 2), round(row.share, 3)) for row in found.systems]
    [('a', 0.97, 0.875), ('b', -0.97, 0.125)]
    >>> found.answers, found.over
    (10, 'cases')

    Args:
        comparisons: of pairs of systems, each pair once.
    """
    n_answers = sum(int(pair.counts.sum()) for pair in comparisons)
    return estimated([choices_made(pair) for pair in comparisons], n_answers)


def choices_made(pair: Comparisons) -> ChoicesMade:
    """The answers as choices among three options: the first system, the second, and both together."""
    first, second = pair.first, pair.second
    options = [Option({first: 1}), Option({second: 1}), Option({first: 0.5, second: 0.5}, tied=2)]
    return ChoicesMade(options, pair.counts, pair.cases, pair.annotators)
