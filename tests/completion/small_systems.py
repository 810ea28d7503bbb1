"""Small generators that write at once."""

from collections.abc import Sequence
from typing import Any

import torch

from denouement.generators.base import Context, Ending, Generator, generator_class
from denouement.generators.decoding import Decoding
from denouement.text.vocabulary import Vocabulary

SENTENCES = ["Tom bought a red car.", "He drove it to the hill.", "The car was great and horrible.", "It was his car."]


def neural(seed: int = 1) -> Generator:
    """A Seq2seq with random weights that knows the words of `SENTENCES`."""
    kind: Any = generator_class("seq2seq")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made: Generator = kind(kind.settings_class(units=8), Vocabulary.build(SENTENCES))
    return made


class Fixed(Generator):
    """Chooses among endings that are always the same."""

    name = "fixed"
    endings = ("It was great <b>& new</b>.", "Everything was horrible.", "He left.")

    @classmethod
    def fit(cls, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    def checkpoint(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def restore(cls, *_: Any) -> Any:
        raise NotImplementedError

    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        self.check(decoding or Decoding(), n)
        return [[Ending(text) for text in self.endings[:n]] for _ in contexts]
