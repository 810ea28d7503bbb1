"""Stage encode: turns every context sentence into a vector, once for all generators that read vectors."""

from dataclasses import dataclass
from pathlib import Path

from denouement.encoders.embeddings import EncodedCorpus, EncodeSettings, embed_corpus


@dataclass(frozen=True)
class EncodePaths:
    """The tables `stories` and `cloze` to read, and the table `embeddings` to write."""

    stories: Path
    cloze: Path
    out: Path


def run(settings: EncodeSettings, paths: EncodePaths) -> EncodedCorpus:
    """Write the vectors of all context sentences, with and without dropped words.

    Raises:
        UserError: as `embed_corpus`.
    """
    return embed_corpus(paths.stories, paths.cloze, paths.out, settings)
