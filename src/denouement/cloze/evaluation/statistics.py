"""Intervals of accuracies, tests of the difference between systems, and accuracies of groups of cases."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import Scores, choices
from denouement.cloze.evaluation.results import Accuracy, HalfTies, SystemComparison
from denouement.corpus.cases import n_endings, right_and_wrong
from denouement.intervals import share_with_interval
from denouement.multiple_tests import holm

Correct = npt.NDArray[np.bool_]
"""bool [cases]: whether the right ending was chosen."""


def correct(scores: Scores, cases: pa.Table) -> Correct:
    """Whether the right ending of each labelled case has the highest score; a tie is the first ending's (`choices`)."""
    is_correct: Correct = choices(scores) == cases["right_ending"].to_numpy()
    return is_correct


def accuracy(is_correct: Correct) -> Accuracy:
    """The share of right choices, with its exact 95% interval."""
    n, n_correct = len(is_correct), int(is_correct.sum())
    share = share_with_interval(n_correct, n)
    return Accuracy(n, n_correct, share["share"], share["low"], share["high"])


def chance(cases: pa.Table) -> float:
    """The accuracy of a guess: the mean over cases of one over the number of endings; a half where there is no case."""
    return float((1 / n_endings(cases)).mean()) if cases.num_rows else 0.5


def n_best(scores: Scores) -> npt.NDArray[np.int64]:
    """int64 [cases]: how many endings have the highest score of the case; two or more are a tie."""
    return np.asarray(np.count_nonzero(scores == scores.max(axis=1, keepdims=True), axis=1), np.int64)


def half_ties(scores: Scores, cases: pa.Table) -> HalfTies:
    """The number of labelled cases with equal highest scores, and the accuracy if each of these counts in part.

    `choices` gives a tie to the first ending, so that a system has the accuracy of `constant_first` on its ties. Here a
    tie of two endings counts as half right where one of the two is, a tie of m as one in m: the accuracy of a guess.
    """
    n_tied, is_best = n_best(scores), scores == scores.max(axis=1, keepdims=True)
    right = cases["right_ending"].to_numpy()[:, None] - 1
    shares = np.take_along_axis(is_best, right, axis=1).ravel() / n_tied
    return HalfTies(int((n_tied > 1).sum()), float(shares.sum()) / len(shares) if len(shares) else None)


def compare(systems: Mapping[str, Correct]) -> list[SystemComparison]:
    """McNemar's test in its exact form, a sign test of the discordant cases, for every two systems in the order given.

    The correction is for all pairs, so it also holds for pairs that are chosen after looking at the results, such as
    those with the most accurate system.

    Raises:
        ValueError: systems with different numbers of cases.
    """
    from scipy.stats import binomtest

    pairs = []
    for (one, of_one), (other, of_other) in combinations(systems.items(), 2):
        if len(of_one) != len(of_other):
            raise ValueError(f"{one} and {other}: {len(of_one)} and {len(of_other)} cases, not the same ones")
        pairs.append((one, other, int((of_one & ~of_other).sum()), int((of_other & ~of_one).sum())))
    p = [
        float(binomtest(only_one, n).pvalue) if (n := only_one + only_other) else 1.0
        for *_, only_one, only_other in pairs
    ]
    return [SystemComparison(*pair, *p_values) for pair, *p_values in zip(pairs, p, holm(p), strict=True)]


def by_sentiment(cases: pa.Table) -> list[str]:
    """How the sentiment of the right ending goes with that of the whole context, by VADER, for each labelled case.

    Returns:
        "agrees" (both positive, neutral or negative), "opposes" (one positive, one negative) or "one neutral".
    """
    from denouement.text.sentiment import NEGATIVE, POSITIVE, vader

    right, _ = right_and_wrong(cases)
    texts = [" ".join(context) for context in cases["context"].to_pylist()] + right.to_pylist()
    compound = vader(texts)[:, 0]
    context, ending = ((compound >= POSITIVE).astype(int) - (compound <= NEGATIVE).astype(int)).reshape(2, -1)
    groups = np.where(context == ending, "agrees", np.where(context * ending < 0, "opposes", "one neutral"))
    return [str(group) for group in groups]


def by_length(cases: pa.Table) -> list[str]:
    """Which ending of each labelled case has more words: "right longer", "equal" or "right shorter".

    Several wrong endings count by their mean.
    """
    from denouement.text.words import tokenize

    right, wrong = (
        np.array([len(tokenize(ending)) for ending in each.to_pylist()], np.float64) for each in right_and_wrong(cases)
    )
    n_wrong = n_endings(cases) - 1
    difference = right - np.add.reduceat(wrong, np.cumsum(n_wrong) - n_wrong) / n_wrong
    return [("right shorter", "equal", "right longer")[int(sign) + 1] for sign in np.sign(difference)]


def by_group(is_correct: Correct, groups: Sequence[str]) -> dict[str, Accuracy]:
    """`accuracy` of the cases of each group, groups sorted by name."""
    names = np.array(groups, dtype=str)
    return {str(name): accuracy(is_correct[names == name]) for name in np.unique(names)}
