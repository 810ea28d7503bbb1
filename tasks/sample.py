"""The embedded sample corpus."""

from prefect import task

from denouement.stages.sample import SamplePaths, SampleSettings, run
from tasks import LAYOUT


@task
def write_sample(settings: SampleSettings) -> None:
    """Write the sample corpus in the layout of the official files."""
    counts = run(settings, SamplePaths(LAYOUT.sample))
    print(f"{counts.stories:,} stories and {counts.cases:,} cloze cases: {LAYOUT.sample}")
