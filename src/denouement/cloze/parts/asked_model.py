"""What the systems that ask a language model have in common: which one, and what is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.language_models.source import SMOLLM2, ModelFiles, find

if TYPE_CHECKING:
    from denouement.language_models.model import LanguageModel, Precision


@dataclass
class LanguageModelSystem(ClozeSystem):
    """A system that asks a language model.

    Attributes:
        model: a folder, a GGUF file, or the name of a packaged model; null: that of `Resources.language_model`.
        precision: of the model's weights and products.
    """

    model: str | None = None
    precision: Literal["float32", "bfloat16"] = "float32"

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """See `ClozeSystem`."""
        return f"language model {Path(self._given(resources)).name}, pretrained"

    def reads_pretrained(self, variant: str, resources: Resources) -> bool:
        """See `ClozeSystem`."""
        return True

    def files(self, resources: Resources) -> Sequence[Path]:
        """Those of the language model."""
        return self._source(resources).files if self.model or resources.language_model else ()

    def lacks(self, resources: Resources) -> list[str]:
        """See `ClozeSystem`."""
        try:
            self._given(resources)
        except MissingResourceError as error:
            return [str(error)]
        return []

    def loaded(self, resources: Resources, precision: Precision | None = None) -> LanguageModel:
        """The language model in this precision, or that of the options; systems share it, so it is not changed.

        Raises:
            MissingResourceError: none is named.
            UserError: it cannot be loaded.
        """
        from denouement.language_models.model import load

        source, wanted = self._source(resources), precision or self.precision
        return resources.once(
            ("language model", source.digest, wanted),
            lambda: load(source.given, precision=wanted),
        )

    def _source(self, resources: Resources) -> ModelFiles:
        given = self._given(resources)
        return resources.once(("source", given), lambda: find(given))

    def _given(self, resources: Resources) -> str:
        given = self.model or resources.language_model
        if not given:
            raise MissingResourceError(
                f"{self.name} asks a language model: name a folder, a GGUF file or {SMOLLM2} with --language-model"
            )
        return given


def contexts(cases: pa.Table) -> list[str]:
    """The context of each case as a language model reads it: its sentences with a blank between."""
    return [" ".join(sentences) for sentences in cases["context"].to_pylist()]


def endings_of_cases(cases: pa.Table) -> list[list[str]]:
    """The endings of each case."""
    pairs = zip(cases["ending_1"].to_pylist(), cases["ending_2"].to_pylist(), strict=True)
    return [list(pair) for pair in pairs]


def continuations(cases: pa.Table) -> list[list[str]]:
    """The endings of each case as they follow its context: with a blank before the first word."""
    return [[f" {ending}" for ending in of_case] for of_case in endings_of_cases(cases)]


def by_case(values: npt.ArrayLike, cases: pa.Table) -> Scores:
    """`Scores` from a score for each ending of all cases, in their order."""
    return np.asarray(values, np.float64).reshape(cases.num_rows, -1)
