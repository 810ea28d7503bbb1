"""How often intervals with a score hold what they should, and how wide they are beside those of people alone.

Studies are drawn again and again. In each one all items and annotators are new, people answer about a random draw of
the items, and every item has a score. Cases and annotators raise and lower the logit of an answer by normal deviates of
their own, of which the score knows the case's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from benchmarks.table import Row
from denouement.metrics.estimates.estimates import EstimatedValue, strength_values
from denouement.metrics.estimates.regression import ScoredAnswers, ScoredItems, adjusted
from denouement.study.planning.assumed import assigned
from denouement.study.results.bradley_terry import Comparisons
from denouement.study.results.clustered import on_logits
from denouement.study.results.crossed import Clusters

STUDIES = 1000
PROMISED = 0.95
AT_LEAST = 0.989  # of what is promised: 94%
ITEMS = 1000
PER_ITEM = 3
CASE_DEVIATION, ANNOTATOR_DEVIATION = 1.2, 0.4
MIDDLE = 0.5
STRENGTHS = np.array([0.4, 0.0, -0.4])

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judge:
    """A score: so much of it is the case's own deviation, the rest is noise; negative where it says the opposite."""

    name: str
    knows: float

    def scores(self, deviations: Floats, generator: np.random.Generator) -> Floats:
        """float64 [items]: ranks, as `metrics.estimates.scored_pairs` has them."""
        noise = np.sqrt(1 - self.knows**2) * generator.standard_normal(len(deviations))
        value = self.knows * deviations / CASE_DEVIATION + noise
        return (value.argsort().argsort() + 0.5) / len(value)


JUDGES = (Judge("a good judge", 0.95), Judge("a useless judge", 0.0), Judge("a judge who says the opposite", -0.95))


class Outcome(NamedTuple):
    """What a simulation found.

    Attributes:
        held: the share of intervals with the score that hold the true value.
        width, alone: mean widths with the score, and by people alone.
    """

    held: float
    width: float
    alone: float


def share_outcome(judge: Judge, answered: int, studies: int, seed: int = 1, named: bool = True) -> Outcome:
    """Of the share of answers for one of two systems.

    Args:
        judge: whose scores are used.
        answered: items.
        studies: how many are drawn.
        seed: of the draws.
        named: whether annotators differ and their names are known; else they do not differ, and have no names.
    """
    generator = np.random.default_rng(seed)
    deviation = np.hypot(CASE_DEVIATION, ANNOTATOR_DEVIATION * named)
    truth = expit(MIDDLE + deviation * np.random.default_rng(0).standard_normal(2_000_000)).mean()
    found = []
    for _ in range(studies):
        own = CASE_DEVIATION * generator.standard_normal(ITEMS)
        everything = ScoredItems(np.zeros(ITEMS, np.int64), judge.scores(own, generator), np.arange(ITEMS))
        by, taste = _crowd(answered, 1, generator)
        logit = MIDDLE + own[by.cases] + (taste[by.annotators, 0] if named else 0)
        values = (generator.random(len(logit)) < expit(logit)).astype(np.float64)
        by = by if named else Clusters(by.cases, None)
        answers = ScoredAnswers(np.zeros(len(values), np.int64), everything.score[by.cases], by)
        ends = []
        for of in (everything, None):
            its = adjusted(values, answers, of)
            assert its.over is not None
            ends.append(on_logits(its.value, its.variance, its.degrees, its.over, (0, 1)).interval((0, 1))[:2])
        found.append(ends)
    return _outcome(np.array(found), np.array([truth]))


