"""Means of people's answers about some items, made more certain by a score that all items have.

The answers are regressed on the score, and the estimate is what the regression says at the mean score of all items. In
other words: the mean of the answers, plus a slope times how much higher the mean score of all items is than that of the
items that were answered. This is the estimator of PPI++ (Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient
Prediction-Powered Inference) for a mean with its power tuning: the slope of least squares is the one that makes the
variance least, whatever the sign and the unit of the score, and where the score says nothing it is near 0. As an
estimator of surveys it is older (double sampling with regression: Cochran 1977, Sampling Techniques, chapter 12).

What is added here are the clusters. Several people answer about one item, one person about many, and a story may be in
several items. The variance is that of study results, over cases and annotators (`study.results.crossed`), of what the
score leaves unexplained, with one degree of freedom less for the slope, plus that of the mean score of all items over
cases.
"""

from typing import NamedTuple

import numpy as np

from denouement.study.results.crossed import ClusteredEstimate, Clusters, Floats, Numbers, Variation, variation


class ScoredItems(NamedTuple):
    """All items, those that were answered among them.

    Attributes:
        stratum: int64 [items]: the number of each item's stratum, such as the pair of systems that it compares.
        score: float64 [items], finite.
        case: int64 [items]: the number of the case that the item is about, as `Clusters` of the answers have it.
    """

    stratum: Numbers
    score: Floats
    case: Numbers


class ScoredAnswers(NamedTuple):
    """What is known of each answer.

    Attributes:
        stratum: int64 [answers]: the number of its item's stratum; each of `0, 1, ...` has one answer at least.
        score: float64 [answers]: its item's score.
        by: its case and annotator.
    """

    stratum: Numbers
    score: Floats
    by: Clusters


class Adjusted(NamedTuple):
    """An estimate.

    Attributes:
        value: the sum over strata of the mean of all their items.
        variance: over other items and annotators; infinite where one case or annotator alone decides it, and 0 where
            the score leaves nothing of the answers unexplained, which does not show how often it errs.
        degrees: degrees of freedom for Student's t.
        over: as of `crossed.Variation`.
        slopes: float64 [strata]: how much more an answer is for a score that is higher by 1; 0 without a score.
    """

    value: float
    variance: float
    degrees: float
    over: str | None
    slopes: Floats


def adjusted(values: Floats, answers: ScoredAnswers, everything: ScoredItems | None) -> Adjusted:
    """The sum over strata of the mean that answers about all items of the stratum would have.

    Three of five items are answered. The score rises by 1 with each item, and the answers by a half; the mean score of
    all is 2, that of the answered ones 1:

    >>> five = ScoredItems(np.zeros(5, int), np.arange(5.0), np.arange(5))
    >>> three = ScoredAnswers(np.zeros(3, int), np.arange(3.0), Clusters(np.arange(3), None))
    >>> round(adjusted(np.array([1.0, 1.5, 2.0]), three, five).value, 6)
    2.0
    >>> round(adjusted(np.array([1.0, 1.5, 2.0]), three, None).value, 6)
    1.5

    Args:
        values: float64 [answers].
        answers: what is known of each, one or more.
        everything: all items; None to use no score.
    """
    n_strata = int(answers.stratum.max()) + 1
    design, sloped = _design(answers, everything, n_strata)
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ (design.T @ values)
    left = (values - design @ coefficients) * _for_slopes(answers, sloped, n_strata)[answers.stratum]
    parts = (design @ inverse[:, :n_strata].sum(axis=1)) * left  # what each answer adds to the estimate
    varied = _variation(parts, answers, n_strata)
    slopes = np.zeros(n_strata)
    slopes[sloped] = coefficients[n_strata:]
    variance, degrees = float(varied.variances[0]), float(varied.degrees[0])
    if variance < _EQUAL:
        variance = 0.0
    elif everything is not None and len(sloped):
        unexplained = left / np.bincount(answers.stratum)[answers.stratum]
        variance, degrees = _with_scores(variance, degrees, unexplained, answers.by.cases, everything, slopes)
    return Adjusted(float(coefficients[:n_strata].sum()), variance, degrees, varied.over, slopes)


