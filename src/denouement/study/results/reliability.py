"""How far annotators agree with each other, and how they answered attention checks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.answers import ANSWER, accepted_checks, n_answers
from denouement.study.design.items import agrees_with_ranks
from denouement.study.results.agreement import NO_AGREEMENT, Codes, Counts, agreement
from denouement.study.results.ballot import Ballot, numbered

ChecksByAnnotator = Mapping[tuple[str, str], tuple[int, int]]
"""The numbers of attention checks answered, and answered wrong, by study and annotator."""


@dataclass(frozen=True)
class Kappa:
    """How far annotators agree beyond chance: 1 is always, 0 no more than by chance (Fleiss 1971).

    Attributes:
        kappa: None where no item has two answers, or all answers are the same.
        items: the number of items from which it is computed.
        answers_per_item: the number of answers that each of these has.
        items_left_out: items with another number of answers.
    """

    kappa: float | None
    items: int
    answers_per_item: int
    items_left_out: int


@dataclass(frozen=True)
class Alpha:
    """How far annotators agree beyond chance, with any number of answers to an item (Krippendorff 2011).

    Attributes:
        alpha: for nominal data, or ordinal where that is said; None where no item has two answers, or all answers are
            the same.
        items: the items with two answers or more, from which it is computed.
        items_left_out: those with fewer.
    """

    alpha: float | None
    items: int
    items_left_out: int


@dataclass(frozen=True)
class AnnotatorResult:
    """How an annotator agrees with the others.

    Attributes:
        study, annotator_id: who it is.
        answers: how many the annotator gave.
        compared: the annotator's answers to items on which the others agree.
        agreeing: how many of these are the answer on which the others agree.
        share: `agreeing / compared`; None where `compared` is 0.
        pairwise: the mean share of the others' answers to an item that equal the annotator's; None where nobody else
            answered.
        seconds: median time of an answer; None where no time is known.
        checks, checks_failed: attention checks answered, and answered wrong.
    """

    study: str
    annotator_id: str
    answers: int
    compared: int
    agreeing: int
    share: float | None
    pairwise: float | None
    seconds: float | None
    checks: int
    checks_failed: int


@dataclass(frozen=True)
class ChecksAnswered:
    """How attention checks were answered.

    Attributes:
        answers: accepted answers to them.
        known: those whose right answer is known; this and what follows is None without a table of items.
        failed: how many of these are wrong.
        annotators_failing: annotators with a wrong answer.
    """

    answers: int
    known: int | None
    failed: int | None
    annotators_failing: int | None


def kappa(counts: Counts) -> Kappa:
    """Fleiss' kappa of the items with the most frequent number of answers; of two such numbers, the larger.

    Five people each say of four stories whether the first or the second ending is better, both are, or neither is:

    >>> found = kappa(np.array([[3, 2, 0, 0], [0, 5, 0, 0], [1, 1, 2, 1], [0, 0, 4, 1]]))
    >>> round(found.kappa, 3), found.items, found.answers_per_item
    (0.321, 4, 5)

    Args:
        counts: int64 [items, 4]: how many annotators gave each answer.
    """
    from statsmodels.stats.inter_rater import fleiss_kappa

    per_item = counts.sum(axis=1)
    frequencies = np.bincount(per_item)
    frequencies[:2] = 0
    number = int(len(frequencies) - 1 - frequencies[::-1].argmax()) if frequencies.any() else 0
    chosen = counts[per_item == number] if number else counts[:0]
    varied = np.count_nonzero(chosen.sum(axis=0)) > 1
    return Kappa(float(fleiss_kappa(chosen)) if varied else None, len(chosen), number, len(counts) - len(chosen))


def alpha(counts: Counts) -> Alpha:
    """Krippendorff's alpha for nominal data, of all items with two answers or more.

    The last of these four stories has one answer, which agrees with nobody and differs from nobody:

    >>> found = alpha(np.array([[3, 2, 0, 0], [0, 2, 0, 0], [1, 0, 2, 0], [0, 0, 0, 1]]))
    >>> round(found.alpha, 3), found.items, found.items_left_out
    (0.297, 3, 1)

    Args:
        counts: int64 [items, 4]: how many annotators gave each answer.
    """
    import krippendorff

    pairable = counts[counts.sum(axis=1) > 1]
    varied = np.count_nonzero(pairable.sum(axis=0)) > 1
    value = krippendorff.alpha(value_counts=pairable, level_of_measurement="nominal") if varied else None
    return Alpha(None if value is None else float(value), len(pairable), len(counts) - len(pairable))


def cohens_kappa(one: Codes, other: Codes) -> float | None:
    """How far two answers to each of several items are the same beyond chance (Cohen 1960).

    >>> cohens_kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]))
    0.5

    Args:
        one, other: int64 [items]: the places of the answers, below 4.

    Returns:
        None where all answers are the same, or there are none.
    """
    from statsmodels.stats.inter_rater import cohens_kappa as kappa_of

    if len(np.unique(np.concatenate([one, other]))) < 2:
        return None
    table = np.zeros((4, 4), dtype=np.int64)
    np.add.at(table, (one, other), 1)
    return float(kappa_of(table, return_results=False))


def ordinal_alpha(values: npt.NDArray[Any], unit: npt.NDArray[np.int64]) -> Alpha:
    """Krippendorff's alpha for ordinal data.

    Args:
        values: [answers], one or more.
        unit: int64 [answers]: what each of the answers is about, as numbers from 0.
    """
    import krippendorff

    domain, place = np.unique(values, return_inverse=True)
    counts = np.zeros((unit.max() + 1, len(domain)), dtype=np.int64)
    np.add.at(counts, (unit, place), 1)
    pairable = counts[counts.sum(axis=1) > 1]
    left_out = int(np.count_nonzero(counts.any(axis=1))) - len(pairable)
    if np.count_nonzero(pairable.sum(axis=0)) < 2:
        return Alpha(None, len(pairable), left_out)
    value = krippendorff.alpha(value_counts=pairable, value_domain=domain.tolist(), level_of_measurement="ordinal")
    return Alpha(float(value), len(pairable), left_out)


def annotator_results(ballot: Ballot, checks: ChecksByAnnotator) -> tuple[list[AnnotatorResult], int]:
    """How each annotator agrees with the others, and how many answers have no known annotator.

    The agreement of the others is that of `agreement`, without the annotator's own answer. Those who agree least come
    first.
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
    rows, unnamed = [], 0
    for group in groups:
        study, annotator = _study_and_id(names[codes[group[0]]])
        if annotator.startswith(schemas.UNNAMED_ANNOTATOR):
            unnamed += len(group)
            continue
        done, failed = checks.get((study, annotator), (0, 0))
        n_compared, n_agreeing = int(compared[group].sum()), int(agreeing[group].sum())
        with_others = group[n_rest[group] > 0]
        rows.append(
            AnnotatorResult(
                study=study,
                annotator_id=annotator,
                answers=len(group),
                compared=n_compared,
                agreeing=n_agreeing,
                share=n_agreeing / n_compared if n_compared else None,
                pairwise=float(same[with_others].mean()) if len(with_others) else None,
                seconds=median(seconds[group]),
                checks=done,
                checks_failed=failed,
            )
        )
    rows.sort(key=lambda row: (row.share is None, row.share or 0, row.study, row.annotator_id))
    return rows, unnamed


