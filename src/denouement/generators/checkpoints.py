"""Saving any generator as a checkpoint, and making the generator again from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from denouement.errors import UserError, first_line, printable
from denouement.generators.base import Generator, generator_class
from denouement.tensors import UNBUILDABLE, read_checkpoint, read_state, write_checkpoint


def save_generator(generator: Generator, path: Path) -> None:
    """Write a checkpoint from which `load_generator` makes the same generator, atomically.

    Raises:
        OSError: the file cannot be written.
    """
    write_checkpoint(generator.checkpoint(), path)


def load_generator(
    path: Path,
    device: str = "cpu",
    embeddings: Path | None = None,
    encoder_options: Mapping[str, Any] | None = None,
) -> Generator:
    """The trained generator in a checkpoint, ready to write.

    Args:
        path: `best.parquet` or `last.parquet`, which training wrote.
        device: where its weights go.
        embeddings: for generators that read vectors, an embeddings table from which sentence vectors are taken.
            Sentences that are not in it are encoded.
        encoder_options: of the sentence encoder (`encode.options` in params.yaml), for generators that read vectors.

    Raises:
        UserError: not a checkpoint, a damaged one, one that this version cannot build, another encoder's embeddings, or
            encoder options that are wrong.
    """
    generator = restored(path, device)
    generator.find_vectors(embeddings, encoder_options)
    return generator


def restored(path: Path, device: str) -> Generator:
    """The trained generator in a checkpoint; one that reads vectors cannot write before `Generator.find_vectors`.

    Raises:
        UserError: not a checkpoint, a damaged one, or one that this version cannot build.
    """
    checkpoint = read_checkpoint(path)
    try:
        return _class_of(checkpoint["generator"]).restore(checkpoint, device)
    except UNBUILDABLE as error:
        problem = first_line(error)
        raise UserError(f"{path}: not a generator that this version knows ({problem}); train it again") from error
    except UserError as error:
        raise UserError(f"{path}: {printable(str(error))}") from error  # a tensor's text is of several lines


def class_of(path: Path) -> type[Generator]:
    """The class of the generator in a checkpoint, without reading its weights.

    Raises:
        UserError: no checkpoint of a registered generator.
    """
    try:
        return _class_of(read_state(path)["generator"])
    except (LookupError, TypeError) as error:
        raise UserError(f"{path}: not a checkpoint of a generator; name its best.parquet") from error


def _class_of(described: Mapping[str, Any]) -> type[Generator]:
    """The class of the generator that a checkpoint describes; one of before generators had names is named as its kind.

    Raises:
        LookupError, TypeError: it describes none.
        UserError: no such kind.
    """
    name = described["name"]
    kind = described.get("kind", name)
    if not isinstance(name, str) or not isinstance(kind, str):
        raise TypeError(f"its name is {name!r}, its kind {kind!r}")
    return generator_class(kind, name).described(described)
