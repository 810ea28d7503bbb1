"""Stage encode: turns every context sentence into a vector, once, for all generators that read vectors."""

import sys

from prefect import flow

from denouement.encoders.embeddings import EncodeSettings
from tasks.command import run
from tasks.encode import embed_corpus
from tasks.params import settings


@flow(flow_run_name="encode")
def encode() -> None:
    """Write data/embeddings.parquet."""
    embed_corpus(settings("encode", EncodeSettings))


if __name__ == "__main__":
    run(encode, sys.argv[1:])
