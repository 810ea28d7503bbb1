"""The interface of every Story Cloze system, which turns a case's context and endings into a score for each ending."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement import settings
from denouement.cloze import SYSTEMS
from denouement.cloze.resources import Resources
from denouement.corpus.cases import n_endings
from denouement.errors import UserError
from denouement.schemas import ENGLISH

Scores = npt.NDArray[np.float64]
"""float64 [cases, k]: the ending with the highest score is the right one to a system. Equal highest scores are a tie.

k is the number of endings of the case that has the most. A case with fewer has minus infinity in the places that it
lacks, which no system ever chooses (`by_case`)."""


class ClozeSystem(ABC):
    """Chooses among the endings of a case. A subclass is a dataclass whose fields are its options.

    `prepare`, then `fit` where `learns_from_cases`, then `score` are called in this order. Each fold fits a copy of the
    prepared system, so `fit` must set attributes and not change existing objects.

    Attributes:
        name: its name in the registry.
        learns_from_cases: whether it is fitted to labelled cases, and so must be cross-validated on those.
        reads_endings: whether its scores depend on the texts of the endings, and not only on their places.
        most_endings: the most endings of a case that it can choose among; None: any number.
        only_english: whether it reads texts with tools made for English, such as a parser or a list of words.
    """

    name: ClassVar[str]
    learns_from_cases: ClassVar[bool] = False
    reads_endings: ClassVar[bool] = True
    most_endings: ClassVar[int | None] = None
    only_english: ClassVar[bool] = False

    def cannot_score(self, cases: pa.Table) -> str | None:
        """Why it is no system for these cases, in a sentence; None where it is one."""
        if self.only_english and (others := sorted(set(pc.unique(cases["language"]).to_pylist()) - {ENGLISH})):
            return f"{self.name} reads English alone, and these cases are in {', '.join(others)}"
        if self.most_endings is not None and (most := int(n_endings(cases).max(initial=0))) > self.most_endings:
            return f"{self.name} chooses among at most {self.most_endings} endings, and these cases have up to {most}"
        return None

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
        columns = {variant: of_endings(scores, new) for variant, scores in ready.score(new, resources).items()}
        return [dict(zip(columns, of_case, strict=True)) for of_case in zip(*columns.values(), strict=True)]

    of_cases = resources.once_a_case(("scores", repr(system)), cases, of_new)
    return {
        variant: by_case([score for of_case in of_cases for score in of_case[variant]], cases)
        for variant in of_cases[0]
    }


def endings(cases: pa.Table) -> list[str]:
    """The endings of all cases: all of the first case, all of the second ..., `n_endings(cases).sum()` texts."""
    texts: list[str] = pc.list_flatten(cases["endings"]).to_pylist()
    return texts


def case_of_endings(cases: pa.Table) -> npt.NDArray[np.int64]:
    """int64: of each of `endings(cases)` the row of its case."""
    return np.repeat(np.arange(cases.num_rows), n_endings(cases))


def has_ending(cases: pa.Table) -> npt.NDArray[np.bool_]:
    """bool [cases, k]: which places of `Scores` belong to an ending; k is at least 2."""
    n = n_endings(cases)
    is_there: npt.NDArray[np.bool_] = np.arange(n.max(initial=2)) < n[:, None]
    return is_there


def by_case(values: npt.ArrayLike, cases: pa.Table) -> Scores:
    """`Scores` from a score for each of `endings(cases)`."""
    is_there = has_ending(cases)
    scores = np.full(is_there.shape, -np.inf)
    scores[is_there] = values
    return scores


def of_endings(scores: Scores, cases: pa.Table) -> list[list[float]]:
    """The scores of the endings of each case, without the places that it lacks."""
    return [row[:n] for row, n in zip(scores.tolist(), n_endings(cases).tolist(), strict=True)]


def choices(scores: Scores) -> npt.NDArray[np.int8]:
    """int8 [cases]: 1 to k, the ending with the highest score. A tie goes to its first, as by constant-choose-first."""
    return np.asarray(scores.argmax(axis=1) + 1, np.int8)
