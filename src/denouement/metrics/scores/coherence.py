"""Coherence: whether an ending belongs to its story, by a classifier that learned from made-up incoherent ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from denouement.cloze.evaluation.scoring import resources_digest
from denouement.cloze.parts.wrong_endings import negated
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.kept import kept
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.grams import in_blocks
from denouement.metrics.looking_up import OfEncoder
from denouement.settings import at_least
from denouement.tensors import read_checkpoint, write_checkpoint

Story = Sequence[str]

_BLOCK = 4096
_PENALTY = 0.1  # of the logistic regression: the inverse of scikit-learn's C


@dataclass
class Coherence(OfEncoder, EndingMetric):
    """The probability that a story with this ending is whole, by logistic regression on frozen sentence vectors.

    It learns from training stories, and from a spoiled copy of each kind for every story, made up as those of UNION
    (Guan and Huang 2020): `repeat`, the ending says a sentence of its context again; `replace`, it is that of another
    story; `reorder`, it has changed places with a sentence of the context; `negate`, with or without "not". Whole
    stories weigh as much as all spoiled ones together. The classifier sees the vectors of the ending and of the last
    sentence, the mean of the context's, the products of the latter two with the ending's, and the ending's cosine with
    each of them and with the nearest sentence of the context.

    Attributes:
        stories: at most so many training stories are used, drawn at random.
    """

    name: ClassVar[str] = "coherence"
    measures: ClassVar[Mapping[str, Measure]] = {
        "coherence": Measure("probability that the ending is no made-up incoherent one", "higher"),
    }
    needs: ClassVar[Sequence[str]] = ("training stories", "a sentence encoder")
    learns: ClassVar[bool] = True

    stories: int = 3000

    def __post_init__(self) -> None:
        at_least(self, 2, "stories")

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        return resources.lacks(self.name, stories=True)

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`.

        Raises:
            MissingResourceError: there are not two stories of the split train.
        """
        weights = resources.once((self.name, repr(self)), lambda: self._learned(resources))
        stories = [[*context, ending] for context, ending in zip(rows.contexts, rows.endings, strict=True)]

        def of_block(block: slice) -> Values:
            logits: Values = self._features(stories[block], resources) @ weights[:-1] + weights[-1]
            return 1 / (1 + np.exp(-logits))

        return {f"coherence {self.encoder}": in_blocks(_BLOCK, len(stories), of_block)}

    def _learned(self, resources: Resources) -> npt.NDArray[np.float64]:
        """float64 [features + 1]: the weights, and the intercept behind them; kept as a checkpoint."""
        import torch

        return kept(
            resources.cache / "metrics" / "coherence_weights.parquet" if resources.cache else None,
            [repr(self), *self.files(resources), resources_digest(resources) if resources.cache else None],
            lambda: self._fit(resources),
            read=lambda path: read_checkpoint(path)["weights"].numpy(),
            write=lambda weights, path: write_checkpoint({"weights": torch.from_numpy(weights)}, path),
        )

    def _fit(self, resources: Resources) -> npt.NDArray[np.float64]:
        from sklearn.linear_model import LogisticRegression

        whole = self._training(resources)
        draws = np.random.default_rng(resources.seed)
        spoiled = [each for row in range(len(whole)) for each in _spoiled(whole, row, draws)]
        features = self._features([*whole, *spoiled], resources)
        is_whole = np.arange(len(features)) < len(whole)
        found = LogisticRegression(C=1 / _PENALTY, class_weight="balanced", max_iter=1000).fit(features, is_whole)
        return np.append(found.coef_[0], found.intercept_[0])

    def _training(self, resources: Resources) -> list[Story]:
        stories = resources.need_stories(self.name)
        training = stories.filter(pc.equal(stories["split"], "train"))["sentences"].to_pylist()
        training = [story for story in training if len(story) > 1]
        if len(training) < 2:
            raise MissingResourceError(f"{self.name} learns from stories of the split train, and --stories has too few")
        drawn = np.random.default_rng(resources.seed).permutation(len(training))[: self.stories]
        return [training[row] for row in drawn]

    def _features(self, stories: Sequence[Story], resources: Resources) -> npt.NDArray[np.float64]:
        """float64 [stories, features]; vectors have the length 1."""
        vectors = self.vectors([sentence for story in stories for sentence in story], resources).astype(np.float64)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        lengths = np.array([*map(len, stories)])
        starts = np.cumsum(lengths) - lengths
        ending, last = vectors[starts + lengths - 1], vectors[starts + lengths - 2]
        mean = (np.add.reduceat(vectors, starts) - ending) / (lengths - 1)[:, None]
        cosines = (vectors * np.repeat(ending, lengths, axis=0)).sum(axis=1)
        cosines[starts + lengths - 1] = -1
        nearest = np.maximum.reduceat(cosines, starts)
        ones = [ending, last, mean, ending * last, ending * mean]
        numbers = [(ending * last).sum(axis=1), (ending * mean).sum(axis=1), nearest]
        return np.concatenate([*ones, np.stack(numbers, axis=1)], axis=1)


def _spoiled(stories: Sequence[Story], row: int, draws: np.random.Generator) -> Iterator[Story]:
    """The spoiled copies of a story: repeated, replaced, reordered, and negated where it can be."""
    *context, ending = stories[row]
    place = int(draws.integers(len(context)))
    yield [*context, context[place]]
    other = (row + int(draws.integers(1, len(stories)))) % len(stories)
    yield [*context, stories[other][-1]]
    yield [*context[:place], ending, *context[place + 1 :], context[place]]
    if (opposite := negated(ending)) is not None:
        yield [*context, opposite]
