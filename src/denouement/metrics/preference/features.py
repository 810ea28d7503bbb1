"""What a preference model knows of endings: their scores and sentence vectors."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from denouement.cloze.parts.vectors import Floats
from denouement.cloze.resources import MissingResourceError, Resources
from denouement.errors import UserError
from denouement.metrics import METRICS
from denouement.metrics.base import EndingMetric, EndingRows, load_metric
from denouement.metrics.looking_up import OfEncoder
from denouement.metrics.scoring import Found, values_of
from denouement.schemas import shortened

_LEARNED_FROM_PEOPLE = "preference"


@dataclass(frozen=True)
class Features:
    """What is known of endings.

    Attributes:
        scores: names.
        values: float64 [endings, scores + dimension]: the scores, then the vector; NaN where an ending lacks a score.
        lengths: float64 [endings]: words; None where neither texts nor a score `length` are there.
    """

    scores: Sequence[str]
    values: Floats
    lengths: Floats | None


def worked_out(names: Sequence[str], rows: EndingRows, resources: Resources) -> Found:
    """The values of scores of the registry with their default options, by score.

    Raises:
        UserError: no such score, one of whole systems, or one that lacks something.
    """
    found: Found = {}
    for name in dict.fromkeys(names):
        metric = load_metric(name)
        if not isinstance(metric, EndingMetric) or name == _LEARNED_FROM_PEOPLE:
            raise UserError(f"score {name} is none of single endings that a preference model could read")
        if lacks := metric.lacks(resources):
            raise UserError("; ".join(lacks))
        if metric.needs_references and not any(rows.references):
            raise UserError(f"score {name} needs references, which endings have in `denouement metrics score` alone")
        found |= values_of(metric, rows, resources)
    return found


def again(scores: Sequence[str], rows: EndingRows, resources: Resources) -> Floats:
    """The values of scores by their names in the column `score`, float64 [endings, scores].

    Raises:
        MissingResourceError: one cannot be worked out.
    """
    found: Found = {}
    for metric in metrics_of(scores):
        if lacks := metric.lacks(resources):
            raise MissingResourceError("; ".join(lacks))
        found |= values_of(metric, rows, resources)
    if missing := [name for name in scores if name not in found]:
        raise MissingResourceError(
            f"the preference model reads {shortened(missing)}, which is no score of this command with what is given; "
            "give the generators, stories and models whose scores it learned from"
        )
    return np.stack([found[name] for name in scores], axis=1) if scores else np.empty((len(rows), 0))


def metrics_of(scores: Iterable[str]) -> list[EndingMetric]:
    """The rows of the registry that give these scores, each with the encoder that the score's name has.

    Scores that are not of the registry, or learned from people themselves, have none.
    """
    of_score = {score: name for name in METRICS for score in load_metric(name).measures}
    wanted: Mapping[tuple[str, str], None] = dict.fromkeys(
        (of_score[base], of_model) for base, _, of_model in (name.partition(" ") for name in scores) if base in of_score
    )
    found: list[EndingMetric] = []
    for name, of_model in wanted:
        metric = load_metric(name)
        if isinstance(metric, OfEncoder):
            metric = load_metric(name, {"encoder": of_model})
        if isinstance(metric, EndingMetric) and metric not in found and name != _LEARNED_FROM_PEOPLE:
            found.append(metric)
    return found


def vectors(encoder: str, rows: EndingRows, resources: Resources) -> Floats:
    """float64 [endings, 2 x dimension]: the ending's sentence vector, then its product with the mean of its context's.

    The vectors have the length 1; the second half says in which directions ending and context agree.

    Raises:
        UserError: the encoder cannot be loaded.
    """
    encode = OfEncoder(encoder)
    endings = _unit(encode.vectors(rows.endings, resources))
    contexts = list(dict.fromkeys(tuple(context) for context in rows.contexts))
    lengths = np.array([len(context) for context in contexts], np.int64)
    sentences = _unit(encode.vectors([sentence for context in contexts for sentence in context], resources))
    means = np.add.reduceat(sentences, np.cumsum(lengths) - lengths) / lengths[:, None]
    place_of = {context: place for place, context in enumerate(contexts)}
    before = means[[place_of[tuple(context)] for context in rows.contexts]]
    return np.concatenate([endings, endings * before], axis=1)


def _unit(of_texts: np.ndarray) -> Floats:
    own = np.asarray(of_texts, np.float64)
    found: Floats = own / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-12)
    return found
