"""What people would say of all pairs of endings: shares and strengths, by their answers alone and with a score."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from denouement.answers import question_asked
from denouement.metrics.estimates.regression import Adjusted, ScoredAnswers, ScoredItems, adjusted
from denouement.metrics.estimates.scored_pairs import PairScores, ScoredPairs, scored_pairs
from denouement.study.results.agreement import FIRST, SECOND, agreement
from denouement.study.results.ballot import Ballot
from denouement.study.results.bradley_terry import Comparisons, choices_made, strengths
from denouement.study.results.choice_model import Strengths, linear_strengths
from denouement.study.results.clustered import (
    MeanOfAnswers,
    Preference,
    clusters,
    mean_with_interval,
    on_logits,
    preference,
)
from denouement.study.results.crossed import Clusters, Floats, Numbers
from denouement.study.results.preferences import comparisons

ITEMS, WINS, PREFERRED = "items", "wins", "preferred"
"""Of items, the share on which the first system is preferred; of answers, the share for it, ties half, and without."""

FEWEST = 10
"""With answers about fewer cases a score changes no estimate: the slope would be that of chance."""

SUSPICIOUS = 0.01
"""The p-value below which the answered items seem to be no random draw of all."""

_SHARE = (0.0, 1.0)


@dataclass(frozen=True)
class EstimatedValue:
    """A share from 0 to 1, or a strength, with its 95% interval.

    Attributes:
        value: None where there is no estimate.
        low, high: None without an interval.
        over: what would differ in another study, as of `crossed`; None without an interval.
        why_not: why there is no estimate, or no interval, as a clause; None where there are both.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    over: str | None = None
    why_not: str | None = None


@dataclass(frozen=True)
class PoweredValue:
    """One value, estimated twice.

    Attributes:
        what: `ITEMS`, `WINS` or `PREFERRED`; of strengths the system.
        alone: by people's answers alone.
        with_score: by their answers and the scores of all items.
        worth: how many times as many items would have to be answered for an interval as narrow without the score: the
            variance without it divided by that with it; None where one of them is not known.
    """

    what: str
    alone: EstimatedValue
    with_score: EstimatedValue
    worth: float | None


@dataclass(frozen=True)
class PairEstimates:
    """Two systems, of which the values are about the first.

    Attributes:
        first, second: the systems.
        items: those with a score.
        answered: how many of these people answered.
        answers: to these.
        without_score: answered items without a score, which count in what people say alone.
        correlation: of an answer (1 for the first, 0 for the second, ties a half) with the rank of its item's score;
            None where either is always the same.
        p_not_random: how often a random draw of items would differ as much in their scores from the other items
            (Mann and Whitney 1947); None where all items are answered, or all scores are the same.
        values: the estimates.
    """

    first: str
    second: str
    items: int
    answered: int
    answers: int
    without_score: int
    correlation: float | None
    p_not_random: float | None
    values: list[PoweredValue]


@dataclass(frozen=True)
class Estimates:
    """What people would say of all items.

    Attributes:
        score: the score's name, or the file of the judge's answers.
        question: the name of what people were asked.
        words: the same as they read it; None where it is not known.
        pairs: a row for each two systems that people compared.
        strengths: of three systems or more Bradley-Terry strengths, the strongest first; empty where there are none.
        why_no_strengths: why, as a clause; None where there are some, or only two systems.
    """

    score: str
    question: str
    words: str | None
    pairs: list[PairEstimates]
    strengths: list[PoweredValue]
    why_no_strengths: str | None


def estimates(people: Ballot, scores: PairScores) -> Estimates:
    """Estimate all values of a study with a score of all its items.

    Args:
        people: their answers.
        scores: of items that they answered and of others.

    Raises:
        UserError: as `scored_pairs`.
    """
    joined = scored_pairs(people, scores)
    of_strengths, why_not = _strengths(joined)
    return Estimates(
        score=scores.name,
        question=people.question,
        words=question_asked(people.votes, people.question).words,
        pairs=[_pair(joined, place) for place in range(len(people.pairs))],
        strengths=of_strengths,
        why_no_strengths=why_not,
    )


def _pair(joined: ScoredPairs, place: int) -> PairEstimates:
    from scipy.stats import mannwhitneyu

    ballot, everything = joined.ballot, _of_stratum(joined.everything, place)
    kept = joined.answers.stratum == place
    answers, rows = _one_stratum(joined.answers, kept), joined.rows[kept]
    points = _points(ballot.choice[rows])
    is_answered = joined.answered[joined.everything.stratum == place]
    drawn, others = everything.score[is_answered], everything.score[~is_answered]
    first, second = ballot.pairs[place]
    return PairEstimates(
        first=first,
        second=second,
        items=len(everything.score),
        answered=int(is_answered.sum()),
        answers=len(rows),
        without_score=joined.without_score[place],
        correlation=_correlation(points, answers.score),
        p_not_random=float(mannwhitneyu(drawn, others).pvalue) if len(others) and np.ptp(everything.score) else None,
        values=[
            _items(joined, place, everything),
            _wins(ballot, place, points, answers, everything),
            *_preferred(ballot, place, rows, answers, everything),
        ],
    )


