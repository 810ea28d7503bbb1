"""Stage train: one generator learns from the stories."""

from dataclasses import dataclass
from pathlib import Path

from denouement.generators.base import GeneratorSettings, OnEpoch
from denouement.generators.history import History
from denouement.generators.training import train


@dataclass(frozen=True)
class TrainPaths:
    """What training reads and writes.

    Attributes:
        stories: table `stories`.
        embeddings: table of sentence vectors; None for generators that read words.
        work: folder for the state from which an interrupted training continues.
        out: folder for the checkpoints and the course of the training.
    """

    stories: Path
    embeddings: Path | None
    work: Path
    out: Path


def run(
    generator: str,
    settings: GeneratorSettings,
    paths: TrainPaths,
    on_epoch: OnEpoch | None = None,
    kind: str | None = None,
) -> History:
    """Train a generator, which is named as its kind where none is given; see `generators.training.train`.

    Raises:
        UserError: missing or unusable inputs.
    """
    return train(
        generator,
        paths.stories,
        paths.out,
        settings,
        kind=kind,
        embeddings=paths.embeddings,
        work=paths.work,
        on_epoch=on_epoch,
    )
