"""Stage encode: turns every context sentence into a vector, once for all generators that read vectors."""

from dataclasses import dataclass
from pathlib import Path

from denouement.encoders.embeddings import EncodedCorpus, embed_corpus
from denouement.encoders.settings import EncodeSettings


@dataclass(frozen=True)
class EncodePaths:
    """The tables `stories` and, if any, `cloze` to read, and the table `embeddings` to write."""

    stories: Path
    cloze: Path | None
    out: Path


def run(settings: EncodeSettings, paths: EncodePaths) -> EncodedCorpus:
    """Write the vectors of all context sentences, with and without dropped words.

    Raises:
        UserError: as `embed_corpus`.
    """
    return embed_corpus(paths.stories, paths.cloze, paths.out, settings)
