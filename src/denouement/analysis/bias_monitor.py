"""Can a model that never sees the story know right endings from wrong ones? It should not.

The model is EndingReg of Sharma et al. 2018, section 4, cross-validated on the cases themselves, so that a collection
can be watched while it grows.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.analysis.ending_statistics import FeatureContrast
from denouement.cloze.base import Scores, by_case, has_ending, of_endings
from denouement.cloze.evaluation.calibration import Reliability, probabilities, reliability
from denouement.cloze.evaluation.case_sets import CaseSet
from denouement.cloze.evaluation.cross_validation import out_of_fold
from denouement.cloze.evaluation.scoring import inputs_digest
from denouement.cloze.evaluation.statistics import accuracy, chance, correct
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.systems.ending_reg import EndingReg
from denouement.corpus.cases import CaseSets, is_right, n_endings, right_and_wrong
from denouement.documents import document, read_document, write_document
from denouement.errors import UserError
from denouement.kept import kept
from denouement.schemas import TABLES
from denouement.text.syntax import NoParserError, parser_version

SYSTEM = EndingReg.name
VARIANTS = {
    "": "all features",
    "style": "length, sentiment, complexity",
    "ngrams": "words with parts of speech",
    "pos": "parts of speech",
    "characters": "characters",
}
"""The variants of EndingReg, and what each sees."""

CERTAIN = 0.8
"""A case is given away when the model gives its right ending at least this probability; where a calibrated model gives
just that, it is right in four of five cases."""

_STRONGEST = 40
_CALIBRATED = "calibrated"


@dataclass(frozen=True)
class Thresholds:
    """Limits that a collection may not exceed; None: no limit.

    Attributes:
        accuracy: that of the model with all features, from 0.5 (chance) to 1.
        effect: Cohen's d of a single feature (`ending_statistics`), without its sign.
    """

    accuracy: float | None = None
    effect: float | None = None

    def __post_init__(self) -> None:
        if self.accuracy is not None and not 0 <= self.accuracy <= 1:
            raise ValueError(f"accuracy: must be from 0 to 1, not {self.accuracy}")
        if self.effect is not None and not self.effect >= 0:
            raise ValueError(f"effect: must be at least 0, not {self.effect}")


ANYTHING = Thresholds()


@dataclass(frozen=True)
class VariantAccuracy:
    """How often a variant of EndingReg is right, with the exact 95% interval `low`, `high` of its accuracy."""

    variant: str
    n: int
    correct: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class FeatureWeight:
    """The weight of a feature in the model fitted to all cases."""

    feature: str
    weight: float


@dataclass(frozen=True)
class MonitoredSet:
    """What the monitor finds in the cases of one release and split.

    Attributes:
        variants: of EndingReg, that with all features first.
        missing: why there are no variants; None where there are.
        certain: cases whose right ending the model gives `CERTAIN` or more.
        misled: cases one of whose wrong endings it gives as much.
        reliability: see `calibration.reliability`; None without variants.
        features: of the model fitted to all cases, the strongest first.
        chance: the accuracy of a guess.
    """

    variants: tuple[VariantAccuracy, ...] = ()
    missing: str | None = None
    certain: int = 0
    misled: int = 0
    reliability: Reliability | None = None
    features: tuple[FeatureWeight, ...] = ()
    chance: float = 0.5


@dataclass(frozen=True)
class BiasMonitor:
    """What the monitor finds, by release and split such as `v1.0 validation`, and what is `above` the thresholds."""

    sets: Mapping[str, MonitoredSet]
    above: tuple[str, ...]


@dataclass(frozen=True)
class FittedEndings:
    """EndingReg fitted to cases and cross-validated on them.

    Attributes:
        scores: by variant, the calibrated one among them, the scores of each case's endings by the model that was
            fitted to the other folds.
        features: the strongest of the model fitted to all cases.
    """

    scores: Mapping[str, Sequence[Sequence[float]]]
    features: tuple[FeatureWeight, ...]


class _Calibrated(EndingReg):
    """EndingReg with one more variant, in which the difference of two scores is a calibrated log-odds."""

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        scores = super().score(cases, resources)
        return scores | {_CALIBRATED: by_case(self.slope * scores[""][has_ending(cases)], cases)}


def bias_monitor(
    sets: CaseSets, cache: Path | None, folds: int = 10
) -> dict[tuple[str, str], tuple[MonitoredSet, pa.Table]]:
    """Cross-validate EndingReg on the labelled cases of each release and split.

    The probabilities are calibrated on the cases that the model is fitted to (`EndingReg.slope`), never on the case
    itself. So they do not depend on the strength of the penalty that is chosen; without calibration, a strong penalty
    moves all of them near a half.

    Args:
        sets: labelled cases, each set by itself.
        cache: a folder that keeps parses, scores and weights.
        folds: of the cross-validation.

    Returns:
        By release and split the result, and the table `bias_cases`: each case with the calibrated `probability`
        that the model, fitted to the other folds, gives the right ending, the surest first; of several wrong endings
        the table has the one that the model gives most.
    """
    resources = Resources(cache=cache)
    return {of_set: _of_set(cases, resources, folds) for of_set, cases in sets.items()}


def fewest(folds: int) -> int:
    """The least number of cases for so many folds: those fitted to must be enough for EndingReg's own folds."""
    inside = 2 * EndingReg().n_folds
    return next(n for n in itertools.count(folds) if n - math.ceil(n / folds) >= inside)


