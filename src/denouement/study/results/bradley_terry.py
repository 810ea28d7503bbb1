"""How strong several systems are, from comparisons two at a time: Bradley and Terry 1952, with ties as Davidson 1970.

In Davidson's model, i wins, j wins and a tie of the two are as likely as `w_i : w_j : v * sqrt(w_i * w_j)`. It is a
log-linear model of the counts (Fienberg and Larntz 1976), so it is fitted by statsmodels as a Poisson regression with a
constant for each pair.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from denouement.study.results.crossed import ClusteredEstimate, Clusters, Floats, variation


@dataclass(frozen=True)
class Comparisons:
    """Answers about two systems; a row is an answer, or all answers to an item.

    Attributes:
        first, second: the systems.
        counts: int64 [rows, 3]: answers for the first, for the second, and ties, row by row.
        cases: int64 [rows]: the number of each row's case; a case has the same number in all pairs.
        annotators: int64 [rows]: the number of the annotator who gave the row's answers, the same in all pairs; None
            where a row has answers of several annotators, or the annotators are not known.
    """

    first: str
    second: str
    counts: npt.NDArray[np.int64]
    cases: npt.NDArray[np.int64]
    annotators: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Strength:
    """How strong a system is.

    Attributes:
        system: its name.
        strength: log w, with mean 0 over the systems.
        low, high: its 95% interval; None where there is none.
        share: w as a share of the sum over the systems.
    """

    system: str
    strength: float
    low: float | None
    high: float | None
    share: float


@dataclass(frozen=True)
class Strengths:
    """All systems on one scale.

    Attributes:
        systems: the strongest first; empty where there is no estimate.
        tie: v; None where no answer is a tie.
        answers, cases: how many there are.
        annotators: how many there are; None where they are not known.
        over: what intervals allow for, `crossed.CASES` or `crossed.CASES_AND_ANNOTATORS`; None without intervals.
        why_not: why there is no estimate, or no interval, as a clause; None where there are both.
    """

    systems: list[Strength]
    tie: float | None
    answers: int
    cases: int
    annotators: int | None
    over: str | None
    why_not: str | None


def strengths(comparisons: Sequence[Comparisons]) -> Strengths:
    """Fit the model to all answers.

    Answers about one case are about the same story and in part the same endings, and answers of one annotator share
    that person's taste, so they are not independent. Intervals allow for other cases and other annotators: they are
    Student's, with the variance and the degrees of freedom of `crossed.variation`. Without `annotators` they allow for
    other cases that the same annotators answer: counts alone do not show whether a preference that is the same in all
    cases is that of these annotators or of everybody, so they are too narrow for other annotators. A few clusters may
    all be alike by chance, so no standard error is taken to be below that of independent answers.

    Two stories, whose endings by systems a and b are compared by five people each; a tie is "both" or "neither":

    >>> counts = np.array([[3, 1, 1], [4, 0, 1]])
    >>> found = strengths([Comparisons("a", "b", counts, cases=np.arange(2))])
    >>> [(row.system, round(row.strength, 2), round(row.share, 3)) for row in found.systems]
    [('a', 0.97, 0.875), ('b', -0.97, 0.125)]
    >>> found.answers, found.over
    (10, 'cases')

    Args:
        comparisons: of pairs of systems, each pair once.
    """
    compared = [_answered(pair) for pair in comparisons if pair.counts.any()]
    names = sorted({name for pair in compared for name in (pair.first, pair.second)})
    totals = np.array([pair.counts.sum(axis=0) for pair in compared]).reshape(-1, 3)
    annotators = _annotators(compared)
    n_cases = len({*np.concatenate([[], *(pair.cases for pair in compared)]).tolist()})
    no_estimate = Strengths(
        systems=[],
        tie=None,
        answers=int(totals.sum()),
        cases=n_cases,
        annotators=None if annotators is None else len(np.unique(annotators)),
        over=None,
        why_not=_disconnected(names, compared),
    )
    if no_estimate.why_not:
        return no_estimate
    has_ties = bool(totals[:, 2].any())
    outcomes = [_outcomes(names, pair, has_ties) for pair in compared]
    totals = totals if has_ties else totals[:, :2]
    why_not = _without_bound(names, outcomes, totals)
    if not why_not and n_cases == 1:
        why_not = "all answers are about one case, so they do not show how strengths differ from case to case"
    if why_not:
        return replace(no_estimate, why_not=why_not)
    parameters = _fit(outcomes, totals)
    logs, half_widths, over = _with_half_widths(names, compared, outcomes, parameters, annotators)
    shares = np.exp(logs) / np.exp(logs).sum()
    have_intervals = bool(np.isfinite(half_widths).all())
    return replace(
        no_estimate,
        systems=[
            _strength(names[place], float(logs[place]), float(half_widths[place]), float(shares[place]))
            for place in np.argsort(-logs, kind="stable")
        ],
        tie=float(np.exp(parameters[-1])) if has_ties else None,
        over=over if have_intervals else None,
        why_not=None if have_intervals else "one case or one annotator alone connects some systems to the others",
    )


def _with_half_widths(
    names: Sequence[str],
    compared: Sequence[Comparisons],
    outcomes: Sequence[Floats],
    parameters: Floats,
    annotators: npt.NDArray[np.int64] | None,
) -> tuple[Floats, Floats, str | None]:
    """float64 [systems]: strengths, and half the widths of their intervals; and what these allow for."""
    from scipy.stats import t

    n_free = len(names) - 1  # the first system's strength is 0 while fitting
    centre = np.eye(len(names)) - 1 / len(names)
    logs = centre @ np.concatenate([[0.0], parameters[:n_free]])
    contrasts = np.zeros((len(names), len(parameters)))
    contrasts[:, :n_free] = centre[:, 1:]
    estimate = _estimate(compared, outcomes, parameters, contrasts, annotators)
    varied = variation(estimate)
    independent = np.diag(contrasts @ estimate.covariance() @ contrasts.T)
    half_widths = t.ppf(0.975, varied.degrees) * np.sqrt(np.maximum(varied.variances, independent))
    return logs, half_widths, varied.over


def _answered(pair: Comparisons) -> Comparisons:
    """The comparisons without rows that have no answer."""
    kept = pair.counts.any(axis=1)
    annotators = None if pair.annotators is None else pair.annotators[kept]
    return replace(pair, counts=pair.counts[kept], cases=pair.cases[kept], annotators=annotators)


def _annotators(compared: Sequence[Comparisons]) -> npt.NDArray[np.int64] | None:
    """int64 [rows of all pairs]: the annotators; None where those of some rows are not known."""
    known = [pair.annotators for pair in compared if pair.annotators is not None]
    return np.concatenate(known) if known and len(known) == len(compared) else None


def _outcomes(names: Sequence[str], pair: Comparisons, has_ties: bool) -> Floats:
    """float64 [3 or 2, parameters]: what each outcome adds to its log-likelihood; the first system has no parameter."""
    rows = np.zeros((3, len(names) + 1))
    first, second = names.index(pair.first), names.index(pair.second)
    rows[0, first] = rows[1, second] = 1
    rows[2, [first, second]] = 0.5
    rows[2, -1] = 1
    return rows[:, 1:] if has_ties else rows[:2, 1:-1]


def _disconnected(names: Sequence[str], compared: Sequence[Comparisons]) -> str | None:
    """Why not all systems can be placed on one scale; None where they can."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not compared:
        return "no answers"
    edges = [(names.index(pair.first), names.index(pair.second)) for pair in compared]
    graph = coo_array((np.ones(len(edges)), np.array(edges).T), shape=(len(names), len(names)))
    n_parts, part = connected_components(graph, directed=False)
    if n_parts == 1:
        return None
    groups = [", ".join(name for name, its in zip(names, part, strict=True) if its == each) for each in range(n_parts)]
    return f"no chain of comparisons connects {_joined([f'[{group}]' for group in groups])}"


