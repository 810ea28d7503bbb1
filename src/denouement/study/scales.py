"""What came out of studies that ask for ratings, or for the order of shuffled sentences."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.intervals import mean_with_interval
from denouement.schemas import TABLES
from denouement.study.counted import counted

ALL = "all"
"""Stands for the system where no table of items tells it."""


def scale_results(name: str, answers: pa.Table, items: pa.Table | None = None) -> dict[str, Any]:
    """`rating_results` or `order_results` of the table `ratings` or `orders`, as its `name` says."""
    return rating_results(answers) if name == "ratings" else order_results(answers, items)


def rating_results(ratings: pa.Table) -> dict[str, Any]:
    """What the accepted answers of the table `ratings` come to, attention checks apart.

    Returns:
        `studies`; `answers` (an answer rates an item by every question); `means`: rows `question`, `system`, `items`,
        `answers`, `mean` with its 95% interval `low`, `high` (`mean_with_interval` of the means of items, whose answers
        go together), and `values`, how often each was given; `alphas`: rows `question`, `items` with two answers or
        more, and `alpha`: Krippendorff's, for ordinal data (None where all values are the same).
    """
    accepted = counted(ratings)
    means, alphas = [], []
    for question in sorted(accepted["question"].unique().to_pylist()):
        of_question = accepted.filter(pc.equal(accepted["question"], question))
        for system in sorted(of_question["system"].unique().to_pylist()):
            rows = of_question.filter(pc.equal(of_question["system"], system))
            values = rows["value"].to_numpy().astype(np.int64)
            found, numbers = np.unique(values, return_counts=True)
            frequencies = {str(value): int(n) for value, n in zip(found.tolist(), numbers.tolist(), strict=True)}
            means.append({"question": question, "system": system, **_mean(rows, values), "values": frequencies})
        alphas.append({"question": question, **_ordinal_alpha(of_question)})
    return {
        "studies": sorted(ratings["study"].unique().to_pylist()),
        "answers": accepted.group_by(["study", "item_id", "annotator_id"]).aggregate([]).num_rows,
        "means": means,
        "alphas": alphas,
    }


def order_results(orders: pa.Table, items: pa.Table | None = None) -> dict[str, Any]:
    """How often people put shuffled sentences into the order of the story: the table `orders`, checks apart.

    Args:
        orders: the answers.
        items: the table `items`, which tells the system that wrote the ending; without it all answers are of `ALL`.

    Returns:
        `studies`; `answers`; `systems`: rows `system`, `items`, `answers`, `right` (the story's own order, all of it)
        with its `share`, and `mean`, `low`, `high` of Kendall's tau between the two orders: 1 is the same, -1 reversed.
    """
    accepted = counted(orders)
    system_of = {}
    if items is not None:
        columns = (items[name].to_pylist() for name in ("study", "item_id", "systems"))
        system_of = {(study, item_id): systems[0] for study, item_id, systems in zip(*columns, strict=True)}
    keys = zip(accepted["study"].to_pylist(), accepted["item_id"].to_pylist(), strict=True)
    systems = np.array([system_of.get(key, ALL) for key in keys], dtype=str)
    given = accepted["order"].to_pylist()
    right = np.array([order == sorted(order) for order in given], dtype=bool)
    taus = np.array([_tau(tuple(order)) for order in given], dtype=np.float64)
    rows = []
    for system in np.unique(systems).tolist():
        its = np.flatnonzero(systems == system)
        n_right = int(right[its].sum())
        found = _mean(accepted.take(pa.array(its)), taus[its])
        rows.append({"system": system, "right": n_right, "share": n_right / len(its), **found})
    return {"studies": sorted(orders["study"].unique().to_pylist()), "answers": accepted.num_rows, "systems": rows}


def _mean(rows: pa.Table, values: npt.NDArray[Any]) -> dict[str, Any]:
    """`items`, `answers`, and the mean of items' means with its interval."""
    by_item = pa.table({"study": rows["study"], "item_id": rows["item_id"], "value": pa.array(values, pa.float64())})
    grouped = by_item.group_by(["study", "item_id"]).aggregate([("value", "mean")])
    return {"items": grouped.num_rows, "answers": len(values), **mean_with_interval(grouped["value_mean"].to_numpy())}


def _ordinal_alpha(rows: pa.Table) -> dict[str, Any]:
    import krippendorff

    values = rows["value"].to_numpy()
    domain, place = np.unique(values, return_inverse=True)
    keys = pc.binary_join_element_wise(rows["study"], rows["item_id"], "\x1f").combine_chunks().dictionary_encode()
    item = np.asarray(keys.indices, dtype=np.int64)
    counts = np.zeros((len(keys.dictionary), len(domain)), dtype=np.int64)
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
