"""Stage sample: writes the embedded sample corpus, which is read where data/raw holds no official file."""

import sys

from prefect import flow

from denouement.stages.sample import SampleSettings
from tasks.command import run
from tasks.params import settings
from tasks.sample import write_sample


@flow(flow_run_name="sample")
def sample() -> None:
    """Write data/sample."""
    write_sample(settings("sample", SampleSettings))


if __name__ == "__main__":
    run(sample, sys.argv[1:])
