"""A language model that is fine-tuned to choose the right ending."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from denouement.cloze.base import Scores
from denouement.cloze.parts.asked_model import LanguageModelSystem, by_case, contexts, endings_of_cases
from denouement.cloze.parts.chooser_settings import Training, examples
from denouement.cloze.parts.pairwise import right_endings
from denouement.cloze.resources import Resources
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.kept import kept

if TYPE_CHECKING:
    from denouement.cloze.parts.chooser import Chooser


@dataclass
class LanguageModelPairwise(Training, LanguageModelSystem):
    """The first layers of a language model and a linear head on the last token of each ending, fine-tuned on the cases.

    Each ending is read after the context in a branch of its own, so their order has no effect; the loss is minus the
    log-probability of the right ending by the softmax over the endings of its case. The embeddings stay as they are.
    With the precision bfloat16 products are made in it, and weights and sums stay in float32.

    A training takes minutes, and a cross-validation as many trainings as it has folds. So the scores of each fold that
    is done are kept in the cache, and a run that was ended goes on where it was.
    """

    name: ClassVar[str] = "lm_pairwise"
    learns_from_cases: ClassVar[bool] = True

    def prepare(self, resources: Resources) -> None:
        """Load the language model.

        Raises:
            MissingResourceError: none is named.
        """
        self._model = self.loaded(resources, "float32")

    def fit(self, cases: pa.Table, resources: Resources) -> None:
        """Keep the cases: what they teach is learned when it is first needed, which it is not where scores are kept.

        Raises:
            MissingResourceError: fewer than two cases.
        """
        right_endings(cases, 1, self.name)
        self._cases = cases
        self._chooser: Chooser | None = None

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`. The differences of scores are log-odds."""

        def make() -> list[float]:
            of_cases = self.chooser(resources).scores(contexts(cases), endings_of_cases(cases), self.name)
            return [score for of_case in of_cases for score in of_case.tolist()]

        learned_from = _digest(self._cases, self._cases["right_ending"].to_pylist())
        depends_on = [asdict(self), self._model.source.digest, resources.seed, _code(), learned_from, _digest(cases)]
        # a name for each fold, of which a file is kept however many there are
        path = resources.cache / self.name / f"{learned_from[:16]}.parquet" if resources.cache else None
        return {"": by_case(kept(path, depends_on, make, _read, _write), cases)}

    def chooser(self, resources: Resources) -> Chooser:
        """What the cases taught, trained at the first call."""
        from denouement.cloze.parts.chooser_training import train

        if self._chooser is None:
            self._chooser = train(
                self._model,
                examples(self._cases),
                self,
                seed=resources.seed,
                what=self.name,
                autocast=self.precision == "bfloat16",
            )
        return self._chooser


def _digest(cases: pa.Table, labels: Any = None) -> str:
    described = [contexts(cases), endings_of_cases(cases), labels]
    return hashlib.sha256(repr(described).encode()).hexdigest()


def _code() -> list[str]:
    from denouement.cloze.parts import chooser, chooser_training
    from denouement.language_models import model, reading

    files = (__file__, chooser.__file__, chooser_training.__file__, model.__file__, reading.__file__)
    return [file_digest(Path(file)) for file in files]


def _read(path: Path) -> list[float]:
    from denouement.tensors import read_checkpoint

    try:
        return [float(score) for score in read_checkpoint(path)["scores"]]
    except (LookupError, TypeError, ValueError) as error:
        raise UserError(f"{path}: no scores in it") from error


def _write(scores: list[float], path: Path) -> None:
    from denouement.tensors import write_checkpoint

    write_checkpoint({"scores": scores}, path)
