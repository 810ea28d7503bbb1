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
    """Rows and notes of a `cloze.evaluate.Evaluation`: accuracies, what is missing, and where systems are right."""
    header = ["system", "cases of", "n", "accuracy", "95% interval", "paper", "ties", "trained on"]
    lines = [
        [
            system_name(row),
            f"{row['release']} {row['split']}",
            f"{row['n']:,}",
            number(row["accuracy"], 3) if row["accuracy"] is not None else "blind" if row["blind"] else "",
            interval(row, ".3f") if row["accuracy"] is not None else "",
            number(row["paper"], 3) if row["paper"] is not None else "",
            f"{row['ties']:,}" if row["ties"] is not None else "",
            row["trained_on"],
        ]
        for row in rows
        if not row["missing"]
    ]
    paragraphs = [
        text_table(header, lines),
        "Accuracy: share of the cases whose right ending has the higher score, a tie being the first ending's; with "
        "its exact 95% interval. Trained on: without what stands among the scored cases.",
    ]
    missing = dict.fromkeys(f"{row['system']}: {row['missing']}" for row in rows if row["missing"])
    if missing:
        paragraphs.append("Not run:\n" + "\n".join(f"- {text}" for text in missing))
    if notes:
        met = [f"- {text}: {n:,}" for of_system in notes.values() for text, n in of_system.items()]
        paragraphs.append("Met on the way:\n" + "\n".join(met))
    for key, what in (
        ("by_sentiment", "the right ending's sentiment and the context's"),
        ("by_length", "the right ending's length, against the wrong one's"),
    ):
        paragraphs += _cloze_groups(rows, key, what)
    return "\n\n".join(paragraphs)


def vectors_text(found: Mapping[str, Any]) -> str:
    """What `cloze.evaluator.evaluate_vectors` found."""
    lines = [
        [
            f"joint ({found['contexts']} context)" if module == "joint" else "sentence level",
            f"{found[module]['n']:,}",
            number(found[module]["accuracy"], 3),
            interval(found[module], ".3f"),
            f"{found[module]['ties']:,}",
        ]
        for module in ("joint", "sentence_level")
        if found[module]
    ]
    return "\n\n".join(
        [
            text_table(["module", "n", "accuracy", "95% interval", "ties"], lines),
            f"Vectors of {found['dimension']:,} numbers. The paper has .539 for averaged word2vec, .552 for "
            "skip-thoughts and .585 for DSSM, by the joint module on the v1.0 test.",
        ]
    )


def _cloze_groups(rows: Sequence[Mapping[str, Any]], key: str, what: str) -> list[str]:
    """Accuracy by the groups of `key`, for the rows that have them."""
    scored = [row for row in rows if row[key]]
    if not scored:
        return []
    groups = sorted({group for row in scored for group in row[key]})
    lines = [
        [
            system_name(row),
            f"{row['release']} {row['split']}",
            *(f"{row[key][group]['accuracy']:.3f}" if group in row[key] else "" for group in groups),
        ]
        for row in scored
    ]
    counts = {group: max(row[key][group]["n"] for row in scored if group in row[key]) for group in groups}
    header = ["system", "cases of", *(f"{group} ({counts[group]:,})" for group in groups)]
    return [f"Accuracy by {what}:", text_table(header, lines)]


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
