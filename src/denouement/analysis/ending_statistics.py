"""Right against wrong endings, feature by feature: Sharma et al. 2018, section 3, Table 2."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from denouement.analysis.comparison import Values, compare
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


def has_other_sign(row: Mapping[str, Any]) -> bool:
    """Whether there is a difference, and it has not the sign of the paper's."""
    published = row["paper"]["right"] - row["paper"]["wrong"]
    return row["difference"] is not None and row["difference"] * published < 0
