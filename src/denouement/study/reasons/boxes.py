"""The boxes of elements that people ticked beside their reasons, and how far the rules agree with them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.answers import counted
from denouement.study.reasons import ELEMENTS
from denouement.study.reasons.quality import tag_counts
from denouement.study.reasons.written import Key, english_reasons, key_of


@dataclass(frozen=True)
class ElementTicked:
    """How often people ticked an element, and how far the rules tag the same reasons with it.

    Attributes:
        element: one of `ELEMENTS`.
        n, share: the answers for which it is ticked, and their share of the answers that have boxes.
        ticked, tagged, both: of the answers with a written reason: for how many it is ticked, how many a rule tags,
            and how many both.
        precision, recall, f1: as of `quality.Quality`; the boxes are the labels.
        kappa: Cohen's kappa of boxes and rules; None where there is no reason, or all are alike.
    """

    element: str
    n: int
    share: float
    ticked: int
    tagged: int
    both: int
    precision: float | None
    recall: float | None
    f1: float | None
    kappa: float | None


@dataclass(frozen=True)
class Boxes:
    """What people ticked.

    Attributes:
        answers: those that count and have boxes.
        none: for how many of them no box is ticked.
        reasons: how many of them have a written reason in English.
        elements: a row for each element that is ticked for any answer; tables do not say which boxes were offered.
    """

    answers: int
    none: int
    reasons: int
    elements: list[ElementTicked]


def boxes_ticked(votes: pa.Table, tags: pa.Table) -> Boxes | None:
    """What people ticked, beside what the rules find in their reasons; None where no answer that counts has boxes.

    Args:
        votes: a table `votes`.
        tags: the table `reason_elements` of its reasons.
    """
    answers = [row for row in counted(votes).to_pylist() if row["elements"] is not None]
    if not answers:
        return None
    by_rules: dict[Key, set[str]] = {}
    for tag in tags.to_pylist():
        by_rules.setdefault(key_of(tag), set()).add(tag["element"])
    written = [row for row in english_reasons(votes).to_pylist() if row["elements"] is not None]
    of_people = [set(row["elements"]) for row in written]
    of_rules = [by_rules.get(key_of(row), set()) for row in written]
    rows = []
    for element in ELEMENTS:
        n = sum(element in row["elements"] for row in answers)
        if n:
            rows.append(_row(element, n, len(answers), of_people, of_rules))
    return Boxes(len(answers), sum(not row["elements"] for row in answers), len(written), rows)


def _row(element: str, n: int, total: int, of_people: list[set[str]], of_rules: list[set[str]]) -> ElementTicked:
    ticked = np.array([element in its for its in of_people], dtype=bool)
    tagged = np.array([element in its for its in of_rules], dtype=bool)
    if not len(ticked):
        return ElementTicked(element, n, n / total, 0, 0, 0, None, None, None, None)
    counts = tag_counts(tagged, ticked)
    measures = counts.precision, counts.recall, counts.f1
    return ElementTicked(
        element, n, n / total, counts.labelled, counts.tagged, counts.both, *measures, _kappa(ticked, tagged)
    )


def _kappa(one: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> float | None:
    from sklearn.metrics import cohen_kappa_score

    all_alike = len({*one.tolist(), *other.tolist()}) < 2
    return None if all_alike else float(cohen_kappa_score(one, other))
