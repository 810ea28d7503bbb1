"""Right against wrong endings, feature by feature: Sharma et al. 2018, section 3, Table 2."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.corpus.cases import right_and_wrong
from denouement.text.complexity import frazier, yngve
from denouement.text.sentiment import compound, five_point
from denouement.text.syntax import NoParserError, Parses, parse
from denouement.text.words import tokenize

PUBLISHED: dict[str, dict[str, float]] = {
    "tokens": {"right": 8.705, "wrong": 8.466, "p": 6.63e-5},
    "five_point": {"right": 2.04, "wrong": 2.02, "p": 0.526},
    "vader": {"right": 0.146, "wrong": 0.011, "p": 3.48e-54},
    "frazier": {"right": 1.09, "wrong": 1.08, "p": 0.135},
    "yngve": {"right": 1.15, "wrong": 1.17, "p": 0.089},
}
"""Sharma et al. 2018, Table 2: validation and test of v1.0 (3,742 cases)."""

DIFFERS = {
    "tokens": "words of our Penn Treebank tokenizer, the full stop counting",
    "five_point": "TextBlob's polarity cut into 1 to 5, for Stanford CoreNLP's classes, whose scale begins at 0",
    "vader": "the same analyzer as in the paper, VADER",
    "frazier": "on dependency trees of spaCy, so that its level differs from the paper's",
    "yngve": "as Frazier's",
}
"""Of each feature where it is measured otherwise than in the paper."""

Values = npt.NDArray[np.float64]


def ending_features(endings: Sequence[str], parses: Parses | None) -> dict[str, Values]:
    """float64 [n] by feature: the keys of `PUBLISHED`, those of syntax only with `parses`."""
    features = {
        "tokens": np.array([len(tokenize(ending)) for ending in endings], float),
        "vader": compound(endings).round(4),
        "five_point": five_point(endings),
    }
    if parses is not None:
        features["yngve"] = np.array([yngve(parses[ending]) for ending in endings], float)
        features["frazier"] = np.array([frazier(parses[ending]) for ending in endings], float)
    return features


def ending_statistics(cases: pa.Table, cache: Path | None) -> list[dict[str, Any]]:
    """A row a feature, for the labelled cases of one release and split.

    Returns:
        Rows `feature`, and what `compare` returns, and `paper` (`PUBLISHED`). Without a parser those of syntax are
        left out.
    """
    right, wrong = (column.to_pylist() for column in right_and_wrong(cases))
    try:
        parses = parse(right + wrong, cache / "parses.parquet" if cache else None)
    except NoParserError:
        parses = None
    features = ending_features(right + wrong, parses)
    n = cases.num_rows
    return [
        {"feature": name, **compare(features[name][:n], features[name][n:]), "paper": PUBLISHED[name]}
        for name in PUBLISHED
        if name in features
    ]


def compare(right: Values, wrong: Values) -> dict[str, Any]:
    """The means of a feature in right and wrong endings of the same cases, and how sure their difference is.

    The two-sample test is Student's, as published. It takes all endings for independent, which the two of a case are
    not; the interval and the paired test take account of that.

    Returns:
        `n` cases; means `right`, `wrong`; `difference` with its 95% interval `low`, `high` (Student's t, paired by
        case); `t`, `p` of the two-sample test; `paired_t`, `paired_p`; `effect`: Cohen's d, the difference in units of
        the pooled standard deviation, with its 95% interval `effect_low`, `effect_high`, of the paired interval in the
        same units. None where there are fewer than two cases or nothing varies.
    """
    from scipy import stats

    n = len(right)
    found: dict[str, Any] = {"n": n, "right": None, "wrong": None, "difference": None}
    found |= dict.fromkeys(
        ("low", "high", "t", "p", "paired_t", "paired_p", "effect", "effect_low", "effect_high"), None
    )
    if not n:
        return found
    differences = right - wrong
    found |= {"right": float(right.mean()), "wrong": float(wrong.mean()), "difference": float(differences.mean())}
    if n < 2:
        return found
    if np.ptp(differences):
        paired = stats.ttest_1samp(differences, 0.0)
        interval = paired.confidence_interval(0.95)
        found |= {
            "low": float(interval.low),
            "high": float(interval.high),
            "paired_t": float(paired.statistic),
            "paired_p": float(paired.pvalue),
        }
    deviation = float(np.sqrt((right.var(ddof=1) + wrong.var(ddof=1)) / 2))
    if deviation:
        test = stats.ttest_ind_from_stats(right.mean(), right.std(ddof=1), n, wrong.mean(), wrong.std(ddof=1), n)
        found |= {"t": float(test.statistic), "p": float(test.pvalue), "effect": found["difference"] / deviation}
        if found["low"] is not None:
            found |= {"effect_low": found["low"] / deviation, "effect_high": found["high"] / deviation}
    return found


def has_other_sign(row: Mapping[str, Any]) -> bool:
    """Whether there is a difference, and it has not the sign of the paper's."""
    published = row["paper"]["right"] - row["paper"]["wrong"]
    return row["difference"] is not None and row["difference"] * published < 0
