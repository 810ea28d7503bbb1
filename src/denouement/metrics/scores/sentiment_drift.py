"""How far the sentiment of an ending is from that of human endings after contexts of the same sentiment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from denouement.cloze.resources import MissingResourceError, Resources
from denouement.metrics.base import EndingMetric, EndingRows, Measure, Values
from denouement.text.sentiment import NEGATIVE, POSITIVE, compound


@dataclass
class SentimentDrift(EndingMetric):
    """VADER's compound of an ending, less the mean of the endings of training stories whose context is as it is.

    A context, as one text, is negative, neutral or positive (Mori et al. 2019, A.3). Above 0 an ending is more positive
    than people's are there. The distance is the drift without its sign.
    """

    name: ClassVar[str] = "sentiment_drift"
    measures: ClassVar[Mapping[str, Measure]] = {
        "sentiment_drift": Measure("sentiment less that of human endings after such contexts", "neither", "", -2, 2),
        "sentiment_distance": Measure("the same without its sign", "lower", "", 0, 2),
    }
    needs: ClassVar[Sequence[str]] = ("training stories",)
    learns: ClassVar[bool] = True
    only_english: ClassVar[bool] = True
    unscorable: ClassVar[str] = "after a context of a sentiment that no training story's context has"

    def lacks(self, resources: Resources) -> list[str]:
        """See `Metric`."""
        return resources.lacks(self.name, stories=True)

    def score(self, rows: EndingRows, resources: Resources) -> dict[str, Values]:
        """See `EndingMetric`.

        Raises:
            MissingResourceError: there are no stories of the split train.
        """
        human = resources.once((self.name, "human"), lambda: self._human(resources))
        drift = compound(rows.endings) - human[_kinds(rows.contexts)]
        return {"sentiment_drift": drift, "sentiment_distance": np.abs(drift)}

    def _human(self, resources: Resources) -> Values:
        """float64 [3]: the mean compound of human endings by the kind of their context; NaN without any."""
        stories = resources.need_stories(self.name)
        training = stories.filter(pc.equal(stories["split"], "train"))["sentences"].to_pylist()
        if not training:
            raise MissingResourceError(f"{self.name} reads stories of the split train, and --stories has none")
        kinds = _kinds([story[:-1] for story in training])
        of_endings = compound([story[-1] for story in training])
        return np.array([of_endings[kinds == kind].mean() if (kinds == kind).any() else np.nan for kind in range(3)])


def _kinds(contexts: Sequence[Sequence[str]]) -> npt.NDArray[np.int64]:
    """int64 [contexts]: 0 for a negative one, 1 for a neutral one, 2 for a positive one."""
    scores = compound([" ".join(context) for context in contexts]).round(4)  # as VADER rounds them
    return 1 + (scores >= POSITIVE).astype(np.int64) - (scores <= NEGATIVE)