def _items(joined: ScoredPairs, place: int, everything: ScoredItems) -> PoweredValue:
    """The share of items on which people prefer the first system, no preference half: with the same annotators."""
    ballot = joined.ballot
    of_pair = np.flatnonzero(ballot.items["pair"].to_numpy() == place)
    points = _points(agreement(ballot.counts())[of_pair])
    cases = np.unique(ballot.items["case_id"].to_numpy(zero_copy_only=False)[of_pair].astype(str), return_inverse=True)
    alone = mean_with_interval(points, Clusters(cases[1].astype(np.int64), None), _SHARE)
    kept = joined.answers.stratum == place
    scored, first_row = np.unique(ballot.item[joined.rows[kept]], return_index=True)
    answers = _one_stratum(joined.answers, np.flatnonzero(kept)[first_row], named=False)
    its = points[np.searchsorted(of_pair, scored)]
    return _powered(ITEMS, alone, its, answers, everything)


def _wins(ballot: Ballot, place: int, points: Floats, answers: ScoredAnswers, everything: ScoredItems) -> PoweredValue:
    every = _rows_of_pair(ballot, place)
    alone = mean_with_interval(_points(ballot.choice[every]), clusters(ballot.votes).of(every), _SHARE)
    return _powered(WINS, alone, points, answers, everything)


def _preferred(
    ballot: Ballot, place: int, rows: Numbers, answers: ScoredAnswers, everything: ScoredItems
) -> list[PoweredValue]:
    """The share of answers for the first among those for one of the two; nothing where there are no ties.

    It is a ratio of two means. What each answer adds to it, to first order, is a mean again.
    """
    every = _rows_of_pair(ballot, place)
    decided = every[ballot.choice[every] <= SECOND]
    if len(decided) in (0, len(every)):
        return []
    alone = preference(ballot.choice[decided] == FIRST, clusters(ballot.votes).of(decided))
    choice = ballot.choice[rows]
    is_first, is_one = (choice == FIRST).astype(np.float64), (choice <= SECOND).astype(np.float64)

    def ratio(of: ScoredItems | None) -> Adjusted | None:
        firsts, ones = (adjusted(values, answers, of).value for values in (is_first, is_one))
        if ones <= 0:
            return None
        share = firsts / ones
        return adjusted(share + (is_first - share * is_one) / ones, answers, of)

    if alone.share is None:
        return []
    return [_powered_by(PREFERRED, alone, alone.share, ratio, answers, everything)]


def _powered(
    what: str, alone: MeanOfAnswers, values: Floats, answers: ScoredAnswers, everything: ScoredItems
) -> PoweredValue:
    """A mean of values between 0 and 1."""
    return _powered_by(what, alone, alone.mean, lambda of: adjusted(values, answers, of), answers, everything)


def _powered_by(
    what: str,
    alone: MeanOfAnswers | Preference,
    share: float,
    estimate: Callable[[ScoredItems | None], Adjusted | None],
    answers: ScoredAnswers,
    everything: ScoredItems,
) -> PoweredValue:
    """A share, estimated by `estimate` with all items and without."""
    without = EstimatedValue(share, alone.low, alone.high, alone.over, alone.why_not)
    if alone.why_not:
        return PoweredValue(what, without, EstimatedValue(None, why_not=alone.why_not), None)
    found, plain = estimate(everything), estimate(None)
    with_score = _share(found, answers)
    return PoweredValue(what, without, with_score, _worth(plain, found) if with_score.low is not None else None)


def _share(found: Adjusted | None, answers: ScoredAnswers) -> EstimatedValue:
    if (why_not := _too_few(answers)) or found is None:
        return EstimatedValue(None, why_not=why_not or "hardly any answer is for one of the two")
    if why_not := _no_variance(found):
        return EstimatedValue(found.value, why_not=why_not)
    if not 0 < found.value < 1:
        return EstimatedValue(
            None, why_not="the scores of the other items would put it outside 0 to 100%; have more items answered"
        )
    assert found.over is not None  # there are several cases
    low, high, over = on_logits(found.value, found.variance, found.degrees, found.over, _SHARE).interval(_SHARE)
    return EstimatedValue(found.value, low, high, over)


def _no_variance(found: Adjusted) -> str | None:
    if not found.variance:
        return "the score says every answer, and of so few it is not known how often it errs"
    return None if np.isfinite(found.variance) else "one case or one annotator alone decides it"


