"""The stage `sample` as a task."""

from dataclasses import asdict

from prefect import task

from denouement.stages.sample import SamplePaths, SampleSettings, run
from tasks import LAYOUT, tracking


@task
def write_sample(settings: SampleSettings) -> None:
    """Write the sample corpus in the layout of the official files."""
    name = tracking.described("sample", f"{settings.stories:,} stories, {settings.cases:,} cases")
    with tracking.run(name, "sample", asdict(settings)):
        counts = run(settings, SamplePaths(LAYOUT.sample))
        tracking.log_values(asdict(counts))
    print(f"{counts.stories:,} stories and {counts.cases:,} cloze cases: {LAYOUT.sample}")
