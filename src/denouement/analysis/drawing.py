"""The charts of the statistics, drawn from their values and tables."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from denouement.analysis import case_findings, sentiment_finding, story_findings
from denouement.analysis.bias_monitor import SYSTEM, VARIANTS, BiasMonitor
from denouement.analysis.ngram_odds import KINDS
from denouement.analysis.sections.cases import FEATURES, by_set, visible
from denouement.analysis.statistics import Findings
from denouement.analysis.titles import sunburst
from denouement.charts import corpus
from denouement.cloze.evaluation.published import accuracy
from denouement.documents import document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NGRAMS_DRAWN = 15


def pictures(found: Findings) -> dict[str, "Figure | str"]:
    """By file each chart that a finding has: of matplotlib, or the text of an SVG file."""
    return {
        chart.file: _DRAWN[chart.file](found, finding.values)
        for finding in found.statistics.found.values()
        for chart in finding.figures
        if chart.file is not None
    }


def _bias(found: Findings, values: BiasMonitor) -> "Figure":
    from denouement.charts.run import cloze_accuracies

    rows = []
    for name, of_set in values.sets.items():
        release, split = name.split()
        for row in of_set.variants:
            paper = accuracy(SYSTEM, row.variant, release, "test")
            of_model = {"system": VARIANTS[row.variant], "variant": "", "paper": paper}
            rows.append({**asdict(row), **of_model, "release": release, "split": split})
    return cloze_accuracies(rows)


def _reliability(_: Findings, values: BiasMonitor) -> "Figure":
    curves = {
        name: document(of_set.reliability) for name, of_set in values.sets.items() if of_set.reliability is not None
    }
    return corpus.reliability_curve(curves)


def _features(_: Findings, values: case_findings.EndingFeatures) -> "Figure":
    return corpus.feature_effects({name: [*map(asdict, rows)] for name, rows in values.sets.items()}, FEATURES)


def _ngrams(kind: str) -> Callable[[Findings, Any], "Figure"]:
    def draw(found: Findings, values: case_findings.NgramStatistics) -> "Figure":
        odds = found.tables["ngram_odds"]
        of_kind = by_set(odds.filter(pc.equal(odds["kind"], kind)), values.deviations)
        columns = {name: table.select(["ngram", "z"]).to_pydict() for name, table in of_kind.items()}
        return corpus.marking_ngrams(columns, _NGRAMS_DRAWN, visible if kind == "characters" else str)

    return draw


_DRAWN: Mapping[str, Callable[[Findings, Any], "Figure | str"]] = {
    story_findings.LENGTHS_CHART: lambda _, values: corpus.sentence_lengths([*map(asdict, values.positions)]),
    story_findings.VOCABULARY_CHART: lambda _, values: corpus.vocabulary_growth(asdict(values)),
    story_findings.EVENTS_CHART: lambda _, values: corpus.events([*map(asdict, values.events.most_frequent)]),
    story_findings.TITLES_CHART: lambda found, _: sunburst(found.title_paths),
    case_findings.FEATURES_CHART: _features,
    case_findings.ACCURACY_CHART: _bias,
    case_findings.RELIABILITY_CHART: _reliability,
    **{case_findings.ngrams_chart(kind): _ngrams(kind) for kind in KINDS},
    sentiment_finding.SPREAD_CHART: lambda _, values: corpus.sentiment_distributions([*map(asdict, values.groups)]),
    sentiment_finding.CONTEXT_CHART: lambda _, values: corpus.sentiment_by_context([*map(asdict, values.by_context)]),
}
"""By file what draws it."""
