"""The Deep Structured Semantic Model: Huang et al. 2013; Mostafazadeh et al. 2016, section 5, system 9."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, by_case, case_of_endings, endings
from denouement.cloze.parts.vectors import cosine
from denouement.cloze.resources import Resources
from denouement.settings import above_zero, at_least
from denouement.text.vocabulary import UNKNOWN, Vocabulary
from denouement.text.words import tokenize

if TYPE_CHECKING:
    import torch

    from denouement.cloze.parts.dssm_network import Tower, Trigrams
    from denouement.cloze.parts.training import Checkpoint

    Pair = tuple[Trigrams, Trigrams]


@dataclass
class Dssm(ClozeSystem):
    """The ending whose vector is closest to that of the context, by cosine, both from counts of letter trigrams.

    Two networks, one for contexts and one for endings, learn from the stories to choose a context's own ending among
    those of all stories in a batch. The layers are the paper's; it says nothing of the rest, which was chosen on the
    validation cases of v1.0. Where we deviate from Huang et al.:

    - All other endings of a batch are the wrong ones, rather than four drawn ones: they are as random, and more.
    - Trigrams of names are left out (`names`). A protagonist's name is enough to choose among endings of other
      stories, and a network that looks for it has learned nothing about two endings that both have it.
    - A story's last `continuations` sentences are each learned as the ending of those before it.
    - Early stopping and Adam rather than twenty passes of plain gradient descent.

    Attributes:
        hidden: units of each network's first layer.
        dimension: numbers in a vector.
        gamma: what cosines are multiplied by before the softmax (Huang et al., equation 6).
        names: whether the trigrams of words that the stories mostly write with a capital count.
        continuations: sentences of a story that are learned as endings.
        batch_size: pairs in a batch, which is also how many endings a context is compared with.
        learning_rate: Adam's.
        epochs: the most passes over the stories.
        patience: passes without a better loss on the validation stories after which training stops.
    """

    name: ClassVar[str] = "dssm"

    hidden: int = 1000
    dimension: int = 300
    gamma: float = 10.0
    names: bool = False
    continuations: int = 2
    batch_size: int = 256
    learning_rate: float = 0.001
    epochs: int = 10
    patience: int = 2

    def __post_init__(self) -> None:
        at_least(self, 1, "hidden", "dimension", "continuations", "epochs", "patience")
        at_least(self, 2, "batch_size")  # an ending is compared with another one
        above_zero(self, "gamma", "learning_rate")

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return True

    def prepare(self, resources: Resources) -> None:
        """Train the two networks, or take them from the cache."""
        from denouement.cloze.parts import dssm_network, training

        stories = resources.need_stories(self.name)
        checkpoint = training.kept_training(
            self.name,
            lambda: self._trained(resources),
            settings=asdict(self),
            stories=stories,
            seed=resources.seed,
            code=(__file__, dssm_network.__file__),
            cache=resources.cache,
        )
        self._reader = TrigramReader(checkpoint["trigrams"], checkpoint["left_out"])
        self._network = dssm_network.TwoTowers(len(checkpoint["trigrams"]), self.hidden, self.dimension, self.gamma)
        self._network.load_state_dict(checkpoint["state_dict"])

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        contexts = [self._reader(context) for context in cases["context"].to_pylist()]
        candidates = [self._reader([ending]) for ending in endings(cases)]
        if unread := sum(not len(text) for text in contexts + candidates):
            resources.notes[f"{self.name}: texts without a known letter trigram"] += unread
        of_contexts = _vectors(self._network.context, contexts)
        of_endings = _vectors(self._network.ending, candidates)
        return {"": by_case(cosine(of_contexts[case_of_endings(cases)], of_endings), cases)}

    def _trained(self, resources: Resources) -> Checkpoint:
        from denouement.cloze.parts.dssm_network import TwoTowers
        from denouement.cloze.parts.training import fit, seeded

        training, validation = resources.learned_from(self.name)
        reader = TrigramReader.of([sentence for story in training for sentence in story], self.names)
        pairs = [pair for story in training for pair in _pairs(reader, story, self.continuations)]
        unseen = [pair for story in validation for pair in _pairs(reader, story, 1)]
        with seeded(resources.seed):
            network = TwoTowers(len(reader.trigrams), self.hidden, self.dimension, self.gamma)
        history = fit(
            network,
            lambda generator: _batches(pairs, self.batch_size, generator),
            [_sides(unseen)] if unseen else [],
            what=self.name,
            epochs=self.epochs,
            patience=self.patience,
            learning_rate=self.learning_rate,
            seed=resources.seed,
        )
        return {
            "trigrams": reader.trigrams,
            "left_out": reader.left_out,
            "history": history,
            "state_dict": network.state_dict(),
        }


class TrigramReader:
    """Reads a text as the numbers of its letter trigrams; those that training did not see are passed over.

    Attributes:
        trigrams: in the order of their numbers.
        left_out: words whose trigrams are passed over.
    """

    def __init__(self, trigrams: Sequence[str], left_out: Iterable[str]) -> None:
        self.trigrams = list(trigrams)
        self.left_out = sorted(left_out)
        self._numbers = {trigram: number for number, trigram in enumerate(trigrams)}
        self._passed_over = frozenset(left_out)

    @classmethod
    def of(cls, sentences: Sequence[str], names: bool) -> TrigramReader:
        """The reader of all trigrams of `sentences`, without those of capitalised words unless `names`."""
        vocabulary = Vocabulary.build(sentences)
        left_out = frozenset() if names else vocabulary.capitalised
        words = set(vocabulary.words[UNKNOWN + 1 :]) - left_out
        seen = {trigram for word in words for trigram in letter_trigrams(word)}
        return cls(sorted(seen), left_out)

    def __call__(self, sentences: Sequence[str]) -> Trigrams:
        """The numbers of a text's trigrams, each as often as it occurs."""
        words = [word for sentence in sentences for word in tokenize(sentence) if word not in self._passed_over]
        trigrams = [trigram for word in words for trigram in letter_trigrams(word)]
        return np.array([self._numbers[each] for each in trigrams if each in self._numbers], np.int64)


