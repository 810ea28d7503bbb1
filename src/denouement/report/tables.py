"""Results as text: readable on a terminal, valid as Markdown."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from denouement.console import text_table
from denouement.generators.history import history_from
from denouement.generators.sections import training_section
from denouement.present import markdown

_CHANCE = 0.5


def training_text(histories: Mapping[str, Mapping[str, Any]]) -> str:
    """By generator, the content of its `history.json`; see `generators.sections.training_section`."""
    return markdown.render(training_section({name: history_from(content) for name, content in histories.items()}))


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
    """Rows and notes of a `cloze.evaluate.Evaluation`: accuracies, what is missing, and where systems are right."""
    has_paper = any(row["paper"] is not None for row in rows)
    paper = ["paper"] if has_paper else []
    header = [*("system", "cases of", "n", "accuracy", "95% interval", "p", "ties", "half ties"), *paper, "trained on"]
    lines = [
        [
            system_name(row),
            _set_name(row),
            f"{row['n']:,}",
            number(row["accuracy"], 3) if row["accuracy"] is not None else "blind" if row["blind"] else "",
            interval(row, ".3f") if row["accuracy"] is not None else "",
            "best" if row["best"] else p_value(row["p_best"]) if row["p_best"] is not None else "",
            f"{row['ties']:,}" if row["ties"] is not None else "",
            number(row["accuracy_half_ties"], 3) if row["accuracy_half_ties"] is not None and row["ties"] else "",
            *([number(row["paper"], 3) if row["paper"] is not None else ""] if has_paper else []),
            row["trained_on"],
        ]
        for row in rows
        if row["missing"] is None and row["failed"] is None
    ]
    paragraphs = [
        *_side_by_side(rows),
        text_table(header, lines),
        "Accuracy: share of the cases whose right ending has the higher score, a tie being the first ending's; with "
        "its exact 95% interval. Half ties: the same with every tie as half a case that is right. p: of McNemar's "
        "exact test against the most accurate system on the same cases, corrected by Holm's method for all pairs of "
        "systems. "
        "Trained on: without what stands among the scored cases.",
        *_below_chance(f"{system_name(row)} ({_set_name(row)})" for row in rows if _is_below_chance(row)),
        *_without_scores("Not run", rows, "missing"),
        *_without_scores("Failed", rows, "failed"),
    ]
    if notes:
        met = [f"- {text}: {n:,}" for of_system in notes.values() for text, n in of_system.items()]
        paragraphs.append("Met on the way:\n" + "\n".join(met))
    for key, what in (
        ("by_sentiment", "the right ending's sentiment and the context's"),
        ("by_length", "the right ending's length, against the wrong one's"),
    ):
        paragraphs += _cloze_groups(rows, key, what)
    return "\n\n".join(paragraphs)


def _side_by_side(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where several sets of cases were scored, a column each with the accuracies of all systems."""
    scored = [row for row in rows if row["accuracy"] is not None]
    sizes = {_set_name(row): row["n"] for row in scored}
    if len(sizes) < 2:
        return []
    cells: dict[str, dict[str, str]] = {}
    for row in scored:
        paper = f" ({row['paper']:.3f})" if row["paper"] is not None else ""
        cells.setdefault(system_name(row), {})[_set_name(row)] = f"{row['accuracy']:.3f}{paper}"
    lines = [[system, *(of_system.get(name, "") for name in sizes)] for system, of_system in cells.items()]
    in_brackets = ", in brackets the published one" if any(row["paper"] is not None for row in scored) else ""
    return [
        text_table(["system", *(f"{name} (n = {n:,})" for name, n in sizes.items())], lines),
        f"Accuracy on each set of cases{in_brackets}; below, the same with all that belongs to it.",
    ]


def _is_below_chance(row: Mapping[str, Any]) -> bool:
    return row["high"] is not None and row["high"] < _CHANCE


def _below_chance(names: Iterable[str]) -> list[str]:
    """One paragraph that explains accuracies whose whole interval is below chance, where there are any."""
    listed = ", ".join(names)
    if not listed:
        return []
    return [
        f"Below chance, with the whole interval under .500: {listed}. What such a system goes by speaks for wrong "
        "endings more often than for right ones: where wrong endings share more words with the context, or are the "
        "shorter or more usual sentences; where ties, which go to the first ending, meet cases whose second ending is "
        "right; or where what was learned from some cases misleads in others."
    ]


def _without_scores(title: str, rows: Sequence[Mapping[str, Any]], why: str) -> list[str]:
    """A list of the systems that have no scores, each with the reason, and the sets of cases where it is not all."""
    sets = {_set_name(row) for row in rows}
    of_reason: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row[why] is not None:
            of_reason.setdefault((system_name(row), row[why]), []).append(_set_name(row))
    if not of_reason:
        return []
    lines = [
        f"- {system}{'' if set(of_sets) == sets else ' (' + ', '.join(of_sets) + ')'}: {' '.join(reason.split())}"
        for (system, reason), of_sets in of_reason.items()
    ]
    return [f"{title}:\n" + "\n".join(lines)]


def _set_name(row: Mapping[str, Any]) -> str:
    return f"{row['release']} {row['split']}"


def vectors_text(found: Mapping[str, Any]) -> str:
    """What `cloze.evaluator.evaluate_vectors` found."""
    paper = (
        " The paper has .539 for averaged word2vec, .552 for skip-thoughts and .585 for DSSM, by the joint module on "
        "the v1.0 test."
        if "sample" not in found["releases"]
        else ""
    )
    modules = [module for module in ("joint", "sentence_level") if found[module]]
    lines = [
        [
            f"joint ({found['contexts']} context)" if module == "joint" else "sentence level",
            f"{found[module]['n']:,}",
            number(found[module]["accuracy"], 3),
            interval(found[module], ".3f"),
            f"{found[module]['ties']:,}",
            number(found[module]["accuracy_half_ties"], 3) if found[module]["ties"] else "",
        ]
        for module in modules
    ]
    return "\n\n".join(
        [
            text_table(["module", "n", "accuracy", "95% interval", "ties", "half ties"], lines),
            f"Vectors of {found['dimension']:,} numbers.{paper}",
            *_below_chance(
                line[0] for line, module in zip(lines, modules, strict=True) if _is_below_chance(found[module])
            ),
        ]
    )


def _cloze_groups(rows: Sequence[Mapping[str, Any]], key: str, what: str) -> list[str]:
    """Accuracy by the groups of `key`, for the rows that have them: a table for each set of cases.

    The sizes of groups are those of a set of cases, so sets that differ in them cannot share a heading.
    """
    tables: dict[tuple[str, tuple[tuple[str, int], ...]], list[list[str]]] = {}
    for row in rows:
        if row[key]:
            sizes = tuple((group, found["n"]) for group, found in sorted(row[key].items()))
            accuracies = [f"{row[key][group]['accuracy']:.3f}" for group, _ in sizes]
            tables.setdefault((f"{row['release']} {row['split']}", sizes), []).append([system_name(row), *accuracies])
    paragraphs = []
    for (name, sizes), lines in tables.items():
        header = ["system", *(f"{group} ({n:,})" for group, n in sizes)]
        paragraphs += [f"Accuracy by {what}, {name}:", text_table(header, lines)]
    return paragraphs


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