def _too_few(answers: ScoredAnswers) -> str | None:
    n = min(len(np.unique(answers.by.cases[answers.stratum == each])) for each in np.unique(answers.stratum))
    return f"answers about {n} scored case{'s' if n > 1 else ''}, fewer than {FEWEST}" if n < FEWEST else None


def _worth(alone: Adjusted | None, found: Adjusted | None) -> float | None:
    if alone is None or found is None or not (np.isfinite(alone.variance) and 0 < found.variance < np.inf):
        return None
    return alone.variance / found.variance


def _strengths(joined: ScoredPairs) -> tuple[list[PoweredValue], str | None]:
    """The strengths of three systems or more, and why there are none."""
    answers = joined.answers
    if len(joined.ballot.pairs) < 2:
        return [], None
    compared = comparisons(joined.ballot)
    alone = strengths(compared)
    if not alone.systems:
        return [], alone.why_not
    without = _values_alone(alone)
    scored = _scored_only(joined, compared)
    if why_not := _too_few(answers) or (None if (found := strengths(scored)).systems else found.why_not):
        none = EstimatedValue(None, why_not=why_not)
        return [PoweredValue(system, its, none, None) for system, its in without.items()], None
    return strength_values(scored, answers, joined.everything, without), None


def strength_values(
    compared: Sequence[Comparisons],
    answers: ScoredAnswers,
    everything: ScoredItems,
    alone: Mapping[str, EstimatedValue] | None = None,
) -> list[PoweredValue]:
    """The strength of each system, the strongest first.

    What each answer adds to a strength, to first order, is regressed on the scores within each pair: one step towards
    the estimate that PPI++ solves for.

    Args:
        compared: the answers, of which there are strengths (`bradley_terry.strengths`).
        answers: what is known of each, in their order; a stratum is a pair.
        everything: all items.
        alone: by system what people say alone, where that is of other answers too.
    """
    alone = alone if alone is not None else _values_alone(strengths(compared))
    linear = linear_strengths([choices_made(each) for each in compared])
    parts = linear.parts * np.bincount(answers.stratum)[answers.stratum][:, None]
    rows = []
    for system, log, of_system in zip(linear.systems, linear.logs.tolist(), parts.T, strict=True):
        with_score, plain = adjusted(of_system, answers, everything), adjusted(of_system, answers, None)
        value = _strength(with_score._replace(value=with_score.value + log))
        rows.append(PoweredValue(system, alone[system], value, _worth(plain, with_score)))
    return sorted(rows, key=lambda row: (-(row.with_score.value or 0.0), row.what))


def _values_alone(found: Strengths) -> dict[str, EstimatedValue]:
    return {
        row.system: EstimatedValue(row.strength, row.low, row.high, found.over, found.why_not) for row in found.systems
    }


def _scored_only(joined: ScoredPairs, compared: Sequence[Comparisons]) -> list[Comparisons]:
    """The comparisons without those of items that have no score, in the order of `joined.rows`."""
    pair_of_answer = joined.ballot.items["pair"].to_numpy()[joined.ballot.item]
    kept = np.zeros(len(pair_of_answer), bool)
    kept[joined.rows] = True
    return [
        replace(
            each,
            counts=each.counts[of],
            cases=each.cases[of],
            annotators=None if each.annotators is None else each.annotators[of],
        )
        for place, each in enumerate(compared)
        for of in [kept[pair_of_answer == place]]
    ]


def _strength(found: Adjusted) -> EstimatedValue:
    from scipy.stats import t

    if why_not := _no_variance(found):
        return EstimatedValue(found.value, why_not=why_not)
    half = float(t.ppf(0.975, found.degrees) * np.sqrt(found.variance))
    return EstimatedValue(found.value, found.value - half, found.value + half, found.over)


def _of_stratum(everything: ScoredItems, place: int) -> ScoredItems:
    kept = everything.stratum == place
    return ScoredItems(np.zeros(int(kept.sum()), np.int64), everything.score[kept], everything.case[kept])


def _one_stratum(answers: ScoredAnswers, rows: Numbers | npt.NDArray[np.bool_], named: bool = True) -> ScoredAnswers:
    """Some rows, of one stratum; `named`: with their annotators."""
    by = answers.by.of(rows)
    score = answers.score[rows]
    return ScoredAnswers(np.zeros(len(score), np.int64), score, by if named else Clusters(by.cases, None))


def _rows_of_pair(ballot: Ballot, place: int) -> Numbers:
    return np.flatnonzero(ballot.items["pair"].to_numpy()[ballot.item] == place)


def _points(choice: Numbers) -> Floats:
    """1 for the first system, 0 for the second, a half for neither, both and no agreement."""
    return np.select([choice == FIRST, choice == SECOND], [1.0, 0.0], 0.5)


def _correlation(points: Floats, score: Floats) -> float | None:
    if np.ptp(points) == 0 or np.ptp(score) == 0:
        return None
    return float(np.corrcoef(points, score)[0, 1])
