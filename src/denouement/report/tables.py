"""Results as text: readable on a terminal, valid as Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from denouement.console import text_table


def sentiment_text(rows: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any] | None) -> str:
    """The rows of `analysis.sentiment.sentiment_table`, each above the paper's, and `right_against_wrong` below."""
    lines = []
    for row in rows:
        lines.append([row["group"], row["of"], *_counts(row), number(row["t"], 2), p_value(row["p"])])
        if row["paper"]:
            lines.append([row["group"], "Mori et al. 2019", *_counts(row["paper"]), "", ""])
    header = ["group", "of", "n", "mean", "positive", "negative", "t", "p"]
    paragraphs = [
        text_table(header, lines),
        "Mean of VADER's compound score (-1 to 1); an ending is positive from 0.05 upwards, negative from -0.05 "
        "downwards; t and p of a one-sample t-test of the mean against 0.",
    ]
    if comparison:
        paragraphs.append(
            f"Right against wrong, {comparison['n']:,} cases: mean difference "
            f"{number(comparison['mean_difference'], 3)}; two-sample t-test "
            f"{_test(comparison['t'], comparison['df'], comparison['p'])} "
            f"(Sharma et al. 2018, 3,742 cases: p = {p_value(comparison['paper_p'])}); paired by case "
            f"{_test(comparison['paired_t'], comparison['paired_df'], comparison['paired_p'])}."
        )
    if any(row["of"].startswith("sample ") for row in rows):
        paragraphs.append("These groups are of the sample corpus, so they need not come near the published figures.")
    return "\n\n".join(paragraphs)


def endings_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows of `analysis.endings.endings_table`."""
    header = ["system", "n", "distinct", "words", "distinct-1", "distinct-2", "log-prob per token", "most frequent"]
    lines = [
        [
            row["system"],
            f"{row['n']:,}",
            count_and_share(row["distinct"], row["distinct_share"]),
            number(row["mean_words"], 1),
            number(row["distinct_1"], 3),
            number(row["distinct_2"], 3),
            number(row["log_prob_per_token"], 2),
            f"{row['most_frequent']} ({row['most_frequent_count']:,}, {row['most_frequent_share']:.1%})",
        ]
        for row in rows
    ]
    return "\n\n".join(
        [
            text_table(header, lines),
            "Distinct endings with their share of all; mean length in words; distinct-1 and distinct-2: distinct words "
            "and pairs of words as a share of all; mean log-probability in nats. Low shares are repetition.",
        ]
    )


def count_and_share(count: int, share: float) -> str:
    """Such as `1,652 (44.1%)`."""
    return f"{count:,} ({share:.1%})"


def number(value: float | None, decimals: int) -> str:
    """`value` with so many decimals; a dash when there is none."""
    return "-" if value is None else f"{value:,.{decimals}f}"


def p_value(p: float | None) -> str:
    """Three decimals from 0.001 upwards, scientific below, a bound where floating point ends; a dash when none."""
    if p is None:
        return "-"
    if p < 1e-300:
        return "<1e-300"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.2e}"


def _counts(row: Mapping[str, Any]) -> list[str]:
    return [
        f"{row['n']:,}",
        number(row["mean"], 3),
        count_and_share(row["positive"], row["positive_share"]),
        count_and_share(row["negative"], row["negative_share"]),
    ]


def _test(t: float | None, df: int, p: float | None) -> str:
    return f"t({df:,}) = {number(t, 2)}, p {p_value(p) if p is not None and p < 1e-300 else f'= {p_value(p)}'}"