def _design(answers: ScoredAnswers, everything: ScoredItems | None, n_strata: int) -> tuple[Floats, Numbers]:
    """float64 [answers, parameters]: a mean for each stratum, a slope for each of those with several scores.

    Scores count from the mean of all items of the stratum, so that the mean is that of all items.
    """
    means = np.eye(n_strata)[answers.stratum]
    if everything is None:
        return means, np.zeros(0, np.int64)
    n_answers = means.sum(axis=0)
    within = answers.score - (means.T @ answers.score / n_answers)[answers.stratum]
    sloped = np.array([place for place in range(n_strata) if _has_slope(within, answers, place)], np.int64)
    centred = answers.score - _means(everything, n_strata)[answers.stratum]
    return np.concatenate([means, means[:, sloped] * centred[:, None]], axis=1), sloped


def _has_slope(within: Floats, answers: ScoredAnswers, stratum: int) -> bool:
    """Whether scores differ, and not by one case alone: more than half of their spread would be that of one case."""
    of_stratum = answers.stratum == stratum
    of_case = np.bincount(answers.by.cases[of_stratum], within[of_stratum] ** 2)
    rounding = _EQUAL * (1 + np.square(answers.score[of_stratum]).max())
    return bool(rounding < of_case.max() <= of_case.sum() / 2)


_EQUAL = 1e-18  # square of a difference between scores that are the same up to rounding


def _for_slopes(answers: ScoredAnswers, sloped: Numbers, n_strata: int) -> Floats:
    """float64 [strata]: by how much what is left is enlarged, since the slope was fitted to these very answers."""
    n = np.array([len(np.unique(answers.by.cases[answers.stratum == place])) for place in range(n_strata)])
    factors = np.ones(n_strata)
    factors[sloped] = np.sqrt((n[sloped] - 1) / np.maximum(n[sloped] - 2, 1))
    return factors


def _means(everything: ScoredItems, n_strata: int) -> Floats:
    n = np.bincount(everything.stratum, minlength=n_strata)
    return np.asarray(np.bincount(everything.stratum, everything.score, n_strata) / n, dtype=np.float64)


def _deviations(everything: ScoredItems, n_strata: int) -> Floats:
    return np.asarray(everything.score - _means(everything, n_strata)[everything.stratum], dtype=np.float64)


def _variation(parts: Floats, answers: ScoredAnswers, n_strata: int) -> Variation:
    """The two-way clustered variance of a sum of means of which each answer adds a part."""
    means = np.eye(n_strata)
    return variation(
        ClusteredEstimate(
            scores=means[answers.stratum] * (parts * np.bincount(answers.stratum)[answers.stratum])[:, None],
            kinds=answers.stratum,
            weights=np.ones(len(parts)),
            informations=means[:, :, None] * means[:, None, :],
            contrasts=np.ones((1, n_strata)),
            clusters=answers.by,
        )
    )


def _with_scores(
    variance: float, degrees: float, unexplained: Floats, cases: Numbers, everything: ScoredItems, slopes: Floats
) -> tuple[float, float]:
    """The variance with that of the mean scores of all items, over cases, and its degrees of freedom.

    Within a stratum what is left of the answers is not correlated with the scores, by least squares; of different
    strata, which may be about the same cases, it may be.
    """
    n_items = np.bincount(everything.stratum, minlength=len(slopes))
    of_item = slopes[everything.stratum] * _deviations(everything, len(slopes)) / n_items[everything.stratum]
    n = int(max(everything.case.max(), cases.max())) + 1
    of_case, of_answers = np.bincount(everything.case, of_item, n), np.bincount(cases, unexplained, n)
    n_cases = len(np.unique(everything.case))
    if n_cases < 2:
        return np.inf, 1.0
    scores = n_cases / (n_cases - 1) * float(of_case @ of_case)
    together = variance + max(0.0, scores + 2 * float(of_case @ of_answers))
    if not np.isfinite(together) or together == 0:
        return together, degrees
    return together, together**2 / (variance**2 / degrees + (together - variance) ** 2 / (n_cases - 1))