def _of_set(cases: pa.Table, resources: Resources, folds: int) -> tuple[MonitoredSet, pa.Table]:
    if cases.num_rows < fewest(folds):
        missing = f"{cases.num_rows:,} labelled cases; {folds} folds need {fewest(folds):,} or more"
        return MonitoredSet(missing=missing), TABLES["bias_cases"].schema.empty_table()
    try:
        fitted = fitted_endings(cases, resources, folds)
    except (MissingResourceError, NoParserError) as error:
        return MonitoredSet(missing=str(error)), TABLES["bias_cases"].schema.empty_table()
    scores = {
        variant: by_case(list(itertools.chain.from_iterable(of_variant)), cases)
        for variant, of_variant in fitted.scores.items()
    }
    given = probabilities(scores.pop(_CALIBRATED))
    right = given[has_ending(cases)][is_right(cases)]
    wrong = np.where(np.arange(given.shape[1]) == cases["right_ending"].to_numpy()[:, None] - 1, 0, given)
    found = MonitoredSet(
        variants=tuple(
            VariantAccuracy(variant=variant, **document(accuracy(correct(of_variant, cases))))
            for variant, of_variant in scores.items()
        ),
        certain=int((right >= CERTAIN).sum()),
        misled=int((wrong.max(axis=1) >= CERTAIN).sum()),
        reliability=reliability(given, cases["right_ending"].to_numpy()),
        features=fitted.features,
        chance=chance(cases),
    )
    return found, _by_case(cases, right, wrong.argmax(axis=1))


def exceeded(name: str, monitor: MonitoredSet, features: Sequence[FeatureContrast], most: Thresholds) -> list[str]:
    """The values above the thresholds, each in a sentence.

    Args:
        name: of the cases.
        monitor: of `bias_monitor`.
        features: of `ending_statistics`.
        most: the thresholds.

    Raises:
        MissingResourceError: a threshold for a model that could not be fitted.
    """
    above = []
    if most.accuracy is not None:
        if monitor.missing:
            raise MissingResourceError(monitor.missing)
        accuracy = next(row.accuracy for row in monitor.variants if not row.variant)
        if accuracy > most.accuracy:
            above.append(
                f"{name}: a model that sees only the endings is right in {accuracy:.1%} of the cases; at most "
                f"{most.accuracy:.1%} are allowed"
            )
    if most.effect is not None:
        above += [
            f"{name}: right and wrong endings differ in {row.feature} by d = {row.effect:.2f}; at most "
            f"{most.effect:.2f} is allowed"
            for row in features
            if row.effect is not None and abs(row.effect) > most.effect
        ]
    return above


def _by_case(cases: pa.Table, probability: npt.NDArray[np.float64], wrong: npt.NDArray[np.int64]) -> pa.Table:
    """The table `bias_cases` of cases.

    Args:
        cases: labelled.
        probability: float64 [n], of their right endings.
        wrong: int64 [n], the place, from 0, of the likeliest of their wrong endings.
    """
    columns = {name: cases[name] for name in ("release", "split", "case_id")}
    columns["right"], _ = right_and_wrong(cases)
    columns["wrong"] = [texts[at] for texts, at in zip(cases["endings"].to_pylist(), wrong.tolist(), strict=True)]
    table = pa.table(columns | {"probability": probability})
    return table.cast(TABLES["bias_cases"].schema).sort_by([("probability", "descending"), ("case_id", "ascending")])


def fitted_endings(cases: pa.Table, resources: Resources, folds: int) -> FittedEndings:
    """EndingReg fitted to labelled cases of one release and split, or what was kept of it: fitting takes a while.

    Raises:
        MissingResourceError, NoParserError: no parser is installed.
    """
    release, split = (str(cases[name][0]) for name in ("release", "split"))

    def make() -> FittedEndings:
        scores = out_of_fold(_Calibrated, cases, resources, folds, f"bias monitor, {release} {split}")
        system = EndingReg()
        system.fit(cases, resources)
        features = tuple(FeatureWeight(name, weight) for name, weight in system.weights()[:_STRONGEST])
        return FittedEndings(
            {variant: of_endings(of_variant, cases) for variant, of_variant in scores.items()}, features
        )

    def read(path: Path) -> FittedEndings:
        fitted = read_document(path, FittedEndings)
        shapes = {variant: [*map(len, of_variant)] for variant, of_variant in fitted.scores.items()}
        if shapes != dict.fromkeys((*VARIANTS, _CALIBRATED), n_endings(cases).tolist()) or not fitted.features:
            raise UserError(f"{path}: scores of other cases")
        return fitted

    if resources.cache is None:
        return make()
    depends_on = [parser_version(), folds, inputs_digest([CaseSet(release, split, cases)], resources)]
    return kept(resources.cache / f"bias-{release}-{split}.json", depends_on, make, read, write_document)
