"""`denouement metrics ...`. Heavy imports stay inside the commands."""

import click

from denouement.cli.metrics_agreement import agreement


@click.group()
def metrics() -> None:
    """Say how far scores of endings are from what people say."""


metrics.add_command(agreement)
