"""How people are assumed to answer in a study of pairs, or how they answered in a pilot.

An answer for one of two endings is for the first where a normal variable is above 0: a mean, plus what is the item's
own, plus what is the person's own, plus noise, of total variance 1. Answers about one item share the first part,
answers of one person the second.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denouement.errors import UserError
from denouement.study.results.agreement import FIRST, SECOND
from denouement.study.results.ballot import Ballot
from denouement.study.results.clustered import clusters
from denouement.study.results.crossed import Clusters, Floats, Numbers

AGREEMENT = 0.37
"""Kappa of the published answers of Mori et al. 2019."""

BETWEEN_PEOPLE = 0.05
"""The share of the variance that is the person's own, where it is not known."""

_MOST = 0.98  # of the variance, so that some noise is left

_FEWEST = 10  # answers for either system; fewer say hardly anything about how alike answers are


@dataclass(frozen=True)
class AssumedAnswers:
    """How people answer.

    Attributes:
        share: of the answers for one of the two systems, those for the first; above 0 and below 1.
        agreement: how far two people agree beyond chance about an item of which both prefer one ending (kappa), 0 to 1.
        between_people: the share of the variance that is the person's own, 0 to 1.
        ties: the share of all answers that are for neither system.
    """

    share: float
    agreement: float = AGREEMENT
    between_people: float = BETWEEN_PEOPLE
    ties: float = 0.0

    @property
    def of_item(self) -> float:
        """The share of the variance that is the item's own."""
        return latent(self.agreement, self.share)

    def check(self) -> "AssumedAnswers":
        """The same.

        Raises:
            UserError: a share out of its range, or nothing left for single answers.
        """
        if not 0 < self.share < 1:
            raise UserError(f"--share {self.share:g}: must be above 0 and below 1")
        if not 0 <= self.ties < 1:
            raise UserError(f"--ties {self.ties:g}: must be 0 or more and below 1")
        if not (self.agreement >= 0 and self.between_people >= 0 and self.of_item + self.between_people <= _MOST):
            raise UserError(
                f"--agreement {self.agreement:g} and --between-people {self.between_people:g}: nothing is left for "
                "single answers; name smaller ones"
            )
        return self


@dataclass(frozen=True)
class Pilot:
    """What a pilot's answers about two systems say.

    Attributes:
        first, second: the systems.
        items, answers, people: how many; people is None where they are not named.
        assumed: what is taken from it, and where it does not say anything, the usual values.
        unknown: what it does not say, as clauses.
    """

    first: str
    second: str
    items: int
    answers: int
    people: int | None
    assumed: AssumedAnswers
    unknown: list[str]


def correlation(shared: float, share: float) -> float:
    """How far two answers correlate that share this much of the variance; of two people this is their kappa.

    For even answers it is `2 / pi * asin(shared)`:

    >>> round(correlation(0.5, 0.5), 4)
    0.3333

    Args:
        shared: from 0 to below 1.
        share: of the answers for the first, between 0 and 1.
    """
    from scipy.special import ndtri, owens_t

    middle = float(ndtri(share))
    both = share - 2 * float(owens_t(middle, np.sqrt((1 - shared) / (1 + shared))))
    return (both - share**2) / (share * (1 - share))


def latent(wanted: float, share: float) -> float:
    """How much of the variance two answers share that correlate like this; 0 where they do not, or the other way."""
    from scipy.optimize import brentq

    if wanted <= 0:
        return 0.0
    if wanted >= correlation(_MOST, share):
        return _MOST
    return float(brentq(lambda shared: correlation(shared, share) - wanted, 0, _MOST))


