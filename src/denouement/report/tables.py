"""Results as text: readable on a terminal, valid as Markdown."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from denouement.console import text_table


def training_text(histories: Mapping[str, Mapping[str, Any]]) -> str:
    """By generator, what `generators.training.train` returns: a row each, of the epoch whose weights are used."""
    header = ["generator", "stories", "held out", "vocabulary", "epochs", "epoch used", "perplexity", "nats per token"]
    lines = []
    for name, history in histories.items():
        best = next(entry for entry in history["epochs"] if entry["epoch"] == history["best_epoch"])
        lines.append(
            [
                name,
                f"{history['stories']['train']:,}",
                f"{history['stories']['validation']:,}",
                f"{history['vocabulary']:,}",
                len(history["epochs"]),
                best["epoch"] + 1,
                number(best["validation_perplexity"], 1),
                number(best["validation_loss"], 3),
            ]
        )
    note = (
        "Perplexity and nats per token (END is a token, and all unknown words are one) of the stories held out, at the "
        "epoch used, whose weights wrote the endings. Epochs count from 1."
    )
    return f"{text_table(header, lines)}\n\n{note}"


def sentiment_text(rows: Sequence[Mapping[str, Any]], comparison: Mapping[str, Any] | None) -> str:
    """The rows of `analysis.sentiment.sentiment_table`, each above the paper's, and `right_against_wrong` below."""
    lines = []
    for row in rows:
        lines.append([row["group"], row["of"], *_counts(row), number(row["t"], 2), p_value(row["p"])])
        if paper := row["paper"]:
            of = ": ".join(filter(None, ["Mori et al. 2019", paper["of"]]))
            lines.append([row["group"], of, *_counts(paper), "", ""])
    header = ["group", "of", "n", "mean", "positive", "negative", "t", "p"]
    paragraphs = [
        text_table(header, lines),
        "Mean of VADER's compound score (-1 to 1); an ending is positive from 0.05 upwards, negative from -0.05 "
        "downwards; t and p of a one-sample t-test of the mean against 0, each group by itself (p is not corrected for "
        "the number of groups).",
        *dict.fromkeys(
            f"The paper's right and wrong endings are of {row['paper']['of']} together, {row['paper']['n']:,} cases; "
            f"those here are of {row['of']}, {row['n']:,} cases."
            for row in rows
            if row["of"] and row["paper"] and row["group"] in ("right", "wrong") and row["n"] != row["paper"]["n"]
        ),
    ]
    if comparison:
        published = ""
        if comparison["paper_p"] is not None:
            of_paper = "Sharma et al. 2018, v1.0 validation and test, 3,742 cases"
            published = f" ({of_paper}: p = {p_value(comparison['paper_p'])})"
        paragraphs.append(
            f"Right against wrong, {comparison['n']:,} cases: mean difference "
            f"{number(comparison['mean_difference'], 3)}; two-sample t-test "
            f"{_test(comparison['t'], comparison['df'], comparison['p'])}{published}; paired by case "
            f"{_test(comparison['paired_t'], comparison['paired_df'], comparison['paired_p'])}."
        )
    if any(row["of"].startswith("sample ") for row in rows):
        paragraphs.append(
            "The stories and cases of the sample corpus are written by a grammar, not by people: the published figures "
            "are left out."
        )
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
            f"{textwrap.shorten(row['most_frequent'], 60, placeholder=' ...')} "
            f"({row['most_frequent_count']:,}, {row['most_frequent_share']:.1%})",
        ]
        for row in rows
    ]
    return "\n\n".join(
        [
            text_table(header, lines),
            "Distinct endings with their share of all; mean length in words; distinct-1 and distinct-2: distinct words "
            "and pairs of words as a share of all; mean log-probability in nats. Low shares are repetition.",
            *(f"Decoding of {row['system']}: {row['decoding']}." for row in rows if row["decoding"]),
        ]
    )


def cloze_text(rows: Sequence[Mapping[str, Any]], notes: Mapping[str, Mapping[str, int]]) -> str:
    """Rows and notes of an `evaluation.json` as Markdown."""
    from pydantic import TypeAdapter

    from denouement.cloze.evaluation.results import ClozeResult
    from denouement.cloze.evaluation.sections import evaluation_blocks
    from denouement.present.markdown import render

    return render(evaluation_blocks(TypeAdapter(ClozeResult).validate_python({"systems": rows, "notes": notes})))


def system_name(row: Mapping[str, Any]) -> str:
    """The system of a Story Cloze row, with its variant."""
    return f"{row['system']}, {row['variant']}" if row["variant"] else str(row["system"])


def count_and_share(count: int, share: float) -> str:
    """Such as `1,652 (44.1%)`."""
    return f"{count:,} ({share:.1%})"


def number(value: float | None, decimals: int) -> str:
    """`value` with so many decimals; a dash when there is none."""
    return "-" if value is None else f"{value:,.{decimals}f}"


def interval(found: Mapping[str, Any], decimals: str) -> str:
    """Such as `0.157 to 0.843`: `low` and `high` of a figure, written as the format `decimals`; a dash without them."""
    return "-" if found["low"] is None else f"{found['low']:{decimals}} to {found['high']:{decimals}}"


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
