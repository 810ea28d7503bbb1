"""How strong systems are, from choices among options: a log-linear model of which option people choose.

The logarithm of an option's weight is a sum of strengths, and an option is chosen as often as its weight is of the sum
of all weights. The models of comparisons (`bradley_terry`) and of several endings at once (`ranked_choices`) are of
this form; they differ in what the options are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from denouement.study.results.crossed import ClusteredEstimate, Clusters, Floats, Numbers, variation


@dataclass(frozen=True)
class Option:
    """What may be chosen.

    Attributes:
        loads: by system how many times its strength is in the logarithm of the option's weight.
        tied: how many systems share it; the weight has a factor of its own for each such number but 1.
    """

    loads: Mapping[str, float]
    tied: int = 1


@dataclass(frozen=True)
class ChoicesMade:
    """Choices among the same options; a row is a choice, or all choices about an item.

    Attributes:
        options: the options.
        counts: int64 [rows, options]: how often each option was chosen.
        cases: int64 [rows]: the number of each row's case, the same wherever the case occurs.
        annotators: int64 [rows]: the number of the annotator who chose, the same everywhere; None where a row has
            choices of several annotators, or the annotators are not known.
    """

    options: Sequence[Option]
    counts: Numbers
    cases: Numbers
    annotators: Numbers | None = None

    @property
    def systems(self) -> set[str]:
        """The systems that are compared."""
        return {name for option in self.options for name in option.loads}

    def answered(self) -> "ChoicesMade":
        """The same without rows in which nothing was chosen."""
        kept = self.counts.any(axis=1)
        annotators = None if self.annotators is None else self.annotators[kept]
        return replace(self, counts=self.counts[kept], cases=self.cases[kept], annotators=annotators)


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
        tie: the factor of options that two systems share; None where no such option was chosen.
        answers: how many there are.
        cases, annotators: of how many the choices are that say something of strengths; annotators is None where they
            are not known.
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


def estimated(choices: Sequence[ChoicesMade], n_answers: int) -> Strengths:
    """The strengths that make the choices most likely.

    Answers about one case are about the same story and in part the same endings, and answers of one annotator share
    that person's taste, so they are not independent. Intervals allow for other cases and other annotators: they are
    Student's, with the variance and the degrees of freedom of `crossed.variation`. Without `annotators` they allow for
    other cases that the same annotators answer: counts alone do not show whether a preference that is the same in all
    cases is that of these annotators or of everybody, so they are too narrow for other annotators. A few clusters may
    all be alike by chance, so no standard error is taken to be below that of independent choices.

    Args:
        choices: each set of options once.
        n_answers: how many answers these choices are of.
    """
    made = [each.answered() for each in choices if each.counts.any()]
    names = sorted({name for each in made for name in each.systems})
    every, made = made, _without_full_ties(made)
    annotators = _annotators(made)
    no_estimate = Strengths(
        systems=[],
        tie=None,
        answers=n_answers,
        cases=len({*np.concatenate([[], *(each.cases for each in made)]).tolist()}),
        annotators=None if annotators is None else len(np.unique(annotators)),
        over=None,
        why_not=_disconnected(names, every) or _only_ties(every) or _disconnected(names, made),
    )
    if no_estimate.why_not:
        return no_estimate
    tied = sorted({option.tied for each in made for option in _chosen(each) if option.tied > 1})
    sets = [_likelihood_of(each, names, tied) for each in made]
    why_not = _without_bound(names, sets)
    if not why_not and no_estimate.cases == 1:
        why_not = "all answers are about one case, so they do not show how strengths differ from case to case"
    if why_not:
        return replace(no_estimate, why_not=why_not)
    parameters = _fit(sets)
    logs, half_widths, over = _with_half_widths(names, made, sets, parameters, annotators)
    shares = np.exp(logs) / np.exp(logs).sum()
    have_intervals = bool(np.isfinite(half_widths).all())
    return replace(
        no_estimate,
        systems=[
            _strength(names[place], float(logs[place]), float(half_widths[place]), float(shares[place]))
            for place in np.argsort(-logs, kind="stable")
        ],
        tie=float(np.exp(parameters[len(names) - 1 + tied.index(2)])) if 2 in tied else None,
        over=over if have_intervals else None,
        why_not=None if have_intervals else "one case or one annotator alone connects some systems to the others",
    )


class LinearStrengths(NamedTuple):
    """Strengths, and how much each row of choices adds to them, to first order.

    Attributes:
        systems: their names, in alphabetical order.
        logs: float64 [systems]: log w, with mean 0.
        parts: float64 [rows, systems]: what the rows of all choices, one set after the other, add; they sum to 0.
    """

    systems: list[str]
    logs: Floats
    parts: Floats


def linear_strengths(choices: Sequence[ChoicesMade]) -> LinearStrengths:
    """The strengths as a sum over rows, so that the rows may be weighed or compared with something else.

    Args:
        choices: as of `estimated`, which has found strengths of them; of each two systems, with a choice in each row.
    """
    names = sorted({name for each in choices for name in each.systems})
    tied = sorted({option.tied for each in choices for option in _chosen(each) if option.tied > 1})
    sets = [_likelihood_of(each, names, tied) for each in choices]
    parameters = _fit(sets)
    logs, contrasts = _logs_and_contrasts(names, parameters)
    cases = np.concatenate([each.cases for each in choices])
    estimate = _estimate(sets, parameters, contrasts, Clusters(cases, None))
    return LinearStrengths(names, logs, estimate.scores @ estimate.covariance() @ contrasts.T)


class _ChoiceSet(NamedTuple):
    """The options that some answer may be, as the likelihood has them.

    Attributes:
        rows: float64 [options, parameters]: what each option adds to its log-likelihood. The parameters are the
            strengths of all systems but the first, whose strength is 0, then a logarithm for each number of systems
            that share an option.
        counts: int64 [choices, options].
    """

    rows: Floats
    counts: Numbers

    @property
    def totals(self) -> Numbers:
        """int64 [options]: how often each was chosen."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.int64)


