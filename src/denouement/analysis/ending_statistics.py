"""Right against wrong endings, feature by feature: Sharma et al. 2018, section 3, Table 2."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement.analysis.comparison import Contrast, Values, compare
from denouement.corpus.cases import n_endings, right_and_wrong
from denouement.multiple_tests import holm
from denouement.papers import published
from denouement.text.complexity import frazier, yngve
from denouement.text.sentences import split_sentences
from denouement.text.sentiment import compound, five_point
from denouement.text.syntax import Parses
from denouement.text.treebank import treebank_tokens

DIFFERS = {
    "tokens": "NLTK's word tokenizer, as in the paper: the full stop counts, cannot is two words",
    "five_point": "TextBlob's polarity cut into 1 to 5, for Stanford CoreNLP's classes, whose scale begins at 0",
    "vader": "the same analyzer as in the paper, VADER",
    "frazier": "on dependency trees of spaCy, so that its level differs from the paper's",
    "yngve": "as Frazier's",
}
"""By feature how it is measured, and how that differs from the paper."""


@dataclass(frozen=True)
class PublishedContrast:
    """The published means of a feature in right and wrong endings, and p of the two-sample t-test."""

    right: float
    wrong: float
    p: float


@dataclass(frozen=True, kw_only=True)
class FeatureContrast(Contrast):
    """A feature in right and wrong endings.

    Attributes:
        feature: a key of `DIFFERS`.
        paired_p_holm: the paired p corrected for the number of features tested (`multiple_tests.holm`).
        paper: the published values; None unless all cases are of v1.0.
    """

    feature: str
    paired_p_holm: float | None
    paper: PublishedContrast | None

    @property
    def has_other_sign(self) -> bool:
        """Whether there is a difference, and a published one, and their signs differ."""
        if self.paper is None or self.difference is None:
            return False
        return self.difference * (self.paper.right - self.paper.wrong) < 0


def ending_features(endings: Sequence[str], parses: Parses | None) -> dict[str, Values]:
    """float64 [n] by feature: the keys of `DIFFERS`, those of syntax only with `parses`."""
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


def ending_statistics(cases: pa.Table, parses: Parses | None) -> list[FeatureContrast]:
    """Compare each feature in right and wrong endings of labelled cases.

    Args:
        cases: rows of the table `cloze`.
        parses: of all endings; without, the features of syntax are left out.
    """
    right, wrong = (column.to_pylist() for column in right_and_wrong(cases))
    features = ending_features(right + wrong, parses)
    n = cases.num_rows
    of_paper: dict[str, PublishedContrast] = {}
    if pc.unique(cases["release"]).to_pylist() == ["v1.0"]:
        for name, of in published("sharma_2018", "Table 2").items():
            of_paper[name] = PublishedContrast(*(float(of[key]) for key in ("right", "wrong", "p")))
    n_wrong = n_endings(cases) - 1
    found = {name: compare(features[name][:n], features[name][n:], n_wrong) for name in DIFFERS if name in features}
    tested = {name: contrast.paired_p for name, contrast in found.items() if contrast.paired_p is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    return [
        FeatureContrast(**vars(contrast), feature=name, paired_p_holm=corrected.get(name), paper=of_paper.get(name))
        for name, contrast in found.items()
    ]
