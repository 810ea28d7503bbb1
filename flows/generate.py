"""Stage generate: one trained generator writes an ending for every context of a split."""

import sys

from prefect import flow

from denouement.encoders.embeddings import EncodeSettings
from denouement.stages.generate import GenerateSettings
from tasks.command import run
from tasks.generate import write_endings
from tasks.params import settings


@flow(flow_run_name="generate@{generator}")
def generate(generator: str) -> None:
    """Write data/endings/<generator>.parquet."""
    write_endings(
        generator, settings("generate", GenerateSettings), encoder_options=settings("encode", EncodeSettings).options
    )


if __name__ == "__main__":
    run(generate, sys.argv[1:])
