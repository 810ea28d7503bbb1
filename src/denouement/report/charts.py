"""The charts of a run's report, drawn from the results of its stages."""

import math
from collections.abc import Mapping, Sequence

from denouement.analysis.sentiment import SentimentCounts, SentimentResult
from denouement.charts.intervals import Estimate, accuracies
from denouement.charts.lines import TrainingCourse, training_curves
from denouement.charts.shares import (
    BestAndWorst,
    Outcomes,
    Sentiments,
    best_and_worst,
    sentiment_shares,
    study_outcomes,
)
from denouement.cloze.evaluation.results import SystemRow
from denouement.cloze.evaluation.sections import system_name
from denouement.generators.history import History
from denouement.papers import cited
from denouement.present.sections import Chart
from denouement.schemas import ENGLISH
from denouement.study.results.pairs import PairResult
from denouement.study.results.rankings import RankedKind


def training_chart(histories: Mapping[str, History]) -> Chart:
    """Perplexity by epoch of each generator."""
    courses = [
        TrainingCourse(
            name,
            [(entry.epoch + 1, math.exp(entry.train_loss)) for entry in history.epochs],
            [
                (entry.epoch + 1, math.exp(entry.validation_loss))
                for entry in history.epochs
                if entry.validation_loss is not None
            ],
            history.used.epoch + 1,
        )
        for name, history in histories.items()
        if history.used is not None
    ]
    return Chart("training.svg", training_curves(courses), "Perplexity by epoch, one panel for each generator")


def sentiment_chart(result: SentimentResult) -> Chart:
    """Negative, neutral and positive endings of each group, with the paper's."""

    def bar(label: str, row: SentimentCounts, published: Sentiments | None = None) -> Sentiments:
        return Sentiments(label, row.n, row.negative_share, row.positive_share, published)

    groups = [bar(row.group, row, bar(cited("mori_2019"), row.paper) if row.paper else None) for row in result.groups]
    beside = ", the paper's paler, below ours" if any(group.published for group in groups) else ""
    caption = f"Negative, neutral and positive endings by group{beside}"
    return Chart("sentiment.svg", sentiment_shares(groups), caption)


def accuracy_chart(rows: Sequence[SystemRow]) -> Chart:
    """The accuracy of each system, a panel for each set of cases; other languages than English have a table."""
    sets: dict[str, list[Estimate]] = {}
    for row in rows:
        is_shown = row.language == ENGLISH or all(each.language != ENGLISH for each in rows)
        if is_shown and row.accuracy is not None and row.low is not None and row.high is not None:
            estimate = Estimate(system_name(row), row.accuracy, row.low, row.high, row.paper, row.chance)
            sets.setdefault(f"{row.cases} (n = {row.n:,})", []).append(estimate)
    return Chart(
        "cloze.svg", accuracies(sets), "Accuracy of each system with its 95% interval; the grey line is chance"
    )


def outcome_chart(pairs: Sequence[PairResult]) -> Chart:
    """What people agree on, a bar for each pair of systems."""
    outcomes = [
        Outcomes(row.first, row.second, row.items, {name: share.n for name, share in vars(row.agreement).items()})
        for row in pairs
    ]
    caption = "What people agree on, by pair of systems: the first is named before its bar, the second behind it"
    return Chart("study.svg", study_outcomes(outcomes), caption)


def ranked_chart(found: RankedKind) -> Chart:
    """How often the endings of each system are the best and the worst of several."""
    systems = [BestAndWorst(row.system, row.answers, row.best, row.worst) for row in found.systems]
    what = "chosen" if found.kind == "best_worst" else "ranked"
    caption = f"How often the ending of each system is {what} as the worst and the best of those shown"
    return Chart(f"{found.kind}.svg", best_and_worst(systems), caption)
