"""The results of studies that ask for ratings or for the order of shuffled sentences; those of all but pairs."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.answers import ANSWER, counted, n_answers, statuses
from denouement.schemas import TABLES
from denouement.study.results.clustered import item_numbers, mean_of_items
from denouement.study.results.pairs import ExactShare, exact_share
from denouement.study.results.people import WhoTookPart
from denouement.study.results.rankings import RankingResults, kind_rows, ranking_results
from denouement.study.results.reliability import ChecksAnswered, check_results, checks_in_all, ordinal_alpha

ALL = "all"
"""The name of the system where no table of items names it."""

# Tables do not have the ends of a scale, so the least and the greatest value that anyone gave are taken. Few answers do
# not reach the real ends: with five cases of one answer each, 66% of the intervals included the mean.
_FEWEST_RATED = 10


@dataclass(frozen=True)
class MeanRating:
    """How people rated the endings of one system by one question.

    Attributes:
        question, system: the question, and whose endings were rated.
        items, answers: how many there are.
        mean: the mean of the items' means.
        low, high, over, why_not: its 95% interval, as of `clustered.MeanOfAnswers`; its ends are the least and the
            greatest value that anyone gave to the question, and with fewer than ten cases there is none.
        values: how often each value was given, from the least to the greatest.
    """

    question: str
    system: str
    items: int
    answers: int
    mean: float
    low: float | None
    high: float | None
    over: str | None
    why_not: str | None
    values: dict[str, int]


@dataclass(frozen=True)
class OrdinalAlpha:
    """How far annotators agree on the ratings by one question, beyond chance: Krippendorff's alpha for ordinal data.

    Attributes:
        question: the question.
        items: the items with two answers or more, from which alpha is computed.
        alpha: None where all values are the same.
    """

    question: str
    items: int
    alpha: float | None


@dataclass(frozen=True)
class ReasonForRating:
    """A rating with a reason; `values` are by question, and `ending` is None without a table of items."""

    study: str
    item_id: str
    case_id: str
    system: str
    annotator_id: str
    reason: str
    ending: str | None
    values: dict[str, int]


@dataclass(frozen=True)
class RatingResults:
    """The results of ratings.

    Attributes:
        studies, statuses, checks, people: as of `preferences.StudyResults`.
        answers: how many count; an answer rates an item by every question.
        means: a row a question and system.
        alphas: a row a question.
        reasons: the answers with a reason.
    """

    studies: list[str]
    statuses: dict[str, int]
    answers: int
    checks: ChecksAnswered
    means: list[MeanRating]
    alphas: list[OrdinalAlpha]
    reasons: list[ReasonForRating]
    people: WhoTookPart | None = None


@dataclass(frozen=True)
class OrderResult:
    """How well people put the shuffled sentences of stories into order, by the system that wrote the ending.

    Attributes:
        system: the system that wrote the endings.
        right, share: answers that are the story's own order from the first sentence to the last.
        items, answers: how many there are.
        mean: the mean of the items' means of Kendall's tau between the two orders: 1 is the same, -1 the reverse.
        low, high, over, why_not: its 95% interval, as of `clustered.MeanOfAnswers`.
        last: the items whose ending more than half of the answers put last.
    """

    system: str
    right: int
    share: float
    items: int
    answers: int
    mean: float
    low: float | None
    high: float | None
    over: str | None
    why_not: str | None
    last: ExactShare


@dataclass(frozen=True)
class OrderResults:
    """The results of orders of shuffled sentences.

    Attributes:
        studies, statuses, answers, checks, people: as of `preferences.StudyResults`.
        systems: a row a system.
    """

    studies: list[str]
    statuses: dict[str, int]
    answers: int
    checks: ChecksAnswered
    systems: list[OrderResult]
    people: WhoTookPart | None = None


ScaleResults: TypeAlias = RatingResults | OrderResults | RankingResults

RESULTS_OF: dict[str, type[RatingResults] | type[OrderResults] | type[RankingResults]] = {
    "ratings": RatingResults,
    "orders": OrderResults,
    "rankings": RankingResults,
}
"""The type of the results of each table of answers but votes."""


def scale_results(name: str, answers: pa.Table, items: pa.Table | None = None) -> ScaleResults:
    """The results of a table of answers other than votes, as its `name` says."""
    if name == "rankings":
        return ranking_results(answers, items)
    return rating_results(answers, items) if name == "ratings" else order_results(answers, items)


def rating_results(ratings: pa.Table, items: pa.Table | None = None) -> RatingResults:
    """The results of the accepted answers of the table `ratings`, without attention checks.

    Args:
        ratings: the answers; results have their questions in the same order.
        items: the table `items`, with the endings and the right answers to checks.
    """
    accepted = counted(ratings)
    means, alphas = [], []
    for question in accepted["question"].unique().to_pylist():
        of_question = accepted.filter(pc.equal(accepted["question"], question))
        least, most = (each.as_py() for each in pc.min_max(of_question["value"]).values())
        for system in sorted(of_question["system"].unique().to_pylist()):
            rows = of_question.filter(pc.equal(of_question["system"], system))
            values = rows["value"].to_numpy().astype(np.int64)
            numbers = np.bincount(values - least, minlength=most - least + 1)
            frequencies = {str(value): n for value, n in enumerate(numbers.tolist(), least)}
            n_items, mean = mean_of_items(rows, values, (least, most), _FEWEST_RATED)
            means.append(MeanRating(question, system, n_items, len(values), **vars(mean), values=frequencies))
        agreed = ordinal_alpha(of_question["value"].to_numpy(), item_numbers(of_question))
        alphas.append(OrdinalAlpha(question, agreed.items, agreed.alpha))
    return RatingResults(**_shared(ratings, items), means=means, alphas=alphas, reasons=_reasons(accepted, items))


def order_results(orders: pa.Table, items: pa.Table | None = None) -> OrderResults:
    """The results of the accepted answers of the table `orders`, without attention checks.

    Args:
        orders: the answers.
        items: the table `items`, with the systems that wrote the endings and the right answers to checks; without it
            the system of all answers is `ALL`.
    """
    accepted = counted(orders)
    system_of = _first_of(items, "systems")
    keys = zip(accepted["study"].to_pylist(), accepted["item_id"].to_pylist(), strict=True)
    systems = np.array([system_of.get(key, ALL) for key in keys], dtype=str)
    given = accepted["order"].to_pylist()
    right = np.array([order == sorted(order) for order in given], dtype=bool)
    last = np.array([order[-1:] == [len(order) - 1] for order in given], dtype=np.float64)
    taus = np.array([_tau(tuple(order)) for order in given], dtype=np.float64)
    rows = []
    for system in np.unique(systems).tolist():
        its = np.flatnonzero(systems == system)
        n_right = int(right[its].sum())
        of_system = accepted.take(pa.array(its))
        n_items, mean = mean_of_items(of_system, taus[its], (-1, 1))
        n_last = int((_item_means(of_system, last[its]) > 0.5).sum())
        share = n_right / len(its)
        rows.append(
            OrderResult(system, n_right, share, n_items, len(its), **vars(mean), last=exact_share(n_last, n_items))
        )
    return OrderResults(**_shared(orders, items), systems=rows)


def _shared(answers: pa.Table, items: pa.Table | None) -> dict[str, Any]:
    """The fields that results of ratings and of orders share."""
    return {
        "studies": sorted(answers["study"].unique().to_pylist()),
        "statuses": statuses(answers),
        "answers": n_answers(counted(answers)),
        "checks": checks_in_all(answers, check_results(answers, items), items),
        "people": None,
    }


def _first_of(items: pa.Table | None, column: str) -> dict[tuple[str, str], str]:
    """The first element of a column of lists of `items`, by study and item."""
    if items is None:
        return {}
    columns = (items[name].to_pylist() for name in ("study", "item_id", column))
    return {(study, item_id): texts[0] for study, item_id, texts in zip(*columns, strict=True)}


def _reasons(accepted: pa.Table, items: pa.Table | None) -> list[ReasonForRating]:
    """The answers of the table `ratings` that have a reason."""
    ending_of = _first_of(items, "endings")
    answers: dict[tuple[str, ...], ReasonForRating] = {}
    for row in accepted.filter(pc.is_valid(accepted["reason"])).to_pylist():
        answer = tuple(row[name] for name in ANSWER)
        if answer not in answers:
            given = {name: row[name] for name in ("study", "item_id", "case_id", "system", "annotator_id", "reason")}
            ending = ending_of.get((row["study"], row["item_id"]))
            answers[answer] = ReasonForRating(**given, ending=ending, values={})
        answers[answer].values[row["question"]] = row["value"]
    return list(answers.values())


def _item_means(rows: pa.Table, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """float64 [items]: the mean of the `values` of each item's answers."""
    item = item_numbers(rows)
    return np.bincount(item, values) / np.bincount(item)


@lru_cache(maxsize=4096)  # most people give one of a few orders
def _tau(order: tuple[int, ...]) -> float:
    """Kendall's tau between an order of 0, 1, ... and 0, 1, ... itself; 1 for a single sentence."""
    from scipy.stats import kendalltau

    return float(kendalltau(order, range(len(order))).statistic) if len(order) > 1 else 1.0


def scale_tables(results: ScaleResults) -> dict[str, pa.Table]:
    """The tables to write: `rating_means` and `rating_alphas`, `order_means`, or `ranking_means`."""
    rows: dict[str, list[dict[str, Any]]]
    if isinstance(results, OrderResults):
        rows = {"order_means": list(map(vars, results.systems))}
    elif isinstance(results, RankingResults):
        rows = {"ranking_means": [row for kind in results.kinds for row in kind_rows(kind)]}
    else:
        means = [
            vars(row) | {"values": list(map(int, row.values)), "counts": list(row.values.values())}
            for row in results.means
        ]
        rows = {"rating_means": means, "rating_alphas": list(map(vars, results.alphas))}
    return {name: pa.Table.from_pylist(its, schema=TABLES[name].schema) for name, its in rows.items()}
