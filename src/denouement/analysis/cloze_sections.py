"""What gives an ending away, as sections: Sharma et al. 2018, sections 3 to 5."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from denouement.analysis.bias_monitor import ANYTHING, Thresholds
from denouement.analysis.bias_section import bias_section
from denouement.analysis.ending_statistics import DIFFERS, ending_statistics, has_other_sign
from denouement.analysis.ngram_section import ngram_section
from denouement.analysis.pooling import of_the_paper, pool_name, pools
from denouement.analysis.sections import Chart, Section, Table
from denouement.charts import corpus as figures
from denouement.corpus.cases import CaseSets, Distinct, right_and_wrong
from denouement.report.tables import interval, number, p_value
from denouement.text.syntax import NoParserError, Parses, parse

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
    parses: Parses | None = None
    problem = ""
    try:
        endings = [text for cases in sets.values() for column in right_and_wrong(cases) for text in column.to_pylist()]
        parses = parse(endings, cache / "parses.parquet" if cache else None)
    except NoParserError as error:
        problem = f"Complexity and parts of speech are left out: {error}."
    statistics = {f"{release} {split}": ending_statistics(cases, parses) for (release, split), cases in sets.items()}
    together = pools(sets)
    monitor, above = bias_section(sets, statistics, cache, folds, most)
    return {
        "ending_features": _features(statistics, together.get("v1.0"), parses),
        "ngrams": ngram_section(sets, together, parses, problem),
        "bias_monitor": monitor,
    }, above


def _features(
    statistics: Mapping[str, Sequence[Mapping[str, Any]]], together: Distinct | None, parses: Parses | None
) -> Section:
    """Table 2; the paper's figures stand beside v1.0 validation and test `together`, else beside the one that is there.

    Args:
        statistics: by release and split, of `ending_statistics`.
        together: the cases of v1.0 validation and test, or None.
        parses: of all endings, or None.
    """
    tables = []
    pooled: dict[str, list[dict[str, Any]]] = {}
    if together:
        name = pool_name("v1.0")
        pooled[name] = ending_statistics(together.cases, parses)
        tables.append(_table(name, pooled[name], together.told))
    for name, rows in statistics.items():
        shown = [{**row, "paper": None} for row in rows] if together else rows
        tables.append(_table(name, shown))
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
        values={"sets": {name: list(rows) for name, rows in statistics.items()}, "pooled": pooled},
    )


def _table(name: str, rows: Sequence[Mapping[str, Any]], repeated: str = "") -> Table:
    """The features of one set of cases, beside the paper's where rows have them; `repeated`: a sentence, or empty."""
    header = ["feature", "right", "wrong", "difference", "95% interval", "d", "p", "paired p", "paired p, corrected"]
    compares = any(row["paper"] for row in rows)
    cells = []
    for row in rows:
        line = [
            FEATURES[row["feature"]],
            *(number(row[key], 3) for key in ("right", "wrong", "difference")),
            interval(row, ",.3f"),
            number(row["effect"], 3),
            *(p_value(row[key]) for key in ("p", "paired_p", "paired_p_holm")),
        ]
        if compares:
            line += [f"{row['paper']['right']:g}", f"{row['paper']['wrong']:g}", p_value(row["paper"]["p"])]
        cells.append(line)
    n = rows[0]["n"]
    note = [f"{repeated}."] if repeated else []
    if compares:
        header += ["paper: right", "paper: wrong", "paper: p"]
        note += [of_the_paper("v1.0", name, n), *_against_the_paper(rows)]
    note += [
        "d: the difference in units of the standard deviation (Cohen). p: two-sample t-test, as in Sharma et al. 2018, "
        "Table 2; the interval and the paired p take both endings of a case together. Corrected: for "
        f"the {sum(row['paired_p'] is not None for row in rows)} tests of the column (Holm 1979)."
    ]
    return Table(f"{name}, {n:,} cases", header, cells, " ".join(note))


def _against_the_paper(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    others = [
        f"{FEATURES[row['feature']]} (p here {p_value(row['p'])}, in the paper {p_value(row['paper']['p'])})"
        for row in rows
        if has_other_sign(row)
    ]
    return [f"Unlike in the paper, the difference has the other sign in: {', '.join(others)}."] if others else []
