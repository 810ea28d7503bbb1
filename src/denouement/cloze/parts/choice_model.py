"""A linear model of which of several endings is right, from a vector of each ending (conditional logistic regression).

McFadden 1974 (*Conditional logit analysis of qualitative choice behavior*): the probability that an ending is right is
the softmax, over the endings of its case, of the product of weights and its vector. There is no intercept, and the
order of the endings does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denouement.cloze.parts.pairwise import inverse
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
    vectors: Sequence[Floats],
    right: npt.NDArray[np.int8],
    fold_of: npt.NDArray[np.int64],
    strengths: Sequence[float] = STRENGTHS,
) -> ChoiceModel:
    """Learn the weights; cross-validation inside the cases given chooses the strength of the penalty.

    Each feature is divided by its standard deviation first. The grid is left where the loss has risen.

    Args:
        vectors: of each of n cases [k, features], k at least 2 as it comes.
        right: int8 [n], from 1 to k.
        fold_of: int64 [n], the fold of each case; there are at least two folds.
        strengths: the grid, the strongest penalty first.
    """
    scale = inverse(np.concatenate(vectors).std(axis=0))
    differences = _differences(vectors, right) * scale
    best, least, weights = strengths[0], np.inf, {}
    for strength in strengths:
        losses = np.empty(len(right))
        for fold in np.unique(fold_of):
            held_out = fold_of == fold
            weights[fold] = fitted(differences[~held_out], strength, weights.get(fold))
            losses[held_out] = _losses(differences[held_out] @ weights[fold])
        if losses.mean() >= least:
            break
        best, least = strength, float(losses.mean())
    return ChoiceModel(fitted(differences, best) * scale, best)


def fitted(differences: Floats, strength: float, start: Floats | None = None) -> Floats:
    """The weights that make C times the summed loss plus half their squared length least, float64 [features].

    Args:
        differences: float64 [n, k - 1, features], the vector of the right ending less those of the wrong ones; NaN in
            the places that a case with fewer endings lacks.
        strength: C.
        start: where the search begins; zeros where it is not given.
    """
    from scipy.optimize import minimize

    n_features = differences.shape[-1]
    is_there = ~np.isnan(differences[..., 0])
    known = differences[is_there]  # [wrong endings, features]
    case_of = np.nonzero(is_there)[0]

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = known @ weights
        odds = np.exp(-np.clip(margins, -500, 500))
        total = 1 + np.bincount(case_of, odds, minlength=len(differences))
        gradient = weights - strength * ((odds / total[case_of]) @ known)
        return float(strength * np.log(total).sum() + weights @ weights / 2), gradient

    at = np.zeros(n_features) if start is None else start
    found = minimize(loss, at, jac=True, method="L-BFGS-B", options={"maxiter": 1000, "ftol": 1e-10})
    return np.asarray(found.x, np.float64)


def _losses(margins: Floats) -> Floats:
    """Minus the log-probability of the right ending of each case, from margins [n, k - 1]."""
    losses: Floats = np.logaddexp.reduce(np.column_stack([np.zeros(len(margins)), _known(-margins)]), axis=1)
    return losses


def _known(margins: Floats) -> Floats:
    return np.where(np.isnan(margins), -np.inf, margins)


def _differences(vectors: Sequence[Floats], right: npt.NDArray[np.int8]) -> Floats:
    """See `fitted`."""
    most, width = max(map(len, vectors)), vectors[0].shape[1]
    found = np.full((len(vectors), most - 1, width), np.nan)
    for row, (of_case, number) in enumerate(zip(vectors, right, strict=True)):
        wrong = np.delete(of_case, number - 1, axis=0)
        found[row, : len(wrong)] = of_case[number - 1] - wrong
    return found
