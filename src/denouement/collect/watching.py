"""How well a model that never sees the story tells right endings from wrong ones, while a collection grows.

The model is that of the bias monitor of a finished corpus (`analysis.bias_monitor`): EndingReg, cross-validated.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa

from denouement.analysis.bias_monitor import VARIANTS, FeatureWeight, VariantAccuracy, fitted_endings
from denouement.cloze.base import by_case
from denouement.cloze.evaluation.statistics import Correct, accuracy, correct
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.collect.description import Collection, EndingStep
from denouement.collect.work import as_cases
from denouement.settings import at_least
from denouement.text.syntax import NoParserError

FEWEST = 100
"""From so many pairs of endings on something is said; fewer are too few to learn from."""

MOST = 3000
"""The model reads no more pairs than these, the newest ones, so that a look at a large collection takes a minute."""

FEWEST_OF_A_WRITER = 10


@dataclass(frozen=True)
class WatchRules:
    """When there is an alarm.

    Attributes:
        accuracy: of the model on all cases that may not be exceeded. Of a single writer, who has fewer cases, the lower
            end of the interval may not exceed it. Sharma et al. 2018, Table 6: .715 for v1.0, .644 for v1.5.
        folds: of the cross-validation.
        seed: draws the folds.
    """

    accuracy: float = EndingStep.max_accuracy
    folds: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0.5 <= self.accuracy <= 1:
            raise ValueError(f"accuracy: must be between 0.5 and 1, not {self.accuracy}")
        at_least(self, 2, "folds")


def watch_rules(collection: Collection) -> WatchRules:
    """The rules of a collection; ours where endings are no step of it."""
    return WatchRules(collection.endings.max_accuracy) if collection.endings else WatchRules()


@dataclass(frozen=True)
class WatchPoint:
    """The accuracy of the model, with its exact 95% interval, when there were `pairs` of endings.

    Attributes:
        read: the newest ones of these, which the model read (`MOST`).
    """

    pairs: int
    read: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class WriterBias:
    """The accuracy of the model on the endings of one writer; the model knows the writer's other endings.

    Attributes:
        writer: None: those whose writer is not known.
    """

    writer: str | None
    n: int
    correct: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class EndingWatch:
    """What the monitor of a collection found.

    Attributes:
        pairs: of endings that there are.
        missing: why nothing is said; None where something is.
        threshold: the accuracy that may not be exceeded.
        curve: from `FEWEST` pairs to all.
        variants: what each group of features gives away, at the last point; all features first.
        writers: those with `FEWEST_OF_A_WRITER` pairs or more among those read, the most given away first.
        few: how many pairs read are of other writers.
        features: of the model fitted to all that were read, the strongest first.
        above: that the accuracy of all exceeds the threshold, in a sentence; empty where it does not.
        writers_above: which writers exceed it, each in a sentence.
    """

    pairs: int
    missing: str | None
    threshold: float
    curve: tuple[WatchPoint, ...] = ()
    variants: tuple[VariantAccuracy, ...] = ()
    writers: tuple[WriterBias, ...] = ()
    few: int = 0
    features: tuple[FeatureWeight, ...] = ()
    above: tuple[str, ...] = ()
    writers_above: tuple[str, ...] = ()

    @property
    def alarms(self) -> tuple[str, ...]:
        """What exceeds the threshold."""
        return (*self.above, *self.writers_above)


def watch(endings: pa.Table, cache: Path | None, rules: WatchRules | None = None) -> EndingWatch:
    """Watch pairs of endings.

    Args:
        endings: the table `collected_endings`, in the order in which they came in.
        cache: a folder that keeps parses and the points of the curve, so that a later look at a grown collection works
            out its last point alone; None keeps nothing.
        rules: when there is an alarm.
    """
    rules = rules or WatchRules()
    n = endings.num_rows
    if n < FEWEST:
        missing = f"{n:,} pairs of endings; something can be said from {FEWEST} on"
        return EndingWatch(n, missing, rules.accuracy)
    resources = Resources(cache=cache, seed=rules.seed)
    curve: list[WatchPoint] = []
    try:
        for until in (*points(n), n):
            start = max(0, until - MOST)
            cases = as_cases(endings.slice(start, until - start), release=f"first-{until}" if until < n else "all")
            fitted = fitted_endings(cases, resources, rules.folds)
            is_correct = {
                name: correct(by_case([*chain.from_iterable(of)], cases), cases) for name, of in fitted.scores.items()
            }
            found = accuracy(is_correct[""])
            curve.append(WatchPoint(until, cases.num_rows, *_share(found.accuracy, found.low, found.high)))
    except (MissingResourceError, NoParserError) as error:
        return EndingWatch(n, str(error), rules.accuracy)
    writers, few = _writers(endings.slice(start, n - start), is_correct[""])
    return EndingWatch(
        pairs=n,
        missing=None,
        threshold=rules.accuracy,
        curve=tuple(curve),
        variants=tuple(
            VariantAccuracy(name, of.n, of.correct, *_share(of.accuracy, of.low, of.high))
            for name in VARIANTS
            for of in [accuracy(is_correct[name])]
        ),
        writers=writers,
        few=few,
        features=fitted.features,
        above=tuple(_above(curve[-1], rules)),
        writers_above=tuple(_writers_above(writers, rules)),
    )


def points(n: int) -> Iterator[int]:
    """The numbers of pairs below `n` at which the curve has a point: 100, 150, 200, 300, 400, 600, 800, 1,200 ..."""
    at = FEWEST
    while at < n:
        yield at
        if at + at // 2 < n:
            yield at + at // 2
        at *= 2


def _share(accuracy: float | None, low: float | None, high: float | None) -> tuple[float, float, float]:
    """The accuracy of at least one case and its interval, which there is then."""
    assert accuracy is not None
    assert low is not None
    assert high is not None
    return accuracy, low, high


def _writers(endings: pa.Table, is_correct: Correct) -> tuple[tuple[WriterBias, ...], int]:
    names = np.array(endings["writer"].to_pylist(), object)
    found, few = [], 0
    for name in dict.fromkeys(names.tolist()):
        of = accuracy(is_correct[names == name])
        if of.n < FEWEST_OF_A_WRITER:
            few += of.n
            continue
        found.append(WriterBias(name, of.n, of.correct, *_share(of.accuracy, of.low, of.high)))
    return tuple(sorted(found, key=lambda each: (-each.accuracy, -each.n))), few


def _above(last: WatchPoint, rules: WatchRules) -> Iterator[str]:
    if last.accuracy > rules.accuracy:
        newest = "" if last.read == last.pairs else f"newest {last.read:,} "
        yield (
            f"a model that sees only the endings is right in {last.accuracy:.1%} of the {newest}pairs; at most "
            f"{rules.accuracy:.1%} are allowed"
        )


def _writers_above(writers: tuple[WriterBias, ...], rules: WatchRules) -> Iterator[str]:
    for each in writers:
        if each.writer is not None and each.low > rules.accuracy:
            yield (
                f"writer {each.writer}: the model is right in {each.accuracy:.1%} of {each.n:,} pairs (95% interval "
                f"from {each.low:.1%}); at most {rules.accuracy:.1%} are allowed"
            )
