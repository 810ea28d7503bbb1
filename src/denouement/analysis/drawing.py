"""The charts of the statistics, drawn from their values and tables."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from denouement.analysis import case_findings, sentiment_finding, story_findings
from denouement.analysis.bias_monitor import SYSTEM, VARIANTS, BiasMonitor
from denouement.analysis.corpus_statistics import SentenceLengths, VocabularyGrowth
from denouement.analysis.ngram_odds import KINDS, NOTABLE
from denouement.analysis.sections.cases import FEATURES, by_set, visible
from denouement.analysis.sentiment import RIGHT
from denouement.analysis.sentiment_drift import SentimentSpread
from denouement.analysis.statistics import Findings
from denouement.analysis.story_findings import StoryEvents
from denouement.analysis.titles import FADED
from denouement.charts.bars import Bar, opposed_bars, share_bars
from denouement.charts.intervals import Calibration, Estimate, accuracies, effects, reliability_curve
from denouement.charts.lines import Distribution, sentence_lengths, vocabulary_growth
from denouement.charts.sentiment import sentiment_by_context, sentiment_distributions
from denouement.charts.sunburst import sunburst
from denouement.cloze.evaluation.published import accuracy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NGRAMS_DRAWN = 15


def pictures(found: Findings) -> dict[str, "Figure | str"]:
    """By file each chart that a finding has: of matplotlib, or the text of an SVG file."""
    drawn = {
        chart.file: _DRAWN[chart.file](found, finding.values)
        for finding in found.statistics.found.values()
        for chart in finding.figures
        if chart.file is not None
    }
    return {file: picture for file, picture in drawn.items() if picture is not None}


def _lengths(_: Findings, values: SentenceLengths) -> "Figure | None":
    rows = sorted(values.positions, key=lambda row: row.position)
    return sentence_lengths([Distribution(f"sentence {row.position}: mean {row.mean:.1f}", row.counts) for row in rows])


def _vocabulary(_: Findings, values: VocabularyGrowth) -> "Figure | None":
    return vocabulary_growth(values.points)


def _events(_: Findings, values: StoryEvents) -> "Figure | None":
    bars = [Bar(row.lemma, row.share, row.pos.lower()) for row in values.events.most_frequent]
    return share_bars(bars, "share of all events", ("verb", "noun"))


def _bias(_: Findings, values: BiasMonitor) -> "Figure | None":
    return accuracies(
        {
            f"{name} (n = {of_set.variants[0].n:,})": [
                Estimate(
                    VARIANTS[row.variant],
                    row.accuracy,
                    row.low,
                    row.high,
                    accuracy(SYSTEM, row.variant, name.split()[0], "test"),
                    of_set.chance,
                )
                for row in of_set.variants
            ]
            for name, of_set in values.sets.items()
            if of_set.variants
        }
    )


def _reliability(_: Findings, values: BiasMonitor) -> "Figure | None":
    return reliability_curve(
        {
            name: [Calibration(row.predicted, row.observed, row.low, row.high) for row in of_set.reliability.bins]
            for name, of_set in values.sets.items()
            if of_set.reliability is not None
        }
    )


def _features(_: Findings, values: case_findings.EndingFeatures) -> "Figure | None":
    return effects(
        {
            name: [
                Estimate(FEATURES[row.feature], row.effect, row.effect_low, row.effect_high)
                for row in rows
                if row.effect is not None and row.effect_low is not None and row.effect_high is not None
            ]
            for name, rows in values.sets.items()
        }
    )


def _ngrams(kind: str) -> Callable[[Findings, Any], "Figure | None"]:
    def draw(found: Findings, values: case_findings.NgramStatistics) -> "Figure | None":
        odds = found.tables["ngram_odds"]
        of_kind = by_set(odds.filter(pc.equal(odds["kind"], kind)), values.deviations)
        as_shown = visible if kind == "characters" else str
        return opposed_bars(
            {
                name: _most_marking([Bar(as_shown(row["ngram"]), row["z"]) for row in table.to_pylist()])
                for name, table in of_kind.items()
            },
            "wrong",
            "z of the log-odds",
            "right",
        )

    return draw


def _most_marking(bars: list[Bar]) -> list[Bar]:
    """Those at both ends of the n-grams of a set, which come in the order of their z, that are notable."""
    top = [bar for bar in bars[:_NGRAMS_DRAWN] if bar.value >= NOTABLE]
    return top + [bar for bar in bars[max(len(top), len(bars) - _NGRAMS_DRAWN) :] if bar.value <= -NOTABLE]


def _spread(_: Findings, values: SentimentSpread) -> "Figure | None":
    groups = {row.group: Distribution(row.group, row.counts) for row in values.groups}
    return sentiment_distributions(list(groups.values()), groups.get(RIGHT))


def _by_context(_: Findings, values: SentimentSpread) -> "Figure | None":
    groups: dict[str, dict[str, float]] = {}
    for row in values.by_context:
        groups.setdefault(row.group, {})[row.context] = row.mean
    return sentiment_by_context(groups)


def _titles(found: Findings, _: Any) -> str | None:
    return sunburst(found.title_paths, FADED, "titles")


_DRAWN: Mapping[str, Callable[[Findings, Any], "Figure | str | None"]] = {
    story_findings.LENGTHS_CHART: _lengths,
    story_findings.VOCABULARY_CHART: _vocabulary,
    story_findings.EVENTS_CHART: _events,
    story_findings.TITLES_CHART: _titles,
    case_findings.FEATURES_CHART: _features,
    case_findings.ACCURACY_CHART: _bias,
    case_findings.RELIABILITY_CHART: _reliability,
    **{case_findings.ngrams_chart(kind): _ngrams(kind) for kind in KINDS},
    sentiment_finding.SPREAD_CHART: _spread,
    sentiment_finding.CONTEXT_CHART: _by_context,
}
"""By file what draws it."""
