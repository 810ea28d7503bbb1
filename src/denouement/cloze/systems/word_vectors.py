"""Average word vectors: Mostafazadeh et al. 2016, section 5, system 3 (GenSim); Sharma et al. 2018, table 6."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, by_case, case_of_endings, endings
from denouement.cloze.parts.vectors import cosine
from denouement.cloze.resources import Resources
from denouement.encoders.word_vectors import WordVectors, open_vectors
from denouement.settings import at_least
from denouement.text.words import tokenize


class Lookup(Protocol):
    """Vectors by word: those read from a file and those that gensim trains alike."""

    def __contains__(self, word: str) -> bool: ...

    def __getitem__(self, word: str) -> npt.NDArray[np.float32]: ...


@dataclass
class AverageWordVectors(ClozeSystem):
    """The ending whose average word vector is closest to that of the context, by cosine.

    The average is over all words of a text that have a vector, marks included; a word is looked up as it is written,
    then in lower case. The score is 0, and counted, where the ending or its context has no such word.

    Variants, each where its source is given: "glove", the packaged GloVe 6B, always; "stories", word2vec (continuous
    bag of words) trained on the stories; "file", the vectors of a file. The paper does not say which vectors it took.

    Attributes:
        dimension: numbers in a vector trained on the stories.
        window: words on either side from which a word is predicted, those of neighbouring sentences included.
        min_count: words seen less often in the stories have no vector.
        epochs: passes over the stories.
    """

    name: ClassVar[str] = "word_vectors"

    dimension: int = 100
    window: int = 5
    min_count: int = 5
    epochs: int = 10

    def __post_init__(self) -> None:
        at_least(self, 1, "dimension", "window", "min_count", "epochs")

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return variant == "stories"

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """See `ClozeSystem`."""
        return None if variant == "stories" else resources.word_vectors_named(of_file=variant == "file")

    def prepare(self, resources: Resources) -> None:
        """Open the files, and train on the stories where there are any."""
        self._lookups: dict[str, Lookup] = {"glove": open_vectors(None)}
        if resources.stories is not None:
            self._lookups["stories"] = self._trained(resources.need_stories(self.name), resources.seed)
        if resources.word_vectors is not None:
            self._lookups["file"] = open_vectors(str(resources.word_vectors))

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        contexts = [_words(context) for context in cases["context"].to_pylist()]
        candidates = [_words([ending]) for ending in endings(cases)]
        scores = {}
        for variant, lookup in self._lookups.items():
            if isinstance(lookup, WordVectors):
                lookup.learn({form for text in contexts + candidates for word in text for form in (word, word.lower())})
            averages = _averages(contexts + candidates, lookup)
            of_contexts, of_endings = averages[: len(contexts)], averages[len(contexts) :]
            for what, of_texts in (("contexts", of_contexts), ("endings", of_endings)):
                if unknown := int((~of_texts.any(axis=1)).sum()):
                    resources.notes[f"{self.name} {variant}: {what} without a known word"] += unknown
            scores[variant] = by_case(cosine(of_contexts[case_of_endings(cases)], of_endings), cases)
        return scores

    def _trained(self, stories: pa.Table, seed: int) -> Lookup:
        from gensim.models import Word2Vec

        texts = [[word.lower() for word in _words(sentences)] for sentences in stories["sentences"].to_pylist()]
        model = Word2Vec(
            vector_size=self.dimension,
            window=self.window,
            min_count=self.min_count,
            seed=seed,
            workers=1,  # with several, the order of updates would be random
        )
        model.build_vocab(texts)
        if len(model.wv):
            model.train(texts, total_examples=len(texts), epochs=self.epochs)
        vectors: Lookup = model.wv
        return vectors


def _words(sentences: Sequence[str]) -> list[str]:
    return [word for sentence in sentences for word in tokenize(sentence)]


def _averages(texts: Sequence[Sequence[str]], lookup: Lookup) -> npt.NDArray[np.float64]:
    """The mean vector of each text's known words, float64 [texts, dimension]; zeros where none is known."""
    known = [[lookup[form] for form in _known_forms(words, lookup)] for words in texts]
    dimension = max((len(vectors[0]) for vectors in known if vectors), default=1)
    return np.array([np.mean(vectors, axis=0, dtype=float) if vectors else np.zeros(dimension) for vectors in known])


def _known_forms(words: Sequence[str], lookup: Lookup) -> Iterator[str]:
    for word in words:
        form = word if word in lookup else word.lower()
        if form in lookup:
            yield form
