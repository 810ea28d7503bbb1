"""EndingReg: chooses by the style of the endings alone. Sharma et al. 2018, section 4 and table 3."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.base import ClozeSystem, Scores, by_case, endings
from denouement.cloze.evaluation.calibration import slope
from denouement.cloze.evaluation.cross_validation import story_folds
from denouement.cloze.parts.pairwise import Pairs, fit_differences, group, inverse, pairs_to_learn, spreads
from denouement.cloze.resources import Resources
from denouement.settings import at_least
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

Form = Literal["per_ending", "pairwise"]

STRENGTHS: dict[Form, tuple[float, ...]] = {
    "per_ending": (0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
    "pairwise": (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2),
}
"""By form the grid of C, the inverse strength of the L2 penalty, the strongest penalty first."""

_CHARACTERS = 4


class Model(NamedTuple):
    """What was learned from a group of features or several.

    Attributes:
        columns: int64 [features], their places among all features.
        weights: float64 [features].
        strength: C.
        margins: float64 [pairs], the score of the right ending less that of a wrong one (`Pairs`), of each case fitted
            to when it was held out.
    """

    columns: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    strength: float
    margins: npt.NDArray[np.float64]


@dataclass
class EndingReg(ClozeSystem):
    """Logistic regression on features of the endings; the context is not read.

    Features: number of tokens, VADER's compound and Yngve's complexity (group `style`); how often each n-gram of tokens
    with their parts of speech (`ngrams`), of parts of speech alone (`pos`) and of four characters (`characters`) occurs
    in the ending, for those seen at least `min_count` times in the endings fitted to.

    As in the paper, each ending is an example of its own, right or wrong, its features are taken as they are, and the
    ending of a case with the higher probability of being right is chosen. A score is the log-odds of that probability
    less the intercept, which is the same for all endings: so the difference of two scores is the log-odds of the first
    ending being right, given that one of them is (`slope` calibrates it).

    What the paper leaves open: it fits "an L2 penalty" by "a grid search". Here C has the least loss in a
    cross-validation inside the cases fitted to: the mean of minus the log-probability of the right ending, given that
    one of the case's is. The grid is left at the first rise. Nor does it say how long its n-grams are (`order`).
    Complexity is that of dependency trees (`denouement.text.complexity`), the paper's of constituents.

    Variants: those of `VARIANTS`; with `form: pairwise` each has "pairwise" before its name, as the paper has no such
        variants.

    Attributes:
        form: `per_ending`, as the paper; or `pairwise`, where examples are the differences between the right and each
            wrong ending of a case, and features have a variance of 1 (conditional logistic regression).
        order: the longest n-grams of tokens and of parts of speech; marks of begin and end count as tokens.
        min_count: an n-gram seen less often in the endings fitted to is no feature.
        n_folds: of the cross-validation inside the cases fitted to. The endings of a case, and cases of one story,
            are in one fold.
    """

    name: ClassVar[str] = "ending_reg"
    learns_from_cases: ClassVar[bool] = True
    only_english: ClassVar[bool] = True

    form: Form = "per_ending"
    order: int = 3
    min_count: int = 5
    n_folds: int = 5

    # What `fit` learns: from features to columns, what these are multiplied by and how much they then vary, models.
    _columns: Any = field(default=None, init=False, repr=False)
    _scale: Any = field(default=None, init=False, repr=False)
    _spreads: Any = field(default=None, init=False, repr=False)
    _models: dict[str, Model] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        at_least(self, 1, "order", "min_count")
        at_least(self, 2, "n_folds")

    def fit(self, cases: pa.Table, resources: Resources) -> None:
        """Learn from labelled cases.

        Raises:
            MissingResourceError: fewer of them than twice `n_folds`, or of their stories than `n_folds`.
        """
        from scipy.sparse import diags_array
        from sklearn.feature_extraction import DictVectorizer

        pairs = pairs_to_learn(cases, self.n_folds, self.name)
        self._columns = DictVectorizer()
        vectors = self._columns.fit_transform(self._features_of(cases, resources)).tocsc()
        groups = np.array([group(name) for name in self._columns.get_feature_names_out()])
        is_kept = (groups == "style") | (np.asarray(vectors.sum(axis=0)).ravel() >= self.min_count)
        self._columns.restrict(is_kept)
        vectors, groups = vectors[:, is_kept], groups[is_kept]
        self._scale = inverse(spreads(vectors)) if self.form == "pairwise" else np.ones(len(groups))
        vectors = (vectors @ diags_array(self._scale)).tocsr()
        self._spreads = spreads(vectors)

        fold_of = story_folds(cases, self.n_folds, resources.seed)
        self._models = {}
        for variant, wanted in VARIANTS.items():
            columns = np.flatnonzero(np.isin(groups, wanted))
            examples = _Examples(self.form, vectors[:, columns], pairs, resources.seed)
            self._models[variant] = Model(columns, *_best(examples, STRENGTHS[self.form], fold_of))

    def score(self, cases: pa.Table, resources: Resources) -> dict[str, Scores]:
        """The scores by all features, and by each group of features alone."""
        features = self._features_of(cases, resources)
        if unparsed := sum(not each["style tokens"] for each in features):
            resources.notes["ending_reg: endings without a parse"] += unparsed
        vectors = self._columns.transform(features).tocsr()
        prefix = "pairwise " if self.form == "pairwise" else ""
        return {
            f"{prefix}{variant}".strip(): by_case(
                vectors[:, model.columns] @ (self._scale[model.columns] * model.weights), cases
            )
            for variant, model in self._models.items()
        }

    @property
    def slope(self) -> float:
        """What the difference of two scores by all features is multiplied by to be calibrated (`calibration.slope`).

        It comes from held-out cases among those fitted to, so that no case influences its own probability.
        """
        return slope(self._models[""].margins)

    def weights(self) -> list[tuple[str, float]]:
        """All features with their weights, the strongest first; those of weight 0 are left out.

        A weight above 0 speaks for a right ending: it is the rise of the log-odds for each standard deviation of the
        feature.
        """
        model = self._models[""]
        names = self._columns.get_feature_names_out()[model.columns]
        values = model.weights * self._spreads[model.columns]
        named = [(str(name), float(value)) for name, value in zip(names, values, strict=True) if value]
        return sorted(named, key=lambda item: (-abs(item[1]), item[0]))

    def features(self, texts: Sequence[str], resources: Resources) -> list[dict[str, float]]:
        """Of each ending its features by name; those of syntax are 0 without a parse."""
        parses = resources.parse(texts)
        compounds = vader(texts, workers=1)[:, 0]
        return [
            _features(text, parses[text], float(compound), self.order)
            for text, compound in zip(texts, compounds, strict=True)
        ]

    def _features_of(self, cases: pa.Table, resources: Resources) -> list[dict[str, float]]:
        """The features of all endings of each case, made once a case, however many folds have it."""
        key = (self.name, "features", self.order)
        return resources.once_an_ending(key, cases, lambda new: self.features(endings(new), resources))


class _Examples:
    """Labelled cases as examples of one form.

    Attributes:
        pairs: of endings.
        differences: sparse float64 [pairs, features], the right ending less the wrong one.
    """

    def __init__(self, form: Form, vectors: Any, pairs: Pairs, seed: int) -> None:
        """Keep the cases.

        Args:
            form: see `EndingReg`.
            vectors: sparse float64 [endings, features], all of the first case, all of the second ...
            pairs: of these endings.
            seed: draws the order in which differences are visited.
        """
        self.pairs = pairs
        self.differences = (vectors[pairs.right] - vectors[pairs.wrong]).tocsr()
        self._form, self._vectors, self._seed = form, vectors, seed

    def weights(self, some: npt.NDArray[np.bool_], strength: float) -> npt.NDArray[np.float64]:
        """The weights of a logistic regression, float64 [features], learned from the pairs `some` (bool [pairs])."""
        from sklearn.linear_model import LogisticRegression

        if self._form == "pairwise":
            return fit_differences(self.differences[some], strength, self._seed)
        if not self._vectors.shape[1]:
            return np.zeros(0)
        right = np.unique(self.pairs.right[some])
        endings = np.sort(np.concatenate([right, self.pairs.wrong[some]]))
        model = LogisticRegression(C=strength, solver="liblinear", tol=1e-2, max_iter=1000)
        return np.asarray(model.fit(self._vectors[endings], np.isin(endings, right)).coef_.ravel(), np.float64)


def _best(
    examples: _Examples, strengths: Sequence[float], fold_of: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], float, npt.NDArray[np.float64]]:
    """Weights, strength and margins (see `Model`) of the first strength of the grid that the next does not improve on.

    Args:
        examples: to learn from.
        strengths: the grid.
        fold_of: int64 [n], the fold of each case; each is held out once.
    """
    fold_of_pair = fold_of[examples.pairs.case]
    best, least = (strengths[0], np.zeros(len(fold_of_pair))), np.inf
    for strength in strengths:
        margins = np.empty(len(fold_of_pair))
        for fold in np.unique(fold_of):
            held_out = fold_of_pair == fold
            margins[held_out] = examples.differences[held_out] @ examples.weights(~held_out, strength)
        loss = float(examples.pairs.losses(margins).mean())
        if loss >= least:
            break
        best, least = (strength, margins), loss
    strength, margins = best
    return examples.weights(np.ones(len(fold_of_pair), bool), strength), strength, margins


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