def _without_bound(names: Sequence[str], outcomes: Sequence[Floats], totals: npt.NDArray[np.int64]) -> str | None:
    """Why the likelihood has no maximum; None where it has one.

    It has none where in some direction no answer that was given becomes less likely. A linear programme finds such a
    direction (Albert and Anderson 1984).
    """
    from scipy.optimize import linprog

    if not any(total[:2].any() for total in totals):
        return "every answer is a tie"
    gains = np.concatenate(
        [
            rows[given] - rows
            for rows, total in zip(outcomes, totals, strict=True)
            for given in range(len(rows))
            if total[given]
        ]
    )
    found = linprog(-gains.sum(axis=0), A_ub=-gains, b_ub=np.zeros(len(gains)), bounds=(-1, 1))
    assert found.x is not None  # 0 is feasible, and the bounds are finite
    if gains.sum(axis=0) @ found.x < 1e-7:
        return None
    direction = np.concatenate([[0.0], found.x[: len(names) - 1]])
    levels = direction.round(6)
    strongest = _joined([name for name, level in zip(names, levels, strict=True) if level == levels.max()])
    others = _joined([name for name, level in zip(names, levels, strict=True) if level < levels.max()])
    return f"no answer prefers {others} to {strongest}, whose strength would be infinite"


def _fit(outcomes: Sequence[Floats], totals: npt.NDArray[np.int64]) -> Floats:
    """The parameters, without the constants of the pairs."""
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

    n_outcomes = totals.shape[1]
    constants = np.repeat(np.eye(len(totals)), n_outcomes, axis=0)
    design = np.hstack([np.concatenate(outcomes), constants])
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        # Two systems are fitted exactly, which is no separation; `_without_bound` has checked for separation.
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        fitted = sm.GLM(totals.ravel(), design, family=sm.families.Poisson()).fit(tol=1e-10, scale=1)
    return np.asarray(fitted.params, dtype=np.float64)[: outcomes[0].shape[1]]


def _estimate(
    compared: Sequence[Comparisons],
    outcomes: Sequence[Floats],
    parameters: Floats,
    contrasts: Floats,
    annotators: npt.NDArray[np.int64] | None,
) -> ClusteredEstimate:
    """Scores and information of the multinomial likelihood, which has no constants of the pairs."""
    scores, informations = [], []
    for pair, rows in zip(compared, outcomes, strict=True):
        counts = pair.counts[:, : len(rows)]
        weights = np.exp(rows @ parameters)
        chances = weights / weights.sum()
        scores.append((counts - counts.sum(axis=1, keepdims=True) * chances) @ rows)
        informations.append(rows.T @ (np.diag(chances) - np.outer(chances, chances)) @ rows)
    return ClusteredEstimate(
        scores=np.concatenate(scores),
        kinds=np.repeat(np.arange(len(compared)), [len(pair.counts) for pair in compared]),
        weights=np.concatenate([pair.counts.sum(axis=1) for pair in compared]).astype(np.float64),
        informations=np.array(informations),
        contrasts=contrasts,
        clusters=Clusters(np.concatenate([pair.cases for pair in compared]), annotators),
    )


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _strength(system: str, middle: float, half_width: float, share: float) -> Strength:
    if not np.isfinite(half_width):
        return Strength(system, middle, None, None, share)
    return Strength(system, middle, middle - half_width, middle + half_width, share)