def _likelihood_of(made: ChoicesMade, names: Sequence[str], tied: Sequence[int]) -> _ChoiceSet:
    """The options without those that a number of systems share that never do so in any answer."""
    place = {name: number for number, name in enumerate(names)}
    kept = [number for number, option in enumerate(made.options) if option.tied == 1 or option.tied in tied]
    rows = np.zeros((len(kept), len(names) + len(tied)))
    for row, number in enumerate(kept):
        option = made.options[number]
        for name, load in option.loads.items():
            rows[row, place[name]] = load
        if option.tied > 1:
            rows[row, len(names) + tied.index(option.tied)] = 1
    return _ChoiceSet(rows[:, 1:], made.counts[:, kept])


def _chosen(made: ChoicesMade) -> list[Option]:
    """The options that were chosen at least once."""
    return [option for option, n in zip(made.options, made.counts.sum(axis=0).tolist(), strict=True) if n]


def _with_half_widths(
    names: Sequence[str],
    made: Sequence[ChoicesMade],
    sets: Sequence[_ChoiceSet],
    parameters: Floats,
    annotators: Numbers | None,
) -> tuple[Floats, Floats, str | None]:
    """float64 [systems]: strengths, and half the widths of their intervals; and what these allow for."""
    from scipy.stats import t

    logs, contrasts = _logs_and_contrasts(names, parameters)
    cases = np.concatenate([each.cases for each in made])
    estimate = _estimate(sets, parameters, contrasts, Clusters(cases, annotators))
    varied = variation(estimate)
    independent = np.diag(contrasts @ estimate.covariance() @ contrasts.T)
    half_widths = t.ppf(0.975, varied.degrees) * np.sqrt(np.maximum(varied.variances, independent))
    return logs, half_widths, varied.over


def _logs_and_contrasts(names: Sequence[str], parameters: Floats) -> tuple[Floats, Floats]:
    """float64 [systems] with mean 0, and [systems, parameters], by which they are sums of parameters."""
    n_free = len(names) - 1  # the first system's strength is 0 while fitting
    centre = np.eye(len(names)) - 1 / len(names)
    contrasts = np.zeros((len(names), len(parameters)))
    contrasts[:, :n_free] = centre[:, 1:]
    return centre @ np.concatenate([[0.0], parameters[:n_free]]), contrasts


def _annotators(made: Sequence[ChoicesMade]) -> Numbers | None:
    """int64 [rows of all sets]: the annotators; None where those of some rows are not known."""
    known = [each.annotators for each in made if each.annotators is not None]
    return np.concatenate(known) if known and len(known) == len(made) else None


def _without_full_ties(made: Sequence[ChoicesMade]) -> list[ChoicesMade]:
    """The choices without those that say nothing of strengths: among so many systems all always share one option.

    The factor of options that so many share would be infinite, unless it is also that of options in larger sets. As it
    grows, these choices become certain whatever the strengths are, so the others have the same likelihood with them
    and without.
    """
    kept = list(made)
    while kept:
        most = max(len(each.systems) for each in kept)
        largest = [each for each in kept if len(each.systems) == most]
        if any(option.tied < most for each in largest for option in _chosen(each)):
            break
        kept = [each for each in kept if len(each.systems) < most]
    return kept


def _only_ties(made: Sequence[ChoicesMade]) -> str | None:
    is_tie = all(option.tied > 1 for each in made for option in _chosen(each))
    return "every answer is a tie" if is_tie else None


