"""A linear model of which of several endings is right, from a vector of each ending (conditional logistic regression).

McFadden 1974 (*Conditional logit analysis of qualitative choice behavior*): the probability that an ending is right is
the softmax, over the endings of its case, of the product of weights and its vector. There is no intercept, and the
order of the endings does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denouement.cloze.parts.pairwise import Pairs, inverse
from denouement.cloze.parts.vectors import Floats

STRENGTHS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
"""The grid of C, the inverse strength of the L2 penalty, for features with a variance of 1."""


@dataclass(frozen=True)
class ChoiceModel:
    """What was learned.

    Attributes:
        weights: float64 [features], of vectors as they are given.
        strength: C, which made the loss of held-out cases least.
    """

    weights: Floats
    strength: float

    def scores(self, vectors: Floats) -> Floats:
        """float64 [endings] from [endings, features]: differences are log-odds of being right."""
        scores: Floats = vectors @ self.weights
        return scores


def fit(
    vectors: Floats, pairs: Pairs, fold_of: npt.NDArray[np.int64], strengths: Sequence[float] = STRENGTHS
) -> ChoiceModel:
    """Learn the weights; cross-validation inside the cases given chooses the strength of the penalty.

    Each feature is divided by its standard deviation first. The grid is left where the loss has risen.

    Args:
        vectors: float64 [endings, features].
        pairs: of these endings, which of a case is right.
        fold_of: int64 [cases], the fold of each case; there are at least two folds.
        strengths: the grid, the strongest penalty first.
    """
    scale = inverse(vectors.std(axis=0))
    differences = (vectors[pairs.right] - vectors[pairs.wrong]) * scale
    fold_of_pair = fold_of[pairs.case]
    weights: dict[int, Floats] = {}
    best, least = strengths[0], np.inf
    for strength in strengths:
        margins = np.empty(len(differences))
        for fold in np.unique(fold_of_pair).tolist():
            held_out = fold_of_pair == fold
            others = differences[~held_out], pairs.case[~held_out]
            weights[fold] = fitted(*others, strength, weights.get(fold))
            margins[held_out] = differences[held_out] @ weights[fold]
        loss = float(pairs.losses(margins).mean())
        if loss >= least:
            break
        best, least = strength, loss
    return ChoiceModel(fitted(differences, pairs.case, best) * scale, best)


def fitted(differences: Floats, case: npt.NDArray[np.int64], strength: float, start: Floats | None = None) -> Floats:
    """The weights that make C times the summed loss plus half their squared length least, float64 [features].

    Args:
        differences: float64 [pairs, features], the vector of the right ending of a case less that of a wrong one.
        case: int64 [pairs], the number of the case.
        strength: C.
        start: where the search begins; None: at zeros.
    """
    from scipy.optimize import minimize

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = np.exp(-np.clip(differences @ weights, -500, 500))  # of each wrong ending against the right one
        total = 1 + np.bincount(case, odds)
        gradient = weights - strength * ((odds / total[case]) @ differences)
        return float(strength * np.log(total).sum() + weights @ weights / 2), gradient

    at = np.zeros(differences.shape[1]) if start is None else start
    found = minimize(loss, at, jac=True, method="L-BFGS-B", options={"maxiter": 1000, "ftol": 1e-10})
    return np.asarray(found.x, np.float64)
