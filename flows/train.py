"""Stage train: trains one generator and keeps its best and its last epoch."""

import sys

from prefect import flow

from tasks.command import run
from tasks.train import train_generator


@flow(flow_run_name="train@{generator}")
def train(generator: str) -> None:
    """Write data/models/<generator>."""
    train_generator(generator)


if __name__ == "__main__":
    run(train, sys.argv[1:])
