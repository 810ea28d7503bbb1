"""A linear model of which of two endings is right, from groups of named features of each ending."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import Scores
from denouement.cloze.resources import MissingResourceError

Features = Mapping[str, float]
"""The features of an ending by name; those that are 0 may be left out. The first word of a name is its group."""

STRENGTHS = (0.1, 0.3, 1.0, 3.0)
"""The grid of C, the inverse strength of the L2 penalty, for groups of a mean squared length of 1."""


def group(name: str) -> str:
    """The group of the feature `name`."""
    return name.partition(" ")[0]


class Weights(NamedTuple):
    """What was learned.

    Attributes:
        values: float64 [features]; 0 outside the groups asked for.
        losses: float64 [n], nats, of each case when it was held out.
        strength: C, which made them least.
    """

    values: npt.NDArray[np.float64]
    losses: npt.NDArray[np.float64]
    strength: float


class Pairwise:
    """Conditional logistic regression: the log-odds of the first ending of a case being right are the product of
    weights and the difference between the features of its endings. So it has no intercept, and the order of the endings
    does not matter.

    Each feature is divided by its standard deviation, and then each group by a number that makes the mean squared
    length of a difference 1, so that a group of thousands of counts and one of ten measures weigh the same before
    anything is learned.
    """

    def __init__(self, features: Sequence[Features], right: npt.NDArray[np.int8], min_count: int) -> None:
        """Choose and scale the features.

        Args:
            features: of both endings of the first case, of both of the second ..., n cases.
            right: int8 [n], 1 or 2.
            min_count: a feature that fewer endings have is left out.
        """
        from scipy.sparse import diags_array
        from sklearn.feature_extraction import DictVectorizer

        self._vectorizer = DictVectorizer()
        found = self._vectorizer.fit_transform(features).tocsc()
        is_kept = found.getnnz(axis=0) >= min_count
        self._vectorizer.restrict(is_kept)
        found = found[:, is_kept]
        self._groups = np.array([group(name) for name in self._vectorizer.get_feature_names_out()])
        self._scale = inverse(spreads(found))
        differences = (found[0::2] - found[1::2]) @ diags_array(self._scale)
        squares = _mean(differences.power(2))
        shrink = np.ones_like(squares)
        for name in self.groups:
            length = float(squares[self._groups == name].sum())
            shrink[self._groups == name] = 1 / np.sqrt(length) if length else 0
        self._scale *= shrink

        toward_right = np.where(right == 1, 1.0, -1.0)
        self._differences = (diags_array(toward_right) @ differences @ diags_array(shrink)).tocsr()

    @property
    def groups(self) -> list[str]:
        """The groups that have features."""
        return sorted(set(self._groups.tolist()))

    def fit(self, groups: Collection[str], fold_of: npt.NDArray[np.int64], seed: int) -> Weights:
        """Learn the weights of the features of `groups`; cross-validation chooses the strength of the penalty.

        Args:
            groups: names of groups; those without a feature are ignored.
            fold_of: int64 [n], the fold of each case in the cross-validation inside the cases given.
            seed: draws the order in which cases are visited.
        """
        losses = {strength: self._losses(groups, strength, fold_of, seed) for strength in STRENGTHS}
        best = min(STRENGTHS, key=lambda strength: float(losses[strength].mean()))
        weights = np.zeros(len(self._groups))
        columns = self._columns(groups)
        weights[columns] = fit_differences(self._differences[:, columns], best, seed)
        return Weights(weights, losses[best], best)

    def fit_chosen(self, groups: Collection[str], fold_of: npt.NDArray[np.int64], seed: int) -> Weights:
        """As `fit`, after groups were left out one by one, each time the one without which the loss is least.

        This is repeated as long as the loss falls by more than the standard error of its fall. Meanwhile, the strength
        of the penalty is that found with all groups: to find it for each choice takes four times as long.
        """
        everything, chosen = self.fit(groups, fold_of, seed), set(groups)
        losses = everything.losses
        while len(chosen) > 1:
            without = {
                name: self._losses(chosen - {name}, everything.strength, fold_of, seed) for name in sorted(chosen)
            }
            name = min(without, key=lambda each: float(without[each].mean()))
            gains = losses - without[name]
            if gains.mean() <= gains.std(ddof=1) / np.sqrt(len(gains)):
                break
            losses = without[name]
            chosen.remove(name)
        return everything if len(chosen) == len(set(groups)) else self.fit(chosen, fold_of, seed)

    def _columns(self, groups: Collection[str]) -> npt.NDArray[np.int64]:
        return np.flatnonzero(np.isin(self._groups, list(groups)))

    def _losses(
        self, groups: Collection[str], strength: float, fold_of: npt.NDArray[np.int64], seed: int
    ) -> npt.NDArray[np.float64]:
        differences = self._differences[:, self._columns(groups)]
        log_odds = np.empty(len(fold_of))  # of the right ending
        for fold in np.unique(fold_of):
            held_out = fold_of == fold
            log_odds[held_out] = differences[held_out] @ fit_differences(differences[~held_out], strength, seed)
        return np.logaddexp(0, -log_odds)

    def score(self, features: Sequence[Features], weights: Weights) -> Scores:
        """The scores of endings: their difference in a case is the log-odds of the first being right."""
        scores: Scores = (self._vectors(features) @ weights.values).reshape(-1, 2)
        return scores

    def _vectors(self, features: Sequence[Features]) -> Any:
        """Sparse float64 [endings, columns], scaled."""
        from scipy.sparse import diags_array

        return (self._vectorizer.transform(features) @ diags_array(self._scale)).tocsr()


def right_endings(cases: pa.Table, n_folds: int, system: str) -> npt.NDArray[np.int8]:
    """The labels of cases to learn from, int8 [n].

    Raises:
        MissingResourceError: fewer cases than twice `n_folds`.
    """
    if cases.num_rows < 2 * n_folds:
        raise MissingResourceError(
            f"{system} needs at least {2 * n_folds} labelled cases for {n_folds} folds, not {cases.num_rows}"
        )
    return np.asarray(cases["right_ending"].to_numpy(), np.int8)


def spreads(vectors: Any) -> npt.NDArray[np.float64]:
    """The standard deviation of each column of a sparse matrix, float64 [columns]."""
    return np.sqrt(np.maximum(_mean(vectors.power(2)) - _mean(vectors) ** 2, 0))


def inverse(spread: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What to multiply columns by for a variance of 1; 0 for those that never change."""
    return np.divide(1, spread, out=np.zeros_like(spread), where=spread > 1e-9)


def fit_differences(differences: Any, strength: float, seed: int) -> npt.NDArray[np.float64]:
    """The weights of a logistic regression without intercept, float64 [features].

    Args:
        differences: of the features of the right ending and the wrong one, sparse float64 [n, features], n at least 2.
        strength: C.
        seed: draws the order in which cases are visited.
    """
    from scipy.sparse import diags_array
    from sklearn.linear_model import LogisticRegression

    if not differences.shape[1]:
        return np.zeros(0)
    # scikit-learn wants two classes: the other way round, a difference is an example of the other one.
    is_first = np.arange(differences.shape[0]) % 2 == 0
    turned = diags_array(np.where(is_first, 1.0, -1.0)) @ differences
    # In the dual, as there are more features than cases.
    model = LogisticRegression(
        C=strength, solver="liblinear", dual=True, fit_intercept=False, tol=1e-3, max_iter=1000, random_state=seed
    )
    return np.asarray(model.fit(turned, is_first).coef_.ravel(), np.float64)


def _mean(matrix: Any) -> npt.NDArray[np.float64]:
    return np.asarray(matrix.mean(axis=0), np.float64).ravel()
