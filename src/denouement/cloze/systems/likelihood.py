"""How likely the endings are to trained generators."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, endings
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.encoders.base import is_pretrained
from denouement.errors import UserError
from denouement.settings import at_least
from denouement.text.vocabulary import UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from denouement.generators.base import Generator

_HISTORY = "history.json"  # what training writes beside a checkpoint


@dataclass
class Likelihood(ClozeSystem):
    """The ending that is likelier to a generator after the context.

    Generators that give no probabilities are left out. Variants of each other one: "<name> sum", the log-likelihood of
    the ending, its end included, in nats; "<name> per token", the same over the number of tokens, which does not favour
    short endings; "<name> difference", the log-likelihood less the ending's own, which does not favour what people say
    in any story. Of several generators of one name, each has its place among them in the order given after its name
    ("seq2seq 1", "seq2seq 2").

    An ending's own likelihood is what the same generator gives it without knowing the story: the mean, over contexts of
    stories drawn at random, of its log-likelihood after each. The generator was trained on such contexts, and not on
    empty or neutral ones. All endings are read after the same contexts, so that the two of a case differ by their words
    alone. Without stories there is no such variant.

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

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """The stories that the generator was trained on, as far as the `history.json` beside its checkpoint says."""
        return _checkpoint(variant, resources).described()

    def reads_pretrained(self, variant: str, resources: Resources) -> bool:
        """See `ClozeSystem`; a generator does where it reads vectors of such an encoder."""
        encoder = _checkpoint(variant, resources).encoder
        return encoder is not None and is_pretrained(encoder)

    def prepare(self, resources: Resources) -> None:
        """Load the generators, and draw the contexts where there are stories.

        Raises:
            MissingResourceError: no generator is given that gives probabilities.
        """
        if not resources.generators:
            raise MissingResourceError(f"{self.name} asks trained generators: give a trained generator with --model")
        if not _checkpoints(resources):
            raise MissingResourceError("no generator given with --model gives probabilities of endings")
        self._generators = {name: _loaded(of, resources) for name, of in _checkpoints(resources).items()}
        self._drawn: list[list[str]] = []
        if resources.stories is not None:
            stories = resources.need_stories(self.name)
            n = min(self.contexts, stories.num_rows)
            rows = np.random.default_rng(resources.seed).choice(stories.num_rows, n, replace=False)
            self._drawn = [sentences[:-1] for sentences in stories["sentences"].take(rows).to_pylist()]

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        contexts = [context for context in cases["context"].to_pylist() for _ in range(2)]
        candidates = endings(cases)
        scores = {}
        for name, generator in self._generators.items():
            if vocabulary := getattr(generator, "vocabulary", None):
                words = [word for ending in candidates for word in vocabulary.encode(ending)]
                notes = f"{self.name} {name}: words of the endings"
                resources.notes[notes] += len(words)
                resources.notes[f"{notes} unknown to the generator"] += words.count(UNKNOWN)
            log_prob, n_tokens = generator.score(contexts, candidates)
            scores[f"{name} sum"] = log_prob.reshape(-1, 2)
            scores[f"{name} per token"] = (log_prob / n_tokens).reshape(-1, 2)
            if self._drawn:
                scores[f"{name} difference"] = (log_prob - self._own(generator, candidates)).reshape(-1, 2)
        return scores

    def _own(self, generator: "Generator", candidates: list[str]) -> npt.NDArray[np.float64]:
        """The mean log-likelihood of each ending, float64 [endings], after the contexts drawn."""
        after = [generator.score([context] * len(candidates), candidates)[0] for context in self._drawn]
        mean: npt.NDArray[np.float64] = np.mean(after, axis=0)
        return mean


@dataclass(frozen=True)
class _Checkpoint:
    """A trained generator.

    Attributes:
        path: of the checkpoint.
        name: of the generator.
        encoder: whose vectors of sentences it reads; None: it reads words.
        vocabulary: how many words it knows, the special ones among them; None where it has no vocabulary.
    """

    path: Path
    name: str
    encoder: str | None
    vocabulary: int | None

    def described(self) -> str:
        """What it was trained on, such as "generator seq2seq, trained on 7,752 stories"."""
        stories = self._stories()
        learned_from = ["an unknown number of stories" if stories is None else f"{stories:,} stories"]
        if self.encoder:
            learned_from.append(f"encoder {self.encoder}, pretrained")
        return f"generator {self.name}, trained on {'; '.join(learned_from)}"

    def _stories(self) -> int | None:
        """The number of training stories; None where its folder has no record of its training."""
        try:
            history = json.loads((self.path.parent / _HISTORY).read_text(encoding="utf-8"))
            is_its_own = (history["generator"], history["vocabulary"]) == (self.name, self.vocabulary)
            return int(history["stories"]["train"]) if is_its_own else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _checkpoint(variant: str, resources: Resources) -> _Checkpoint:
    """The generator whose variant this is."""
    name = next(name for name in _checkpoints(resources) if variant.startswith(f"{name} "))
    return _checkpoints(resources)[name]


def _checkpoints(resources: Resources) -> dict[str, _Checkpoint]:
    """The generators given that give probabilities, by the name of each in the variants."""
    return resources.once((Likelihood.name, "checkpoints"), lambda: _read_checkpoints(resources.generators))


def _read_checkpoints(paths: Sequence[Path]) -> dict[str, _Checkpoint]:
    from denouement.generators.checkpoints import class_of
    from denouement.tensors import read_state

    found = []
    for path in paths:
        try:
            of = read_state(path)["generator"]
            if class_of(path).can_score:
                words = Vocabulary.from_json(of["vocabulary"]) if "vocabulary" in of else None
                encoder = of["architecture"].get("encoder")
                found.append(_Checkpoint(path, str(of["name"]), encoder, None if words is None else len(words)))
        except (KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{path}: not a checkpoint of a generator; name its best.parquet") from error
    alike = Counter(of.name for of in found)
    seen: Counter[str] = Counter()
    named = {}
    for of in found:
        seen[of.name] += 1
        named[f"{of.name} {seen[of.name]}" if alike[of.name] > 1 else of.name] = of
    return named


def _loaded(of: _Checkpoint, resources: Resources) -> "Generator":
    from denouement.generators.checkpoints import load_generator

    options = resources.encoders.get(of.encoder, {}) if of.encoder else {}
    return load_generator(of.path, embeddings=resources.embeddings, encoder_options=options)
