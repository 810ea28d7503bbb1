"""The states of a language model's layer while it reads endings, kept in a file and used again by folds and runs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from denouement.cloze.parts.vectors import Floats
from denouement.console import progress, warn
from denouement.errors import UserError, first_line
from denouement.files import file_digest

if TYPE_CHECKING:
    from denouement.language_models.model import LanguageModel

_BLOCK = 256  # contexts that are read between two writes of the file

Vectors = npt.NDArray[np.float32]


def kept_states(
    model: LanguageModel,
    layer: int,
    contexts: Sequence[str],
    continuations: Sequence[Sequence[str]],
    folder: Path | None,
) -> list[Floats]:
    """The mean state over the tokens of each continuation (`reading.states`), each text read once.

    The file holds the states by a digest of context and continuation. Its name has a digest of the model, its
    precision, the layer and the code that reads. It may be deleted at any time; a damaged one is made again.

    Args:
        model, layer, contexts, continuations: as `reading.states`.
        folder: of the file; None keeps nothing.

    Returns:
        For each context float64 [k, width].
    """
    from denouement.language_models.reading import states

    path = folder / f"states-{_digest(model, layer)}.parquet" if folder else None
    known = _read(path)
    keys = [[_key(context, each) for each in of] for context, of in zip(contexts, continuations, strict=True)]
    new = [at for at, of_case in enumerate(keys) if not all(key in known for key in of_case)]
    starts = range(0, len(new), _BLOCK)
    for start in progress(starts, f"states of layer {layer}", unit="block") if len(starts) > 1 else starts:
        block = new[start : start + _BLOCK]
        found = states(model, [contexts[at] for at in block], [continuations[at] for at in block], layer)
        for at, of_case in zip(block, found, strict=True):
            known |= zip(keys[at], of_case, strict=True)
        _write(known, path)
    return [np.stack([known[key] for key in of_case]).astype(np.float64) for of_case in keys]


def _digest(model: LanguageModel, layer: int) -> str:
    from denouement.language_models import model as model_code
    from denouement.language_models import reading, rows

    code = [file_digest(Path(file)) for file in (model_code.__file__, reading.__file__, rows.__file__)]
    described = [model.source.digest, str(model.network.dtype), layer, code]
    return hashlib.sha256(repr(described).encode()).hexdigest()[:16]


def _key(context: str, continuation: str) -> str:
    return hashlib.sha256(f"{context}\0{continuation}".encode()).hexdigest()[:32]


def _read(path: Path | None) -> dict[str, Vectors]:
    from denouement.tensors import read_checkpoint

    if path is None or not path.exists():
        return {}
    try:
        kept = read_checkpoint(path)
        return dict(zip(kept["keys"], kept["states"].numpy(), strict=True))
    except (UserError, LookupError, ValueError, TypeError, AttributeError) as error:
        warn(f"{path}: no states that can be used ({first_line(error)}): they are made again now")
        return {}


def _write(known: dict[str, Vectors], path: Path | None) -> None:
    import torch

    from denouement.tensors import write_checkpoint

    if path is not None:
        states = torch.from_numpy(np.stack(list(known.values())))
        write_checkpoint({"keys": list(known), "states": states}, path)