def strength_outcome(judge: Judge, answered: int, studies: int, seed: int = 1) -> Outcome:
    """Of the strengths of three systems, each two of which are compared about the same cases."""
    generator = np.random.default_rng(seed)
    truth = _endless_strengths()
    found, wanted = [], []
    pairs = list(combinations(range(3), 2))
    for _ in range(studies):
        own = CASE_DEVIATION / np.sqrt(2) * generator.standard_normal((ITEMS, 3))
        scores = [judge.scores(own[:, i] - own[:, j], generator) for i, j in pairs]
        stratum = np.repeat(np.arange(3), ITEMS)
        everything = ScoredItems(stratum, np.concatenate(scores), np.tile(np.arange(ITEMS), 3))
        compared, strata, of_answers = [], [], []
        by, taste = _crowd(answered, 3, generator)
        assert by.annotators is not None
        for place, (i, j) in enumerate(pairs):
            logit = (STRENGTHS + own[by.cases] + taste[by.annotators] / np.sqrt(2)) @ (np.eye(3)[i] - np.eye(3)[j])
            first = generator.random(len(logit)) < expit(logit)
            counts = np.stack([first, ~first, np.zeros_like(first)], axis=1).astype(np.int64)
            compared.append(Comparisons(f"s{i}", f"s{j}", counts, *by))
            strata.append(np.full(len(logit), place))
            of_answers.append(scores[place][by.cases])
        clusters = Clusters(np.tile(by.cases, 3), np.tile(by.annotators, 3))
        answers = ScoredAnswers(np.concatenate(strata), np.concatenate(of_answers), clusters)
        for row in strength_values(compared, answers, everything):
            ends = [_ends(each) for each in (row.with_score, row.alone)]
            found.append(ends)
            wanted.append(truth[row.what])
    return _outcome(np.array(found), np.array(wanted))


def _crowd(answered: int, systems: int, generator: np.random.Generator) -> tuple[Clusters, Floats]:
    """Who of twenty annotators or more answers about which items, and by annotator and system the own deviation."""
    people = max(20, answered * PER_ITEM // 10)
    by = assigned(answered, PER_ITEM, people, generator)
    chosen = generator.permutation(ITEMS)[:answered]
    taste = ANNOTATOR_DEVIATION * generator.standard_normal((people, systems))
    return Clusters(chosen[by.cases], by.annotators), taste


def _ends(value: EstimatedValue) -> tuple[float, float]:
    assert value.low is not None
    assert value.high is not None
    return value.low, value.high


def _endless_strengths() -> dict[str, float]:
    """What the model finds in endless answers."""
    from denouement.study.results.bradley_terry import strengths

    generator = np.random.default_rng(0)
    n = 400_000
    spread = np.hypot(CASE_DEVIATION, ANNOTATOR_DEVIATION)
    compared = []
    for i, j in combinations(range(3), 2):
        first = generator.random(n) < expit(STRENGTHS[i] - STRENGTHS[j] + spread * generator.standard_normal(n))
        counts = np.stack([first, ~first, np.zeros_like(first)], axis=1).astype(np.int64)
        compared.append(Comparisons(f"s{i}", f"s{j}", counts, np.arange(n)))
    return {row.system: row.strength for row in strengths(compared).systems}


def _outcome(ends: Floats, truth: Floats) -> Outcome:
    """Of intervals [values, with the score and alone, ends]."""
    low, high = ends[:, 0].T
    widths = (ends[:, :, 1] - ends[:, :, 0]).mean(axis=0)
    return Outcome(float(((low <= truth) & (truth <= high)).mean()), float(widths[0]), float(widths[1]))


def measure() -> list[Row]:
    """Coverage and width for each judge and number of answered items."""
    rows = []
    kinds: tuple[tuple[str, Callable[..., Outcome]], ...] = (
        ("share, annotators alike and without names", partial(share_outcome, named=False)),
        ("share", share_outcome),
        ("strengths of three systems", strength_outcome),
    )
    for what, outcome in kinds:
        for judge in JUDGES:
            for answered in (20, 50, 200):
                found = outcome(judge, answered, STUDIES)
                named = f"{what}: {answered} of {ITEMS:,} items answered, {judge.name}"
                rows += [
                    Row(named, "what it promises", found.held, PROMISED, "held", found.held / PROMISED, AT_LEAST),
                    Row(named, "people alone", found.width, found.alone, "width", found.alone / found.width, 0.97),
                ]
    return rows
