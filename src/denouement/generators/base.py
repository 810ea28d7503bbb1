"""The base class of all story ending generators: they learn from stories, and write endings for contexts.

A context is all sentences of a story but the last. The generators in `neural` decode an ending word by word; others may
copy or look up whole sentences. This module imports no PyTorch.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from denouement.errors import UserError
from denouement.generators import GENERATORS
from denouement.generators.decoding import MOST_ENDINGS, Decoding

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from denouement.generators.history import History
    from denouement.text.vocabulary import Vocabulary

Context: TypeAlias = Sequence[str]
OnEpoch: TypeAlias = Callable[[int, Mapping[str, float]], None]

BEST = "best.parquet"
LAST = "last.parquet"


@dataclass(frozen=True)
class Ending:
    """An ending that a generator wrote.

    Attributes:
        text: as people write it, with capitals.
        log_prob: of the whole ending after its context, in nats; None where the generator gives no probabilities.
        n_tokens: over how many tokens `log_prob` is the sum; None where there is no `log_prob`.
    """

    text: str
    log_prob: float | None = None
    n_tokens: int | None = None


@dataclass(frozen=True)
class GeneratorSettings:
    """The settings of a generator that needs none; others add fields, and check them in `__post_init__`."""

    @property
    def reads(self) -> str | None:
        """The file beyond the stories that `fit` reads; in the graph `generators` names it, so that DVC sees it."""
        return None


class Generator(ABC):
    """A story ending generator.

    Attributes:
        kind: its row in the registry.
        name: of its endings' system; that of its kind, or one of its own where there are several of a kind.
        settings_class: the dataclass of its settings.
        reads_vectors: whether it reads the sentences of a context as vectors of a sentence encoder.
        decodes: whether it chooses words one by one, as the settings of decoding say; otherwise it refuses such
            settings.
        can_score: whether it gives the probability of any ending, which `score` returns.
        settings: those that it was made with.
        vocabulary: the words that it knows; None where it has no list of words.
    """

    kind: ClassVar[str]
    name: ClassVar[str]
    settings_class: ClassVar[type[GeneratorSettings]] = GeneratorSettings
    reads_vectors: ClassVar[bool] = False
    decodes: ClassVar[bool] = False
    can_score: ClassVar[bool] = False

    settings: GeneratorSettings
    vocabulary: Vocabulary | None = None

    def __init_subclass__(cls) -> None:
        if "name" in cls.__dict__:
            cls.kind = cls.__dict__.get("kind", cls.name)

    # What each kind of generator defines.

    @classmethod
    @abstractmethod
    def fit(
        cls,
        settings: Any,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """Learn from stories, and write the checkpoints `BEST` and `LAST`; a generator without epochs writes `BEST`.

        Args:
            settings: a `settings_class`.
            stories: table `stories`; only its split `train` may be learned from.
            folder: where the checkpoints go. It may hold files that an interrupted call with the same arguments left.
            embeddings: table of sentence vectors, for generators that read vectors.
            on_epoch: called after each epoch with its number, from 0, and its values.

        Raises:
            UserError: missing or unusable inputs.
        """

    @abstractmethod
    def checkpoint(self) -> dict[str, Any]:
        """Everything that `restore` needs; its entry `generator` is a mapping that holds `name` and `kind`.

        Values may be of all types that `tensors.write_checkpoint` writes.
        """

    @classmethod
    def described(cls, checkpoint: Mapping[str, Any]) -> type[Generator]:
        """The class of the generator that the entry `generator` of a checkpoint describes: here this one."""
        return cls

    @classmethod
    @abstractmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> Generator:
        """The generator that `checkpoint` described, on a device of PyTorch's such as `cpu`.

        Raises:
            UserError, LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RuntimeError: `checkpoint`
                describes no generator of this version.
        """

    @abstractmethod
    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """`n` endings for each context, the best first, or fewer where the generator has no more.

        Args:
            contexts: the sentences of each context.
            decoding: greedy by default; see `check`.
            n: endings for each context.

        Raises:
            UserError: as `check`; a context without a sentence.
        """

    def draw(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """The endings of `write`, for a caller that keeps few of them.

        A generator that would have to read each ending once more for its probability leaves that out, and
        `with_probabilities` adds it to those that are kept.

        Args and raises: as `write`.
        """
        return self.write(contexts, decoding, n)

    def score(
        self, contexts: Sequence[Context], endings: Sequence[str]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """How likely the generator holds each ending after its context.

        Args:
            contexts: N contexts.
            endings: N endings, one for each.

        Returns:
            `log_prob` float64 [N] in nats, and `n_tokens` int64 [N], over how many tokens each is the sum.

        Raises:
            UserError: the generator gives no probabilities (`can_score` is false).
            ValueError: not as many endings as contexts.
        """
        raise UserError(f"{self.name} gives no probabilities of endings: name a generator that does")

    def with_probabilities(
        self, contexts: Sequence[Context], endings: Sequence[Sequence[Ending]]
    ) -> list[list[Ending]]:
        """Endings with the probabilities that `draw` left out, where the generator gives any.

        Args:
            contexts: N contexts.
            endings: those of each context.
        """
        lacking = [
            (context, ending.text)
            for context, of_context in zip(contexts, endings, strict=True)
            for ending in of_context
            if ending.log_prob is None
        ]
        if not self.can_score or not lacking:
            return [list(of_context) for of_context in endings]
        log_prob, n_tokens = self.score([context for context, _ in lacking], [text for _, text in lacking])
        found = zip(log_prob.tolist(), n_tokens.tolist(), strict=True)
        return [
            [Ending(ending.text, *next(found)) if ending.log_prob is None else ending for ending in of_context]
            for of_context in endings
        ]

    def find_vectors(  # noqa: B027 - most generators need none
        self, embeddings: Path | None, options: Mapping[str, Any] | None = None
    ) -> None:
        """Prepare to get sentence vectors from the table `embeddings` or by encoding; most generators need none."""

    def expect(self, contexts: Sequence[Context]) -> None:  # noqa: B027 - as above
        """Do once for all `contexts` what would otherwise be repeated for each batch of them; here nothing."""

    def notes(self) -> list[str]:
        """What is to be said when all endings are written, a line each, such as what a served model cost."""
        return []

    def record(self) -> dict[str, str]:
        """What the metadata of a table of its endings say, beside how they were decoded and by which checkpoint."""
        return {}

    # What is the same for all kinds.

    @classmethod
    def check(cls, decoding: Decoding, n: int) -> None:
        """Refuse decoding settings that this generator does not use, or that cannot give `n` endings for a context.

        Raises:
            UserError: what does not fit, by name.
        """
        if cls.decodes:
            decoding.check_count(n)
            return
        if changed := decoding.changed:
            raise UserError(f"{cls.name} chooses whole endings and decodes no words: leave out {', '.join(changed)}")
        if not 1 <= n <= MOST_ENDINGS:
            raise UserError(f"n: must be from 1 to {MOST_ENDINGS:,}, not {n}")

    @classmethod
    def takes(cls, decoding: Decoding) -> bool:
        """Whether these settings of decoding are among those that this generator uses."""
        try:
            cls.check(decoding, 1)
        except UserError:
            return False
        return True


def check_contexts(contexts: Sequence[Context]) -> None:
    """Refuse a context without a sentence.

    Raises:
        UserError: which of the contexts it is.
    """
    if not all(contexts):
        raise UserError(f"context {[*map(bool, contexts)].index(False) + 1} of {len(contexts)} holds no sentence")


def generator_class(kind: str, name: str | None = None) -> type[Generator]:
    """The class of a registered generator.

    Args:
        kind: its row in the registry.
        name: a name of its own, which all that this class makes bears; None: that of the kind.

    Raises:
        UserError: no such generator.
    """
    if kind not in GENERATORS:
        raise UserError(f"no generator {kind!r}; there are {', '.join(sorted(GENERATORS))}")
    module, attribute = GENERATORS[kind].split(":")
    found: type[Generator] = getattr(importlib.import_module(module), attribute)
    return found if name in (None, kind) else type(found.__name__, (found,), {"name": name, "kind": kind})