def _disconnected(names: Sequence[str], made: Sequence[ChoicesMade]) -> str | None:
    """Why not all systems can be placed on one scale; None where they can."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not made:
        return "no answers"
    place = {name: number for number, name in enumerate(names)}
    edges = []
    for each in made:
        its = sorted(place[name] for name in each.systems)
        edges += [(its[0], other) for other in its[1:]]
    graph = coo_array((np.ones(len(edges)), np.array(edges).T), shape=(len(names), len(names)))
    n_parts, part = connected_components(graph, directed=False)
    if n_parts == 1:
        return None
    groups = [", ".join(name for name, its in zip(names, part, strict=True) if its == each) for each in range(n_parts)]
    return f"no chain of comparisons connects {_joined([f'[{group}]' for group in groups])}"


def _without_bound(names: Sequence[str], sets: Sequence[_ChoiceSet]) -> str | None:
    """Why the likelihood has no maximum; None where it has one.

    It has none where in some direction no answer that was given becomes less likely. A linear programme finds such a
    direction (Albert and Anderson 1984).
    """
    from scipy.optimize import linprog

    gains = np.concatenate(
        [each.rows[given] - each.rows for each in sets for given in np.flatnonzero(each.totals).tolist()]
    )
    gains = np.unique(gains, axis=0)
    found = linprog(-gains.sum(axis=0), A_ub=-gains, b_ub=np.zeros(len(gains)), bounds=(-1, 1))
    assert found.x is not None  # 0 is feasible, and the bounds are finite
    if gains.sum(axis=0) @ found.x < 1e-7:
        return None
    direction = np.concatenate([[0.0], found.x[: len(names) - 1]])
    levels = direction.round(6)
    if levels.max() == levels.min():
        return "endings share a place in every choice in which so many can, so the factor of ties would be infinite"
    strongest = _joined([name for name, level in zip(names, levels, strict=True) if level == levels.max()])
    others = _joined([name for name, level in zip(names, levels, strict=True) if level < levels.max()])
    return f"no answer prefers {others} to {strongest}, whose strength would be infinite"


def _fit(sets: Sequence[_ChoiceSet]) -> Floats:
    """The parameters of the greatest likelihood, which is concave; `_without_bound` has checked that there is one."""
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    def loss(parameters: Floats) -> float:
        logs = [each.rows @ parameters for each in sets]
        return float(
            sum(each.totals.sum() * logsumexp(log) - each.totals @ log for each, log in zip(sets, logs, strict=True))
        )

    def slope(parameters: Floats) -> Floats:
        slopes = [(each.totals.sum() * _chances(each, parameters) - each.totals) @ each.rows for each in sets]
        return np.asarray(np.sum(slopes, axis=0), dtype=np.float64)

    def curvature(parameters: Floats) -> Floats:
        return np.asarray(sum(each.totals.sum() * _information(each, parameters) for each in sets))

    start = np.zeros(sets[0].rows.shape[1])
    close = 1e-9 * sum(int(each.totals.sum()) for each in sets)
    found = minimize(loss, start, method="trust-exact", jac=slope, hess=curvature, tol=close)
    parameters = np.asarray(found.x, dtype=np.float64)
    # one more step of Newton's method: near the maximum it doubles the correct digits
    return np.asarray(parameters - np.linalg.solve(curvature(parameters), slope(parameters)), dtype=np.float64)


def _chances(choices: _ChoiceSet, parameters: Floats) -> Floats:
    """float64 [options]: how likely each is."""
    from scipy.special import softmax

    return np.asarray(softmax(choices.rows @ parameters), dtype=np.float64)


def _information(choices: _ChoiceSet, parameters: Floats) -> Floats:
    """float64 [parameters, parameters]: of one choice."""
    chances = _chances(choices, parameters)
    return np.asarray(choices.rows.T @ (np.diag(chances) - np.outer(chances, chances)) @ choices.rows)


def _estimate(
    sets: Sequence[_ChoiceSet], parameters: Floats, contrasts: Floats, clusters: Clusters
) -> ClusteredEstimate:
    """Scores and information of the likelihood."""
    scores = [
        (each.counts - each.counts.sum(axis=1, keepdims=True) * _chances(each, parameters)) @ each.rows for each in sets
    ]
    return ClusteredEstimate(
        scores=np.concatenate(scores),
        kinds=np.repeat(np.arange(len(sets)), [len(each.counts) for each in sets]),
        weights=np.concatenate([each.counts.sum(axis=1) for each in sets]).astype(np.float64),
        informations=np.array([_information(each, parameters) for each in sets]),
        contrasts=contrasts,
        clusters=clusters,
    )


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _strength(system: str, middle: float, half_width: float, share: float) -> Strength:
    if not np.isfinite(half_width):
        return Strength(system, middle, None, None, share)
    return Strength(system, middle, middle - half_width, middle + half_width, share)
