"""The results of one pair of systems: a row of Table 2 of Mori et al. 2019, with intervals and tests."""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from denouement.intervals import share_with_interval
from denouement.papers import published
from denouement.study.design.questions import MUCH, SLIGHTLY
from denouement.study.results.agreement import BOTH, FIRST, NEITHER, NO_AGREEMENT, SECOND, Counts, agreement
from denouement.study.results.clustered import (
    Preference,
    ShareOfAnswers,
    mean_with_interval,
    preference,
    share_of_answers,
)
from denouement.study.results.crossed import Clusters
from denouement.study.results.reliability import Alpha, Kappa, alpha, kappa

Pair: TypeAlias = tuple[str, str]
"""The names of two systems; where one is human, it is the second."""


@dataclass(frozen=True)
class ExactShare:
    """How many independent items are of one kind.

    Attributes:
        n: how many.
        share: of all items, from 0 to 1.
        low, high: its exact 95% interval (Clopper and Pearson 1934): other items, answered by the same annotators.
    """

    n: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class SignTest:
    """How many of the items of two kinds are of the first kind, with the exact test of whether it is half.

    Attributes:
        n, share, low, high: as of `ExactShare`; all but `n` are None where `of` is 0.
        of: items of either kind.
        p: how often chance alone would differ as much from a half, in either direction; 1 where `of` is 0.
        p_holm: the same, corrected for the number of pairs that are tested (Holm 1979); None without correction.
    """

    n: int
    share: float | None
    low: float | None
    high: float | None
    of: int
    p: float
    p_holm: float | None = None


@dataclass(frozen=True)
class AgreedOutcomes:
    """On how many items of a pair the annotators agree in each way."""

    first: ExactShare
    second: ExactShare
    both: ExactShare
    neither: ExactShare
    no_agreement: ExactShare


@dataclass(frozen=True)
class SingleAnswers:
    """How many single answers to the items of a pair are of each kind."""

    first: ShareOfAnswers
    second: ShareOfAnswers
    both: ShareOfAnswers
    neither: ShareOfAnswers


@dataclass(frozen=True)
class PublishedItems:
    """The published numbers of items, by the answer on which annotators agree."""

    first: int
    second: int
    both: int
    neither: int


@dataclass(frozen=True)
class PairItems:
    """The results of a pair by items.

    Attributes:
        first, second: the systems.
        items, answers: how many there are.
        answers_per_item: the least and the greatest number.
        agreement: the numbers of items by the answer on which annotators agree; intervals allow for other items,
            answered by the same annotators.
        sign_test: of the items on which one system is preferred, how many prefer the first.
        kappa, alpha: how far annotators agree with each other.
    """

    first: str
    second: str
    items: int
    answers: int
    answers_per_item: tuple[int, int]
    agreement: AgreedOutcomes
    sign_test: SignTest
    kappa: Kappa
    alpha: Alpha


@dataclass(frozen=True)
class GradedPreference:
    """How much better people find one of two systems, where they were asked.

    Attributes:
        answers: those that say how much.
        mean: of 2 where the first is much better, 1 slightly, -1 the second slightly, -2 much.
        low, high, over, why_not: its 95% interval, as of `clustered.MeanOfAnswers`.
        values: how often each of these was given, from 2 to -2.
    """

    answers: int
    mean: float
    low: float | None
    high: float | None
    over: str | None
    why_not: str | None
    values: dict[str, int]


@dataclass(frozen=True)
class PairResult(PairItems):
    """A row of Table 2: the results of a pair by items and by single answers.

    Attributes:
        cases: how many cases the items are about.
        single_answers: how many answers are of each kind; intervals allow for other cases and other annotators.
        preference: of the answers for one of the two systems, how many are for the first.
        graded: how much better the first is; None where nobody was asked.
        paper: what Mori et al. 2019 published for these two systems, where it belongs beside them; else None.
    """

    cases: int
    single_answers: SingleAnswers
    preference: Preference
    graded: GradedPreference | None
    paper: PublishedItems | None = None


