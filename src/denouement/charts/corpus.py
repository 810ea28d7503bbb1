"""The charts of statistics from rows as mappings, until all callers give typed values."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from denouement.charts import bars, intervals, lines, sentiment

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

_NOTABLE = 2.0  # of `analysis.ngram_odds`
_RIGHT = "right"


def sentence_lengths(rows: Sequence[Mapping[str, Any]]) -> "Figure | None":
    """`lines.sentence_lengths` of the rows of `corpus_statistics.by_position`."""
    return lines.sentence_lengths(
        [
            lines.Distribution(f"sentence {row['position']}: mean {row['mean']:.1f}", row["counts"])
            for row in sorted(rows, key=lambda row: int(row["position"]))
        ]
    )


def vocabulary_growth(found: Mapping[str, Any]) -> "Figure | None":
    """`lines.vocabulary_growth` of `corpus_statistics.vocabulary_growth`."""
    return lines.vocabulary_growth(found["points"])


def events(rows: Sequence[Mapping[str, Any]]) -> "Figure | None":
    """`bars.share_bars` of the rows of the table `event_counts`."""
    shown = [bars.Bar(row["lemma"], row["share"], row["pos"].lower()) for row in rows]
    return bars.share_bars(shown, "share of all events", ("verb", "noun"))


def feature_effects(rows: Mapping[str, Sequence[Mapping[str, Any]]], names: Mapping[str, str]) -> "Figure | None":
    """`intervals.effects` of the rows of `ending_statistics.ending_statistics`."""
    return intervals.effects(
        {
            name: [
                intervals.Estimate(names[row["feature"]], row["effect"], row["effect_low"], row["effect_high"])
                for row in of_set
                if row["effect_low"] is not None
            ]
            for name, of_set in rows.items()
        }
    )


def reliability_curve(found: Mapping[str, Mapping[str, Any]]) -> "Figure | None":
    """`intervals.reliability_curve` of `cloze.calibration.reliability`."""
    return intervals.reliability_curve(
        {
            name: [
                intervals.Calibration(row["predicted"], row["observed"], row["low"], row["high"])
                for row in of_set["bins"]
            ]
            for name, of_set in found.items()
        }
    )


def marking_ngrams(
    columns: Mapping[str, Mapping[str, Sequence[Any]]], most: int, visible: Callable[[str], str]
) -> "Figure | None":
    """`bars.opposed_bars` of the n-grams of `ngram_odds.ngram_odds` that most mark right and wrong endings."""
    sets = {}
    for name, found in columns.items():
        grams, z = found["ngram"], found["z"]
        top = [place for place in range(min(most, len(z))) if z[place] >= _NOTABLE]
        bottom = [place for place in range(max(len(top), len(z) - most), len(z)) if z[place] <= -_NOTABLE]
        sets[name] = [bars.Bar(visible(grams[place]), z[place]) for place in top + bottom]
    return bars.opposed_bars(sets, "wrong", "z of the log-odds", "right")


def sentiment_distributions(rows: Sequence[Mapping[str, Any]]) -> "Figure | None":
    """`sentiment.sentiment_distributions` of the rows of `sentiment_drift.distributions`."""
    groups = {row["group"]: lines.Distribution(row["group"], row["counts"]) for row in rows}
    return sentiment.sentiment_distributions(list(groups.values()), groups.get(_RIGHT))


def sentiment_by_context(rows: Sequence[Mapping[str, Any]]) -> "Figure | None":
    """`sentiment.sentiment_by_context` of the rows of `sentiment_drift.by_context`."""
    groups: dict[str, dict[str, float]] = {}
    for row in rows:
        groups.setdefault(row["group"], {})[row["context"]] = row["mean"]
    return sentiment.sentiment_by_context(groups)
