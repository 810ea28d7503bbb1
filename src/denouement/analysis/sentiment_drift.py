"""How the sentiment of endings is spread, and how far generated ones drift from right ones: Mori et al. 2019, 4.5."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.sentiment import RIGHT, case_of
from denouement.corpus.cases import labelled_cases
from denouement.schemas import read_table
from denouement.text.sentiment import NEGATIVE, POSITIVE, compound

CONTEXTS = ("negative", "neutral", "positive")
BINS = 20
"""Equal parts of the scale from -1 to 1 in which scores are counted; each but the last is without its upper end."""

_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_SHUFFLES = 200

Scores = npt.NDArray[np.float64]


def distributions(sentiment: pa.Table, seed: int = 1) -> list[dict[str, Any]]:
    """How the compound scores of each group of the table `sentiment` are spread.

    Returns:
        Rows `group`, `n`, `mean`, `sd`, `quantiles` (of 10, 25, 50, 75 and 90%), `counts` in `BINS` parts from -1 to 1;
        and against the group `right`: `distance`, the earth mover's distance (by how much scores have to be moved, on
        average, to make one distribution the other), and `chance`, the distance that 95% of 200 random divisions of
        both groups' scores into groups of these sizes stay under. None for `right` itself, or without it.
    """
    of_group = _scores(sentiment)
    right = of_group.get(RIGHT)
    rows = []
    for group, scores in of_group.items():
        compared = right if group != RIGHT else None
        rows.append({"group": group, **_spread(scores), **_distance(scores, compared, seed)})
    return rows


def by_context(sentiment: pa.Table, cloze: Path) -> list[dict[str, Any]]:
    """The same by the sentiment of the context: of all its sentences as one text, negative, neutral or positive.

    Texts that belong to no labelled case of `cloze`, such as the stories' endings, are left out.

    Returns:
        Rows `group`, `context` and as `distributions`.
    """
    cases, _ = labelled_cases(read_table(cloze, "cloze"))
    scores = compound([" ".join(context) for context in cases["context"].to_pylist()]).round(4)
    kinds = np.where(scores >= POSITIVE, "positive", np.where(scores <= NEGATIVE, "negative", "neutral"))
    context_of = dict(zip(cases["case_id"].to_pylist(), kinds.tolist(), strict=True))
    texts = zip(sentiment["group"].to_pylist(), sentiment["text_id"].to_pylist(), strict=True)
    case_ids = [case_of(group, text_id, context_of) for group, text_id in texts]
    of_text = pa.array([None if case_id is None else context_of[case_id] for case_id in case_ids], pa.string())
    found = []
    for context in CONTEXTS:
        rows = distributions(sentiment.filter(pc.equal(of_text, context)))
        found += [{"group": row.pop("group"), "context": context, **row} for row in rows]
    order = list(_scores(sentiment))
    return sorted(found, key=lambda row: (order.index(row["group"]), CONTEXTS.index(row["context"])))


def _scores(sentiment: pa.Table) -> dict[str, Scores]:
    """The compound scores by group, in the order of the table."""
    groups = np.array(sentiment["group"].to_pylist(), dtype=object)
    scores = sentiment["compound"].to_numpy().astype(np.float64).round(4)
    return {group: scores[groups == group] for group in dict.fromkeys(groups.tolist())}


def _spread(scores: Scores) -> dict[str, Any]:
    return {
        "n": len(scores),
        "mean": float(scores.mean()),
        "sd": float(scores.std(ddof=1)) if len(scores) > 1 else None,
        "quantiles": [float(value) for value in np.quantile(scores, _QUANTILES)],
        "positive_share": float((scores >= POSITIVE).mean()),
        "negative_share": float((scores <= NEGATIVE).mean()),
        "counts": np.histogram(scores, bins=BINS, range=(-1, 1))[0].tolist(),
    }


def _distance(scores: Scores, right: Scores | None, seed: int) -> dict[str, Any]:
    from scipy.stats import wasserstein_distance

    if right is None:
        return {"distance": None, "chance": None}
    drawn = np.random.default_rng(seed)
    together = np.concatenate([scores, right])
    by_chance = []
    for _ in range(_SHUFFLES):
        drawn.shuffle(together)
        by_chance.append(wasserstein_distance(together[: len(scores)], together[len(scores) :]))
    return {
        "distance": float(wasserstein_distance(scores, right)),
        "chance": float(np.quantile(by_chance, 0.95)),
    }
