"""A language model that is fine-tuned to choose the right ending."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.cloze.base import Scores, by_case
from denouement.cloze.parts.asked_model import LanguageModelSystem, contexts, endings_of_cases
from denouement.cloze.parts.chooser_settings import ChooserTraining, Example, examples
from denouement.cloze.parts.pairwise import pairs_to_learn
from denouement.cloze.parts.wrong_endings import MadeUp, made_up
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.files import existing_file, file_digest
from denouement.kept import kept

if TYPE_CHECKING:
    from denouement.cloze.parts.chooser import Chooser


@dataclass
class LanguageModelPairwise(ChooserTraining, LanguageModelSystem):
    """The first layers of a language model and a linear head on the last token of each ending, fine-tuned on the cases.

    Each ending is read after the context in a branch of its own, so their order has no effect; the loss is minus the
    log-probability of the right ending by the softmax over the endings of its case. The embeddings stay as they are.
    With the precision bfloat16 products are made in it, and weights and sums stay in float32.

    With `pretrain` the networks learn first from stories with made-up wrong endings (`wrong_endings`), once for all
    folds.

    A training takes minutes, and a cross-validation as many trainings as it has folds. So the scores of each fold that
    is done are kept in the cache, and a run that was ended goes on where it was.

    Attributes:
        pretrain: which wrong endings are made up; null: none.
        context: false: networks learn from the endings alone and choose by these, which shows how far the right one
            gives itself away.
    """

    name: ClassVar[str] = "lm_pairwise"
    learns_from_cases: ClassVar[bool] = True

    pretrain: MadeUp | None = None
    context: bool = True

    def learns_from_stories(self, variant: str) -> bool:
        """See `ClozeSystem`."""
        return self.pretrain is not None

    def files(self, resources: Resources) -> list[Path]:
        """Those of the language model, and the endings that a model wrote."""
        written = self.pretrain.endings if self.pretrain else None
        return [*super().files(resources), *([existing_file(Path(written))] if written else [])]

    def lacks(self, resources: Resources) -> list[str]:
        """See `ClozeSystem`."""
        return [*super().lacks(resources), *resources.lacks(self.name, stories=self.pretrain is not None)]

    def prepare(self, resources: Resources) -> None:
        """Load the language model, and train on stories where that is wanted.

        Raises:
            MissingResourceError: no language model is named, or there are no stories.
        """
        self._model = self.loaded(resources, "float32")
        self._start = self._pretrained(self.pretrain, resources) if self.pretrain else None

    def fit(self, cases: pa.Table, resources: Resources) -> None:
        """Keep the cases: what they teach is learned when it is first needed, which it is not where scores are kept.

        Raises:
            MissingResourceError: fewer than two cases.
        """
        pairs_to_learn(cases, 1, self.name)
        self._cases = cases
        self._chooser: Chooser | None = None

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """See `ClozeSystem`. The differences of scores are log-odds."""

        def make() -> list[float]:
            of_cases = self.chooser(resources).scores(contexts(cases), endings_of_cases(cases), self.name)
            return [score for of_case in of_cases for score in of_case.tolist()]

        learned_from = _digest(self._cases, self._cases["right_ending"].to_pylist())
        start = self._start.digest() if self._start else None
        model = self._model.source.digest
        depends_on = [asdict(self), model, start, resources.seed, _code(), learned_from, _digest(cases)]
        # a name for each fold, of which a file is kept however many there are
        path = resources.cache / self.name / f"{learned_from[:16]}.parquet" if resources.cache else None
        return {"": by_case(kept(path, depends_on, make, _read, _write), cases)}

    def chooser(self, resources: Resources) -> Chooser:
        """What the cases taught, trained at the first call."""
        if self._chooser is None:
            self._chooser = self._trained(examples(self._cases), self, self.name, resources, self._start)
        return self._chooser

    def _pretrained(self, made_of: MadeUp, resources: Resources) -> Chooser:
        """What stories with made-up endings taught, read from the cache where it was learned before."""
        from denouement.cloze.parts.chooser import load_chooser

        stories = resources.need_stories(self.name)
        training = stories.filter(pc.equal(stories["split"], "train"))
        n = min(made_of.stories, training.num_rows)
        drawn = training.take(np.random.default_rng(resources.seed).permutation(training.num_rows)[:n])
        settings = replace(self, epochs=made_of.epochs)

        def make() -> Chooser:
            learned_from = made_up(drawn, made_of, resources.seed)
            if not learned_from:
                raise MissingResourceError(f"{self.name}: no wrong ending could be made up from {n:,} training stories")
            return self._trained(learned_from, settings, f"{self.name}, made-up endings", resources)

        depends_on = [asdict(settings), [file_digest(path) for path in self.files(resources)], resources.seed, _code()]
        return kept(
            resources.cache / self.name / "pretrained.parquet" if resources.cache else None,
            [*depends_on, drawn["sentences"].to_pylist()],
            make,
            read=lambda path: load_chooser(path, self._model),
            write=lambda chooser, path: chooser.save(path),
        )

    def _trained(
        self,
        learned_from: Sequence[Example],
        settings: ChooserTraining,
        what: str,
        resources: Resources,
        start: Chooser | None = None,
    ) -> Chooser:
        from denouement.cloze.parts.chooser_training import train

        autocast = self.precision == "bfloat16"
        if not self.context:
            learned_from = [
                each._replace(context=(), question=None, story=each.story or each.context) for each in learned_from
            ]
        chooser = train(
            self._model, learned_from, settings, seed=resources.seed, what=what, start=start, autocast=autocast
        )
        return replace(chooser, context=self.context)


def _digest(cases: pa.Table, labels: Any = None) -> str:
    described = [contexts(cases), endings_of_cases(cases), labels]
    return hashlib.sha256(repr(described).encode()).hexdigest()


def _code() -> list[str]:
    from denouement.cloze.parts import chooser, chooser_training, wrong_endings
    from denouement.language_models import model, rows

    of_chooser = (__file__, chooser.__file__, chooser_training.__file__, wrong_endings.__file__)
    return [file_digest(Path(file)) for file in (*of_chooser, model.__file__, rows.__file__)]


def _read(path: Path) -> list[float]:
    from denouement.tensors import read_checkpoint

    try:
        return [float(score) for score in read_checkpoint(path)["scores"]]
    except (LookupError, TypeError, ValueError) as error:
        raise UserError(f"{path}: no scores in it") from error


def _write(scores: list[float], path: Path) -> None:
    from denouement.tensors import write_checkpoint

    write_checkpoint({"scores": scores}, path)