def letter_trigrams(word: str) -> list[str]:
    """The letter trigrams of a word between two marks: `#go`, `goo`, `ood`, `od#` (Huang et al. 2013, section 3.2)."""
    marked = f"#{word.lower()}#"
    return [marked[start : start + 3] for start in range(len(marked) - 2)]


def _pairs(reader: TrigramReader, story: Sequence[str], continuations: int) -> list[Pair]:
    """The last sentences of a story, each with all sentences before it; the first sentence has none."""
    first = max(1, len(story) - continuations)
    return [(reader(story[:place]), reader(story[place : place + 1])) for place in range(first, len(story))]


def _batches(
    pairs: Sequence[Pair], size: int, generator: torch.Generator
) -> Iterator[tuple[list[Trigrams], list[Trigrams]]]:
    """All pairs once, shuffled, but for the few that make no whole batch: a loss depends on the batch's size."""
    from denouement.cloze.parts.training import shuffled

    size = min(size, len(pairs))
    return (_sides(batch) for batch in shuffled(pairs, size, generator) if len(batch) == size)


def _sides(pairs: Sequence[Pair]) -> tuple[list[Trigrams], list[Trigrams]]:
    contexts, following = zip(*pairs, strict=True)
    return list(contexts), list(following)


def _vectors(tower: Tower, texts: Sequence[Trigrams]) -> npt.NDArray[np.float32]:
    """Vectors [texts, dimension]."""
    import torch

    with torch.inference_mode():
        parts = [tower(texts[start : start + 1024]).numpy() for start in range(0, len(texts), 1024)]
    return np.concatenate(parts)
