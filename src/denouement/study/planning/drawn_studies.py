"""The intervals of many drawn studies at once: those of `clustered.preference`, for a matrix of answers.

All studies have the same design, so what depends on it alone is worked out once.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denouement.study.results.crossed import ENOUGH, Clusters, Floats, Numbers


class DrawnStudies(NamedTuple):
    """What the results of each study say.

    Attributes:
        share: float64 [studies]: of the answers that for the first system.
        low, high: float64 [studies]: the 95% interval; 0 and 1 where there is none, as all answers are the same.
        p: float64 [studies]: as of `clustered.Preference`; 1 where there is no interval.
    """

    share: Floats
    low: Floats
    high: Floats
    p: Floats

    @property
    def width(self) -> Floats:
        """float64 [studies]: of the interval."""
        return self.high - self.low


def drawn_studies(is_first: npt.NDArray[np.bool_], by: Clusters) -> DrawnStudies:
    """The share of answers for the first system in each study, with its interval over cases and annotators.

    Args:
        is_first: bool [studies, answers].
        by: the case and the annotator of each answer, of several cases; nobody answers twice about a case.
    """
    from scipy.special import expit, logit
    from scipy.stats import t

    values = is_first.astype(np.float64)
    share = values.mean(axis=1)
    left = values - share[:, None]
    variances, degrees = _variation(left, by)
    variances = np.maximum(variances, (left**2).sum(axis=1) / values.shape[1] ** 2)
    varied = (share > 0) & (share < 1)
    low, high, p = np.zeros(len(values)), np.ones(len(values)), np.ones(len(values))
    error = np.sqrt(variances[varied]) / (share * (1 - share))[varied]
    middle, half = logit(share[varied]), t.ppf(0.975, degrees[varied]) * error
    low[varied], high[varied] = expit(middle - half), expit(middle + half)
    p[varied] = 2 * t.sf(np.abs(middle) / error, degrees[varied])
    return DrawnStudies(share, low, high, p)


def _variation(left: Floats, by: Clusters) -> tuple[Floats, Floats]:
    """float64 [studies], twice: variances and degrees of freedom, as `crossed.variation` has them."""
    assert by.annotators is not None
    of_cases, of_people = _Part.of(left, by.cases), _Part.of(left, by.annotators)
    if of_people.clusters < 2:
        return of_cases.variances, np.full(len(left), of_cases.degrees)
    noise = _noise(left, by, of_cases)
    variances = np.maximum(of_cases.variances, noise) + np.maximum(of_people.variances, noise) - noise
    degrees = np.full(len(left), min(of_cases.degrees, of_people.degrees))
    if min(of_cases.clusters, of_people.clusters) >= ENOUGH:
        parts = of_cases.variances**2 / of_cases.degrees + of_people.variances**2 / of_people.degrees
        with np.errstate(invalid="ignore", divide="ignore"):
            degrees = np.fmax(degrees, variances**2 / parts)
    return variances, degrees


class _Part(NamedTuple):
    """The jackknife over one kind of cluster.

    Attributes:
        sums: float64 [studies, clusters]: of what is left.
        sizes: float64 [clusters]: answers in each.
        variances: float64 [studies].
        degrees: of freedom.
    """

    sums: Floats
    sizes: Floats
    variances: Floats
    degrees: float

    @property
    def clusters(self) -> int:
        return len(self.sizes)

    @classmethod
    def of(cls, left: Floats, cluster: Numbers) -> "_Part":
        names, place = np.unique(cluster, return_inverse=True)
        n = len(names)
        sizes = np.bincount(place).astype(np.float64)
        sums = _sums(left, place, n)
        squares = sizes**2
        with np.errstate(invalid="ignore", divide="ignore"):  # of one cluster there is no variance
            variances = (n - 1) / n * ((sums / (sizes.sum() - sizes)) ** 2).sum(axis=1)
        degrees = max(1.0, float(squares.sum() ** 2 / (squares**2).sum() - 1))
        return cls(sums, sizes, variances, degrees)


def _sums(values: Floats, place: Numbers, n: int) -> Floats:
    """float64 [studies, n]: the values added up by place."""
    from scipy.sparse import csr_array

    rows = np.arange(len(place) + 1)
    return np.asarray(values @ csr_array((np.ones(len(place)), place, rows), shape=(len(place), n)))


def _noise(left: Floats, by: Clusters, of_cases: _Part) -> Floats:
    """float64 [studies]: the variance from single answers: what remains without effects of cases and annotators.

    Least squares for both kinds of effects: cases are eliminated first, which leaves a system of annotators alone.
    """
    from scipy.linalg import pinvh
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    assert by.annotators is not None
    n = left.shape[1]
    case = np.unique(by.cases, return_inverse=True)[1]
    people, person = np.unique(by.annotators, return_inverse=True)
    shape = (len(people), of_cases.clusters)
    shared = coo_array((np.ones(n), (person, case)), shape=shape).tocsr()
    n_effects = sum(shape)
    links = coo_array((np.ones(n), (case, of_cases.clusters + person)), shape=(n_effects, n_effects))
    free = n - n_effects + connected_components(links, directed=False)[0]
    if not free:  # one answer about each case: no noise remains, and that of the cases is taken
        return np.asarray((left**2).sum(axis=1) / n**2 * n / (n - 1))
    within = left - (of_cases.sums / of_cases.sizes)[:, case]
    system = np.diag(np.bincount(person).astype(np.float64)) - (shared / of_cases.sizes[None] @ shared.T).toarray()
    pulls = _sums(within, person, len(people))
    explained = ((pulls @ pinvh(system)) * pulls).sum(axis=1)
    return np.asarray(((within**2).sum(axis=1) - explained) / n**2 * n / free)
