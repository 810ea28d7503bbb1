"""The base class of sentence encoders: one vector for each sentence, independent of the rest of the batch."""

import hashlib
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from textwrap import shorten
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from denouement import settings
from denouement.console import progress, warn
from denouement.encoders import ENCODERS
from denouement.errors import UserError

Vectors = npt.NDArray[np.float32]

BATCH = 64  # sentences computed at once
LONG = 4096  # a progress bar is shown from so many sentences on

_MARK_BYTES = 1 << 20


class SentenceEncoder(ABC):
    """A frozen sentence encoder. A subclass is a dataclass whose fields are its options (`encode.options`).

    Attributes:
        name: its name in the registry.
        pretrained: whether it learned how sentences go elsewhere; one of word vectors, or of the stories here, did not.
    """

    name: ClassVar[str]
    pretrained: ClassVar[bool] = True

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Numbers in a vector."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A digest of the files' content and the options: equal fingerprints mean equal vectors."""

    @abstractmethod
    def _encode_batch(self, sentences: Sequence[str]) -> Vectors:
        """Vectors [sentences, dimension] of sentences of similar length, the longest first."""

    def prepare(self, texts: Iterable[str]) -> None:  # noqa: B027 - nothing to do is a fine default
        """Read what encoding these texts needs, such as the vectors of their words from a large file.

        `encode` does so for its own sentences. A caller who encodes many blocks calls this before, with all texts, so
        that such a file is read once, not for each block.
        """

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Vectors [sentences, dimension], row i for sentence i.

        Sentences of similar length are computed together, so that there is little padding. A vector depends on the
        other sentences only by float32 rounding (about 1e-7).
        """
        self.prepare(sentences)
        longest_first = np.argsort([-len(sentence) for sentence in sentences], kind="stable")
        starts: Iterable[int] = range(0, len(sentences), BATCH)
        if len(sentences) >= LONG:
            starts = progress(starts, f"encode ({self.name})", unit="batch")
        vectors = np.empty((len(sentences), self.dimension), np.float32)
        for start in starts:
            rows = longest_first[start : start + BATCH]
            vectors[rows] = self._encode_batch([sentences[row] for row in rows])
        return vectors

    def encode_with_tokens(self, sentences: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """What `encode` returns, and vectors [tokens, dimension] of each sentence; none where no word is known.

        An encoder that reads tokens in their context works out both in one pass. The vectors of the tokens of many
        sentences need much memory: give some thousand at once.

        Raises:
            UserError: this encoder has vectors of whole sentences alone.
        """
        raise UserError(f"encoder {self.name} has no vectors of single words: name minilm or glove")

    @cached_property
    def notes(self) -> Counter[str]:
        """Oddities, such as a sentence without a known word, and in how many sentences each occurred so far."""
        return Counter()

    def _note(self, what: str, sentence: str) -> None:
        """Count a sentence with an oddity; warn the first time."""
        if not self.notes[what]:
            warn(f"encoder {self.name}: {what}: {shorten(sentence, 80)!r} (further ones are counted, not named)")
        self.notes[what] += 1


def load_encoder(name: str, **options: Any) -> SentenceEncoder:
    """The encoder `name` of the registry with its options.

    >>> load_encoder("glove").encode(["He went home.", "She ran."]).shape
    (2, 50)

    Raises:
        UserError: no such encoder; an unknown, missing or wrong option; a file or package that is not there.
    """
    return settings.build(_encoder_class(name), options, f"options of encoder {name}")


def is_pretrained(name: str) -> bool:
    """Whether the encoder `name` of the registry is pretrained (`SentenceEncoder.pretrained`).

    Raises:
        UserError: no such encoder.
    """
    return _encoder_class(name).pretrained


def missing_options(name: str, options: Mapping[str, Any]) -> list[str]:
    """The options that the encoder `name` requires and that are missing in `options`.

    Raises:
        UserError: no such encoder, or an unknown option.
    """
    return settings.missing_keys(_encoder_class(name), options, f"options of encoder {name}")


def _encoder_class(name: str) -> type[SentenceEncoder]:
    if name not in ENCODERS:
        raise UserError(f"no sentence encoder {name!r}; there are {', '.join(ENCODERS)}")
    module, _, class_name = ENCODERS[name].partition(":")
    found: type[SentenceEncoder] = getattr(import_module(module), class_name)
    return found


def fingerprint(what: str, *files: Path) -> str:
    """A digest of `what` and of each file's size, beginning and end, which is quick for a 5 GB file of vectors, too."""
    digest = hashlib.sha256(what.encode())
    for path in files:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            digest.update(str(size).encode() + file.read(_MARK_BYTES))
            file.seek(max(0, size - _MARK_BYTES))
            digest.update(file.read(_MARK_BYTES))
    return digest.hexdigest()[:32]


def existing_file(path: str, option: str, what: str) -> Path:
    """The file that an option names.

    Raises:
        UserError: there is no such file.
    """
    if not Path(path).is_file():
        raise UserError(f"{path}: no such file; name {what} with the option {option}")
    return Path(path)


def packaged_folder(package: str, distribution: str, encoder: str) -> Path:
    """The folder of an installed package that carries data.

    Raises:
        UserError: the package is not installed.
    """
    from importlib.util import find_spec

    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise UserError(
            f"encoder {encoder} needs the package {distribution}, which is not installed: pip install {distribution}"
        )
    return Path(spec.origin).parent


def torch_device(device: str | None) -> str:
    """`device`, or the GPU where there is one.

    Raises:
        UserError: there is no such device.
    """
    import torch

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # the latter from a torch that was built without CUDA
        raise UserError(f"no device {device!r} here; name another with the option device, such as cpu") from error
    return device
