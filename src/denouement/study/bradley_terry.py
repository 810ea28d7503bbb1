"""How strong several systems are, from comparisons two at a time: Bradley and Terry 1952, with ties as Davidson 1970.

In Davidson's model, i wins, j wins and a tie of the two are as likely as `w_i : w_j : v * sqrt(w_i * w_j)`. It is a
log-linear model of the counts (Fienberg and Larntz 1976), so it is fitted by statsmodels as a Poisson regression with a
constant for each pair.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Comparisons:
    """What annotators said of two systems.

    Attributes:
        first, second: the systems.
        counts: int64 [items, 3]: answers for the first, for the second, and ties, item by item.
        cases: int64 [items]: the number of each item's case; the same in all pairs in which the case stands.
    """

    first: str
    second: str
    counts: npt.NDArray[np.int64]
    cases: npt.NDArray[np.int64]


def strengths(comparisons: Sequence[Comparisons]) -> dict[str, Any]:
    """Fit the model to all answers.

    Answers about one case are about the same story and in part the same endings, so they are not independent. Standard
    errors are robust to that: the sandwich estimator with cases as clusters, times `G / (G - 1)` for G cases, and
    intervals by Student's t with G - 1 degrees of freedom (Cameron and Miller 2015, section VI). With few cases it can
    still come out too small by chance, to 0 where all cases have the same counts; so no standard error is taken to be
    below that of independent answers.

    Args:
        comparisons: of pairs of systems, each pair once.

    Returns:
        `systems`: rows `system`, `strength` (log w, mean 0 over the systems), `low`, `high` (95%), `share` (w as a
        share of the sum), the strongest first; `tie`: v, or None when no answer is a tie; `answers`, `items` and
        `cases`: how many there are. When there is no estimate `systems` is empty and `why_not` a sentence; else it is
        None.
    """
    from scipy.stats import t

    compared = [pair for pair in comparisons if pair.counts.sum()]
    names = sorted({name for pair in compared for name in (pair.first, pair.second)})
    totals = np.array([pair.counts.sum(axis=0) for pair in compared]).reshape(-1, 3)
    case_numbers = np.unique(np.concatenate([[], *(pair.cases[pair.counts.any(axis=1)] for pair in compared)]))
    found: dict[str, Any] = {
        "systems": [],
        "tie": None,
        "answers": int(totals.sum()),
        "items": sum(int(pair.counts.any(axis=1).sum()) for pair in compared),
        "cases": len(case_numbers),
        "why_not": _disconnected(names, compared),
    }
    if found["why_not"]:
        return found
    has_ties = bool(totals[:, 2].any())
    outcomes = [_outcomes(names, pair, has_ties) for pair in compared]
    totals = totals if has_ties else totals[:, :2]
    found["why_not"] = _without_bound(names, outcomes, totals)
    if not found["why_not"] and len(case_numbers) == 1:
        found["why_not"] = "all answers are about one case, so nothing tells how strengths differ from case to case"
    if found["why_not"]:
        return found
    estimate, bread = _fit(outcomes, totals)
    spread = _spread(compared, outcomes, estimate, case_numbers)
    n_free = len(names) - 1  # the first system's strength is 0 while fitting
    centre = np.eye(len(names)) - 1 / len(names)
    logs = centre @ np.concatenate([[0.0], estimate[:n_free]])
    variances = [
        np.diag(centre[:, 1:] @ covariance[:n_free, :n_free] @ centre[:, 1:].T)
        for covariance in (bread, bread @ spread @ bread)
    ]
    half_widths = t.ppf(0.975, len(case_numbers) - 1) * np.sqrt(np.maximum(*variances))
    shares = np.exp(logs) / np.exp(logs).sum()
    found["systems"] = [
        {
            "system": names[place],
            "strength": float(logs[place]),
            "low": float(logs[place] - half_widths[place]),
            "high": float(logs[place] + half_widths[place]),
            "share": float(shares[place]),
        }
        for place in np.argsort(-logs, kind="stable")
    ]
    found["tie"] = float(np.exp(estimate[-1])) if has_ties else None
    return found


def _outcomes(names: Sequence[str], pair: Comparisons, has_ties: bool) -> Floats:
    """float [3 or 2, parameters]: what each outcome adds to the log of its likelihood; without the first system's."""
    rows = np.zeros((3, len(names) + 1))
    first, second = names.index(pair.first), names.index(pair.second)
    rows[0, first] = rows[1, second] = 1
    rows[2, [first, second]] = 0.5
    rows[2, -1] = 1
    return rows[:, 1:] if has_ties else rows[:2, 1:-1]


def _disconnected(names: Sequence[str], compared: Sequence[Comparisons]) -> str | None:
    """Why the systems cannot all be placed on one scale, if so."""
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
    """Why the likelihood grows without bound, if so: some direction never makes a given answer less likely.

    A linear programme finds such a direction (Albert and Anderson 1984).
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
    assert found.x is not None  # 0 is feasible, and the bounds hold everything finite
    if gains.sum(axis=0) @ found.x < 1e-7:
        return None
    direction = np.concatenate([[0.0], found.x[: len(names) - 1]])
    levels = direction.round(6)
    strongest = _joined([name for name, level in zip(names, levels, strict=True) if level == levels.max()])
    others = _joined([name for name, level in zip(names, levels, strict=True) if level < levels.max()])
    return f"no answer prefers {others} to {strongest}, whose strength would be infinite"


def _fit(outcomes: Sequence[Floats], totals: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The parameters and their covariance if answers were independent, the constants of the pairs left out."""
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

    n_outcomes = totals.shape[1]
    constants = np.repeat(np.eye(len(totals)), n_outcomes, axis=0)
    design = np.hstack([np.concatenate(outcomes), constants])
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        # Two systems are fitted exactly, which is no separation: `_without_bound` has looked for that.
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        fitted = sm.GLM(totals.ravel(), design, family=sm.families.Poisson()).fit(tol=1e-10, scale=1)
    n_parameters = outcomes[0].shape[1]
    return np.asarray(fitted.params)[:n_parameters], np.asarray(fitted.cov_params())[:n_parameters, :n_parameters]


def _spread(
    compared: Sequence[Comparisons], outcomes: Sequence[Floats], estimate: Floats, case_numbers: npt.NDArray[np.int64]
) -> Floats:
    """The sum of the outer products of the cases' scores, times G / (G - 1) for G cases.

    An item's residuals sum to 0, so it adds nothing to the score of its pair's constant.
    """
    n_cases = len(case_numbers)
    scores = np.zeros((n_cases, len(estimate)))
    for pair, rows in zip(compared, outcomes, strict=True):
        answered = pair.counts.any(axis=1)
        counts = pair.counts[answered, : len(rows)]
        weights = np.exp(rows @ estimate)
        residuals = counts - counts.sum(axis=1, keepdims=True) * weights / weights.sum()
        np.add.at(scores, np.searchsorted(case_numbers, pair.cases[answered]), residuals @ rows)
    return scores.T @ scores * n_cases / (n_cases - 1)


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
