"""Stage ingest: reads the user's files, or the sample corpus where there are none, into checked tables."""

import sys

from prefect import flow

from denouement.corpus.ingest import IngestSettings
from tasks.command import run
from tasks.ingest import ingest_files
from tasks.params import settings


@flow(flow_run_name="ingest")
def ingest() -> None:
    """Write data/corpus."""
    ingest_files(settings("ingest", IngestSettings))


if __name__ == "__main__":
    run(ingest, sys.argv[1:])
