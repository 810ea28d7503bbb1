"""A few scores of single endings, to be read beside the endings themselves."""

from collections.abc import Mapping

import pyarrow as pa

from denouement.metrics.scoring import EndingScores
from denouement.metrics.sections import ARROWS, decimals
from denouement.present.cells import Cell, Number
from denouement.present.sections import Table

FEW = ("rouge_l", "reference_similarity", "coherence", "no_mention", "sentiment_distance", "grammar_tags")
"""Scores of different kinds; more are no longer read."""

FewValues = Mapping[str, float]
"""By score, as in the column `score`."""


def few_by_ending(scores: pa.Table) -> Mapping[tuple[str, str], FewValues]:
    """By case and system the values of `FEW` scores, as far as there are any.

    Args:
        scores: a table `ending_scores`.
    """
    found: dict[tuple[str, str], dict[str, float]] = {}
    columns = (scores[name].to_pylist() for name in ("case_id", "system", "score", "value"))
    for case_id, system, score, value in zip(*columns, strict=True):
        if case_id is not None and score.partition(" ")[0] in FEW:
            found.setdefault((case_id, system), {})[score] = value
    return found


def few_scores(result: EndingScores, endings: Mapping[str, FewValues]) -> Table:
    """The endings of one story: a row a score, a column an ending.

    Args:
        result: what each score means.
        endings: by the heading of the column what `few_by_ending` has of the ending.
    """
    rows: list[list[Cell]] = [
        [
            f"{summary.score} {ARROWS[summary.better]}".strip(),
            *(Number(values.get(summary.score), decimals(summary)) for values in endings.values()),
        ]
        for summary in result.scores
        if any(summary.score in values for values in endings.values())
    ]
    return Table(["score", *endings], rows)
