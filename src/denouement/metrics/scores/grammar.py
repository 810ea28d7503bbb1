"""Grammar: how usual the order of an ending's parts of speech is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow.compute as pc

from denouement.cloze.parts.ngram_model import NgramModel
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.metrics.looking_up import parses
from denouement.settings import at_least


@dataclass
class Grammar(EndingMetric):
    """The mean log-probability of the ending's tags by a model of the tags of human endings, in nats.

    Tags are those of the Penn Treebank by the parser (spaCy); the model is one of n-grams with interpolated absolute
    discounting, learned from last sentences of training stories. It is a score of a parser and not of a language model:
    it does not see words, so it finds a broken order, and not a wrong verb form that has the tag of a right one.

    Attributes:
        order: of the n-grams.
        stories: at most so many training stories are parsed, drawn at random.
    """

    name: ClassVar[str] = "grammar"
    measures: ClassVar[Mapping[str, Measure]] = {
        "grammar_tags": Measure("mean log-probability of the parts of speech", "higher", "nats", None, 0),
    }
    needs: ClassVar[Sequence[str]] = ("a parser", "training stories")
    learns: ClassVar[bool] = True
    only_english: ClassVar[bool] = True
    unscorable: ClassVar[str] = "that the parser cannot read"

    order: int = 4
    stories: int = 5000

    def __post_init__(self) -> None:
        at_least(self, 1, "order", "stories")

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        return resources.lacks(self.name, stories=True, parser=True)

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`.

        Raises:
            MissingResourceError: there are no stories of the split train.
        """
        model = resources.once((self.name, repr(self)), lambda: self._learned(resources))
        parsed = parses(rows.endings, resources)
        tags = [parsed[ending].tags for ending in rows.endings]
        of_tags = {each: float(model.log_probs(each).mean()) if each else np.nan for each in set(tags)}
        return {"grammar_tags": np.array([of_tags[each] for each in tags])}

    def _learned(self, resources: Resources) -> NgramModel:
        stories = resources.need_stories(self.name)
        training = stories.filter(pc.equal(stories["split"], "train"))["sentences"].to_pylist()
        if not training:
            raise MissingResourceError(f"{self.name} reads stories of the split train, and --stories has none")
        drawn = np.random.default_rng(resources.seed).permutation(len(training))[: self.stories]
        endings = [training[row][-1] for row in drawn]
        parsed = parses(endings, resources)
        return NgramModel([parsed[ending].tags for ending in endings if parsed[ending].tags], self.order)
