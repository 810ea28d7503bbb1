"""How the sentiment of endings is spread, and how far generated ones drift from right ones: Mori et al. 2019, 4.5."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.sentiment import RIGHT, case_of
from denouement.corpus.cases import labelled_cases
from denouement.text.sentiment import NEGATIVE, POSITIVE, compound

CONTEXTS = ("negative", "neutral", "positive")
BINS = 20
"""Equal parts of the scale from -1 to 1 in which scores are counted; each but the last is without its upper end."""

_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_SHUFFLES = 200

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class GroupSpread:
    """How the compound scores of a group of `n` endings are spread.

    Attributes:
        mean, sd: their mean and standard deviation, None for one ending.
        quantiles: of 10, 25, 50, 75 and 90%.
        positive_share, negative_share: from 0 to 1.
        counts: how many are in each of `BINS` parts from -1 to 1.
        distance: the earth mover's distance from the group `right`: by how much scores have to be moved, on average,
            to make one distribution the other. None for `right` itself, and without it, as `chance`.
        chance: the distance that 95% of 200 random divisions of both groups' scores into groups of these sizes stay
            under.
    """

    group: str
    n: int
    mean: float
    sd: float | None
    quantiles: tuple[float, ...]
    positive_share: float
    negative_share: float
    counts: tuple[int, ...]
    distance: float | None
    chance: float | None


@dataclass(frozen=True)
class ContextSpread(GroupSpread):
    """The spread of a group's endings after contexts of one sentiment: one of `CONTEXTS`."""

    context: str


@dataclass(frozen=True)
class SentimentSpread:
    """The spread of each group's endings: of all endings, and by the sentiment of their context."""

    groups: tuple[GroupSpread, ...]
    by_context: tuple[ContextSpread, ...]


def distributions(sentiment: pa.Table, seed: int = 1) -> list[GroupSpread]:
    """How the compound scores of each group of the table `sentiment` are spread."""
    of_group = _scores(sentiment)
    right = of_group.get(RIGHT)
    rows = []
    for group, scores in of_group.items():
        compared = right if group != RIGHT else None
        rows.append(_spread(group, scores, *_distance(scores, compared, seed)))
    return rows


def by_context(sentiment: pa.Table, cloze: pa.Table) -> list[ContextSpread]:
    """The same by the sentiment of the context: of all its sentences as one text, negative, neutral or positive.

    Texts that belong to no labelled case of the table `cloze`, such as the stories' endings, are left out.
    """
    cases, _ = labelled_cases(cloze)
    scores = compound([" ".join(context) for context in cases["context"].to_pylist()]).round(4)
    kinds = np.where(scores >= POSITIVE, "positive", np.where(scores <= NEGATIVE, "negative", "neutral"))
    context_of = dict(zip(cases["case_id"].to_pylist(), kinds.tolist(), strict=True))
    texts = zip(sentiment["group"].to_pylist(), sentiment["text_id"].to_pylist(), strict=True)
    case_ids = [case_of(group, text_id, context_of) for group, text_id in texts]
    of_text = pa.array([None if case_id is None else context_of[case_id] for case_id in case_ids], pa.string())
    found = []
    for context in CONTEXTS:
        rows = distributions(sentiment.filter(pc.equal(of_text, context)))
        found += [ContextSpread(**vars(row), context=context) for row in rows]
    order = list(_scores(sentiment))
    return sorted(found, key=lambda row: (order.index(row.group), CONTEXTS.index(row.context)))


def _scores(sentiment: pa.Table) -> dict[str, Scores]:
    """The compound scores by group, in the order of the table."""
    groups = np.array(sentiment["group"].to_pylist(), dtype=object)
    scores = sentiment["compound"].to_numpy().astype(np.float64).round(4)
    return {group: scores[groups == group] for group in dict.fromkeys(groups.tolist())}


def _spread(group: str, scores: Scores, distance: float | None, chance: float | None) -> GroupSpread:
    return GroupSpread(
        group=group,
        n=len(scores),
        mean=float(scores.mean()),
        sd=float(scores.std(ddof=1)) if len(scores) > 1 else None,
        quantiles=tuple(float(value) for value in np.quantile(scores, _QUANTILES)),
        positive_share=float((scores >= POSITIVE).mean()),
        negative_share=float((scores <= NEGATIVE).mean()),
        counts=tuple(np.histogram(scores, bins=BINS, range=(-1, 1))[0].tolist()),
        distance=distance,
        chance=chance,
    )


def _distance(scores: Scores, right: Scores | None, seed: int) -> tuple[float | None, float | None]:
    """The distance of scores from those of right endings, and the distance that chance alone stays under."""
    from scipy.stats import wasserstein_distance

    if right is None:
        return None, None
    drawn = np.random.default_rng(seed)
    together = np.concatenate([scores, right])
    by_chance = []
    for _ in range(_SHUFFLES):
        drawn.shuffle(together)
        by_chance.append(wasserstein_distance(together[: len(scores)], together[len(scores) :]))
    return float(wasserstein_distance(scores, right)), float(np.quantile(by_chance, 0.95))
