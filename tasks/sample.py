"""The embedded sample corpus."""

from dataclasses import dataclass

from prefect import task

from denouement.corpus import sample
from tasks import paths


@dataclass(frozen=True)
class SampleSettings:
    """How much of the sample corpus to tell, and which (`seed`)."""

    stories: int = 2000
    cases: int = 400
    seed: int = 2019


@task
def write_sample(settings: SampleSettings) -> None:
    """Write the sample corpus in the layout of the official files."""
    told = sample.write_sample(paths.SAMPLE, settings.stories, settings.cases, settings.seed)
    print(f"{told['stories']:,} stories and {told['cases']:,} cloze cases: {paths.SAMPLE}")
