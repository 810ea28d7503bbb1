"""How likely an ending is to a pretrained language model, after its context and as the beginning of a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from denouement.cloze.base import load_system, prepared
from denouement.cloze.resources import Resources
from denouement.files import file_digest
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.scores.likelihood import of_likelihood
from denouement.metrics.systems import single_endings

_SYSTEM = "lm_likelihood"


@dataclass
class LanguageModelScores(EndingMetric):
    """Perplexity of an ending by token, and PMI: its log-probability after the context less that at a text's beginning.

    The Story Cloze system `lm_likelihood` works out both; there is no token for the ending's end.

    Attributes:
        model: a folder, a GGUF file or the name of a packaged model; null: that of --language-model.
    """

    name: ClassVar[str] = "language_model"
    measures: ClassVar[Mapping[str, Measure]] = {
        "lm_perplexity": Measure("perplexity of the ending after its context, by a model", "lower", "tokens", 1, None),
        "lm_pmi": Measure("how much likelier the context makes the ending", "higher", "nats", None, None),
    }
    needs: ClassVar[Sequence[str]] = ("a language model",)

    model: str | None = None

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        return load_system(_SYSTEM, {"model": self.model}).lacks(resources)

    def files(self, resources: Resources) -> Sequence[str]:
        """Those of the language model."""
        return [file_digest(path) for path in load_system(_SYSTEM, {"model": self.model}).files(resources)]

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`."""
        system = prepared(load_system(_SYSTEM, {"model": self.model}), resources)
        return of_likelihood(single_endings(system, rows, resources), "lm_")
