"""How likely the endings are to a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze.base import Scores, by_case
from denouement.cloze.parts.asked_model import LanguageModelSystem, contexts, continuations
from denouement.cloze.parts.vectors import Floats
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.settings import at_least


@dataclass
class LanguageModelLikelihood(LanguageModelSystem):
    """The ending that is likelier to a language model after the context.

    Variants: "sum", the log-probability of the ending's tokens in nats, which favours short endings; "per token" and
    "per character", the same over their number; "difference", the sum less that of the ending as the beginning of a
    text, which does not favour what is said in any story; "without context", the ending as the beginning of a text per
    token: how far the right one gives itself away. "sum" chooses as the task `storycloze` of
    lm-evaluation-harness defines it: the sentences of the context with a blank between, a blank and the ending, no
    token for its end.

    With `shots` each variant is there a second time, named "5-shot sum" and so on: the model reads an instruction and
    so many stories of the split train before the context.

    Attributes:
        shots: example stories; 0 reads the context alone.
    """

    name: ClassVar[str] = "lm_likelihood"

    shots: int = 0

    def __post_init__(self) -> None:
        at_least(self, 0, "shots")

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return "-shot " in variant

    def prepare(self, resources: Resources) -> None:
        """Load the model, and draw the example stories.

        Raises:
            MissingResourceError: no language model is named, or there are fewer stories than `shots`.
        """
        from denouement.language_models.prompts import Prompt, build, draw

        self._prompts = None
        if self.shots:
            prompt = Prompt("few_shot", self.shots, resources.seed)
            training, _ = resources.learned_from(self.name)
            try:
                self._prompts = build(prompt, draw(prompt, training))
            except ValueError as error:
                raise MissingResourceError(f"{self.name}: {error}") from error
        self._model = self.loaded(resources)

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        texts = continuations(cases)
        n_characters = [len(text) for of_case in texts for text in of_case]
        own, n_tokens = self._sums([""] * cases.num_rows, texts)
        scores = {"without context": by_case(own / n_tokens, cases)}
        for name, before in self._contexts(cases):
            sums, _ = self._sums(before, texts)
            variants = {
                "sum": sums,
                "per token": sums / n_tokens,
                "per character": sums / n_characters,
                "difference": sums - own,
            }
            scores |= {f"{name}{variant}": by_case(values, cases) for variant, values in variants.items()}
        return scores

    def _contexts(self, cases: pa.Table) -> Iterator[tuple[str, list[str]]]:
        """What is read before the endings, by the beginning of the variants' names."""
        yield "", contexts(cases)
        if self._prompts is not None:
            yield f"{self.shots}-shot ", [self._prompts([context]) for context in contexts(cases)]

    def _sums(self, before: Sequence[str], texts: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
        """The log-probability of each ending of all cases, and its number of tokens; both [endings]."""
        from denouement.language_models.reading import likelihoods

        found = likelihoods(self._model, before, texts)
        sums, counts = (
            np.concatenate(each) for each in zip(*((of.log_prob, of.n_tokens) for of in found), strict=True)
        )
        return sums, counts.astype(np.float64)
