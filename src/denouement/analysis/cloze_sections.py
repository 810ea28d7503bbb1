"""What gives an ending away, as sections: Sharma et al. 2018, sections 3 to 5."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from denouement.analysis import figures
from denouement.analysis.bias_monitor import ANYTHING, Thresholds
from denouement.analysis.bias_section import bias_section
from denouement.analysis.ending_statistics import DIFFERS, ending_statistics, has_other_sign
from denouement.analysis.ngram_section import ngram_section
from denouement.analysis.sections import Chart, Section, Table
from denouement.corpus.cases import CaseSets
from denouement.report.tables import interval, number, p_value

FEATURES = {
    "tokens": "words",
    "five_point": "sentiment, 1 to 5",
    "vader": "sentiment, VADER",
    "frazier": "complexity, Frazier",
    "yngve": "complexity, Yngve",
}


def ending_sections(
    sets: CaseSets, cache: Path | None, folds: int = 10, most: Thresholds = ANYTHING
) -> tuple[dict[str, Section], list[str]]:
    """Features, n-grams and the bias monitor, and what is above the thresholds, a sentence each."""
    statistics = {f"{release} {split}": ending_statistics(cases, cache) for (release, split), cases in sets.items()}
    monitor, above = bias_section(sets, statistics, cache, folds, most)
    return {
        "ending_features": _features(statistics),
        "ngrams": ngram_section(sets, cache),
        "bias_monitor": monitor,
    }, above


def _features(statistics: Mapping[str, Sequence[Mapping[str, Any]]]) -> Section:
    header = [
        "feature",
        "right",
        "wrong",
        "difference",
        "95% interval",
        "d",
        "p",
        "paired p",
    ]
    published = ["paper: right", "wrong", "p"]
    tables = []
    for name, rows in statistics.items():
        is_sample = name.startswith("sample")
        cells = []
        for row in rows:
            paper = row["paper"]
            cells.append(
                [
                    FEATURES[row["feature"]],
                    *(number(row[key], 3) for key in ("right", "wrong", "difference")),
                    interval(row, ",.3f"),
                    number(row["effect"], 3),
                    p_value(row["p"]),
                    p_value(row["paired_p"]),
                    *([] if is_sample else [f"{paper['right']:g}", f"{paper['wrong']:g}", p_value(paper["p"])]),
                ]
            )
        n = rows[0]["n"]
        told = "" if is_sample else "The paper's figures are of v1.0. "
        if name.startswith("v1.0"):
            told = _against_the_paper(rows)
        tables.append(
            Table(
                f"{name}, {n:,} cases",
                header if is_sample else header + published,
                cells,
                f"{told}d: the difference in units of the standard deviation (Cohen). p: two-sample t-test, as in "
                "Sharma et al. 2018, Table 2 (v1.0 validation and test); the interval and the paired p take both "
                "endings of a case together.",
            )
        )
    if tables:
        measured = [[FEATURES[name], told] for name, told in DIFFERS.items()]
        tables.append(Table("How they are measured", ["feature", "measured by"], measured))
    return Section(
        "Right against wrong endings",
        "Whether right endings can be told from wrong ones by length, sentiment or complexity alone: in a good "
        "test of stories they cannot.",
        tables,
        figures={
            "ending_features.svg": Chart(
                figures.feature_effects(statistics, FEATURES),
                "By how much right endings exceed wrong ones (Cohen's d: 0.2 is small, 0.5 medium), with the 95% "
                "interval. An interval that holds 0 does not show a difference.",
            )
        }
        if statistics
        else {},
        values={"sets": {name: list(rows) for name, rows in statistics.items()}},
    )


def _against_the_paper(rows: Sequence[Mapping[str, Any]]) -> str:
    others = [
        f"{FEATURES[row['feature']]} (the paper's p: {p_value(row['paper']['p'])})"
        for row in rows
        if has_other_sign(row)
    ]
    return f"Unlike in the paper, the difference has the other sign in: {', '.join(others)}. " if others else ""
