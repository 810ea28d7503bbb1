"""How likely an ending is to trained generators, after its context and by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from denouement.cloze.base import load_system, prepared
from denouement.cloze.resources import Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.systems import single_endings
from denouement.settings import at_least


@dataclass
class GeneratorLikelihood(EndingMetric):
    """Perplexity and pointwise mutual information of an ending under each generator that gives probabilities.

    With log p the log-probability of the ending, its end included, perplexity is exp(-log p / tokens), and PMI is
    log p after the context less the mean of log p after contexts of stories drawn at random, in nats. The Story Cloze
    system `likelihood` works out both. Without stories there is no PMI.

    Attributes:
        contexts: how many contexts are drawn.
    """

    name: ClassVar[str] = "likelihood"
    measures: ClassVar[Mapping[str, Measure]] = {
        "perplexity": Measure("perplexity of the ending after its context, by a generator", "lower", "words", 1, None),
        "pmi": Measure("how much likelier the context makes the ending", "higher", "nats", None, None),
    }
    needs: ClassVar[Sequence[str]] = ("trained generators", "training stories for pmi")
    learns: ClassVar[bool] = True

    contexts: int = 8

    def __post_init__(self) -> None:
        at_least(self, 1, "contexts")

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        return [] if resources.generators else [f"{self.name} asks trained generators: give checkpoints with --model"]

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`.

        Raises:
            MissingResourceError: no generator gives probabilities.
        """
        system = prepared(load_system("likelihood", {"contexts": self.contexts}), resources)
        return of_likelihood(single_endings(system, rows, resources), "")


def of_likelihood(scores: Mapping[str, Values], prefix: str) -> dict[str, Values]:
    """Perplexity and PMI from the variants of a Story Cloze system, "per token" and "difference", behind any name."""
    found = {}
    for variant, values in scores.items():
        if variant.endswith("per token"):
            name = variant.removesuffix("per token").strip()
            found[f"{prefix}perplexity {name}".strip()] = np.exp(-values)
        elif variant.endswith("difference"):
            found[f"{prefix}pmi {variant.removesuffix('difference').strip()}".strip()] = values
    return found
