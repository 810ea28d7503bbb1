"""Sentences to vectors."""

from prefect import task

from denouement.encoders import embeddings
from tasks import paths


@task
def embed_corpus(settings: embeddings.EncodeSettings) -> None:
    """Write the vectors of all context sentences, with and without dropped words, to data/embeddings.parquet."""
    done = embeddings.embed_corpus(paths.STORIES, paths.CLOZE, paths.EMBEDDINGS, settings)
    print(f"{done['rows']:,} vectors of {done['dimension']} numbers by {done['encoder']}: {paths.EMBEDDINGS}")
