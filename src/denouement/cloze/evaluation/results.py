"""What evaluations return: typed rows that are written as JSON and shown as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import pyarrow as pa

from denouement.documents import read_document
from denouement.errors import UserError, is_defect, one_line
from denouement.schemas import ENGLISH, set_name


@dataclass(frozen=True)
class Accuracy:
    """How often the right ending was chosen; shares between 0 and 1.

    Attributes:
        n: cases.
        correct: of these, how many are right.
        accuracy: the share; None without cases.
        low, high: its exact 95% interval (Clopper and Pearson 1934); None without cases.
    """

    n: int
    correct: int
    accuracy: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class HalfTies:
    """What ties do to an accuracy.

    Attributes:
        ties: cases with equal highest scores.
        accuracy_half_ties: the accuracy with each tie as half a case that is right (`statistics.half_ties`); None
            without cases.
    """

    ties: int
    accuracy_half_ties: float | None


@dataclass(frozen=True)
class FittedTo:
    """The labelled cases that a system was fitted to.

    Attributes:
        cases: how many, by release and split.
        folds: of the cross-validation; None where the scored cases are not learned from.
        left_out: how many were left out because their story is among the scored cases.
    """

    cases: Mapping[str, int]
    folds: int | None
    left_out: int


@dataclass(frozen=True)
class SystemRow:
    """One system, or one variant of it, on the cases of one release, split and language.

    Attributes:
        system, variant: the variant is "" where the system has none.
        release, split: of the cases.
        blind: whether labels are missing: then there is no accuracy.
        n: cases.
        correct, accuracy, low, high: see `Accuracy`; None where the set is blind or the system has no scores.
        ties, accuracy_half_ties: see `HalfTies`; ties are counted in blind sets, too.
        best: whether no system has a higher accuracy on these cases; of several, the first.
        p_best: the corrected p-value of the comparison with the best (`SystemComparison.p_holm`); None where there is
            no such comparison.
        paper: the published accuracy; None where there is none.
        trained_on: what the system learned from, in words; None without scores.
        fitted_to: of a system that learns from cases; None otherwise.
        missing: what the system lacks, and how to give it; None where it lacks nothing.
        failed: the error that ended the system; None where it ended well.
        by_sentiment, by_length: the accuracy on the groups of `statistics.by_sentiment` and `statistics.by_length`;
            None for cases that are not in English.
        language: of the cases.
        chance: the accuracy of a guess.
    """

    system: str
    variant: str
    release: str
    split: str
    blind: bool
    n: int
    correct: int | None = None
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    ties: int | None = None
    accuracy_half_ties: float | None = None
    best: bool = False
    p_best: float | None = None
    paper: float | None = None
    trained_on: str | None = None
    fitted_to: FittedTo | None = None
    missing: str | None = None
    failed: str | None = None
    by_sentiment: Mapping[str, Accuracy] | None = None
    by_length: Mapping[str, Accuracy] | None = None
    language: str = ENGLISH
    chance: float = 0.5

    @property
    def name(self) -> str:
        """System and variant, as comparisons name them: `word_vectors glove`."""
        return f"{self.system} {self.variant}".strip()

    @property
    def cases(self) -> str:
        """Release, split and a language other than English: `v1.0 validation`."""
        return set_name(self.release, self.split, self.language)


ByLanguage = Mapping[str, Mapping[str, Mapping[str, Accuracy]]]
"""By release and split, row (`SystemRow.name`) and language."""


def by_language(rows: Sequence[SystemRow]) -> ByLanguage:
    """The accuracies on the cases of each release and split that are in several languages, in the order of the rows."""
    found: dict[str, dict[str, dict[str, Accuracy]]] = {}
    for row in rows:
        if row.correct is not None:
            accuracy = Accuracy(row.n, row.correct, row.accuracy, row.low, row.high)
            found.setdefault(f"{row.release} {row.split}", {}).setdefault(row.name, {})[row.language] = accuracy
    return {name: of_set for name, of_set in found.items() if len({*chain.from_iterable(of_set.values())}) > 1}


@dataclass(frozen=True)
class SystemComparison:
    """Two systems on the same cases: McNemar's test in its exact form.

    Attributes:
        one, other: names of rows (`SystemRow.name`).
        only_one, only_other: how many cases only the one and only the other has right.
        p: two-sided; 1 where both numbers are 0.
        p_holm: `p`, corrected by Holm's method for all pairs of systems on these cases.
    """

    one: str
    other: str
    only_one: int
    only_other: int
    p: float
    p_holm: float


@dataclass(frozen=True)
class ClozeResult:
    """How often Story Cloze systems are right: the content of `evaluation.json`.

    Attributes:
        systems: a row for each system, variant and set of cases, then the published accuracy of people.
        comparisons: every two rows of each set with labels, by its name (`schemas.set_name`).
        notes: by system what was decided by a rule of thumb, such as a text without a known word, and how often.
        by_language: see `by_language`.
    """

    systems: Sequence[SystemRow]
    comparisons: Mapping[str, Sequence[SystemComparison]] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    by_language: ByLanguage = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """An evaluation with the scores that its result was made from.

    Attributes:
        result: what is printed and written as JSON.
        scores: the table `scores`: a row for each system, variant and case.
        failures: by system the error that ended it.
    """

    result: ClozeResult
    scores: pa.Table
    failures: Mapping[str, Exception] = field(default_factory=dict)

    def raise_failures(self) -> None:
        """Raise what ended systems, once the results of the others are printed and written.

        Raises:
            Exception: the first failure that is a defect of this package, unchanged.
            UserError: otherwise; it names the systems that failed, and why.
        """
        if not self.failures:
            return
        for error in self.failures.values():
            if is_defect(error):
                raise error
        reasons = "; ".join(f"{name}: {one_line(error)}" for name, error in self.failures.items())
        raise UserError(f"{len(self.failures)} of the systems failed, the others are printed: {reasons}")


@dataclass(frozen=True)
class ModuleAccuracy(HalfTies, Accuracy):
    """How often a module of the Story Cloze Evaluator is right."""


@dataclass(frozen=True)
class VectorResult:
    """How well vectors of sentences predict what comes next.

    Attributes:
        cases: how many.
        releases: of the cases, sorted.
        dimension: numbers in a vector.
        contexts: what the joint module compares with an ending: the vector of the whole context ("whole"), or the mean
            of its sentences' vectors ("mean").
        joint: the joint module.
        sentence_level: the sentence-level module; None without vectors of sentences.
        chance: the accuracy of a guess.
    """

    cases: int
    releases: Sequence[str]
    dimension: int
    contexts: str
    joint: ModuleAccuracy
    sentence_level: ModuleAccuracy | None
    chance: float = 0.5


def read_result(path: Path) -> ClozeResult:
    """The result in an `evaluation.json`.

    Raises:
        UserError: no such file, or a damaged one.
    """
    return read_document(path, ClozeResult, "cloze")


def logged_values(result: ClozeResult) -> dict[str, dict[str, float]]:
    """The accuracies (shares, 0 to 1) that are logged: by `release_split`, then by `system_variant`."""
    values: dict[str, dict[str, float]] = {}
    for row in result.systems:
        if row.accuracy is not None:
            values.setdefault("_".join(row.cases.split()), {})["_".join(row.name.split())] = row.accuracy
    return values


def chief_values(result: ClozeResult, most: int = 12) -> dict[str, dict[str, float]]:
    """The accuracies by which runs are compared: of the first labelled set the best row of each of the best systems."""
    of_sets = logged_values(result)
    of_system: dict[str, tuple[float, str]] = {}
    for row in result.systems:
        cases = "_".join(row.cases.split())
        if row.accuracy is not None and cases == next(iter(of_sets)):
            of_system[row.system] = max(of_system.get(row.system, (0.0, "")), (row.accuracy, cases))
    best = sorted(of_system, key=lambda system: (-of_system[system][0], system))[:most]
    return {f"accuracy_{cases}": {name: of_system[name][0] for name in sorted(best)} for cases in list(of_sets)[:1]}


def plotted(result: ClozeResult) -> list[dict[str, str | float]]:
    """The rows of the plot of accuracies: a row for each system, variant and labelled set."""
    return [
        {"system": f"{row.name} ({row.cases})", "accuracy": row.accuracy}
        for row in result.systems
        if row.accuracy is not None
    ]
