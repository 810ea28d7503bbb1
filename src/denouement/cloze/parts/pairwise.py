"""A linear model of which ending of a case is right, from groups of named features of each ending."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import Scores, by_case
from denouement.cloze.resources import MissingResourceError
from denouement.corpus.cases import is_right, n_endings

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


@dataclass(frozen=True)
class Pairs:
    """The right ending of each labelled case with every wrong one of it; endings are numbered as by `base.endings`.

    Attributes:
        right, wrong: int64 [pairs], the two endings of each pair; the pairs of a case follow each other.
        case: int64 [pairs].
    """

    right: npt.NDArray[np.int64]
    wrong: npt.NDArray[np.int64]
    case: npt.NDArray[np.int64]

    @classmethod
    def of(cls, cases: pa.Table) -> "Pairs":
        """The pairs of labelled rows of the table `cloze`."""
        right, n_wrong = is_right(cases), n_endings(cases) - 1
        return cls(
            np.repeat(np.flatnonzero(right), n_wrong),
            np.flatnonzero(~right),
            np.repeat(np.arange(cases.num_rows), n_wrong),
        )

    def losses(self, margins: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Minus the log-probability (nats) that each case's right ending has among all of the case, float64 [cases].

        Args:
            margins: float64 [pairs], by how much the score of the right ending exceeds that of the wrong one.
        """
        starts = np.flatnonzero(np.diff(self.case, prepend=-1))
        with_right = np.insert(-margins, starts, 0.0)  # the right ending's margin from itself
        return np.logaddexp.reduceat(with_right, starts + np.arange(len(starts)))


class Pairwise:
    """Conditional logistic regression: the log-odds of one ending of a case against another being right are the product
    of weights and the difference between the features of the two. So it has no intercept, and the order of the endings
    does not matter.

    The weights are learned from the pairs of the right ending with each wrong one (`Pairs`). With two endings that is
    the whole model; with more, what it says of every pair is fitted, which needs no other solver and estimates the same
    weights.

    Each feature is divided by its standard deviation, and then each group by a number that makes the mean squared
    length of a difference 1, so that a group of thousands of counts and one of ten measures weigh the same before
    anything is learned.
    """

    def __init__(self, features: Sequence[Features], pairs: Pairs, min_count: int) -> None:
        """Choose and scale the features.

        Args:
            features: of all endings of the first case, of all of the second ...
            pairs: of these endings.
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
        rows = found.tocsr()
        differences = ((rows[pairs.right] - rows[pairs.wrong]) @ diags_array(self._scale)).tocsc()
        squares = _mean(differences.power(2))
        shrink = np.ones_like(squares)
        for name in self.groups:
            length = float(squares[self._groups == name].sum())
            shrink[self._groups == name] = 1 / np.sqrt(length) if length else 0
        self._scale *= shrink
        self._differences = (differences @ diags_array(shrink)).tocsr()
        self._pairs = pairs

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
        margins = np.empty(len(self._pairs.case))
        for fold in np.unique(fold_of):
            held_out = fold_of[self._pairs.case] == fold
            margins[held_out] = differences[held_out] @ fit_differences(differences[~held_out], strength, seed)
        return self._pairs.losses(margins)

    def score(self, features: Sequence[Features], cases: pa.Table, weights: Weights) -> Scores:
        """The scores of the endings of `cases`: the difference of two is the log-odds of the one against the other."""
        return by_case(self._vectors(features) @ weights.values, cases)

    def _vectors(self, features: Sequence[Features]) -> Any:
        """Sparse float64 [endings, columns], scaled."""
        from scipy.sparse import diags_array

        return (self._vectorizer.transform(features) @ diags_array(self._scale)).tocsr()


def pairs_to_learn(cases: pa.Table, n_folds: int, system: str) -> Pairs:
    """The pairs of endings of labelled cases to learn from.

    Raises:
        MissingResourceError: fewer cases than twice `n_folds`.
    """
    if cases.num_rows < 2 * n_folds:
        raise MissingResourceError(
            f"{system} needs at least {2 * n_folds} labelled cases for {n_folds} folds, not {cases.num_rows}"
        )
    return Pairs.of(cases)


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
