"""How the sentiment of endings is spread, as a section: Mori et al. 2019, 4.5."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from denouement.analysis.sections import Chart, Section, Table
from denouement.analysis.sentiment import score_groups
from denouement.analysis.sentiment_drift import by_context, distributions
from denouement.charts import corpus as figures
from denouement.report.tables import number


def sentiment_section(stories: Path | None, cloze: Path, endings: Sequence[Path]) -> Section | None:
    """How the sentiment of every group of endings is spread; None without an ending."""
    sentiment = score_groups(stories, cloze, endings)
    if not sentiment.num_rows:
        return None
    rows = distributions(sentiment)
    context_rows = by_context(sentiment, cloze)
    header = [
        "endings",
        "n",
        "mean",
        "deviation",
        "10%",
        "median",
        "90%",
        "negative",
        "positive",
        "distance",
        "by chance",
    ]
    tables = [
        Table(
            "Sentiment of endings",
            header,
            [[row["group"], *_spread(row)] for row in rows],
            "VADER's compound score, from -1 to 1. Distance: the earth mover's distance from the cases' right endings: "
            "by how much scores have to be moved on average; by chance: 95% of random divisions of these endings "
            "stay under it, each row by itself. Mori et al. 2019, 4.5, give means only.",
        )
    ]
    if context_rows:
        tables.append(
            Table(
                "Sentiment of endings by that of their context",
                ["endings, context", *header[1:]],
                [[f"{row['group']}, {row['context']}", *_spread(row)] for row in context_rows],
                "A context is all its sentences as one text. Each distance is from right endings after such contexts.",
            )
        )
    drawn = {
        "sentiment_distributions.svg": Chart(
            figures.sentiment_distributions(rows),
            "How the sentiment of each group's endings is spread; the black line in each panel is that of the "
            "cases' right endings.",
        )
    }
    if context_rows:
        drawn["sentiment_by_context.svg"] = Chart(
            figures.sentiment_by_context(context_rows),
            "Mean sentiment of endings after gloomy, neutral and cheerful contexts: where the marks lie together, "
            "endings do not follow the mood of the story.",
        )
    return Section(
        "Sentiment of endings",
        "How positive or negative endings are, those of cases and stories and generated ones, and whether generated "
        "endings have the mix of feelings that right endings have.",
        tables,
        figures=drawn,
        values={"groups": rows, "by_context": context_rows},
    )


def _spread(row: Mapping[str, Any]) -> list[str]:
    return [
        f"{row['n']:,}",
        number(row["mean"], 3),
        number(row["sd"], 3),
        *(number(row["quantiles"][place], 2) for place in (0, 2, 4)),
        f"{row['negative_share']:.1%}",
        f"{row['positive_share']:.1%}",
        number(row["distance"], 3),
        number(row["chance"], 3),
    ]
