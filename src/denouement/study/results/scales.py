"""What came out of studies that ask for ratings, or for the order of shuffled sentences."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.intervals import share_with_interval
from denouement.schemas import TABLES
from denouement.study.results.clustered import clusters, mean_with_interval
from denouement.study.results.counted import ANSWER, counted, n_answers, statuses
from denouement.study.results.reliability import check_results, checks_in_all

ALL = "all"
"""Stands for the system where no table of items tells it."""

# Tables do not tell where a scale ends, so the ends are the least and the greatest value that anyone gave. Few answers
# do not reach them: of five cases with one answer each, intervals between them held the mean in 66% of studies.
_FEWEST_RATED = 10


def scale_results(name: str, answers: pa.Table, items: pa.Table | None = None) -> dict[str, Any]:
    """`rating_results` or `order_results` of the table `ratings` or `orders`, as its `name` says."""
    return rating_results(answers, items) if name == "ratings" else order_results(answers, items)


def rating_results(ratings: pa.Table, items: pa.Table | None = None) -> dict[str, Any]:
    """What the accepted answers of the table `ratings` come to, attention checks apart.

    Args:
        ratings: the answers, their questions in the order in which they are to be told.
        items: the table `items`, which tells endings and the right answers to checks.

    Returns:
        `studies`; `statuses`, `answers` (an answer rates an item by every question) and `checks` as of
        `results.study_results`; `means`: rows `question`, `system`, `items`, `answers`, `mean` with its 95% interval
        `low`, `high`, `over`, `why_not` (`mean_with_interval`; every item has the same weight, the ends are the least
        and the greatest value that anyone gave to the question, and of fewer than ten cases there is no interval), and
        `values`, how often each was given, from the least to the greatest; `alphas`: rows `question`,
        `items` with two answers or more, and `alpha`: Krippendorff's, for ordinal data (None where all values are the
        same); `reasons`: rows `study`, `item_id`, `case_id`, `system`, `ending` (None without `items`), `annotator_id`,
        `values` by question, and `reason`, of the answers that have one.
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
            mean = _mean(rows, values, (least, most), _FEWEST_RATED)
            means.append({"question": question, "system": system, **mean, "values": frequencies})
        alphas.append({"question": question, **_ordinal_alpha(of_question)})
    return {
        **_counts(ratings, items),
        "means": means,
        "alphas": alphas,
        "reasons": _reasons(accepted, items),
    }


def order_results(orders: pa.Table, items: pa.Table | None = None) -> dict[str, Any]:
    """How often people put shuffled sentences into the order of the story: the table `orders`, checks apart.

    Args:
        orders: the answers.
        items: the table `items`, which tells the system that wrote the ending, and the right answers to checks; without
            it all answers are of `ALL`.

    Returns:
        `studies`; `statuses`, `answers` and `checks` as of `results.study_results`; `systems`: rows `system`, `items`,
        `answers`, `right` (the story's own order, all of it) with its `share`, `mean`, `low`, `high`, `over`, `why_not`
        (`mean_with_interval`) of Kendall's tau between the two orders (1 is the same, -1 reversed), every item with the
        same weight, and `last`: `n`, the items whose ending more than half of the answers put last, and
        `share_with_interval` of these, which is of other items with the same annotators.
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
        found = _mean(of_system, taus[its], (-1, 1))
        n_last = int((_item_means(of_system, last[its]) > 0.5).sum())
        told_last = {"n": n_last, **share_with_interval(n_last, found["items"])}
        rows.append({"system": system, "right": n_right, "share": n_right / len(its), **found, "last": told_last})
    return {**_counts(orders, items), "systems": rows}


def _counts(answers: pa.Table, items: pa.Table | None) -> dict[str, Any]:
    """`studies`, `statuses`, `answers` and `checks`."""
    return {
        "studies": sorted(answers["study"].unique().to_pylist()),
        "statuses": statuses(answers),
        "answers": n_answers(counted(answers)),
        "checks": checks_in_all(answers, check_results(answers, items), items),
    }


def _first_of(items: pa.Table | None, column: str) -> dict[tuple[str, str], str]:
    """By study and item, the first of a column of lists of `items`."""
    if items is None:
        return {}
    columns = (items[name].to_pylist() for name in ("study", "item_id", column))
    return {(study, item_id): texts[0] for study, item_id, texts in zip(*columns, strict=True)}


def _reasons(accepted: pa.Table, items: pa.Table | None) -> list[dict[str, Any]]:
    """The answers of the table `ratings` that have a reason."""
    ending_of = _first_of(items, "endings")
    answers: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in accepted.filter(pc.is_valid(accepted["reason"])).to_pylist():
        told = {name: row[name] for name in ("study", "item_id", "case_id", "system", "annotator_id", "reason")}
        ending = ending_of.get((row["study"], row["item_id"]))
        answer = answers.setdefault(tuple(row[name] for name in ANSWER), {**told, "ending": ending, "values": {}})
        answer["values"][row["question"]] = row["value"]
    return list(answers.values())


def _items(rows: pa.Table) -> npt.NDArray[np.int64]:
    """int64 [rows]: the number of each row's item."""
    keys = pc.binary_join_element_wise(rows["study"], rows["item_id"], "\x1f").combine_chunks().dictionary_encode()
    return np.asarray(keys.indices, dtype=np.int64)


def _item_means(rows: pa.Table, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """float64 [items]: the mean over each item's answers of their `values`."""
    item = _items(rows)
    return np.bincount(item, values) / np.bincount(item)


def _mean(rows: pa.Table, values: npt.NDArray[Any], ends: tuple[float, float], fewest_cases: int = 2) -> dict[str, Any]:
    """`items`, `answers`, and the mean of items' means with its interval."""
    item = _items(rows)
    of_item = np.bincount(item)
    found = mean_with_interval(values, clusters(rows), ends, 1 / of_item[item], fewest_cases)
    return {"items": len(of_item), "answers": len(values), **found}


def _ordinal_alpha(rows: pa.Table) -> dict[str, Any]:
    import krippendorff

    values = rows["value"].to_numpy()
    domain, place = np.unique(values, return_inverse=True)
    item = _items(rows)
    counts = np.zeros((item.max() + 1, len(domain)), dtype=np.int64)
    np.add.at(counts, (item, place), 1)
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:
        return {"items": len(pairable), "alpha": None}
    alpha = krippendorff.alpha(value_counts=pairable, value_domain=domain.tolist(), level_of_measurement="ordinal")
    return {"items": len(pairable), "alpha": float(alpha)}


@lru_cache(maxsize=4096)  # most people give one of a few orders
def _tau(order: tuple[int, ...]) -> float:
    """Kendall's tau of an order of 0, 1, ... with the natural one; 1 for a single sentence."""
    from scipy.stats import kendalltau

    return float(kendalltau(order, range(len(order))).statistic) if len(order) > 1 else 1.0


def scale_tables(results: Mapping[str, Any]) -> dict[str, pa.Table]:
    """What `rating_results` or `order_results` returns as tables, by their names."""
    if "systems" in results:
        rows = {"order_means": results["systems"]}
    else:
        means = [
            row | {"values": [int(value) for value in row["values"]], "counts": list(row["values"].values())}
            for row in results["means"]
        ]
        rows = {"rating_means": means, "rating_alphas": results["alphas"]}
    return {name: pa.Table.from_pylist(its, schema=TABLES[name].schema) for name, its in rows.items()}
