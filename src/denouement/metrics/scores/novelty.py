"""How much of an ending was learned by heart: the longest run of words that a training story has, too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow.compute as pc

from denouement.cloze.resources import MissingResourceError, Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.grams import longest_shared_runs, words


@dataclass
class Novelty(EndingMetric):
    """The longest run of words that some training story has, in words and as what it leaves of the ending."""

    name: ClassVar[str] = "novelty"
    measures: ClassVar[Mapping[str, Measure]] = {
        "novelty": Measure("share of the ending beyond its longest run of words from a training story", "higher"),
        "longest_known": Measure("words of that run", "lower", "words", 0, None),
    }
    needs: ClassVar[Sequence[str]] = ("training stories",)
    learns: ClassVar[bool] = True

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        return resources.lacks(self.name, stories=True)

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`.

        Raises:
            MissingResourceError: there are no stories of the split train.
        """
        endings = [words(ending) for ending in rows.endings]
        runs = longest_shared_runs(endings, self._stories(resources)).astype(float)
        return {"novelty": 1 - runs / [*map(len, endings)], "longest_known": runs}

    def _stories(self, resources: Resources) -> list[list[str]]:
        """The words of each training story."""

        def read() -> list[list[str]]:
            stories = resources.need_stories(self.name)
            training = stories.filter(pc.equal(stories["split"], "train"))["sentences"].to_pylist()
            if not training:
                raise MissingResourceError(f"{self.name} reads stories of the split train, and --stories has none")
            return [words(" ".join(sentences)) for sentences in training]

        return resources.once((self.name, "stories"), read)
