"""Checkpoints of generators: how Lightning writes and reads them, and how a generator is made from one."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytorch_lightning.plugins.io import CheckpointIO

from denouement import settings
from denouement.errors import UserError, first_line, printable
from denouement.generators.base import Generator, generator_class
from denouement.tensors import UNBUILDABLE, read_checkpoint, write_checkpoint
from denouement.text.vocabulary import Vocabulary


class ParquetCheckpointIO(CheckpointIO):
    """Lets Lightning save and resume training with Parquet files: `Trainer(plugins=[ParquetCheckpointIO()])`."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: str | Path, storage_options: Any = None) -> None:
        """Write `checkpoint` to `path`, atomically. See `write_checkpoint`."""
        write_checkpoint(checkpoint, Path(path))

    def load_checkpoint(self, path: str | Path, *_: Any, **__: Any) -> dict[str, Any]:
        """What was saved, with its tensors on the CPU. See `read_checkpoint`."""
        return read_checkpoint(Path(path))

    def remove_checkpoint(self, path: str | Path) -> None:
        """Delete the file."""
        Path(path).unlink(missing_ok=True)


def load_generator(
    path: Path,
    device: str = "cpu",
    embeddings: Path | None = None,
    encoder_options: Mapping[str, Any] | None = None,
) -> Generator:
    """The trained generator in a checkpoint, ready to generate (eval mode).

    Args:
        path: `best.parquet` or `last.parquet` as training left them.
        device: where its weights go.
        embeddings: an embeddings table in which to look sentence vectors up, rather than to encode each sentence; for
            generators that read vectors. Sentences that are not in it are encoded.
        encoder_options: of the sentence encoder (`encode.options` in params.yaml), for generators that read vectors.

    Raises:
        UserError: not a checkpoint, a damaged one, one that this version cannot build, another encoder's embeddings, or
            encoder options that do not do.
    """
    checkpoint = read_checkpoint(path)
    try:
        described = checkpoint["generator"]
        kind = generator_class(described["name"])
        architecture = described["architecture"]
        _check_types(kind, architecture)
        generator = kind(
            settings.build(kind.settings_class, described["settings"], "settings"),
            Vocabulary.from_json(described["vocabulary"]),
            **architecture,
        )
        generator.load_state_dict(checkpoint["state_dict"])
    except UNBUILDABLE as error:
        problem = first_line(error)
        raise UserError(f"{path}: not a generator that this version knows ({problem}); train it again") from error
    except UserError as error:
        raise UserError(f"{path}: {printable(str(error))}") from error  # a tensor's text is of several lines
    generator.find_vectors(embeddings, encoder_options)
    return generator.to(device).eval()


def encoder_of(path: Path) -> str | None:
    """The name of the sentence encoder whose vectors the generator in a checkpoint reads; None where it reads words.

    Raises:
        UserError: not a checkpoint, or a damaged one. Whether it holds a generator, `load_generator` checks.
    """
    described: Any = read_checkpoint(path)
    for key in ("generator", "architecture", "encoder"):
        described = described.get(key) if isinstance(described, Mapping) else None
    return described if isinstance(described, str) else None


def _check_types(kind: type[Generator], architecture: Mapping[str, Any]) -> None:
    """Refuse values of other types than `kind` takes: PyTorch would take some of them, and fail on them much later.

    Raises:
        TypeError: which value is of which type.
    """
    wanted = typing.get_type_hints(kind.__init__)
    for name, value in architecture.items():
        if wanted.get(name) in (str, int) and type(value) is not wanted[name]:
            raise TypeError(f"its {name} is {value!r}")
