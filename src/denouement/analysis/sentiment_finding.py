"""How the sentiment of endings is spread: Mori et al. 2019, 4.5."""

import pyarrow as pa

from denouement.analysis.findings import ChartFile, Finding
from denouement.analysis.sentiment_drift import SentimentSpread, by_context, distributions

SPREAD_CHART, CONTEXT_CHART = "sentiment_distributions.svg", "sentiment_by_context.svg"


def sentiment_finding(sentiment: pa.Table, cloze: pa.Table) -> Finding[SentimentSpread] | None:
    """How the sentiment of every group of the table `sentiment` is spread; None without an ending.

    Args:
        sentiment: the scores, as `sentiment.score_groups` returns them.
        cloze: the table of cases, whose contexts are scored here.
    """
    if not sentiment.num_rows:
        return None
    spread = SentimentSpread(tuple(distributions(sentiment)), tuple(by_context(sentiment, cloze)))
    return Finding(
        "Sentiment of endings",
        "How positive or negative endings are, those of cases and stories and generated ones, and whether generated "
        "endings have the mix of feelings that right endings have.",
        spread,
        (
            ChartFile(
                SPREAD_CHART,
                "How the sentiment of each group's endings is spread; the black line in each panel is that of the "
                "cases' right endings.",
            ),
            ChartFile.where(
                bool(spread.by_context),
                CONTEXT_CHART,
                "Mean sentiment of endings after gloomy, neutral and cheerful contexts: where the marks are close "
                "together, endings do not follow the mood of the story.",
                "no ending belongs to a labelled case",
            ),
        ),
    )
