"""Choosers of Story Cloze endings as scores of single endings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.files import existing_file, file_digest
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.looking_up import of_files
from denouement.schemas import shortened


@dataclass
class ChooserScore(EndingMetric):
    """How right an ending is to each chooser that `denouement cloze train` wrote.

    Differences between endings of one story are log-odds of being the right one; endings of different stories are on no
    common scale, since a chooser learns to compare endings of one story. One that was trained without contexts shows
    what can be told from the endings alone.
    """

    name: ClassVar[str] = "chooser"
    measures: ClassVar[Mapping[str, Measure]] = {
        "chooser": Measure("how right the ending is, by a trained chooser", "higher", "log-odds", None, None),
    }
    needs: ClassVar[Sequence[str]] = ("choosers",)
    learns: ClassVar[bool] = True
    unscorable: ClassVar[str] = "of a story that the chooser was trained on"

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        if resources.choosers:
            return []
        return [f"{self.name} asks trained choosers: give checkpoints of `denouement cloze train` with --chooser"]

    def files(self, resources: Resources) -> Sequence[str]:
        """See `Metric`."""
        return [f"{path.stem} {file_digest(existing_file(path))}" for path in resources.choosers]

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`.

        Raises:
            UserError: a file that is no chooser, or two of one name.
            MissingResourceError: every chooser was trained on all stories.
        """
        return of_files(self.name, "--chooser", resources.choosers, lambda path: _scores(path, rows, resources))


def _scores(path: Path, rows: EndingRows, resources: Resources) -> Values:
    """float64 [endings]; NaN for those of a story that trained the chooser."""
    from denouement.cloze.parts.chooser import context_digests
    from denouement.reranking.choosers import CHECKPOINT, EndingChooser, is_made_of, open_chooser

    if path.suffix != CHECKPOINT:
        raise UserError(f"--chooser {path}: not a checkpoint; a language model is asked with --language-model")

    def opened() -> EndingChooser:
        given = resources.language_model
        return open_chooser(str(path), given if given and is_made_of(path, given) else None)

    chooser = resources.once(("chooser", str(path)), opened)
    trained_on = chooser.trained_on or {}
    new = np.array([digest not in trained_on for digest in context_digests(rows.contexts)], bool)
    if not new.any():
        raise MissingResourceError(
            f"{path}: was trained on the stories of all {len(rows):,} endings, so it knows which are right: score "
            f"others, or by a chooser of another part of the cases ({shortened(sorted(set(trained_on.values())))})"
        )
    found = np.full(len(rows), np.nan)
    some = rows.take(np.flatnonzero(new).tolist())
    contexts = [" ".join(context) for context in some.contexts]
    found[new] = np.concatenate(chooser.scores(contexts, [[ending] for ending in some.endings]))
    return found
