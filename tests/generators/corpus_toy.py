"""Where the small corpus lies, and small settings of every generator."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from denouement.generators.base import GeneratorSettings, generator_class


@dataclass(frozen=True)
class Corpus:
    stories: Path
    embeddings: Path


def small(name: str, **changes: Any) -> GeneratorSettings:
    """A generator that trains in a second."""
    return generator_class(name).settings_class(**{"units": 12, "epochs": 3, "batch_size": 8, **changes})
