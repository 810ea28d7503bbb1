"""The charts of `charts.lines`, `shares` and `intervals` from rows as mappings, until all callers give typed values."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from denouement.charts import intervals, lines, shares
from denouement.charts.output import as_svg, save

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

__all__ = ["as_svg", "cloze_accuracies", "save", "sentiment_shares", "study_outcomes", "training_curves"]


def training_curves(histories: Mapping[str, Mapping[str, Any]]) -> "Figure | None":
    """`lines.training_curves` of histories as `history.json` has them."""
    return lines.training_curves(
        [
            lines.TrainingCourse(
                name,
                [(entry["epoch"] + 1, math.exp(entry["train_loss"])) for entry in history["epochs"]],
                [
                    (entry["epoch"] + 1, math.exp(entry["validation_loss"]))
                    for entry in history["epochs"]
                    if entry["validation_loss"] is not None
                ],
                history["best_epoch"] + 1,
            )
            for name, history in histories.items()
        ]
    )


def sentiment_shares(rows: Sequence[Mapping[str, Any]]) -> "Figure | None":
    """`shares.sentiment_shares` of the rows of `analysis.sentiment.sentiment_table`."""

    def bar(label: str, row: Mapping[str, Any], published: shares.Sentiments | None = None) -> shares.Sentiments:
        return shares.Sentiments(label, row["n"], row["negative_share"], row["positive_share"], published)

    return shares.sentiment_shares(
        [bar(row["group"], row, bar("Mori et al. 2019", row["paper"]) if row["paper"] else None) for row in rows]
    )


def cloze_accuracies(rows: Sequence[Mapping[str, Any]]) -> "Figure | None":
    """`intervals.accuracies` of the rows of `evaluation.json` that have an accuracy."""
    sets: dict[str, list[intervals.Estimate]] = {}
    for row in rows:
        if row["accuracy"] is not None:
            name = f"{row['system']}, {row['variant']}" if row["variant"] else row["system"]
            title = f"{row['release']} {row['split']} (n = {row['n']:,})"
            sets.setdefault(title, []).append(
                intervals.Estimate(name, row["accuracy"], row["low"], row["high"], row["paper"])
            )
    return intervals.accuracies(sets)


def study_outcomes(rows: Sequence[Mapping[str, Any]]) -> "Figure | None":
    """`shares.study_outcomes` of the pairs of `study/results.json`."""
    return shares.study_outcomes(
        [
            shares.Outcomes(
                row["first"],
                row["second"],
                row["items"],
                {outcome: found["n"] for outcome, found in row["agreement"].items()},
            )
            for row in rows
        ]
    )