def check_results(answers: pa.Table, items: pa.Table | None) -> ChecksByAnnotator:
    """The numbers of attention checks answered, and answered wrong, by study and annotator.

    Args:
        answers: a table of answers; of votes the first question of each study counts, which is the one that checks ask.
        items: the table `items` with the right answers; None without one.
    """
    if items is None:
        return {}
    columns = (items[name].to_pylist() for name in ("study", "item_id", "systems", "expected"))
    known = {
        (study, item_id): (systems, expected)
        for study, item_id, systems, expected in zip(*columns, strict=True)
        if expected is not None
    }
    right: dict[tuple[str, str, str], bool] = {}
    for row in accepted_checks(_of_first_questions(answers)).to_pylist():
        study, item_id, annotator = (row[name] for name in ANSWER)
        if (study, item_id) in known:
            answer = study, item_id, annotator
            right[answer] = right.get(answer, True) and _is_right(row, *known[study, item_id])
    of_annotator: dict[tuple[str, str], tuple[int, int]] = {}
    for (study, _, annotator), is_right in right.items():
        done, failed = of_annotator.get((study, annotator), (0, 0))
        of_annotator[study, annotator] = done + 1, failed + (not is_right)
    return of_annotator


def _of_first_questions(answers: pa.Table) -> pa.Table:
    """The rows of votes that answer the first question of their study; all rows of other tables."""
    if "choice" not in answers.column_names:
        return answers
    studies, questions = answers["study"].to_pylist(), answers["question"].to_pylist()
    first: dict[str, str] = {}
    kept = [first.setdefault(study, question) == question for study, question in zip(studies, questions, strict=True)]
    return answers.filter(pa.array(kept, pa.bool_()))


def _is_right(row: Mapping[str, Any], systems: Sequence[str], expected: str) -> bool:
    """Whether a row of a table of answers agrees with `expected`, the right answer as the table `items` has it."""
    if "choice" in row:
        return bool(row["choice"] == expected)
    if "question" in row:
        return row["value"] in json.loads(expected)[row["question"]]
    if "ranks" in row:
        rank_of = dict(zip(row["systems"], row["ranks"], strict=False))
        return agrees_with_ranks([rank_of.get(system, 0) for system in systems], json.loads(expected))
    return bool(row["order"] == json.loads(expected))


def checks_in_all(answers: pa.Table, checks: ChecksByAnnotator, items: pa.Table | None) -> ChecksAnswered:
    """How the attention checks in a table of answers were answered, all annotators together."""
    n = n_answers(accepted_checks(answers))
    if items is None:
        return ChecksAnswered(n, None, None, None)
    failed = [failed for _, failed in checks.values()]
    return ChecksAnswered(n, sum(done for done, _ in checks.values()), sum(failed), sum(map(bool, failed)))


_BETWEEN = "\x1f"  # separates a study's name from an annotator's id, and is in neither


def _joined_ids(votes: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(votes["study"], votes["annotator_id"], _BETWEEN)


def _study_and_id(joined: str) -> tuple[str, str]:
    study, _, annotator = joined.partition(_BETWEEN)
    return study, annotator


def seconds_taken(votes: pa.Table) -> npt.NDArray[np.float64]:
    """float64 [votes]: seconds from start to submission; NaN where either time is not known."""
    taken = pc.subtract(votes["submitted_at"].cast(pa.int64()), votes["started_at"].cast(pa.int64()))
    return np.asarray(taken.cast(pa.float64()).to_numpy(), dtype=np.float64) / 1e6


def median(values: npt.NDArray[np.float64]) -> float | None:
    """The median of the values that are not NaN; None without any."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None
