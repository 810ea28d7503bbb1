"""The settings of the table of sentence vectors; no library is imported for them."""

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class EncodeSettings:
    """How the sentences of a corpus become vectors.

    Attributes:
        encoder: its name in the registry.
        options: the encoder's own, such as the files that InferSent needs.
        word_dropout: probability that a word of a training sentence is dropped (Mori et al. 2019, A.1).
        views: how many draws of dropped words are stored. With as many as epochs every epoch has a draw of its own, as
            in the paper. With fewer, epoch e uses the draw e % views again. 0: no words are dropped.
        seed: of the draws.
        dtype: type of the stored numbers; float16 halves the file, and rounding changes a number by at most 0.05%.
    """

    encoder: str = "minilm"
    options: dict[str, Any] = field(default_factory=dict)
    word_dropout: float = 0.3
    views: int = 4
    seed: int = 1
    dtype: Literal["float16", "float32"] = "float16"

    def __post_init__(self) -> None:
        if not 0 <= self.word_dropout < 1:
            raise ValueError(f"word_dropout: must be at least 0 and less than 1, not {self.word_dropout}")
        if self.views < 0:
            raise ValueError(f"views: must be 0 or more, not {self.views}")
        if self.views and not self.word_dropout:
            raise ValueError("views: must be 0 where word_dropout is 0, since all draws would be equal")
