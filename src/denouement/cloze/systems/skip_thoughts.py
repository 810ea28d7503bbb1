"""Skip-thought vectors: Kiros et al. 2015; Mostafazadeh et al. 2016, section 5, system 6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, by_case, case_of_endings, endings
from denouement.cloze.parts.vectors import context_vectors, cosine
from denouement.cloze.resources import Resources
from denouement.encoders.base import BATCH, Vectors
from denouement.settings import above_zero, at_least
from denouement.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from denouement.cloze.parts.training import Checkpoint


@dataclass
class SkipThoughtCosine(ClozeSystem):
    """The ending whose skip-thought vector is closest to that of the context, by cosine.

    The encoder learns from the stories to predict each sentence's neighbours; the paper took the one that Kiros et al.
    trained on 11,000 books. Names are passed over (`names`): an encoder first learns that they come again in a
    neighbour, which is of no use between two endings that both have them.

    Variants by the vector that represents the context: "mean" as in the paper, and the others of `context_vectors`.

    Attributes:
        embedding: numbers in a word's vector.
        dimension: numbers in a sentence's vector, half for each direction.
        units: of each decoder.
        names: whether words that the stories mostly write with a capital are read.
        min_count: words seen less often in the stories are unknown.
        batch_size: stories in a batch.
        learning_rate: Adam's.
        epochs: the most passes over the stories.
        patience: passes without a better loss on the validation stories after which training stops.
    """

    name: ClassVar[str] = "skip_thoughts"

    embedding: int = 200
    dimension: int = 600
    units: int = 300
    names: bool = False
    min_count: int = 2
    batch_size: int = 16
    learning_rate: float = 0.001
    epochs: int = 3
    patience: int = 1

    def __post_init__(self) -> None:
        at_least(self, 1, "embedding", "units", "min_count", "batch_size", "epochs", "patience")
        if self.dimension < 2 or self.dimension % 2:
            raise ValueError(f"dimension: must be even and at least 2, not {self.dimension}")
        above_zero(self, "learning_rate")

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return True

    def prepare(self, resources: Resources) -> None:
        """Train encoder and decoders, or take them from the cache."""
        from denouement.cloze.parts import skip_thoughts_network, training
        from denouement.encoders import skip_thoughts_network as encoder_network

        stories = resources.need_stories(self.name)
        checkpoint = training.kept_training(
            self.name,
            lambda: self._trained(resources),
            settings=asdict(self),
            stories=stories,
            seed=resources.seed,
            code=(__file__, skip_thoughts_network.__file__, encoder_network.__file__),
            cache=resources.cache,
        )
        encoder = encoder_network.loaded(checkpoint, self.name)
        self._network = skip_thoughts_network.SkipThoughtNetwork(encoder, self.units)
        self._network.load_state_dict(checkpoint["state_dict"])
        self._network.eval()

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        contexts = cases["context"].to_pylist()
        candidates = endings(cases)
        if unread := sum(not self._network.encoder.knows(ending) for ending in candidates):
            resources.notes[f"{self.name}: endings without a known word"] += unread
        of_endings = self._encode(candidates)
        return {
            variant: by_case(cosine(of_context[case_of_endings(cases)], of_endings), cases)
            for variant, of_context in context_vectors(contexts, self._encode).items()
        }

    def _encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors [texts, dimension]."""
        parts = [self._network.encoder.encode(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return np.concatenate(parts)

    def _trained(self, resources: Resources) -> Checkpoint:
        from denouement.cloze.parts.skip_thoughts_network import SkipThoughtNetwork
        from denouement.cloze.parts.training import fit, seeded, shuffled
        from denouement.encoders.skip_thoughts_network import SentenceGru

        learned_from, unseen = resources.learned_from(self.name)
        vocabulary = Vocabulary.build((sentence for story in learned_from for sentence in story), self.min_count)
        with seeded(resources.seed):
            encoder = SentenceGru(vocabulary, self.embedding, self.dimension, self.names)
            network = SkipThoughtNetwork(encoder, self.units)
        training, validation = (
            [[encoder.words(sentence) for sentence in story] for story in stories if len(story) > 1]
            for stories in (learned_from, unseen)
        )
        history = fit(
            network,
            lambda generator: shuffled(training, self.batch_size, generator),
            [validation[start : start + self.batch_size] for start in range(0, len(validation), self.batch_size)],
            what=self.name,
            epochs=self.epochs,
            patience=self.patience,
            learning_rate=self.learning_rate,
            seed=resources.seed,
        )
        return {"encoder": encoder.described(), "history": history, "state_dict": network.state_dict()}