def pair_items(pair: Pair, counts: Counts) -> PairItems:
    """The results of a pair by items.

    Args:
        pair: the first and the second system.
        counts: int64 [items, 4] of that pair, one item or more.
    """
    agreed = agreement(counts)
    first, second, both, neither, no_agreement = (
        exact_share(int((agreed == code).sum()), len(counts)) for code in (FIRST, SECOND, BOTH, NEITHER, NO_AGREEMENT)
    )
    per_item = counts.sum(axis=1)
    return PairItems(
        first=pair[0],
        second=pair[1],
        items=len(counts),
        answers=int(counts.sum()),
        answers_per_item=(int(per_item.min()), int(per_item.max())),
        agreement=AgreedOutcomes(first, second, both, neither, no_agreement),
        sign_test=sign_test(first.n, second.n),
        kappa=kappa(counts),
        alpha=alpha(counts),
    )


def pair_result(
    pair: Pair,
    counts: Counts,
    n_cases: int,
    choice: npt.NDArray[np.int64],
    by: Clusters,
    strength: npt.NDArray[np.int64] | None = None,
) -> PairResult:
    """A row of Table 2.

    Args:
        pair: the first and the second system.
        counts: int64 [items, 4] of that pair, one item or more.
        n_cases: how many cases the items are about.
        choice: int64 [answers]: FIRST, SECOND, BOTH or NEITHER.
        by: the case and the annotator of each answer.
        strength: int64 [answers]: how strong the preference is, 1 or 2; 0 where it is not known. None: it never is.
    """
    first, second, both, neither = (share_of_answers(choice == code, by) for code in (FIRST, SECOND, BOTH, NEITHER))
    prefers = choice <= SECOND
    return PairResult(
        **vars(pair_items(pair, counts)),
        cases=n_cases,
        single_answers=SingleAnswers(first, second, both, neither),
        preference=preference(choice[prefers] == FIRST, by.of(prefers)),
        graded=None if strength is None or not strength.any() else graded_preference(choice, strength, by),
    )


def graded_preference(choice: npt.NDArray[np.int64], strength: npt.NDArray[np.int64], by: Clusters) -> GradedPreference:
    """How much better the first of two systems is; arguments as of `pair_result`."""
    known = strength > 0
    values = np.where(choice == FIRST, strength, -strength)[known]
    mean = mean_with_interval(values, by.of(known), (-MUCH, MUCH))
    numbers = {str(value): int((values == value).sum()) for value in (MUCH, SLIGHTLY, -SLIGHTLY, -MUCH)}
    return GradedPreference(len(values), **vars(mean), values=numbers)


def exact_share(n: int, of: int) -> ExactShare:
    """The share of `n` items among `of` independent ones, one or more, with its exact interval."""
    return ExactShare(n, **{name: end for name, end in share_with_interval(n, of).items() if end is not None})


def sign_test(first: int, second: int) -> SignTest:
    """Tests whether two kinds of items are equally frequent.

    Of eight items on which one of two endings is preferred, seven prefer the second:

    >>> found = sign_test(1, 7)
    >>> found.n, found.of, round(found.low, 3), round(found.high, 3), round(found.p, 4)
    (1, 8, 0.003, 0.527, 0.0703)
    """
    from scipy.stats import binomtest

    n = first + second
    p = float(binomtest(first, n).pvalue) if n else 1.0
    return SignTest(first, **share_with_interval(first, n), of=n, p=p)


def beside_paper(row: PairResult) -> PairResult:
    """The same with what Mori et al. 2019 published for systems of these names, which they compared on other items."""
    return replace(row, paper=_published((row.first, row.second)))


def _published(pair: Pair) -> PublishedItems | None:
    row = published("mori_2019", "Table 2").get(" / ".join(pair))
    return None if row is None else PublishedItems(**{outcome: int(n) for outcome, n in row.items()})
