"""How much an estimate would change with other cases and other annotators, where each annotator answers many cases.

Answers about one case go together, and so do answers of one annotator. The variance of an estimate then has two parts,
one from the choice of cases and one from the choice of annotators; the noise of single answers is in both and is
subtracted once: `V = V_cases + V_annotators - V_noise`. This is the two-way clustered variance of Cameron, Gelbach and
Miller 2011 (Robust Inference With Multiway Clustering, Journal of Business & Economic Statistics 29). Where every
annotator answers about every case it is that of the multiple readers of multiple cases in radiology (Hillis 2014, A
Marginal-Mean ANOVA Approach for Analyzing Multireader Multicase Radiological Imaging Data, Statistics in Medicine 33).
Deviations from Cameron et al., all for few annotators:

- each part is a jackknife that leaves out one case, or one annotator, at a time, in one Newton step (CV3 of MacKinnon,
  Nielsen and Webb 2023, Fast and Reliable Jackknife and Bootstrap Methods for Cluster-Robust Inference, Journal of
  Applied Econometrics 38);
- the noise is what remains without the effects of cases and of annotators. The raw square of each answer includes these
  effects and would subtract too much;
- no part is taken to be less than the noise, so the sum is never less than either part.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

CASES = "cases"
CASES_AND_ANNOTATORS = "cases and annotators"
"""What an interval allows for: other cases answered by the same annotators, or by other annotators too."""

_SINGULAR = 1e-9

# With fewer clusters Satterthwaite's degrees of freedom are too many: in simulations of skewed ratings by 3 and 4
# annotators 95% intervals held the mean in 92% and 93% of 1,500 studies; with 5 in 94%.
ENOUGH = 5
"""Clusters of either kind from which on degrees of freedom are Satterthwaite's."""


class Clusters(NamedTuple):
    """The case and the annotator of each row.

    Attributes:
        cases: int64 [rows]: the number of the case that a row is about.
        annotators: int64 [rows]: the number of the annotator who gave it; None where these are not known.
    """

    cases: Numbers
    annotators: Numbers | None

    def of(self, rows: npt.NDArray[np.bool_] | Numbers) -> "Clusters":
        """The same for some of the rows."""
        return Clusters(self.cases[rows], None if self.annotators is None else self.annotators[rows])


@dataclass(frozen=True)
class ClusteredEstimate:
    """A maximum of a likelihood, or a weighted mean, with the contribution of each row of answers.

    Attributes:
        scores: float64 [rows, parameters]: what each row adds to the score at the estimate; they sum to 0.
        kinds: int64 [rows]: each row's place in `informations`.
        weights: float64 [rows]: how many times the row has that information.
        informations: float64 [kinds, parameters, parameters], symmetric.
        contrasts: float64 [values, parameters]: each value of interest as a sum of parameters.
        clusters: the case and the annotator of each row.
    """

    scores: Floats
    kinds: Numbers
    weights: Floats
    informations: Floats
    contrasts: Floats
    clusters: Clusters

    def covariance(self) -> Floats:
        """float64 [parameters, parameters]: the covariance of independent answers, the inverse of all information."""
        amounts = np.bincount(self.kinds, self.weights, len(self.informations))
        return np.linalg.inv(np.tensordot(amounts, self.informations, axes=1))


@dataclass(frozen=True)
class Variation:
    """How much each value of an `ClusteredEstimate` would vary.

    Attributes:
        variances: float64 [values]; infinite where all that is known of a value is from one case or one annotator.
        degrees: float64 [values]: degrees of freedom for Student's t, 1 or more.
        over: what would differ in another study, `CASES` or `CASES_AND_ANNOTATORS`; None where there is only one case:
            all variances are then infinite.
    """

    variances: Floats
    degrees: Floats
    over: str | None


def variation(estimate: ClusteredEstimate) -> Variation:
    """The variances and degrees of freedom of an estimate over cases and, where there are several, annotators.

    Degrees of freedom are Satterthwaite's for the sum of the two parts (as in Hillis 2014), each part having one less
    than the effective number of its clusters, which is smaller where these are of unequal size (Carter, Schnepel and
    Steigerwald 2017, Asymptotic Behavior of a t-Test Robust to Cluster Heterogeneity, Review of Economics and
    Statistics 99). With fewer than five annotators, or cases, they are those of the part that has fewer: so few are
    alike by chance so often that Satterthwaite's degrees of freedom would be too many.
    """
    estimate = _sorted(estimate)
    cases, annotators = estimate.clusters
    by_case = _jackknife(estimate, cases)
    if by_case.clusters < 2:
        return Variation(by_case.variances, by_case.degrees, None)
    by_annotator = None if annotators is None else _jackknife(estimate, annotators)
    if by_annotator is None or by_annotator.clusters < 2:
        return Variation(by_case.variances, by_case.degrees, CASES)
    noise = _noise(estimate)
    variances = np.maximum(by_case.variances, noise) + np.maximum(by_annotator.variances, noise) - noise
    degrees = np.minimum(by_case.degrees, by_annotator.degrees)
    if min(by_case.clusters, by_annotator.clusters) >= ENOUGH:
        parts = [part.variances**2 / part.degrees for part in (by_case, by_annotator)]
        with np.errstate(invalid="ignore", divide="ignore"):
            degrees = np.fmax(degrees, variances**2 / (parts[0] + parts[1]))
    return Variation(variances, degrees, CASES_AND_ANNOTATORS)


