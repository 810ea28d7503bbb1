"""Learns a preference model, and says by cross-validation over stories how often it is right."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement.cloze.evaluation.calibration import BINS
from denouement.cloze.evaluation.cross_validation import folds
from denouement.cloze.parts.vectors import Floats
from denouement.console import progress
from denouement.errors import UserError
from denouement.metrics.agreement.picking import Picked, PickedByElement, picked, picked_by_element, winners_named
from denouement.metrics.agreement.values import Ending, Grid
from denouement.metrics.agreement.with_people import named_in_reasons
from denouement.metrics.preference.features import Features
from denouement.metrics.preference.model import PreferenceModel, best_penalty, fitted, half_widths, losses, scales
from denouement.metrics.preference.pairs import JudgedPairs
from denouement.settings import at_least
from denouement.study.results.clustered import mean_with_interval
from denouement.study.results.crossed import Clusters

MODEL, LONGER, BEST = "preference model", "longer ending", "best single score"

FEWEST_STORIES = 10
"""With fewer stories nothing is learned: each fold would have one or two."""

PAIRS_PER_WEIGHT = 10
"""With fewer pairs for each score, the weights of an element are chance."""

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PreferenceSettings:
    """How a preference model is learned.

    Attributes:
        folds: of the cross-validation over stories, three or more: the penalty is chosen in all but one of them.
        draws: of stories, for the intervals.
        seed: of both.
    """

    folds: int = 5
    draws: int = 1000
    seed: int = 1

    def __post_init__(self) -> None:
        at_least(self, 3, "folds")
        at_least(self, 100, "draws")


@dataclass(frozen=True)
class BetterThan:
    """By how much the model is right more often than a rule.

    Attributes:
        rule: `LONGER` or `BEST`.
        pairs: those that people decide, and of which both rules say something.
        difference: of the shares of right pairs.
        low, high: its 95% interval over other stories; None without one.
        why_not: why there is no interval, as a clause; None where there is one.
    """

    rule: str
    pairs: int
    difference: float
    low: float | None
    high: float | None
    why_not: str | None


@dataclass(frozen=True)
class PredictedShare:
    """The pairs whose likelier ending has a probability between two edges.

    Attributes:
        pairs: how many.
        predicted: the mean probability.
        observed: how much of what people say is for the likelier endings.
        low, high: 95% interval of `observed` over other stories; None without one.
    """

    pairs: int
    predicted: float
    observed: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ScoreWeight:
    """What a score adds to the log-odds, in the model that learned from all pairs.

    Attributes:
        score: its name.
        typical: the root mean square of its differences between the endings of a pair.
        weight: what a typical difference adds.
        low, high: its 95% interval over other stories, with the same penalty.
    """

    score: str
    typical: float
    weight: float
    low: float
    high: float


@dataclass(frozen=True)
class ElementWeights:
    """What scores add to the log-odds where the reasons of those who chose the winner name an element.

    Attributes:
        element: what the reasons name.
        pairs, stories: how many name it.
        weights: a row a score, in a model of these pairs and the scores alone; empty where there are too few pairs.
        why_not: why there are no weights, as a clause; None where there are.
    """

    element: str
    pairs: int
    stories: int
    weights: list[ScoreWeight]
    why_not: str | None


@dataclass(frozen=True)
class LearnedPreference:
    """What was learned, and how often it is right about stories that it did not learn from.

    Attributes:
        question: what people were asked, or by which criterion they rated; None where that is not known.
        other_questions: those in the same file that this is not about.
        pairs, stories: how many it learned from.
        people_tied: how many of the pairs people prefer neither ending of.
        scores: which it reads.
        encoder: whose sentence vectors it reads too; None: of none.
        settings: how it was learned.
        penalty: of the model that learned from all pairs.
        left_out: a sentence for each kind of pairs or rows that do not count.
        picked: a row a rule: `MODEL`, `LONGER` where lengths are known, `BEST` where there are scores.
        chosen: which score was the best single one, by how many folds.
        better_than: a row a rule that is no model.
        loss: the mean cross-entropy of pairs, in nats; log 2 where every probability is a half.
        calibration: by probability, of all pairs.
        weights: a row a score.
        by_element: a row an element of reasons and rule; empty without reasons.
        element_weights: a row an element of reasons; empty without reasons, or without scores.
        test_stories: stories of the test pairs, 0 without any.
        test: as `picked`, of the test pairs, by the model that learned from all other pairs.
    """

    question: str | None
    other_questions: list[str]
    pairs: int
    stories: int
    people_tied: int
    scores: list[str]
    encoder: str | None
    settings: PreferenceSettings
    penalty: float
    left_out: list[str]
    picked: list[Picked]
    chosen: dict[str, int]
    better_than: list[BetterThan]
    loss: float
    calibration: list[PredictedShare]
    weights: list[ScoreWeight]
    by_element: list[PickedByElement]
    element_weights: list[ElementWeights]
    test_stories: int
    test: list[Picked]


@dataclass(frozen=True)
class _Data:
    """Pairs of which all features are known, as numbers.

    Attributes:
        judged: the pairs.
        endings: of the pairs.
        features: of `endings`.
        first, second: int64 [pairs]: places in `endings`.
        story: int64 [pairs].
        digests: by story its text of `JudgedPairs.stories`.
    """

    judged: JudgedPairs
    endings: list[Ending]
    features: Features
    first: Places
    second: Places
    story: Places
    digests: list[str]

    @cached_property
    def differences(self) -> Floats:
        """float64 [pairs, features]."""
        return self.features.values[self.first] - self.features.values[self.second]


def learn(
    judged: JudgedPairs,
    features: Features,
    encoder: str | None,
    settings: PreferenceSettings,
    elements: pa.Table | None = None,
    test: tuple[JudgedPairs, Features] | None = None,
) -> tuple[PreferenceModel, LearnedPreference]:
    """Learn from all pairs, and measure on stories that were held out.

    Args:
        judged: pairs of endings and what people say.
        features: of `judged.endings`.
        encoder: whose vectors are among them; None: of none.
        settings: how it is learned.
        elements: the table `reason_elements` of the same votes; None without one.
        test: further pairs with their features. Those of stories that are learned from are left out.

    Returns:
        The model without the digests of its files, and what is known of it.

    Raises:
        UserError: too few stories, folds or preferences; elements of other votes, or test pairs of the same stories.
    """
    left_out = list(judged.left_out)
    data = _complete(judged, features, left_out)
    reasons = None
    if elements is not None:
        if judged.people is None:
            raise UserError("--elements: reasons are for votes; give votes, or leave it out")
        reasons = winners_named(data.judged.pairs, named_in_reasons(elements, judged.people))
    n_stories = len(data.digests)
    if n_stories < max(FEWEST_STORIES, settings.folds):
        raise UserError(
            f"{judged.source}: {n_stories} {'story has' if n_stories == 1 else 'stories have'} compared endings with "
            f"all scores; at least {max(FEWEST_STORIES, settings.folds)} are needed for {settings.folds} folds"
            + "".join(f"; {sentence}" for sentence in left_out)
            + ("; read those alone that all endings have (--score)" if n_stories < len(set(judged.stories())) else "")
        )
    if not data.judged.pairs.prefers.any():
        raise UserError(f"{judged.source}: people prefer neither ending in every pair, which teaches nothing")
    fold_of = folds(n_stories, settings.folds, settings.seed)[data.story]
    rules, margins, chosen = _held_out(data, fold_of, features)
    grid = _grid(data, rules)
    draws = np.random.default_rng(settings.seed)
    rows = picked(grid, data.judged.pairs, settings.draws, draws)
    penalty = best_penalty(*_scaled(data), fold_of)
    model = _model(data, penalty, encoder)
    test_stories, of_test = _tested(test, data, model, settings, left_out) if test else (0, [])
    prefers = data.judged.pairs.prefers
    return model, LearnedPreference(
        question=judged.question,
        other_questions=list(judged.other_questions),
        pairs=len(prefers),
        stories=n_stories,
        people_tied=int((prefers == 0).sum()),
        scores=list(features.scores),
        encoder=encoder,
        settings=settings,
        penalty=penalty,
        left_out=left_out,
        picked=rows,
        chosen=chosen,
        better_than=[_better(name, rules, data) for name in rules if name != MODEL],
        loss=float(losses(margins, data.judged.share).mean()),
        calibration=_calibration(margins, data),
        weights=_weights(data, penalty),
        by_element=[]
        if reasons is None
        else picked_by_element(grid, data.judged.pairs, reasons, settings.draws, draws),
        element_weights=_by_element(data, reasons or {}, penalty) if features.scores else [],
        test_stories=test_stories,
        test=of_test,
    )


def _complete(
    judged: JudgedPairs, features: Features, left_out: list[str], among: npt.NDArray[np.bool_] | None = None
) -> _Data:
    """The pairs `among` these of whose endings every feature is known; others of them are counted in `left_out`."""
    place_of = {ending: place for place, ending in enumerate(judged.endings)}
    if len(place_of) != len(features.values):
        raise ValueError("features of other endings than those of the pairs")
    lacks = np.isnan(features.values)
    ends = [[place_of[ending] for ending in of] for of in (judged.pairs.first, judged.pairs.second)]
    of_pairs = lacks[ends[0]] | lacks[ends[1]]
    wanted = np.ones(len(of_pairs), bool) if among is None else among
    kept = wanted & ~of_pairs.any(axis=1)
    if n_lacking := int((wanted & ~kept).sum()):
        per_score = zip(features.scores, of_pairs[wanted].sum(axis=0).tolist(), strict=False)
        named = ", ".join(f"{name} {n:,}" for name, n in per_score if n)
        left_out.append(f"{n_lacking:,} pairs in which an ending lacks a score are left out ({named})")
    judged = judged.where(kept.tolist())
    digests, story = np.unique(np.array(judged.stories(), dtype=str), return_inverse=True)
    first, second = (
        np.array([place_of[ending] for ending in of], np.int64) for of in (judged.pairs.first, judged.pairs.second)
    )
    return _Data(judged, list(place_of), features, first, second, story.astype(np.int64), digests.tolist())


def _scaled(data: _Data) -> tuple[Floats, Floats]:
    differences = data.differences
    return differences / scales(differences, len(data.features.scores)), data.judged.share


def _held_out(data: _Data, fold_of: Places, features: Features) -> tuple[dict[str, Floats], Floats, dict[str, int]]:
    """What each rule says of pairs whose stories it did not learn from.

    Returns:
        By rule float64 [pairs, 2], what it says of the first and the second ending; float64 [pairs], the log-odds of
        the model; and by score in how many folds it was the best.
    """
    values, n = features.values, len(fold_of)
    said = {MODEL: np.zeros((n, 2))}
    if features.lengths is not None:
        said[LONGER] = np.stack([features.lengths[data.first], features.lengths[data.second]], axis=1)
    if features.scores:
        said[BEST] = np.zeros((n, 2))
    chosen: dict[str, int] = {}
    for fold in progress(np.unique(fold_of).tolist(), "preference model", unit="fold"):
        out = fold_of == fold
        scale = scales(data.differences[~out], len(features.scores))
        scaled, share = data.differences[~out] / scale, data.judged.share[~out]
        weights = fitted(scaled, share, best_penalty(scaled, share, fold_of[~out])) / scale
        said[MODEL][out] = np.stack([values[data.first[out]] @ weights, values[data.second[out]] @ weights], axis=1)
        if features.scores:
            best, sign = _best_score(data, ~out)
            chosen[features.scores[best]] = chosen.get(features.scores[best], 0) + 1
            said[BEST][out] = sign * np.stack([values[data.first[out], best], values[data.second[out], best]], axis=1)
    return said, said[MODEL][:, 0] - said[MODEL][:, 1], dict(sorted(chosen.items(), key=lambda each: -each[1]))


def _best_score(data: _Data, of: npt.NDArray[np.bool_]) -> tuple[int, float]:
    """The place of the score that most often picks what people prefer in some pairs; -1 where less of it is better."""
    n_scores = len(data.features.scores)
    agrees = np.sign(data.differences[of][:, :n_scores]) * data.judged.pairs.prefers[of, None]
    balance = agrees.sum(axis=0)
    best = int(np.abs(balance).argmax()) if n_scores else 0
    return best, -1.0 if n_scores and balance[best] < 0 else 1.0


def _grid(data: _Data, rules: Mapping[str, Floats]) -> Grid:
    """What rules say of the endings, as scores of systems and items."""
    pairs = data.judged.pairs
    items, systems = (sorted({ending[part] for ending in data.judged.endings}) for part in (0, 1))
    column_of, row_of = ({name: at for at, name in enumerate(of)} for of in (items, systems))
    values = np.full((len(rules), len(systems), len(items)), np.nan)
    for side, endings in enumerate((pairs.first, pairs.second)):
        columns, rows = [column_of[item] for item, _ in endings], [row_of[system] for _, system in endings]
        for place, said in enumerate(rules.values()):
            values[place, rows, columns] = said[:, side]
    return Grid(items, systems, list(rules), values, np.full(values.shape[1:], np.nan))


def _right(said: Floats, prefers: Places) -> Floats:
    """float64 [pairs]: 1 where a rule says what people say, 0 where the opposite, a half where it says neither."""
    found: Floats = (1 + np.sign(np.round(said[:, 0] - said[:, 1], 12)) * prefers) / 2
    return found


def _better(rule: str, rules: Mapping[str, Floats], data: _Data) -> BetterThan:
    prefers = data.judged.pairs.prefers
    decided = prefers != 0
    gains = (_right(rules[MODEL], prefers) - _right(rules[rule], prefers))[decided]
    found = mean_with_interval(gains, Clusters(data.story[decided], None), (-1, 1))
    return BetterThan(rule, int(decided.sum()), found.mean, found.low, found.high, found.why_not)


def _calibration(margins: Floats, data: _Data) -> list[PredictedShare]:
    probability = 1 / (1 + np.exp(-np.abs(margins)))
    observed = np.where(margins >= 0, data.judged.share, 1 - data.judged.share)
    edges = [edge for edge in BINS if edge > 0.5]
    bin_of = np.digitize(probability, edges[:-1])
    rows = []
    for number in np.unique(bin_of).tolist():
        within = bin_of == number
        found = mean_with_interval(observed[within], Clusters(data.story[within], None), (0, 1))
        rows.append(
            PredictedShare(int(within.sum()), float(probability[within].mean()), found.mean, found.low, found.high)
        )
    return rows


def _model(data: _Data, penalty: float, encoder: str | None) -> PreferenceModel:
    """The model of all pairs, of features as they are."""
    scale = scales(data.differences, len(data.features.scores))
    weights = fitted(*_scaled(data), penalty) / scale
    used = np.unique(np.concatenate([data.first, data.second]))
    offset = float(data.features.values[used].mean(axis=0) @ weights)
    trained_on = frozenset(data.digests if data.judged.texts else ())
    return PreferenceModel(list(data.features.scores), encoder, None, weights, offset, trained_on, {}, {})


def _weights(data: _Data, penalty: float) -> list[ScoreWeight]:
    """The weights of scores beside each other and beside any vectors."""
    scaled, share = _scaled(data)
    return _of_scores(data, scaled, share, penalty, data.story) if data.features.scores else []


def _of_scores(data: _Data, scaled: Floats, share: Floats, penalty: float, story: Places) -> list[ScoreWeight]:
    """The weights of scores in a model of some of the pairs, whose features begin with the scores."""
    whole = fitted(scaled, share, penalty)
    half = half_widths(scaled, share, whole, penalty, np.unique(story, return_inverse=True)[1])
    typical = scales(data.differences, len(data.features.scores))
    return [
        ScoreWeight(
            name,
            float(typical[at]) if np.isfinite(typical[at]) else 0.0,
            float(whole[at]),
            float(whole[at] - half[at]),
            float(whole[at] + half[at]),
        )
        for at, name in enumerate(data.features.scores)
    ]


def _by_element(data: _Data, named: Mapping[str, frozenset[tuple[str, str]]], penalty: float) -> list[ElementWeights]:
    """The weights of scores, without vectors, in a model of the pairs whose reasons name an element."""
    n_scores = len(data.features.scores)
    scaled, share = _scaled(data)
    rows = []
    for element, ids in named.items():
        its = np.array([each in ids for each in data.judged.pairs.ids], bool)
        n, n_stories = int(its.sum()), len(np.unique(data.story[its]))
        why_not = None
        if n < PAIRS_PER_WEIGHT * n_scores:
            why_not = f"{n:,} pairs; {PAIRS_PER_WEIGHT} for each score are needed"
        elif n_stories < FEWEST_STORIES:
            why_not = f"{n_stories} stories; {FEWEST_STORIES} are needed"
        weights = [] if why_not else _of_scores(data, scaled[its, :n_scores], share[its], penalty, data.story[its])
        rows.append(ElementWeights(element, n, n_stories, weights, why_not))
    return rows


def _tested(
    test: tuple[JudgedPairs, Features],
    data: _Data,
    model: PreferenceModel,
    settings: PreferenceSettings,
    left_out: list[str],
) -> tuple[int, list[Picked]]:
    """The number of stories of test pairs that were not learned from, and how often each rule is right about them."""
    judged, features = test
    known = set(data.digests)
    is_new = [story not in known for story in judged.stories()]
    if not any(is_new):
        raise UserError(f"{judged.source}: all of its stories are learned from; test on others")
    left_out += [f"test: {sentence}" for sentence in judged.left_out]
    if n := len(is_new) - sum(is_new):
        left_out.append(f"test: {n:,} pairs of stories that are learned from are left out")
    of_test: list[str] = []
    own = _complete(judged, features, of_test, np.array(is_new, bool))
    left_out += [f"test: {sentence}" for sentence in of_test]
    rules = {MODEL: model.utilities(features.values)}
    if features.lengths is not None:
        rules[LONGER] = features.lengths
    if features.scores:
        best, sign = _best_score(data, np.ones(len(data.story), bool))
        rules[BEST] = sign * features.values[:, best]
    said = {name: np.stack([of[own.first], of[own.second]], axis=1) for name, of in rules.items()}
    draws = np.random.default_rng(settings.seed)
    return len(own.digests), picked(_grid(own, said), own.judged.pairs, settings.draws, draws)
