"""EndingReg: chooses by the style of the endings alone. Sharma et al. 2018, section 4 and table 3."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, endings
from denouement.cloze.pairwise import group, right_endings
from denouement.cloze.resources import Resources
from denouement.text.complexity import yngve
from denouement.text.sentiment import vader
from denouement.text.syntax import Parse

VARIANTS: dict[str, tuple[str, ...]] = {
    "": ("style", "ngrams", "pos", "characters"),
    "style": ("style",),
    "ngrams": ("ngrams",),
    "pos": ("pos",),
    "characters": ("characters",),
}
"""The groups of features each variant uses: all of them, then the columns of the paper's table 3."""

STRENGTHS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2)
"""The grid of C, the inverse strength of the L2 penalty, for features with a variance of 1."""

_CHARACTERS = 4


@dataclass
class EndingReg(ClozeSystem):
    """Logistic regression on features of the endings; the context is not read.

    Features: number of tokens, VADER's compound and Yngve's complexity (group `style`); how often each n-gram of tokens
    with their parts of speech (`ngrams`), of parts of speech alone (`pos`) and of four characters (`characters`) stands
    in the ending, for those seen at least `min_count` times in the endings fitted to. All are scaled to a variance of
    1. An ending's score is the product of its features and the weights, which makes the difference of two scores the
    log-odds of the first ending being right.

    Differences from the paper, which fits to endings, each an example of its own: here the examples are the differences
    between the endings of a case (a conditional logistic regression; as accurate, and faster). It leaves open how long
    its n-grams are, and says nothing about scaling: both were chosen by cross-validation on v1.0 validation.
    Complexity is that of dependency trees (`denouement.text.complexity`).

    Attributes:
        order: the longest n-grams of tokens and of parts of speech; marks of begin and end count as tokens.
        min_count: an n-gram seen less often in the endings fitted to is no feature.
        n_folds: the strength of the penalty is the one with the best accuracy in a cross-validation inside the cases
            fitted to, of so many folds.
    """

    name: ClassVar[str] = "ending_reg"
    learns_from_cases: ClassVar[bool] = True

    order: int = 3
    min_count: int = 5
    n_folds: int = 5

    # What `fit` learns: from features to columns, and of each variant its columns and their weights.
    _columns: Any = field(default=None, init=False, repr=False)
    _scaler: Any = field(default=None, init=False, repr=False)
    _models: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for key, least in {"order": 1, "min_count": 1, "n_folds": 2}.items():
            if getattr(self, key) < least:
                raise ValueError(f"{key} must be at least {least}, not {getattr(self, key)}")

    def fit(self, cases: pa.Table, resources: Resources) -> None:
        """Learn from labelled cases.

        Raises:
            UserError: fewer of them than twice `n_folds`.
        """
        from sklearn.feature_extraction import DictVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, StratifiedKFold
        from sklearn.preprocessing import StandardScaler

        right = right_endings(cases, self.n_folds, self.name)
        features = self.features(endings(cases), resources)
        self._columns = DictVectorizer().fit(features)
        counts = np.asarray(self._columns.transform(features).sum(axis=0)).ravel()
        is_style = np.array([group(name) == "style" for name in self._columns.get_feature_names_out()])
        self._columns.restrict(is_style | (counts >= self.min_count))
        self._scaler = StandardScaler(with_mean=False).fit(self._columns.transform(features))

        # A difference with the label 1 is the same to the model as its negative with the label 0, so half are turned.
        vectors = self._vectors(features)
        is_turned = np.arange(cases.num_rows) % 2 == 1
        first = np.where(is_turned == (right == 2), 0, 1)
        rows = 2 * np.arange(cases.num_rows)
        differences = vectors[rows + first] - vectors[rows + 1 - first]
        groups = np.array([group(name) for name in self._columns.get_feature_names_out()])
        self._models = {}
        for variant, wanted in VARIANTS.items():
            columns = np.flatnonzero(np.isin(groups, wanted))
            search = GridSearchCV(
                LogisticRegression(solver="liblinear", fit_intercept=False),
                {"C": STRENGTHS},
                cv=StratifiedKFold(self.n_folds, shuffle=True, random_state=resources.seed),
            )
            weights = search.fit(differences[:, columns], ~is_turned).best_estimator_.coef_.ravel()
            self._models[variant] = (columns, weights)

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """The scores by all features, and by each group of features alone (`VARIANTS`)."""
        vectors = self._vectors(self.features(endings(cases), resources, counted=True))
        return {
            variant: (vectors[:, columns] @ weights).reshape(-1, 2)
            for variant, (columns, weights) in self._models.items()
        }

    def weights(self) -> list[tuple[str, float]]:
        """All features with their weights, the strongest first; those of weight 0 are left out.

        A weight above 0 speaks for a right ending: so much more log-odds for each standard deviation of the feature.
        """
        columns, weights = self._models[""]
        names = self._columns.get_feature_names_out()[columns]
        named = [(str(name), float(weight)) for name, weight in zip(names, weights, strict=True) if weight]
        return sorted(named, key=lambda item: (-abs(item[1]), item[0]))

    def features(self, texts: Sequence[str], resources: Resources, counted: bool = False) -> list[dict[str, float]]:
        """Of each ending its features by name; those of syntax are 0 without a parse, which is noted if `counted`."""
        parses = resources.parse(texts)
        unparsed = sum(not parses[text].words for text in texts)
        if counted and unparsed:
            resources.notes["ending_reg: endings without a parse"] += unparsed
        compounds = vader(texts, workers=1)[:, 0]
        return [
            _features(text, parses[text], float(compound), self.order)
            for text, compound in zip(texts, compounds, strict=True)
        ]

    def _vectors(self, features: Sequence[dict[str, float]]) -> Any:
        """Sparse float64 [endings, columns], scaled."""
        return self._scaler.transform(self._columns.transform(features)).tocsr()


def _features(ending: str, parse: Parse, compound: float, order: int) -> dict[str, float]:
    """The features of an ending, each name beginning with that of its group."""
    counts = Counter(f"characters {ending[at : at + _CHARACTERS]}" for at in range(len(ending) - _CHARACTERS + 1))
    if parse.words:
        tokens = [f"{word}/{tag}" for word, tag in zip(parse.words, parse.tags, strict=True)]
        counts.update(f"ngrams {gram}" for gram in _ngrams(tokens, order))
        counts.update(f"pos {gram}" for gram in _ngrams(parse.tags, order))
    style = {"tokens": float(len(parse.words)), "compound": compound, "yngve": yngve(parse)}
    return {f"style {name}": value for name, value in style.items()} | dict(counts)


def _ngrams(words: Sequence[str], order: int) -> Iterator[str]:
    """The n-grams up to `order` of the words between a mark of the begin and one of the end."""
    marked = ["<s>", *words, "</s>"]
    for n in range(1, order + 1):
        for start in range(len(marked) - n + 1):
            yield " ".join(marked[start : start + n])
