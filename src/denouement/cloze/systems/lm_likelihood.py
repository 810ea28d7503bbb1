"""How likely the endings are to a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze.base import Scores
from denouement.cloze.parts.asked_model import LanguageModelSystem, contexts, continuations
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.settings import at_least


@dataclass
class LanguageModelLikelihood(LanguageModelSystem):
    """The ending that is likelier to a language model after the context.

    Variants: "sum", the log-probability of the ending's tokens in nats, which favours short endings; "per token" and
    "per character", the same over their number; "difference", the sum less that of the ending as the beginning of a
    text, which does not favour what is said in any story. "sum" chooses as the task `storycloze` of
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
        own = self._sums([""] * cases.num_rows, texts)[0]
        scores = self._variants(contexts(cases), texts, own)
        if self._prompts is not None:
            prompts = [self._prompts(context) for context in cases["context"].to_pylist()]
            few_shot = self._variants(prompts, texts, own)
            scores |= {f"{self.shots}-shot {variant}": each for variant, each in few_shot.items()}
        return scores

    def _variants(self, before: Sequence[str], texts: Sequence[Sequence[str]], own: Scores) -> dict[str, Scores]:
        sums, n_tokens = self._sums(before, texts)
        n_characters = np.array([[len(text) for text in of_case] for of_case in texts])
        return {
            "sum": sums,
            "per token": sums / n_tokens,
            "per character": sums / n_characters,
            "difference": sums - own,
        }

    def _sums(self, before: Sequence[str], texts: Sequence[Sequence[str]]) -> tuple[Scores, Scores]:
        """The log-probability of each ending and its number of tokens, both [cases, k]."""
        from denouement.language_models.reading import likelihoods

        found = likelihoods(self._model, before, texts)
        return np.array([each.log_prob for each in found]), np.array([each.n_tokens for each in found], np.float64)
