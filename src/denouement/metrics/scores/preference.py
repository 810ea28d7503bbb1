"""How much people prefer an ending, by a model that learned from what they said of endings of other stories."""

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


@dataclass
class PreferenceScore(EndingMetric):
    """The utility of an ending to each model that `denouement metrics preference` wrote.

    Differences between endings of one story are log-odds of being preferred. The scores that the model reads are worked
    out with their default options.
    """

    name: ClassVar[str] = "preference"
    measures: ClassVar[Mapping[str, Measure]] = {
        "preference": Measure("how much people prefer the ending, by a model", "higher", "log-odds", None, None),
    }
    needs: ClassVar[Sequence[str]] = ("preference models", "what the scores need that they read")
    learns: ClassVar[bool] = True
    unscorable: ClassVar[str] = "of a story that the model learned from, or without a score that it reads"

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        if resources.preferences:
            return []
        return [f"{self.name} asks models of `denouement metrics preference`: give them with --preference"]

    def files(self, resources: Resources) -> Sequence[str]:
        """See `Metric`. Those of the scores that models read are among them."""
        from denouement.metrics.preference.features import metrics_of
        from denouement.metrics.preference.model import read_preference

        digests = [f"{path.stem} {file_digest(existing_file(path))}" for path in resources.preferences]
        read = [metric for path in resources.preferences for metric in metrics_of(read_preference(path).scores)]
        ready = (metric for metric in read if not metric.lacks(resources))
        return [*digests, *(digest for metric in ready for digest in metric.files(resources))]

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`.

        Raises:
            UserError: a file that is no preference model, two of one name, or another encoder than the model's.
            MissingResourceError: no model can score the endings: it learned from all of their stories, or reads a score
                that cannot be worked out.
        """
        return of_files(
            self.name, "--preference", resources.preferences, lambda path: _utilities(path, rows, resources)
        )


def _utilities(path: Path, rows: EndingRows, resources: Resources) -> Values:
    """float64 [endings]; NaN for those of a story that the model learned from, or that lack a score it reads."""
    from denouement.cloze.parts.chooser import context_digests
    from denouement.encoders.base import load_encoder
    from denouement.metrics.preference.features import again, vectors
    from denouement.metrics.preference.model import read_preference

    model = resources.once(("preference model", str(path)), lambda: read_preference(path))
    new = np.array([digest not in model.trained_on for digest in context_digests(rows.contexts)], bool)
    if not new.any():
        raise MissingResourceError(f"{path}: learned from the stories of all {len(rows):,} endings; score others")
    some = rows.take(np.flatnonzero(new).tolist())
    values = again(model.scores, some, resources)
    if model.encoder:
        if load_encoder(model.encoder).fingerprint != model.fingerprint:
            raise UserError(f"{path}: learned from vectors of another version of {model.encoder}; learn it again")
        values = np.concatenate([values, vectors(model.encoder, some, resources)], axis=1)
    found = np.full(len(rows), np.nan)
    found[new] = model.utilities(values)
    return found
