"""Right against wrong endings, feature by feature: Sharma et al. 2018, section 3, Table 2."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.comparison import Values, compare
from denouement.corpus.cases import right_and_wrong
from denouement.multiple_tests import holm
from denouement.text.complexity import frazier, yngve
from denouement.text.sentences import split_sentences
from denouement.text.sentiment import compound, five_point
from denouement.text.syntax import Parses
from denouement.text.treebank import treebank_tokens

PUBLISHED: dict[str, dict[str, float]] = {
    "tokens": {"right": 8.705, "wrong": 8.466, "p": 6.63e-5},
    "five_point": {"right": 2.04, "wrong": 2.02, "p": 0.526},
    "vader": {"right": 0.146, "wrong": 0.011, "p": 3.48e-54},
    "frazier": {"right": 1.09, "wrong": 1.08, "p": 0.135},
    "yngve": {"right": 1.15, "wrong": 1.17, "p": 0.089},
}
"""Sharma et al. 2018, Table 2: validation and test of v1.0 (3,742 cases)."""

DIFFERS = {
    "tokens": "NLTK's word tokenizer, as in the paper: the full stop counts, cannot is two words",
    "five_point": "TextBlob's polarity cut into 1 to 5, for Stanford CoreNLP's classes, whose scale begins at 0",
    "vader": "the same analyzer as in the paper, VADER",
    "frazier": "on dependency trees of spaCy, so that its level differs from the paper's",
    "yngve": "as Frazier's",
}
"""Of each feature where it is measured otherwise than in the paper."""


def ending_features(endings: Sequence[str], parses: Parses | None) -> dict[str, Values]:
    """float64 [n] by feature: the keys of `PUBLISHED`, those of syntax only with `parses`."""
    features = {
        "tokens": np.array([n_tokens(ending) for ending in endings], float),
        "vader": compound(endings).round(4),
        "five_point": five_point(endings),
    }
    if parses is not None:
        features["yngve"] = np.array([yngve(parses[ending]) for ending in endings], float)
        features["frazier"] = np.array([frazier(parses[ending]) for ending in endings], float)
    return features


def n_tokens(text: str) -> int:
    """How many tokens NLTK's `word_tokenize` makes of a text of one or more sentences.

    Sentences are those of `text.sentences` instead of NLTK's model (Punkt), which must be downloaded. With either, each
    of the 6,722 different endings of v1.0 validation and v1.5 validation and test has the same number.
    """
    return sum(len(treebank_tokens(sentence)) for sentence in split_sentences(text))


def ending_statistics(cases: pa.Table, parses: Parses | None) -> list[dict[str, Any]]:
    """A row a feature, for labelled cases.

    Args:
        cases: rows of the table `cloze`.
        parses: of all endings; without, the features of syntax are left out.

    Returns:
        Rows `feature`, and what `compare` returns; `paired_p_holm`, the paired p corrected for the number of tests
        (`multiple_tests.holm`); and `paper` (`PUBLISHED`), None unless all cases are of v1.0.
    """
    right, wrong = (column.to_pylist() for column in right_and_wrong(cases))
    features = ending_features(right + wrong, parses)
    n = cases.num_rows
    is_published = pc.unique(cases["release"]).to_pylist() == ["v1.0"]
    rows = [
        {"feature": name, **compare(features[name][:n], features[name][n:])} for name in PUBLISHED if name in features
    ]
    tested = [row for row in rows if row["paired_p"] is not None]
    corrected = dict(zip([row["feature"] for row in tested], holm([row["paired_p"] for row in tested]), strict=True))
    return [
        {
            **row,
            "paired_p_holm": corrected.get(row["feature"]),
            "paper": PUBLISHED[row["feature"]] if is_published else None,
        }
        for row in rows
    ]


def has_other_sign(row: Mapping[str, Any]) -> bool:
    """Whether there is a difference, and a published one, and they have not the same sign."""
    if row["paper"] is None:
        return False
    published = row["paper"]["right"] - row["paper"]["wrong"]
    return row["difference"] is not None and row["difference"] * published < 0
