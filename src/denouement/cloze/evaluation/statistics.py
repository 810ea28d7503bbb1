"""How sure an accuracy is, whether two systems differ, and where a system is right."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import Scores, choices
from denouement.corpus.cases import right_and_wrong
from denouement.intervals import share_with_interval
from denouement.multiple_tests import holm

Correct = npt.NDArray[np.bool_]
"""bool [cases]: whether the right ending was chosen."""


def correct(scores: Scores, cases: pa.Table) -> Correct:
    """Whether the right ending of each labelled case has the higher score; a tie is the first ending's (`choices`)."""
    is_correct: Correct = choices(scores) == cases["right_ending"].to_numpy()
    return is_correct


def accuracy(is_correct: Correct) -> dict[str, Any]:
    """`n`, `correct` and `accuracy` with the exact (Clopper and Pearson 1934) 95% interval `low`, `high`.

    Shares between 0 and 1; None without cases.
    """
    n, n_correct = len(is_correct), int(is_correct.sum())
    found = share_with_interval(n_correct, n)
    return {"n": n, "correct": n_correct, "accuracy": found["share"], "low": found["low"], "high": found["high"]}


def half_ties(scores: Scores, cases: pa.Table) -> dict[str, Any]:
    """`ties`, the labelled cases with two equal scores, and `accuracy_half_ties`, which counts each as half right.

    A share between 0 and 1, None without cases. That a tie goes to the first ending (`choices`) gives a system with
    many ties the accuracy of `constant_first` on them; counted by half they give it that of chance.
    """
    is_tie = scores[:, 0] == scores[:, 1]
    n, n_ties = len(is_tie), int(is_tie.sum())
    n_correct = int((correct(scores, cases) & ~is_tie).sum())
    return {"ties": n_ties, "accuracy_half_ties": (n_correct + n_ties / 2) / n if n else None}


def mcnemar(one: Correct, other: Correct) -> dict[str, Any]:
    """Do two systems differ on the same cases? McNemar's test in its exact form: a sign test of the discordant cases.

    Returns:
        `only_one`, `only_other`: cases that only one of them has right; `p`, two-sided, 1 where there are none.

    Raises:
        ValueError: not the same number of cases.
    """
    from scipy.stats import binomtest

    if len(one) != len(other):
        raise ValueError(f"{len(one)} and {len(other)} cases: not the same ones")
    only_one, only_other = int((one & ~other).sum()), int((other & ~one).sum())
    n = only_one + only_other
    return {
        "only_one": only_one,
        "only_other": only_other,
        "p": float(binomtest(only_one, n).pvalue) if n else 1.0,
    }


def compare(systems: Mapping[str, Correct]) -> list[dict[str, Any]]:
    """`mcnemar` of every two systems, in the order given: rows with the names `one` and `other` first.

    `p_holm` is `p` corrected for all these pairs (`multiple_tests.holm`). So it holds also for pairs that are picked
    out after looking at the figures, such as those with the most accurate system.
    """
    names = list(systems)
    pairs = [
        {"one": one, "other": other, **mcnemar(systems[one], systems[other])}
        for position, one in enumerate(names)
        for other in names[position + 1 :]
    ]
    return [{**pair, "p_holm": p} for pair, p in zip(pairs, holm([pair["p"] for pair in pairs]), strict=True)]


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
    """Which ending of each labelled case has more words: "right longer", "equal" or "right shorter"."""
    from denouement.text.words import tokenize

    right, wrong = ([len(tokenize(ending)) for ending in each.to_pylist()] for each in right_and_wrong(cases))
    return [
        "right longer" if of_right > of_wrong else "right shorter" if of_right < of_wrong else "equal"
        for of_right, of_wrong in zip(right, wrong, strict=True)
    ]


def by_group(is_correct: Correct, groups: Sequence[str]) -> dict[str, dict[str, Any]]:
    """`accuracy` of the cases of each group, groups sorted by name."""
    names = np.array(groups, dtype=str)
    return {str(name): accuracy(is_correct[names == name]) for name in np.unique(names)}
