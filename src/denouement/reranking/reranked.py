"""Reranked endings: a generator draws several for each context, and a chooser says which of them is best."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from denouement import settings as settings_module
from denouement.errors import UserError
from denouement.files import file_digest
from denouement.generators.base import (
    BEST,
    Context,
    Ending,
    Generator,
    GeneratorSettings,
    OnEpoch,
    check_contexts,
    generator_class,
)
from denouement.generators.checkpoints import class_of, restored, save_generator
from denouement.generators.copying import without_epochs
from denouement.generators.decoding import Decoding
from denouement.generators.history import Counts, History
from denouement.reranking.choosers import EndingChooser, digest_of, open_chooser
from denouement.settings import at_least

if TYPE_CHECKING:
    import numpy.typing as npt

RECORD = "reranked"
"""The entry of the metadata of a table of reranked endings: JSON that says by what they were drawn and chosen."""

_DRAW = ("temperature", "top_p", "top_k", "max_length", "seed")


@dataclass(frozen=True)
class RerankedSettings(GeneratorSettings):
    """Settings of `Reranked`.

    Attributes:
        of: checkpoint of the generator whose endings are drawn.
        chooser: a checkpoint that `denouement cloze train` wrote; or the folder, GGUF file or name of a language model,
            by whose log-probability per token endings are then compared.
        language_model: where the language model of such a checkpoint lies now; null: where it lay when it was trained.
        n: endings drawn for each context.
        temperature: of the draws; see Decoding.
        top_p: of the draws.
        top_k: of the draws.
        max_length: most words in an ending.
        seed: of the draws.
    """

    of: str = ""
    chooser: str = ""
    language_model: str | None = None
    n: int = 20
    temperature: float = 1.0
    top_p: float = 0.9
    top_k: int | None = None
    max_length: int = 30
    seed: int = 1

    def __post_init__(self) -> None:
        at_least(self, 1, "n")
        self.sampling()

    @property
    def reads(self) -> str:
        """See `GeneratorSettings`."""
        return self.of

    def sampling(self) -> Decoding:
        """How endings are drawn by a generator that decodes words."""
        return Decoding("sample", **{name: getattr(self, name) for name in _DRAW})


class Reranked(Generator):
    """The best of `n` drawn endings of another generator by a chooser.

    Equal endings are scored once, and of those with the same score the one that was drawn first is better. A generator
    that chooses whole endings, such as bm25, draws none: its n nearest are reranked. Probabilities are those of the
    other generator. Contexts that the chooser was trained on are refused.

    Attributes:
        base: the other generator.
        chooser: what scores its endings.
    """

    name: ClassVar[str] = "reranked"
    settings_class: ClassVar[type[GeneratorSettings]] = RerankedSettings

    settings: RerankedSettings

    def __init__(self, settings: RerankedSettings, base: Generator, chooser: EndingChooser) -> None:
        """Make a generator.

        Raises:
            UserError: the other generator does not draw so, or is reranked itself.
        """
        if isinstance(base, Reranked):
            raise UserError(f"{base.name} is reranked itself: name the generator whose endings it reranks")
        self.settings, self.base, self.chooser = settings, base, chooser
        self.vocabulary = base.vocabulary
        self._draws = _draws(settings, base)
        base.check(self._draws, settings.n)
        self._different: list[int] = []

    @classmethod
    def fit(
        cls,
        settings: RerankedSettings,
        stories: Path,
        folder: Path,
        *,
        embeddings: Path | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> History:
        """See `Generator`. Nothing is learned: the checkpoint has the digests of the two that it names."""
        for name in ("of", "chooser"):
            if not getattr(settings, name):
                raise UserError(f"{cls.name} needs the setting {name}: name a checkpoint")
        base = restored(Path(settings.of), "cpu")
        save_generator(cls(settings, base, open_chooser(settings.chooser, settings.language_model)), folder / BEST)
        return without_epochs(cls.name, Counts(0, 0))

    def checkpoint(self) -> dict[str, Any]:
        """See `Generator`."""
        described = {
            "name": self.name,
            "kind": self.kind,
            "settings": asdict(self.settings),
            "of": {"name": self.base.name, "kind": self.base.kind, "digest": file_digest(Path(self.settings.of))},
            "chooser": self.chooser.digest,
        }
        return {"generator": described}

    @classmethod
    def described(cls, checkpoint: Mapping[str, Any]) -> type[Generator]:
        """See `Generator`. Whether vectors are read and probabilities given is as with the other generator."""
        base = generator_class(checkpoint["of"]["kind"], checkpoint["of"]["name"])
        return type(cls.__name__, (cls,), {"reads_vectors": base.reads_vectors, "can_score": base.can_score})

    @classmethod
    def restore(cls, checkpoint: Mapping[str, Any], device: str) -> Reranked:
        """See `Generator`."""
        described = checkpoint["generator"]
        settings = settings_module.build(RerankedSettings, described["settings"], "settings")
        of = Path(settings.of)
        class_of(of)  # whether it is there
        for path, digest, was in (
            (settings.of, file_digest(of), described["of"]["digest"]),
            (settings.chooser, digest_of(settings.chooser), described["chooser"]),
        ):
            if digest != was:
                raise UserError(
                    f"{path} is another one than that which {cls.name} was made with: renew it with `denouement train "
                    f"{cls.kind}`, in the graph with `dvc repro --force --single-item train@{cls.name}`"
                )
        return cls(settings, restored(of, device), open_chooser(settings.chooser, settings.language_model))

    def find_vectors(self, embeddings: Path | None, options: Mapping[str, Any] | None = None) -> None:
        """See `Generator`."""
        self.base.find_vectors(embeddings, options)

    def expect(self, contexts: Sequence[Context]) -> None:
        """See `Generator`."""
        self._refuse_trained(contexts)
        self.base.expect(contexts)

    def write(self, contexts: Sequence[Context], decoding: Decoding | None = None, n: int = 1) -> list[list[Ending]]:
        """See `Generator`.

        Raises:
            UserError: as there; more endings than are drawn; a context that the chooser was trained on.
        """
        self.check(decoding or Decoding(), n)
        check_contexts(contexts)
        if n > self.settings.n:
            raise UserError(f"{self.name}: {n} endings of {self.settings.n} that are drawn: its setting n draws more")
        self._refuse_trained(contexts)
        drawn = [_different(endings) for endings in self.base.draw(contexts, self._draws, self.settings.n)]
        self._different += map(len, drawn)
        texts = [[ending.text for ending in endings] for endings in drawn]
        scores = self.chooser.scores([" ".join(context) for context in contexts], texts)
        best = [
            [endings[place] for place in _best_first(of_context)[:n]]
            for endings, of_context in zip(drawn, scores, strict=True)
        ]
        return self.base.with_probabilities(contexts, best)

    def score(
        self, contexts: Sequence[Context], endings: Sequence[str]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """See `Generator`: how likely the other generator holds the endings."""
        return self.base.score(contexts, endings)

    def notes(self) -> list[str]:
        """See `Generator`: those of the other generator, and how many endings there were to choose from."""
        n, found = self.settings.n, self._different
        if not found:
            return self.base.notes()
        mean, least = np.mean(found), min(found)
        said = (
            f"{self.name}: the best of {mean:.1f} different endings on average (least {least}) of {n} for each context"
        )
        return [*self.base.notes(), said]

    def record(self) -> dict[str, str]:
        """See `Generator`."""
        described = {
            "of": self.base.name,
            "chooser": self.chooser.given,
            "chooser_digest": self.chooser.digest,
            "n": self.settings.n,
            "decoding": str(self._draws) if self.base.decodes else None,
        }
        drawn = f"{self._draws}, " if self.base.decodes else ""
        said = f"{drawn}the best of {self.settings.n} by {Path(self.chooser.given).name}"
        return {"decoding": said, RECORD: json.dumps(described)}

    def _refuse_trained(self, contexts: Sequence[Context]) -> None:
        self.chooser.refuse_trained(
            contexts,
            "write for another release and split (--release and --split, in the graph generate.release and "
            "generate.split), or rerank with a chooser that was trained on others",
        )


def rerank(base: Generator, settings: RerankedSettings) -> Reranked:
    """A generator that is named as `base` with `_reranked` after it, and draws its endings; `settings.of` is not read.

    Raises:
        UserError: as `Reranked` and `open_chooser`.
    """
    named = type(Reranked.__name__, (Reranked,), {
        "name": f"{base.name}_reranked", "kind": Reranked.kind, "can_score": base.can_score
    })  # fmt: skip
    made: Reranked = named(settings, base, open_chooser(settings.chooser, settings.language_model))
    return made


def _draws(settings: RerankedSettings, base: Generator) -> Decoding:
    """How `base` gives the endings."""
    if base.decodes:
        return settings.sampling()
    defaults = {each.name: each.default for each in fields(settings)}
    if changed := [name for name in _DRAW if getattr(settings, name) != defaults[name]]:
        raise UserError(f"{base.name} chooses whole endings and draws none: leave out {', '.join(changed)}")
    return Decoding()


def _different(endings: Sequence[Ending]) -> list[Ending]:
    """The endings without those whose text an earlier one has."""
    first: dict[str, Ending] = {}
    for ending in endings:
        first.setdefault(ending.text, ending)
    return list(first.values())


def _best_first(scores: npt.NDArray[np.float64]) -> list[int]:
    """The places of the scores, the highest first, and of equal ones the first."""
    places: list[int] = np.argsort(-scores, kind="stable").tolist()
    return places
