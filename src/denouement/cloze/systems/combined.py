"""A linear model over the features and scores of the other systems."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze import SYSTEMS
from denouement.cloze.base import ClozeSystem, Scores, endings, load_system, of_endings, prepared, scores_once
from denouement.cloze.evaluation.cross_validation import story_folds
from denouement.cloze.parts.ngram_model import NgramModel
from denouement.cloze.parts.pairwise import Features, Pairwise, pairs_to_learn
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.cloze.systems.cogcomp import CogComp
from denouement.cloze.systems.ending_reg import EndingReg
from denouement.encoders.word_vectors import WordVectors, open_vectors
from denouement.settings import at_least
from denouement.text.words import lowered

_VECTORS, _PRETRAINED = "vectors", "pretrained"


@dataclass
class Combined(ClozeSystem):
    """Conditional logistic regression over the groups of features of EndingReg and cogcomp, the scores of all systems
    that do not learn from cases (group `scores`), the mean, greatest and least of the word vectors of the ending
    (`vectors`), and how much the ending reads like the last sentence of a story (`words`, see `LastSentences`).

    Of systems that learn from cases the features are used and not the scores, so that none of them has to be fitted to
    parts of the training cases first. A system that misses a resource is left out, and named in `resources.notes`.

    Variants: "" without anything from a pretrained language model or sentence encoder (`reads_pretrained` of each
    system); "pretrained" with those scores (group `pretrained`) as well, where there are any.

    Attributes:
        min_count: a feature that fewer endings have, of those fitted to, is left out.
        n_folds: of the cross-validation inside the cases fitted to, which finds the strength of the penalty. Groups of
            features are left out one by one as long as that clearly lowers the loss there.
    """

    name: ClassVar[str] = "combined"
    learns_from_cases: ClassVar[bool] = True
    only_english: ClassVar[bool] = True

    min_count: int = 10
    n_folds: int = 5

    def __post_init__(self) -> None:
        at_least(self, 1, "min_count")
        at_least(self, 2, "n_folds")

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return True

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """See `ClozeSystem`."""
        vectors = resources.word_vectors_named(of_file=resources.word_vectors is not None)
        return f"{vectors}; encoders and generators, pretrained" if variant == _PRETRAINED else vectors

    def reads_pretrained(self, variant: str, resources: Resources) -> bool:
        """See `ClozeSystem`."""
        return variant == _PRETRAINED

    def files(self, resources: Resources) -> list[Path]:
        """Those of the systems that are combined."""
        return [path for system in _combined() for path in system.files(resources)]

    def lacks(self, resources: Resources) -> list[str]:
        """See `ClozeSystem`."""
        return resources.lacks(self.name, stories=True, parser=True)

    def prepare(self, resources: Resources) -> None:
        """Prepare the other systems.

        Raises:
            MissingResourceError: there are no stories, or no parser.
        """
        stories = resources.need_stories(self.name)
        self._cogcomp = CogComp()
        self._cogcomp.prepare(resources)
        self._last = resources.once((self.name, "words"), lambda: LastSentences(stories["sentences"].to_pylist()))
        self._vectors = open_vectors(str(resources.word_vectors) if resources.word_vectors else None)
        self._others = resources.once((self.name, "systems"), lambda: _available(resources))

    def fit(self, cases: pa.Table, resources: Resources) -> None:
        """Learn which features to use, and their weights.

        Raises:
            MissingResourceError: fewer cases than twice `n_folds`, or stories than `n_folds`.
        """
        pairs = pairs_to_learn(cases, self.n_folds, self.name)
        fold_of = story_folds(cases, self.n_folds, resources.seed)
        self._pairwise = Pairwise(self._features(cases, resources), pairs, self.min_count)
        groups = self._pairwise.groups
        variants = {"": [group for group in groups if group != _PRETRAINED]}
        if _PRETRAINED in groups:
            variants["pretrained"] = groups
        self._weights = {
            variant: self._pairwise.fit_chosen(groups, fold_of, resources.seed) for variant, groups in variants.items()
        }

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        features = self._features(cases, resources)
        return {variant: self._pairwise.score(features, cases, weights) for variant, weights in self._weights.items()}

    def _features(self, cases: pa.Table, resources: Resources) -> list[Features]:
        """The features of all endings of each case."""
        key = (self.name, "features")
        return resources.once_an_ending(key, cases, lambda new: self._features_of(new, resources))

    def _features_of(self, cases: pa.Table, resources: Resources) -> Sequence[Features]:
        texts = endings(cases)
        self._vectors.learn(word for text in texts for word in lowered(text))
        rows: list[dict[str, float]] = [
            {**style, **story, **self._last.features(text), **_vector_features(text, self._vectors)}
            for style, story, text in zip(
                EndingReg().features(texts, resources), self._cogcomp.features(cases, resources), texts, strict=True
            )
        ]
        for system in self._others:
            for variant, scores in scores_once(system, cases, resources).items():
                name = f"{system.name} {variant}".strip()
                group = _PRETRAINED if system.reads_pretrained(variant, resources) else "scores"
                for row, score in zip(rows, chain.from_iterable(of_endings(scores, cases)), strict=True):
                    row[f"{group} {name}"] = score
        return rows


class LastSentences:
    """How the last sentences of stories read, and how else their other sentences do."""

    def __init__(self, stories: Sequence[Sequence[str]]) -> None:
        """Count words and n-grams of words, in lower case."""
        last = [lowered(sentence) for story in stories for sentence in story[-1:]]
        others = [lowered(sentence) for story in stories for sentence in story[:-1]]
        self._models = {
            "sentence": NgramModel(last + others, order=4),
            "last sentence": NgramModel(last, order=4),
            "other sentence": NgramModel(others, order=4),
            "words": NgramModel(last + others, order=1),
        }
        self._in_last = Counter(word for words in last for word in words)
        self._in_all = self._in_last + Counter(word for words in others for word in words)
        self._share = self._in_last.total() / max(1, self._in_all.total())

    def features(self, ending: str) -> dict[str, float]:
        """Log-probabilities (nats) of the words of an ending as a sentence of a story, and as a last or another one."""
        words = lowered(ending)
        log_probs = {name: model.log_probs(words) for name, model in self._models.items()}
        lastness = log_probs["last sentence"] - log_probs["other sentence"]
        odds = [self.log_odds(word) for word in words] or [0.0]
        return {
            "words log-prob": log_probs["sentence"].sum(),
            "words mean log-prob": log_probs["sentence"].mean(),
            "words least log-prob": log_probs["sentence"].min(),
            "words gain by order": (log_probs["sentence"] - log_probs["words"]).mean(),
            "words rarest": log_probs["words"].min(),
            "words log-prob as last sentence": log_probs["last sentence"].sum(),
            "words mean log-prob as last sentence": log_probs["last sentence"].mean(),
            "words log-odds of sentence": lastness.sum(),
            "words mean log-odds of sentence": lastness.mean(),
            "words log-odds": sum(odds),
            "words mean log-odds": sum(odds) / len(odds),
            "words greatest log-odds": max(odds),
            "words least log-odds": min(odds),
        }

    def log_odds(self, word: str) -> float:
        """The log of how much more often a word is in last sentences than words are; near 0 for few occurrences."""
        expected = self._share * self._in_all[word]
        return math.log((self._in_last[word] + 1) / (expected + 1))


def _available(resources: Resources) -> list[ClozeSystem]:
    """The systems that need no labelled cases, prepared; those that miss a resource are left out and noted."""
    found = []
    for system in _combined():
        try:
            found.append(prepared(system, resources))
        except MissingResourceError as error:
            resources.notes[f"{Combined.name}: without {system.name}, as {error}"] += 1
    return found


def _combined() -> list[ClozeSystem]:
    """The systems whose scores are features: those that read the endings and learn from no case."""
    systems = [load_system(name) for name in SYSTEMS]
    return [system for system in systems if system.reads_endings and not system.learns_from_cases]


def _vector_features(ending: str, vectors: WordVectors) -> dict[str, float]:
    """Each number of the mean, the greatest and the least of the known words' vectors; empty without a known word."""
    known = [vectors[word] for word in lowered(ending) if word in vectors]
    if not known:
        return {}
    table = np.array(known, np.float64)
    return {
        f"{_VECTORS} {what} {place}": value
        for what, values in (("mean", table.mean(axis=0)), ("max", table.max(axis=0)), ("min", table.min(axis=0)))
        for place, value in enumerate(values.tolist())
    }
