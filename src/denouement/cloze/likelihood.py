"""How likely trained generators hold the endings."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, endings
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.settings import at_least

if TYPE_CHECKING:
    from denouement.generators.base import Generator


@dataclass
class Likelihood(ClozeSystem):
    """The ending that a generator holds likelier after the context.

    Variants of each generator: "<name> sum", the log-likelihood of the ending, its end included, in nats; "<name> per
    token", the same over the number of tokens, which does not favour short endings; "<name> difference", the
    log-likelihood less the ending's own, which does not favour what people say in any story. Of several generators of
    one name, each has its place among them in the order given after its name ("seq2seq 1", "seq2seq 2").

    An ending's own likelihood is what the same generator gives it without knowing the story: the mean, over contexts of
    stories drawn at random, of its log-likelihood after each. Such contexts are what the generator was trained on; an
    empty or a neutral one is not. All endings are read after the same contexts, so that the two of a case differ by
    their words alone. Without stories there is no such variant.

    Attributes:
        contexts: how many contexts of stories are drawn; each costs as much as the log-likelihood itself.
    """

    name: ClassVar[str] = "likelihood"

    contexts: int = 8

    def __post_init__(self) -> None:
        at_least(self, 1, "contexts")

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return variant.endswith("difference")

    def prepare(self, resources: Resources) -> None:
        """Load the generators, and draw the contexts where there are stories.

        Raises:
            MissingResourceError: no generator is given.
        """
        if not resources.generators:
            raise MissingResourceError(f"{self.name} asks trained generators: give a trained generator with --model")
        loaded = [_loaded(path, resources) for path in resources.generators]
        alike = Counter(generator.name for generator in loaded)
        seen: Counter[str] = Counter()
        self._generators: dict[str, Generator] = {}
        for generator in loaded:
            seen[generator.name] += 1
            place = f" {seen[generator.name]}" if alike[generator.name] > 1 else ""
            self._generators[generator.name + place] = generator
        self._drawn: list[list[str]] = []
        if resources.stories is not None:
            stories = resources.need_stories(self.name)
            n = min(self.contexts, stories.num_rows)
            rows = np.random.default_rng(resources.seed).choice(stories.num_rows, n, replace=False)
            self._drawn = [sentences[:-1] for sentences in stories["sentences"].take(rows).to_pylist()]

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        from denouement.generators.endings import score

        contexts = [context for context in cases["context"].to_pylist() for _ in range(2)]
        candidates = endings(cases)
        scores = {}
        for name, generator in self._generators.items():
            log_prob, n_tokens = score(generator, contexts, candidates)
            scores[f"{name} sum"] = log_prob.reshape(-1, 2)
            scores[f"{name} per token"] = (log_prob / n_tokens).reshape(-1, 2)
            if self._drawn:
                scores[f"{name} difference"] = (log_prob - self._own(generator, candidates)).reshape(-1, 2)
        return scores

    def _own(self, generator: "Generator", candidates: list[str]) -> npt.NDArray[np.float64]:
        """The mean log-likelihood of each ending, float64 [endings], after the contexts drawn."""
        from denouement.generators.endings import score

        after = [score(generator, [context] * len(candidates), candidates)[0] for context in self._drawn]
        mean: npt.NDArray[np.float64] = np.mean(after, axis=0)
        return mean


def _loaded(path: Path, resources: Resources) -> "Generator":
    from denouement.generators.checkpoints import encoder_of, load_generator

    options = resources.encoders.get(encoder_of(path) or "", {})
    return load_generator(path, embeddings=resources.embeddings, encoder_options=options)
