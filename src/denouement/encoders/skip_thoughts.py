"""Skip-thought vectors: a GRU trained to predict the sentences before and after its own (Kiros et al. 2015)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from denouement.encoders.base import SentenceEncoder, Vectors, existing_file, fingerprint, torch_device

if TYPE_CHECKING:
    from denouement.encoders.skip_thoughts_network import SentenceGru


@dataclass(eq=False)
class SkipThoughts(SentenceEncoder):
    """The encoder that the Story Cloze system `skip_thoughts` trains on stories.

    Attributes:
        checkpoint: the file in which the system keeps it: `skip_thoughts-....parquet` in the folder of the cache.
        device: such as cpu or cuda:0; null takes a GPU where there is one.
    """

    name: ClassVar[str] = "skip_thoughts"
    pretrained: ClassVar[bool] = False

    checkpoint: str
    device: str | None = None

    def __post_init__(self) -> None:
        existing_file(self.checkpoint, "checkpoint", "what the Story Cloze system skip_thoughts left in its cache")

    @property
    def dimension(self) -> int:
        """Numbers in a vector: the units of both directions."""
        return self._network.dimension

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the checkpoint."""
        return fingerprint(self.name, Path(self.checkpoint))

    @cached_property
    def _network(self) -> "SentenceGru":
        from denouement.encoders.skip_thoughts_network import loaded
        from denouement.tensors import read_checkpoint

        network = loaded(read_checkpoint(Path(self.checkpoint)), self.checkpoint)
        return network.to(torch_device(self.device))

    def _encode_batch(self, sentences: Sequence[str]) -> Vectors:
        for sentence in sentences:
            if not self._network.knows(sentence):
                self._note("no known word, so its vector is that of unknown words", sentence)
        return self._network.encode(sentences)