def _sorted(estimate: ClusteredEstimate) -> ClusteredEstimate:
    """The same with its rows sorted by their content, since sums of floats differ with the order."""
    cases, annotators = estimate.clusters
    keys = (*estimate.scores.T, estimate.weights, estimate.kinds, *([] if annotators is None else [annotators]), cases)
    order = np.lexsort(keys)
    return replace(
        estimate,
        scores=estimate.scores[order],
        kinds=estimate.kinds[order],
        weights=estimate.weights[order],
        clusters=estimate.clusters.of(order),
    )


class _Part(NamedTuple):
    variances: Floats
    degrees: Floats
    clusters: int


def _jackknife(estimate: ClusteredEstimate, clusters: Numbers) -> _Part:
    """The variances when one cluster at a time is left out, and their degrees of freedom."""
    names, cluster = np.unique(clusters, return_inverse=True)
    n, n_kinds, n_values = len(names), len(estimate.informations), len(estimate.contrasts)
    if n < 2:
        return _Part(np.full(n_values, np.inf), np.ones(n_values), n)
    scores = _sums(estimate.scores, cluster, n)
    amounts = np.bincount(cluster * n_kinds + estimate.kinds, estimate.weights, n * n_kinds).reshape(n, n_kinds)
    informations = np.tensordot(amounts, estimate.informations, axes=1)
    # The change of each value with a unit change of a cluster's own parameters: float64 [clusters, values, parameters].
    pulls = estimate.contrasts @ estimate.covariance() @ informations
    squares = (pulls**2).sum(axis=2)
    degrees = np.maximum(squares.sum(axis=0) ** 2 / (squares**2).sum(axis=0) - 1, 1)
    without = informations.sum(axis=0) - informations
    # Symmetric, so singular where the least eigenvalue is 0; measured against all information.
    root = np.linalg.cholesky(estimate.covariance())
    variances = np.full(n_values, np.inf)
    if np.linalg.eigvalsh(root.T @ without @ root)[:, 0].min() > _SINGULAR:
        changes = np.linalg.solve(without, scores[:, :, None])[:, :, 0] @ estimate.contrasts.T
        variances = (n - 1) / n * (changes**2).sum(axis=0)
    return _Part(variances, degrees, n)


def _noise(estimate: ClusteredEstimate) -> Floats:
    """float64 [values]: the variance from single answers; an annotator's answers about one case count as one."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components
    from scipy.sparse.linalg import lsmr

    cases, annotators = estimate.clusters
    assert annotators is not None
    (case_names, case), (annotator_names, annotator) = (
        np.unique(numbers, return_inverse=True) for numbers in (cases, annotators)
    )
    cells, cell = np.unique(case * len(annotator_names) + annotator, return_inverse=True)
    n, n_effects = len(cells), len(case_names) + len(annotator_names)
    parts = _sums(estimate.scores, cell, n) @ estimate.covariance() @ estimate.contrasts.T
    of_case, of_annotator = cells // len(annotator_names), len(case_names) + cells % len(annotator_names)
    links = csr_array((np.ones(n), (of_case, of_annotator)), shape=(n_effects, n_effects))
    free = n - n_effects + connected_components(links, directed=False)[0]
    if not free:  # such as one answer about each case: no noise remains, and that of the cases is taken
        return np.asarray((parts**2).sum(axis=0) * n / (n - 1), dtype=np.float64)
    effects = csr_array(
        (np.ones(2 * n), np.stack([of_case, of_annotator], axis=1).ravel(), np.arange(0, 2 * n + 1, 2)),
        shape=(n, n_effects),
    )
    left = [part - effects @ lsmr(effects, part, atol=1e-10, btol=1e-10)[0] for part in parts.T]
    return np.array([each @ each for each in left]) * n / free


def _sums(scores: Floats, cluster: Numbers, n: int) -> Floats:
    """float64 [clusters, parameters]: the scores added up by cluster."""
    return np.stack([np.bincount(cluster, column, n) for column in scores.T], axis=1)
