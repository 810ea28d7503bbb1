"""The interface of every Story Cloze system, which turns a case's context and two endings into two scores."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement import settings
from denouement.cloze import SYSTEMS
from denouement.cloze.resources import Resources
from denouement.errors import UserError

Scores = npt.NDArray[np.float64]
"""float64 [cases, 2]: the ending with the higher score is the right one to a system. Equal scores are a tie."""


class ClozeSystem(ABC):
    """Chooses between two endings. A subclass is a dataclass whose fields are its options.

    `prepare`, then `fit` where `learns_from_cases`, then `score` are called in this order. Each fold fits a copy of the
    prepared system, so `fit` must set attributes and not change existing objects.

    Attributes:
        name: its name in the registry.
        learns_from_cases: whether it is fitted to labelled cases, and so must be cross-validated on those.
        reads_endings: whether its scores depend on the texts of the endings, and not only on their places.
    """

    name: ClassVar[str]
    learns_from_cases: ClassVar[bool] = False
    reads_endings: ClassVar[bool] = True

    def learns_from_stories(self, variant: str) -> bool:
        """Whether the scores of a variant depend on the stories."""
        return False

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """What a variant learned from besides the stories and the cases, such as a pretrained encoder, in a few words.

        None where there is nothing of the kind. A parser and a list of words with their sentiment do not count.
        """
        return None

    def reads_pretrained(self, variant: str, resources: Resources) -> bool:
        """Whether a variant depends on a pretrained language model or sentence encoder; word vectors are neither."""
        return False

    def files(self, resources: Resources) -> Sequence[Path]:
        """The files that scores depend on besides those that `resources` names, such as one that an option names.

        Scores that were kept are made again where the content of one of them has changed.

        Raises:
            UserError: one is missing.
        """
        return ()

    def lacks(self, resources: Resources) -> list[str]:
        """What `prepare` needs and `resources` lacks, a sentence for each thing; this takes no long work."""
        return []

    def prepare(self, resources: Resources) -> None:  # noqa: B027 - nothing to do is a fine default
        """Learn what can be learned from stories or read from files, once for all cases.

        Raises:
            MissingResourceError: `resources` lacks what it needs.
        """

    def fit(self, cases: pa.Table, resources: Resources) -> None:  # noqa: B027 - as above
        """Learn from labelled cases of the table `cloze`.

        Raises:
            MissingResourceError: too few cases to learn from.
        """

    @abstractmethod
    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """The scores of the endings of each case, by variant of the system; a system without variants has only "".

        Where a rule of thumb replaces the system, as for a sentence without a known word, `resources.notes` counts it.

        Args:
            cases: of the table `cloze`; the column `right_ending` is not read.
            resources: see `Resources`.
        """


def load_system(name: str, options: Mapping[str, Any] | None = None) -> ClozeSystem:
    """A fresh system `name` of the registry with its options.

    >>> load_system("ending_reg", {"order": 4}).order
    4

    Raises:
        UserError: no such system; an unknown, missing or wrong option.
    """
    if name not in SYSTEMS:
        raise UserError(f"no Story Cloze system {name!r}; there are {', '.join(SYSTEMS)}")
    module, _, class_name = SYSTEMS[name].partition(":")
    system_class: type[ClozeSystem] = getattr(import_module(module), class_name)
    return settings.build(system_class, options, f"options of Story Cloze system {name}")


def prepared(system: ClozeSystem, resources: Resources) -> ClozeSystem:
    """`system`, or one with the same options that was prepared with these resources before.

    Raises:
        MissingResourceError: `resources` lacks what it needs.
    """

    def make() -> ClozeSystem:
        system.prepare(resources)
        return system

    return resources.once(("prepared", repr(system)), make)


def scores_once(system: ClozeSystem, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
    """The scores of a system that does not learn from cases: each case is scored once, however often it is asked for.

    Raises:
        MissingResourceError: `resources` lacks what it needs.
    """
    ready = prepared(system, resources)

    def of_new(new: pa.Table) -> list[dict[str, list[float]]]:
        columns = {variant: scores.tolist() for variant, scores in ready.score(new, resources).items()}
        return [dict(zip(columns, pair, strict=True)) for pair in zip(*columns.values(), strict=True)]

    of_cases = resources.once_a_case(("scores", repr(system)), cases, of_new)
    return {variant: np.array([pairs[variant] for pairs in of_cases]) for variant in of_cases[0]}


def endings(cases: pa.Table) -> list[str]:
    """The endings of all cases: both of the first case, both of the second ..., so `[2 * n]` texts."""
    return [
        ending
        for pair in zip(cases["ending_1"].to_pylist(), cases["ending_2"].to_pylist(), strict=True)
        for ending in pair
    ]


def choices(scores: Scores) -> npt.NDArray[np.int8]:
    """int8 [cases]: 1 or 2, the ending with the higher score. A tie goes to the first, as by constant-choose-first."""
    return np.where(scores[:, 1] > scores[:, 0], 2, 1).astype(np.int8)
