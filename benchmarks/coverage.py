"""How often the 95% intervals of studies hold what they should: studies are drawn again and again, with new annotators.

In every study each case raises and lowers what it is about by normal deviates of its own, and so does each annotator.
An interval should hold what the value would be on average over all cases and annotators.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from benchmarks.table import Row
from denouement.study.results.bradley_terry import Comparisons, strengths
from denouement.study.results.clustered import MeanOfAnswers, Preference, mean_with_interval, preference
from denouement.study.results.crossed import Clusters

STUDIES = 400
PROMISED = 0.95
AT_LEAST = 0.97  # of what is promised: 92.2%, which chance alone comes below in fewer than 1 of 100 simulations

TRUE_STRENGTHS = np.array([0.6, 0.0, -0.6])
_TIE = -0.7

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Simulation:
    """Who answers what in a study, and how far cases and annotators differ.

    Attributes:
        cases, annotators: how many there are.
        per_item: how many annotators answer an item; all of them by default.
        case_deviation, annotator_deviation: standard deviations, on the scale of logits or of ratings.
        shares: by annotator, the chance to be the one who answers; equal by default.
    """

    cases: int
    annotators: int
    case_deviation: float
    annotator_deviation: float
    per_item: int | None = None
    shares: tuple[float, ...] | None = None

    def __str__(self) -> str:
        who = "all" if self.per_item is None else str(self.per_item)
        unequal = f" (shares {', '.join(map(str, self.shares))})" if self.shares else ""
        return (
            f"{self.cases} cases answered by {who} of {self.annotators} annotators{unequal}, deviations "
            f"{self.case_deviation} and {self.annotator_deviation}"
        )

    def clusters(self, generator: np.random.Generator) -> Clusters:
        """An answer's case and annotator, for all answers to an item about each case."""
        k = self.per_item or self.annotators
        by_item = [
            np.arange(self.annotators)
            if k == self.annotators
            else generator.choice(self.annotators, k, replace=False, p=self.shares)
            for _ in range(self.cases)
        ]
        return Clusters(np.repeat(np.arange(self.cases), k), np.concatenate(by_item))

    def deviations(self, generator: np.random.Generator, n: int) -> tuple[Floats, Floats]:
        """float64 [cases, n] and [annotators, n]."""
        return (
            generator.normal(0, self.case_deviation, (self.cases, n)),
            generator.normal(0, self.annotator_deviation, (self.annotators, n)),
        )


SIMULATIONS = (
    Simulation(30, 5, 0.7, 0.0),
    Simulation(30, 5, 0.7, 0.5),
    Simulation(30, 5, 0.7, 0.7),
    Simulation(30, 20, 0.7, 0.7),
    Simulation(30, 5, 0.0, 0.0),
    Simulation(30, 4, 0.7, 0.7),
    Simulation(30, 3, 0.7, 0.7),
    Simulation(30, 2, 0.7, 0.7),
    Simulation(8, 5, 0.7, 0.7),
    Simulation(30, 10, 0.7, 0.7, per_item=3),
    Simulation(30, 50, 0.7, 0.7, per_item=5),
    Simulation(60, 8, 0.7, 0.7, per_item=1),
    Simulation(60, 5, 0.7, 0.7, per_item=1, shares=(0.6, 0.1, 0.1, 0.1, 0.1)),
)


def strength_coverage(simulation: Simulation, studies: int, seed: int = 1, named: bool = True) -> float:
    """The share of intervals of three systems' strengths that hold what the model would find in endless answers.

    Args:
        named: whether the model learns who gave each answer.
    """
    generator = np.random.default_rng(seed)
    truth = _endless_strengths(simulation, generator)
    held = []
    for _ in range(studies):
        own, taste = simulation.deviations(generator, 3)
        pairs = []
        for i, j in combinations(range(3), 2):
            cases, annotators = simulation.clusters(generator)
            assert annotators is not None
            answers = _drawn(TRUE_STRENGTHS + own[cases] + taste[annotators], i, j, generator)
            pairs.append(Comparisons(f"s{i}", f"s{j}", answers, cases, annotators if named else None))
        held += [
            row.low <= truth[row.system] <= row.high
            for row in strengths(pairs).systems
            if row.low is not None and row.high is not None
        ]
    return float(np.mean(held))