def read_pilot(ballot: Ballot, pair: tuple[str, str] | None = None) -> Pilot:
    """What a pilot says of how people answer about two systems.

    Correlations are differences of three means: how often two answers are both for the first, if they are of two people
    about one item, or of one person about two items, or neither; so they are not biased by the mean of a small pilot.

    Args:
        ballot: the answers.
        pair: the systems, in either order; the first one named is the one whose share is meant. None where the ballot
            has one pair.

    Raises:
        UserError: no such pair, or none named of several, or all answers are for one of the two.
    """
    place, swapped = _place(ballot, pair)
    first, second = ballot.pairs[place][::-1] if swapped else ballot.pairs[place]
    of_pair = ballot.items["pair"].to_numpy()[ballot.item] == place
    decided = of_pair & (ballot.choice <= SECOND)
    is_first = (ballot.choice == (SECOND if swapped else FIRST))[decided]
    item, person = ballot.item[decided], clusters(ballot.votes).of(decided).annotators
    if not is_first.any() or is_first.all():
        n = int(is_first.sum())
        raise UserError(
            f"the pilot: {n:,} of {len(is_first):,} answers for one of the two are for {first}, which says nothing of "
            "how people differ; give --share and --agreement without it"
        )
    share = float(is_first.mean())
    enough = min(int(is_first.sum()), int((~is_first).sum())) >= _FEWEST
    of_item, of_person = _correlations(is_first.astype(np.float64), item, person) if enough else (None, None)
    unknown = []
    if of_item is None:
        unknown.append("how far two people agree about an item")
    if of_person is None:
        unknown.append("how far people differ")
    shared_item = AGREEMENT if of_item is None else float(np.clip(of_item, 0, 1))
    shared_person = BETWEEN_PEOPLE if of_person is None else latent(of_person, share)
    left = _MOST - latent(shared_item, share)
    return Pilot(
        first=first,
        second=second,
        items=len(np.unique(ballot.item[of_pair])),
        answers=int(of_pair.sum()),
        people=None if person is None else len(np.unique(person)),
        assumed=AssumedAnswers(
            share=share,
            agreement=shared_item,
            between_people=min(shared_person, max(0.0, left)),
            ties=1 - int(decided.sum()) / int(of_pair.sum()),
        ),
        unknown=unknown,
    )


def _place(ballot: Ballot, pair: tuple[str, str] | None) -> tuple[int, bool]:
    if pair is None:
        if len(ballot.pairs) > 1:
            known = ", ".join(f"{first},{second}" for first, second in ballot.pairs)
            raise UserError(f"the pilot compares several pairs; choose one with --pair: {known}")
        return 0, False
    for place, each in enumerate(ballot.pairs):
        if set(each) == set(pair):
            return place, each != pair
    known = ", ".join(f"{first},{second}" for first, second in ballot.pairs)
    raise UserError(f"--pair {','.join(pair)}: is not in the pilot; it has {known}")


def _correlations(values: Floats, item: Numbers, person: Numbers | None) -> tuple[float | None, float | None]:
    """How far answers to one item correlate, and those of one person; None where there are no two such answers."""
    total, n = _products(values, np.zeros(len(values), np.int64))
    same_item, n_item = _products(values, item)
    same_person, n_person = (0.0, 0) if person is None else _products(values, person)
    others, n_others = total - same_item - same_person, n - n_item - n_person
    if not n_others:
        return None, None
    variance = float(values.mean() * (1 - values.mean()))
    apart = others / n_others
    return (
        (same_item / n_item - apart) / variance if n_item else None,
        (same_person / n_person - apart) / variance if n_person else None,
    )


def _products(values: Floats, group: Numbers) -> tuple[float, int]:
    """The sum of the products of every two values of one group, and how many these are; each two twice."""
    n, sums = np.bincount(group), np.bincount(group, values)
    squares = np.bincount(group, values**2)
    return float((sums**2 - squares).sum()), int((n * (n - 1)).sum())


def assigned(items: int, per_item: int, people: int, generator: np.random.Generator) -> Clusters:
    """Who answers about what: each item gets answers of `per_item` people, always of those who have answered least.

    Args:
        items, per_item, people: how many; `people` is `per_item` at least.
        generator: chooses among those who have answered equally often.
    """
    load = np.zeros(people)
    person = np.empty((items, per_item), np.int64)
    for row in person:
        row[:] = np.argsort(load + generator.random(people) / 2, kind="stable")[:per_item]
        load[row] += 1
    return Clusters(np.repeat(np.arange(items, dtype=np.int64), per_item), person.ravel())


def drawn_answers(
    assumed: AssumedAnswers, by: Clusters, draws: int, generator: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """bool [draws, answers]: whether each is for the first, in studies with items and people that are drawn anew."""
    from scipy.special import ndtri

    assert by.annotators is not None
    of_item, of_person = assumed.of_item, assumed.between_people
    latent_value = generator.standard_normal((draws, len(by.cases)), np.float32)
    latent_value *= np.sqrt(1 - of_item - of_person)
    for part, cluster in ((of_item, by.cases), (of_person, by.annotators)):
        own = generator.standard_normal((draws, int(cluster.max()) + 1), np.float32)
        latent_value += np.float32(np.sqrt(part)) * own[:, cluster]
    return latent_value > -float(ndtri(assumed.share))
