"""How close the sentiment of endings is to what their contexts let one expect; see `sentiment_full`, `sentiment_last`.

The papers used Stanford CoreNLP's classes 1 to 5; the scales here are those of `text.sentiment`.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.cloze.base import Scores, by_case, endings
from denouement.corpus.cases import n_endings
from denouement.text.sentiment import SCALES

Expected = Callable[[npt.NDArray[np.float64]], float]
"""From the sentiment of a context's sentences, float64 [sentences], to that expected of its ending."""


def closeness(cases: pa.Table, expected: Expected) -> dict[str, Scores]:
    """Minus the distance between each ending's sentiment and the expected one, by the name of the scale."""
    lengths = pc.list_value_length(cases["context"]).to_numpy()
    sentences = pc.list_flatten(cases["context"]).to_pylist()
    scores = {}
    for scale, sentiment in SCALES.items():
        of_context = np.split(sentiment(sentences), np.cumsum(lengths)[:-1])
        wanted = np.repeat([expected(values) for values in of_context], n_endings(cases))
        scores[scale] = by_case(-np.abs(sentiment(endings(cases)) - wanted), cases)
    return scores