def _drawn(strength: Floats, i: int, j: int, generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """int64 [answers, 3]: for the first, for the second, or a tie, a row an answer."""
    logits = np.stack([strength[:, i], strength[:, j], (strength[:, i] + strength[:, j]) / 2 + _TIE], axis=1)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    chosen = (generator.random((len(chances), 1)) > chances.cumsum(axis=1)).sum(axis=1)
    return np.eye(3, dtype=np.int64)[chosen]


def _endless_strengths(simulation: Simulation, generator: np.random.Generator) -> dict[str, float]:
    n = 200_000
    deviation = float(np.hypot(simulation.case_deviation, simulation.annotator_deviation))
    strength = TRUE_STRENGTHS + generator.normal(0, deviation, (n, 3))
    pairs = [
        Comparisons(f"s{i}", f"s{j}", _drawn(strength, i, j, generator), np.arange(n))
        for i, j in combinations(range(3), 2)
    ]
    return {row.system: row.strength for row in strengths(pairs).systems}


def preference_coverage(simulation: Simulation, studies: int, seed: int = 1, logit: float = 0.5) -> float:
    """The share of intervals of the share of answers for one of two systems that hold its mean."""
    return _coverage(simulation, studies, seed, logit, 0, _preferred, lambda values, by: preference(values > 0, by))


def rating_coverage(simulation: Simulation, studies: int, seed: int = 1, middle: float = 4.2) -> float:
    """The share of intervals of the mean of ratings from 1 to 5 that hold its mean; 4.2 is near an end of the scale."""
    return _coverage(
        simulation,
        studies,
        seed,
        middle,
        0.7,
        lambda values, _: np.clip(np.round(values), 1, 5),
        lambda values, by: mean_with_interval(values, by, (values.min(), values.max())),
    )


def _coverage(
    simulation: Simulation,
    studies: int,
    seed: int,
    middle: float,
    noise: float,
    answer: Callable[[Floats, np.random.Generator], Floats],
    interval: Callable[[Floats, Clusters], MeanOfAnswers | Preference],
) -> float:
    """How often `interval` of the answers holds the mean of answers about all cases of all annotators.

    Args:
        middle: what an answer is made of, before the deviations of case and annotator.
        noise: the standard deviation of what each answer adds to it.
        answer: makes answers of it.
    """
    generator = np.random.default_rng(seed)
    deviation = np.sqrt(simulation.case_deviation**2 + simulation.annotator_deviation**2 + noise**2)
    truth = answer(middle + generator.normal(0, deviation, 2_000_000), generator).mean()
    held = []
    for _ in range(studies):
        own, taste = simulation.deviations(generator, 1)
        clusters = simulation.clusters(generator)
        assert clusters.annotators is not None
        made_of = middle + own[clusters.cases, 0] + taste[clusters.annotators, 0]
        values = answer(made_of + generator.normal(0, noise, len(made_of)), generator)
        found = interval(values, clusters)
        if found.low is not None and found.high is not None:
            held.append(found.low <= truth <= found.high)
    return float(np.mean(held))


def _preferred(logits: Floats, generator: np.random.Generator) -> Floats:
    """float64 [answers]: 1 where the first system is preferred, else 0."""
    return (generator.random(len(logits)) < 1 / (1 + np.exp(-logits))).astype(np.float64)


def measure() -> list[Row]:
    """The coverage of each kind of interval in each simulation; above 95% they are wider than needed."""
    kinds = (
        ("strengths of three systems", strength_coverage),
        ("preference of one of two systems", preference_coverage),
        ("mean rating", rating_coverage),
    )
    rows = []
    for what, coverage in kinds:
        for simulation in SIMULATIONS:
            if what == "mean rating" and simulation.cases < 10:
                continue  # `denouement study results` prints no interval of so few
            held = coverage(simulation, STUDIES)
            rows.append(
                Row(f"{what}: {simulation}", "what it promises", held, PROMISED, "held", held / PROMISED, AT_LEAST)
            )
    return rows
