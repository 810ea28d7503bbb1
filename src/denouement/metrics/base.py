"""The interface of every automatic score of endings: what it measures, what it needs, and the values it gives."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from denouement import settings
from denouement.cloze.resources import Resources
from denouement.errors import UserError
from denouement.metrics import METRICS

Values = npt.NDArray[np.float64]
"""float64 [endings]: NaN for an ending that has no value, for the reason that `Metric.unscorable` names. Such endings
get no row in the table `ending_scores`, and are counted."""

Direction = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class Measure:
    """What the values of a score mean.

    Attributes:
        what: in a few words.
        better: which values are better; neither: no one holds that more or less of it is good by itself.
        unit: of the values, such as words; empty for a number between the ends of its range.
        low, high: the ends of the range; None: without an end.
    """

    what: str
    better: Direction
    unit: str = ""
    low: float | None = 0.0
    high: float | None = 1.0


@dataclass(frozen=True)
class EndingRows:
    """Endings with what scores compare them with: item i of each sequence belongs to ending i.

    Attributes:
        endings: the texts, each with at least one letter or digit.
        contexts: the sentences of each ending's story.
        references: human endings of the same story; none where there are none.
    """

    endings: Sequence[str]
    contexts: Sequence[Sequence[str]]
    references: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.endings)

    def take(self, rows: Sequence[int]) -> "EndingRows":
        """The endings at these places."""
        return EndingRows(
            [self.endings[row] for row in rows],
            [self.contexts[row] for row in rows],
            [self.references[row] for row in rows],
        )


class Metric(ABC):
    """A score, or a family of scores that are worked out together. A subclass is a dataclass whose fields are options.

    Attributes:
        name: its name in the registry.
        measures: its scores by name, as in the column `score`. A score that is there for each of several models has
            the model's name behind its own, after a blank.
        needs: what it reads beside endings and contexts, in words.
        learns: whether its values depend on texts that it learned from.
        only_english: whether it reads texts with tools made for English.
        unscorable: which endings have no value, where there may be such: completes "no value: endings ...".
        goes_first: whether it is worked out before the others, whatever their order, since its work leaves behind what
            others look up.
    """

    name: ClassVar[str]
    measures: ClassVar[Mapping[str, Measure]]
    needs: ClassVar[Sequence[str]] = ()
    learns: ClassVar[bool] = False
    only_english: ClassVar[bool] = False
    unscorable: ClassVar[str] = ""
    goes_first: ClassVar[bool] = False

    def lacks(self, resources: Resources) -> list[str]:
        """What it needs and `resources` lacks, a sentence for each thing; this takes no long work."""
        return []

    def files(self, resources: Resources) -> Sequence[str]:
        """The digests of files that its values depend on besides those that `resources` names, such as a model's."""
        return ()


class EndingMetric(Metric):
    """A score of each ending.

    The value of an ending depends on its own row alone, and on `resources`: other endings, and the order of the rows,
    change nothing.
    """

    needs_references: ClassVar[bool] = False

    @abstractmethod
    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """The values of each ending, by score.

        Args:
            rows: where `needs_references`, each has one or more references.
            resources: what scores learn from and look things up in.

        Raises:
            MissingResourceError: `resources` lacks what it needs.
        """


class SetMetric(Metric):
    """A score of all endings of a system together, which no single ending has."""

    @abstractmethod
    def score_set(self, endings: Sequence[str]) -> dict[str, float | None]:
        """The value of a set of one or more endings, by score; None where the set has none (`unscorable`)."""


def load_metric(name: str, options: Mapping[str, Any] | None = None) -> Metric:
    """The score, or family, `name` of the registry with its options.

    >>> load_metric("chrf").measures["chrf_2"].better
    'higher'

    Raises:
        UserError: no such score; an unknown, missing or wrong option.
    """
    if name not in METRICS:
        raise UserError(f"no score {name!r}; there are {', '.join(METRICS)}")
    module, _, class_name = METRICS[name].partition(":")
    metric: type[Metric] = getattr(import_module(module), class_name)
    return settings.build(metric, options, f"options of score {name}")


def known_measures() -> dict[str, Measure]:
    """What every score of the registry means, by its name without that of a model behind it."""
    return {score: measure for name in METRICS for score, measure in load_metric(name).measures.items()}


def measure_of(metric: Metric, score: str) -> Measure:
    """What a score of the column `score` means, without the name of a model behind it."""
    return metric.measures[score.partition(" ")[0]]
