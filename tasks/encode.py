"""Sentences to vectors."""

from prefect import task

from denouement.encoders.embeddings import EncodeSettings
from denouement.stages.encode import EncodePaths, run
from tasks import LAYOUT


@task
def embed_corpus(settings: EncodeSettings) -> None:
    """Write the vectors of all context sentences, with and without dropped words, to data/embeddings.parquet."""
    encoded = run(settings, EncodePaths(LAYOUT.stories, LAYOUT.cloze, LAYOUT.embeddings))
    print(f"{encoded.rows:,} vectors of {encoded.dimension} numbers by {encoded.encoder}: {LAYOUT.embeddings}")
