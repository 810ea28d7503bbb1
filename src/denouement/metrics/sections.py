"""Automatic scores of endings, as blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

from denouement.metrics import METRICS
from denouement.metrics.base import EndingMetric, SetMetric, load_metric
from denouement.metrics.scoring import EndingScores, ScoreSummary, SystemScore
from denouement.present.cells import Cell, Interval, Number
from denouement.present.sections import Block, Bullets, Paragraph, Table

ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}
"""By the values that are better."""

_NOTE = (
    "The mean over the endings of each system; of a score of a set the value of all its endings together. ↑: higher "
    "values are better, ↓: lower ones; without an arrow neither is better by itself."
)


def score_blocks(result: EndingScores) -> list[Block]:
    """A row a score, a column a system; the intervals of means; and what has no score, and why."""
    return [*overview(result), *interval_tables(result), *notes(result)]


def overview(result: EndingScores) -> list[Block]:
    """A row a score, a column a system."""
    systems = [*result.endings]
    rows: list[list[Cell]] = []
    for summary in result.scores:
        by_system = {each.system: each for each in summary.systems}
        of_row = [_value(summary, by_system.get(system)) for system in systems]
        rows.append([summary.score, ARROWS[summary.better], summary.unit, *of_row])
    counted = ", ".join(f"{n:,} of {system}" for system, n in result.endings.items())
    return [
        Table(["score", "better", "unit", *systems], rows, note=_NOTE),
        Paragraph(f"Scored endings: {counted}; stories: {result.cases:,}."),
    ]


def meanings(result: EndingScores) -> Table:
    """What each score measures, and the range of its values."""
    rows: list[list[Cell]] = [
        [summary.score, summary.what, summary.better, f"{_end(summary.lowest)} to {_end(summary.highest)}"]
        for summary in result.scores
    ]
    return Table(["score", "what it measures", "better", "range"], rows, "What each score measures")


def interval_tables(result: EndingScores) -> list[Table]:
    """The mean of each score and system with its 95% interval over cases."""
    rows: list[list[Cell]] = [
        [
            summary.score,
            each.system,
            each.n,
            Number(each.value, decimals(summary)),
            Interval(each.low, each.high, decimals(summary)),
        ]
        for summary in result.scores
        if not summary.of_set
        for each in summary.systems
    ]
    return [Table(["score", "system", "endings", "mean", "95% interval"], rows, "Means with their intervals")]


def notes(result: EndingScores) -> list[Block]:
    """What has no score, and why."""
    lists = [
        ("Not worked out:", [f"{name}: {why}" for name, why in result.not_scored.items()]),
        ("Without a value:", list(result.missing)),
        ("Left out:", list(result.left_out)),
    ]
    return [Bullets(title, items) for title, items in lists if items]


@dataclass(frozen=True)
class KnownScore:
    """A score of the registry: what it measures, and what it needs; see `base.Measure`."""

    score: str
    metric: str
    what: str
    better: str
    unit: str
    lowest: float | None
    highest: float | None
    of_set: bool
    needs: Sequence[str]


@dataclass(frozen=True)
class KnownScores:
    """All scores of the registry."""

    scores: Sequence[KnownScore]


def known_scores() -> KnownScores:
    """All scores, in the order of the registry."""
    found = []
    for name in METRICS:
        metric = load_metric(name)
        assert isinstance(metric, EndingMetric | SetMetric)
        for score, of in metric.measures.items():
            of_set = isinstance(metric, SetMetric)
            found.append(
                KnownScore(score, name, of.what, of.better, of.unit, of.low, of.high, of_set, list(metric.needs))
            )
    return KnownScores(found)


def known_blocks(known: KnownScores) -> list[Block]:
    """A row a score."""
    rows: list[list[Cell]] = [
        [
            each.metric,
            each.score,
            each.what,
            each.better,
            each.unit,
            f"{_end(each.lowest)} to {_end(each.highest)}",
            ", ".join([*(["all endings of a system"] if each.of_set else []), *each.needs]),
        ]
        for each in known.scores
    ]
    return [Table(["name", "score", "what it measures", "better", "unit", "range", "needs"], rows)]


def _end(value: float | None) -> str:
    return "..." if value is None else f"{value:g}"


def _value(summary: ScoreSummary, of_system: SystemScore | None) -> Number:
    return Number(of_system.value if of_system else None, decimals(summary))


def decimals(summary: ScoreSummary) -> int:
    """How many decimals the values of a score are written with."""
    return {"": 3, "log-odds": 3, "nats": 2}.get(summary.unit, 1)
