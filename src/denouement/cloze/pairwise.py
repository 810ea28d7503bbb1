"""A linear model of which of two endings is right, from groups of named features of each ending."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import Scores
from denouement.errors import UserError

Features = Mapping[str, float]
"""The features of an ending by name; those that are 0 may be left out. The first word of a name is its group."""

STRENGTHS = (0.1, 0.3, 1.0, 3.0)
"""The grid of C, the inverse strength of the L2 penalty, for groups of a mean squared length of 1."""


def group(name: str) -> str:
    """The group of the feature `name`."""
    return name.partition(" ")[0]


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

        self._vectorizer = DictVectorizer().fit(features)
        found = self._vectorizer.transform(features).tocsc()
        self._vectorizer.restrict(found.getnnz(axis=0) >= min_count)
        self._groups = np.array([group(name) for name in self._vectorizer.get_feature_names_out()])
        self._scale = np.ones(len(self._groups))
        raw = self._vectors(features)
        spread = np.sqrt(np.maximum(_mean(raw.multiply(raw)) - _mean(raw) ** 2, 0))
        self._scale = np.divide(1, spread, out=np.zeros_like(spread), where=spread > 1e-9)
        squares = _mean(_differences(self._vectors(features)).power(2))
        for name in np.unique(self._groups):
            length = float(squares[self._groups == name].sum())
            self._scale[self._groups == name] /= np.sqrt(length) if length else 1

        # A difference with the label 1 is the same to the model as its negative with the label 0, so half are turned.
        self._is_first = np.arange(len(right)) % 2 == 0
        turns = np.where(self._is_first == (right == 1), 1.0, -1.0)
        self._differences = (diags_array(turns) @ _differences(self._vectors(features))).tocsr()

    @property
    def groups(self) -> list[str]:
        """The groups that have features."""
        return sorted(set(self._groups.tolist()))

    def weights(self, groups: Collection[str], n_folds: int, seed: int) -> tuple[npt.NDArray[np.float64], float]:
        """The weights learned for the features of `groups`; the strength of the penalty is found by cross-validation.

        Args:
            groups: names of groups; those without a feature are passed over.
            n_folds: of the cross-validation inside the cases given.
            seed: draws the folds.

        Returns:
            float64 [features], 0 outside `groups`; and the cross-validated loss (nats a case).
        """
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, StratifiedKFold

        weights = np.zeros(len(self._groups))
        columns = np.flatnonzero(np.isin(self._groups, list(groups)))
        if not len(columns):
            return weights, float(np.log(2))
        search = GridSearchCV(
            LogisticRegression(solver="liblinear", fit_intercept=False, tol=1e-3),
            {"C": STRENGTHS},
            scoring="neg_log_loss",
            cv=StratifiedKFold(n_folds, shuffle=True, random_state=seed),
        ).fit(self._differences[:, columns], self._is_first)
        weights[columns] = search.best_estimator_.coef_.ravel()
        return weights, -float(search.best_score_)

    def score(self, features: Sequence[Features], weights: npt.NDArray[np.float64]) -> Scores:
        """The scores of endings: their difference in a case is the log-odds of the first being right."""
        scores: Scores = (self._vectors(features) @ weights).reshape(-1, 2)
        return scores

    def _vectors(self, features: Sequence[Features]) -> Any:
        """Sparse float64 [endings, columns], scaled."""
        from scipy.sparse import diags_array

        return (self._vectorizer.transform(features) @ diags_array(self._scale)).tocsr()


def right_endings(cases: pa.Table, n_folds: int, system: str) -> npt.NDArray[np.int8]:
    """The labels of cases to learn from, int8 [n].

    Raises:
        UserError: fewer cases than twice `n_folds`.
    """
    if cases.num_rows < 2 * n_folds:
        raise UserError(
            f"{system} needs at least {2 * n_folds} labelled cases for {n_folds} folds, not {cases.num_rows}"
        )
    return np.asarray(cases["right_ending"].to_numpy(), np.int8)


def _differences(vectors: Any) -> Any:
    return vectors[0::2] - vectors[1::2]


def _mean(matrix: Any) -> npt.NDArray[np.float64]:
    return np.asarray(matrix.mean(axis=0), np.float64).ravel()
