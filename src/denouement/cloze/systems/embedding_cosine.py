"""The cosine of the sentence embeddings of context and ending, for every encoder."""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, by_case, case_of_endings, endings
from denouement.cloze.parts.vectors import context_vectors, cosine
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.encoders.base import is_pretrained
from denouement.encoders.embeddings import EmbeddingTable, RememberedVectors, SentenceVectors


@dataclass
class EmbeddingCosine(ClozeSystem):
    """The ending whose vector is closest to that of the context, by cosine.

    Each encoder has a variant for each vector that represents the context (`vectors.context_vectors`): "<encoder>
    whole", "<encoder> mean", "<encoder> last" and "<encoder> recent". An ending in which an encoder knows no word has a
    vector of zeros: then its score is 0, and it is counted.

    Vectors are those of `resources.embeddings` where that table is the encoder's and holds the sentence.
    """

    name: ClassVar[str] = "embedding_cosine"

    def learned_elsewhere(self, variant: str, resources: Resources) -> str | None:
        """See `ClozeSystem`."""
        return f"encoder {variant.partition(' ')[0]}, pretrained"

    def reads_pretrained(self, variant: str, resources: Resources) -> bool:
        """See `ClozeSystem`."""
        return is_pretrained(variant.partition(" ")[0])

    def prepare(self, resources: Resources) -> None:
        """Open the table of vectors; encoders are loaded when a sentence is not in it.

        Raises:
            MissingResourceError: no encoder is named.
        """
        if not resources.encoders:
            raise MissingResourceError(f"{self.name} compares vectors of encoders: name some with --encoder")
        table = EmbeddingTable.open(resources.embeddings) if resources.embeddings else None
        self._encoders = {
            name: RememberedVectors(SentenceVectors(name, options, table if table and table.encoder == name else None))
            for name, options in resources.encoders.items()
        }

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`."""
        contexts, candidates = cases["context"].to_pylist(), endings(cases)
        scores = {}
        for name, encode in self._encoders.items():
            of_endings = encode(candidates)
            if unknown := int((~of_endings.any(axis=1)).sum()):
                resources.notes[f"{self.name} {name}: endings without a known word"] += unknown
            for variant, of_context in context_vectors(contexts, encode).items():
                scores[f"{name} {variant}"] = by_case(cosine(of_context[case_of_endings(cases)], of_endings), cases)
        return scores
