"""A linear probe: which ending is right, from what a middle layer of a language model holds while it reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze.base import Scores
from denouement.cloze.evaluation.cross_validation import story_folds
from denouement.cloze.parts import choice_model
from denouement.cloze.parts.asked_model import LanguageModelSystem, by_case, contexts, continuations
from denouement.cloze.parts.kept_states import kept_states
from denouement.cloze.parts.pairwise import right_endings
from denouement.cloze.parts.vectors import Floats
from denouement.cloze.resources import Resources
from denouement.errors import UserError
from denouement.settings import at_least

_DEPTH = 5 / 8  # of the layers are below the states, unless `layer` says how many


@dataclass
class LanguageModelProbe(LanguageModelSystem):
    """Conditional logistic regression (`choice_model`) on the mean state of a layer over the tokens of each ending.

    The language model itself is not changed. Its states are kept in the cache and used again by all folds, releases
    and runs.

    Variants: "", the endings read after the context; "without context", the endings read alone: how far the right one
    gives itself away.

    Attributes:
        layer: how many layers are below the states; null takes five eighths of them.
        n_folds: of the cross-validation inside the cases fitted to, which finds the strength of the penalty.
    """

    name: ClassVar[str] = "lm_probe"
    learns_from_cases: ClassVar[bool] = True

    layer: int | None = None
    n_folds: int = 5

    def __post_init__(self) -> None:
        at_least(self, 0, "layer")
        at_least(self, 2, "n_folds")

    def prepare(self, resources: Resources) -> None:
        """Load the model.

        Raises:
            MissingResourceError: no language model is named.
            UserError: it has fewer layers than `layer`.
        """
        self._model = self.loaded(resources)
        n_layers = len(self._model.layers)
        self._layer = round(_DEPTH * n_layers) if self.layer is None else self.layer
        if self._layer > n_layers:
            raise UserError(f"{self.name}: layer {self.layer} of a language model that has {n_layers}")

    def fit(self, cases: pa.Table, resources: Resources) -> None:
        """Learn the weights.

        Raises:
            MissingResourceError: fewer cases than twice `n_folds`, or stories than `n_folds`.
        """
        right = right_endings(cases, self.n_folds, self.name)
        fold_of = story_folds(cases, self.n_folds, resources.seed)
        self._models = {
            variant: choice_model.fit(states, right, fold_of) for variant, states in self._states(cases, resources)
        }

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`. The differences of scores are log-odds."""
        return {
            variant: by_case(self._models[variant].scores(np.concatenate(states)), cases)
            for variant, states in self._states(cases, resources)
        }

    def _states(self, cases: pa.Table, resources: Resources) -> Iterator[tuple[str, list[Floats]]]:
        """The states of the endings of each case, [k, width], by variant."""
        yield "", self._read("context", contexts, cases, resources)
        yield "without context", self._read("nothing", lambda new: [""] * new.num_rows, cases, resources)

    def _read(
        self, what: str, before: Callable[[pa.Table], list[str]], cases: pa.Table, resources: Resources
    ) -> list[Floats]:
        """The states of the endings of each case, read after what `before` returns."""

        def make(new: pa.Table) -> list[Floats]:
            return kept_states(self._model, self._layer, before(new), continuations(new), resources.cache)

        return resources.once_a_case((self.name, what, self.model, self.precision, self._layer), cases, make)
