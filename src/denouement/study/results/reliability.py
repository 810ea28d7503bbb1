"""How far annotators agree with each other, and how they did in attention checks."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.study.results.agreement import NO_AGREEMENT, Counts, agreement
from denouement.study.results.ballot import Ballot, numbered
from denouement.study.results.counted import ANSWER, accepted_checks, n_answers


def kappa(counts: Counts) -> dict[str, Any]:
    """Fleiss' kappa (1971), which asks for the same number of answers to each item, two or more.

    It is taken over the items with the number of answers that most of them have (of two such numbers, the larger).

    Returns:
        `kappa` (None where there is no such item, or all answers are the same), `items`, `answers_per_item` and
        `items_left_out`.
    """
    from statsmodels.stats.inter_rater import fleiss_kappa

    per_item = counts.sum(axis=1)
    frequencies = np.bincount(per_item)
    frequencies[:2] = 0
    number = int(len(frequencies) - 1 - frequencies[::-1].argmax()) if frequencies.any() else 0
    chosen = counts[per_item == number] if number else counts[:0]
    varied = np.count_nonzero(chosen.sum(axis=0)) > 1
    return {
        "kappa": float(fleiss_kappa(chosen)) if varied else None,
        "items": len(chosen),
        "answers_per_item": number,
        "items_left_out": len(counts) - len(chosen),
    }


def alpha(counts: Counts) -> dict[str, Any]:
    """Krippendorff's alpha (2011) for nominal data, over all items with two answers or more, however many.

    Returns:
        `alpha` (None where no item has two answers, or all of them are the same), `items` and `items_left_out`.
    """
    import krippendorff

    pairable = counts[counts.sum(axis=1) > 1]
    varied = np.count_nonzero(pairable.sum(axis=0)) > 1
    value = krippendorff.alpha(value_counts=pairable, level_of_measurement="nominal") if varied else None
    return {
        "alpha": None if value is None else float(value),
        "items": len(pairable),
        "items_left_out": len(counts) - len(pairable),
    }


def annotator_results(
    ballot: Ballot, checks: Mapping[tuple[str, str], tuple[int, int]]
) -> tuple[list[dict[str, Any]], int]:
    """How each annotator agrees with the rest, and how many answers tell no annotator.

    Args:
        ballot: the answers that count.
        checks: by study and annotator, attention checks answered and those of them that are wrong.

    Returns:
        Rows `study`, `annotator_id`, `answers`; `compared`: answers to items on which the others agree (by the same
        rules), `agreeing`: those of them that give that answer, and `share`; `pairwise`: the mean share of the others'
        answers to an item that equal the annotator's, None where nobody else answered; `seconds`: median time of an
        answer; `checks`, `checks_failed`. The least agreeing come first.
    """
    counts = ballot.counts()
    own = np.eye(4, dtype=np.int64)[ballot.choice]
    rest = counts[ballot.item] - own
    of_rest = agreement(rest)
    compared = of_rest != NO_AGREEMENT
    agreeing = of_rest == ballot.choice
    n_rest = rest.sum(axis=1)
    same = np.divide((rest * own).sum(axis=1), n_rest, out=np.zeros(len(n_rest)), where=n_rest > 0)
    seconds = seconds_taken(ballot.votes)
    (codes,), names = numbered(_joined_ids(ballot.votes))
    order = np.argsort(codes, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else []
    rows, unnamed, seen = [], 0, set()
    for group in groups:
        study, annotator = _study_and_id(names[codes[group[0]]])
        if annotator.startswith(schemas.UNNAMED_ANNOTATOR):
            unnamed += len(group)
            continue
        seen.add((study, annotator))
        done, failed = checks.get((study, annotator), (0, 0))
        n_compared, n_agreeing = int(compared[group].sum()), int(agreeing[group].sum())
        with_others = group[n_rest[group] > 0]
        rows.append(
            {
                "study": study,
                "annotator_id": annotator,
                "answers": len(group),
                "compared": n_compared,
                "agreeing": n_agreeing,
                "share": n_agreeing / n_compared if n_compared else None,
                "pairwise": float(same[with_others].mean()) if len(with_others) else None,
                "seconds": median(seconds[group]),
                "checks": done,
                "checks_failed": failed,
            }
        )
    rows.sort(key=lambda row: (row["share"] is None, row["share"] or 0, row["study"], row["annotator_id"]))
    return rows, unnamed


def check_results(answers: pa.Table, items: pa.Table | None) -> dict[tuple[str, str], tuple[int, int]]:
    """By study and annotator, attention checks answered and those of them answered wrong.

    Args:
        answers: a table `votes`, `ratings` or `orders`.
        items: the table `items`, which tells the right answers; without it none is known.
    """
    if items is None:
        return {}
    expected = {
        (study, item_id): answer
        for study, item_id, answer in zip(
            *(items[name].to_pylist() for name in ("study", "item_id", "expected")), strict=True
        )
        if answer is not None
    }
    right: dict[tuple[str, str, str], bool] = {}
    for row in accepted_checks(answers).to_pylist():
        study, item_id, annotator = (row[name] for name in ANSWER)
        if (study, item_id) in expected:
            answer = study, item_id, annotator
            right[answer] = right.get(answer, True) and _is_right(row, expected[study, item_id])
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for (study, _, annotator), is_right in right.items():
        done, failed = found.get((study, annotator), (0, 0))
        found[study, annotator] = done + 1, failed + (not is_right)
    return found


def _is_right(row: Mapping[str, Any], expected: str) -> bool:
    """Whether a row of a table of answers is as the column `expected` of `items` says."""
    if "choice" in row:
        return bool(row["choice"] == expected)
    if "question" in row:
        return row["value"] in json.loads(expected)[row["question"]]
    return bool(row["order"] == json.loads(expected))


def checks_in_all(
    answers: pa.Table, checks: Mapping[tuple[str, str], tuple[int, int]], items: pa.Table | None
) -> dict[str, Any]:
    """What is told of all attention checks together: `checks` of `results.study_results`; None without `items`."""
    known = items is not None
    return {
        "answers": n_answers(accepted_checks(answers)),
        "known": sum(done for done, _ in checks.values()) if known else None,
        "failed": sum(failed for _, failed in checks.values()) if known else None,
        "annotators_failing": sum(failed > 0 for _, failed in checks.values()) if known else None,
    }


_BETWEEN = "\x1f"  # between a study's name and an annotator's id; in neither


def _joined_ids(votes: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(votes["study"], votes["annotator_id"], _BETWEEN)


def _study_and_id(joined: str) -> tuple[str, str]:
    study, _, annotator = joined.partition(_BETWEEN)
    return study, annotator


def seconds_taken(votes: pa.Table) -> npt.NDArray[np.float64]:
    """float [votes]: from start to submission; NaN where either is not known."""
    taken = pc.subtract(votes["submitted_at"].cast(pa.int64()), votes["started_at"].cast(pa.int64()))
    return np.asarray(taken.cast(pa.float64()).to_numpy(), dtype=np.float64) / 1e6


def median(values: npt.NDArray[np.float64]) -> float | None:
    """The median of those that are not NaN."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None
