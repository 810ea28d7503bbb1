"""Stage sample: writes the embedded corpus, in the layout of the official files."""

from dataclasses import dataclass
from pathlib import Path

from denouement.corpus.sample import SampleCounts, write_sample


@dataclass(frozen=True)
class SampleSettings:
    """How many stories and cases of the sample corpus to write; `seed` determines which."""

    stories: int = 2000
    cases: int = 400
    seed: int = 2019


@dataclass(frozen=True)
class SamplePaths:
    """The folder to write to."""

    out: Path


def run(settings: SampleSettings, paths: SamplePaths) -> SampleCounts:
    """Write the stories and the cases.

    Raises:
        UserError: as `write_sample`.
    """
    return write_sample(paths.out, settings.stories, settings.cases, settings.seed)
