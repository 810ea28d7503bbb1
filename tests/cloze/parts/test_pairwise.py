import numpy as np
import pyarrow as pa
import pytest

from denouement.cloze.evaluation.cross_validation import folds
from denouement.cloze.parts.pairwise import Features, Pairs, Pairwise, Weights


def drawn(n: int, seed: int = 0) -> tuple[list[Features], np.ndarray]:
    """Endings with a telling measure, a misleading count of another group, and noise."""
    random = np.random.default_rng(seed)
    right = random.integers(1, 3, n).astype(np.int8)
    features: list[Features] = []
    for each in right:
        for place in (1, 2):
            is_right = place == each
            features.append({"sign it": 1000 * is_right + 500 * random.normal(), f"noise {random.integers(9)}": 1.0})
    return features, right


def cases(right: np.ndarray, n: int = 2) -> pa.Table:
    """What a table of cases with `n` endings each must have for the model."""
    return pa.table({"endings": [["x"] * n] * len(right), "right_ending": right})


def chosen(model: Pairwise, features: list[Features], weights: Weights) -> np.ndarray:
    return scored(model, features, weights).argmax(axis=1) + 1


def scored(model: Pairwise, features: list[Features], weights: Weights) -> np.ndarray:
    return model.score(features, cases(np.ones(len(features) // 2)), weights)


def test_learns_the_feature_of_right_endings() -> None:
    features, right = drawn(200)
    model = Pairwise(features, Pairs.of(cases(right)), min_count=1)
    weights = model.fit({"sign", "noise"}, folds(len(right), 5, 1), seed=1)
    unseen, right_unseen = drawn(200, seed=1)
    assert (chosen(model, unseen, weights) == right_unseen).mean() > 0.85
    assert weights.losses.mean() < 0.5
    assert model.fit({"noise"}, folds(len(right), 5, 1), seed=1).losses.mean() == pytest.approx(np.log(2), abs=0.05)


def test_the_difference_of_scores_is_the_log_odds() -> None:
    features, right = drawn(400)
    model = Pairwise(features, Pairs.of(cases(right)), min_count=1)
    weights = model.fit({"sign"}, folds(len(right), 5, 1), seed=1)
    scores = scored(model, features, weights)
    odds = np.exp(scores[:, 0] - scores[:, 1])
    assert (odds / (1 + odds)).mean() == pytest.approx((right == 1).mean(), abs=0.03)


def test_the_order_of_endings_does_not_matter() -> None:
    features, right = drawn(60)
    turned = [features[at + 1 - 2 * (at % 2)] for at in range(len(features))]
    one, other = Pairwise(features, Pairs.of(cases(right)), 1), Pairwise(turned, Pairs.of(cases(3 - right)), 1)
    assert one.fit({"sign"}, folds(len(right), 3, 1), 1).values == pytest.approx(
        other.fit({"sign"}, folds(len(right), 3, 1), 1).values, abs=0.02
    )


def test_a_group_weighs_the_same_whatever_its_units() -> None:
    features, right = drawn(60)
    in_thousands = [{name: value / 1000 for name, value in each.items()} for each in features]
    for other in (in_thousands, [{**each, "constant one": 7.0} for each in features]):
        one, two = Pairwise(features, Pairs.of(cases(right)), 1), Pairwise(other, Pairs.of(cases(right)), 1)
        groups = {"sign", "noise", "constant"}
        first, second = (
            scored(one, features, one.fit(groups, folds(len(right), 3, 1), 1)),
            scored(two, other, two.fit(groups, folds(len(right), 3, 1), 1)),
        )
        assert np.subtract(*first.T) == pytest.approx(np.subtract(*second.T), abs=0.02)


def test_rare_features_are_left_out_and_unknown_ones_passed_over() -> None:
    features, right = drawn(20)
    features[0] = {**features[0], "seldom seen": 1.0}
    model = Pairwise(features, Pairs.of(cases(right)), min_count=2)
    assert model.groups == ["noise", "sign"]
    weights = model.fit({"sign"}, folds(len(right), 3, 1), 1)
    with_unknown = [{**each, "new one": 3.0} for each in features]
    assert np.array_equal(scored(model, features, weights), scored(model, with_unknown, weights))


def test_without_features_all_endings_are_as_good() -> None:
    features, right = drawn(20)
    model = Pairwise(features, Pairs.of(cases(right)), min_count=1)
    weights = model.fit({"no such group"}, folds(len(right), 3, 1), 1)
    assert not scored(model, features, weights).any()
    assert weights.losses.mean() == pytest.approx(np.log(2))


def test_groups_are_left_out_where_that_clearly_helps() -> None:
    features, right = drawn(300)
    rng = np.random.default_rng(3)
    for each in features:
        each |= {f"clutter {number}": float(rng.normal()) for number in range(150)}
        each["echo it"] = each["sign it"]
    model = Pairwise(features, Pairs.of(cases(right)), min_count=1)
    everything = model.fit({"sign", "echo", "clutter"}, folds(len(right), 5, 1), seed=1)
    weights = model.fit_chosen({"sign", "echo", "clutter"}, folds(len(right), 5, 1), seed=1)
    assert weights.losses.mean() < everything.losses.mean()
    of_group = {name: weights.values[[group == name for group in model._groups]] for name in model.groups}
    assert not of_group["clutter"].any()
    assert of_group["sign"].all()
    assert of_group["echo"].all()  # says nothing new, but does no harm either


def test_the_loss_of_a_case_is_that_of_its_right_ending_among_all() -> None:
    table = pa.table({"endings": [["x"] * 3, ["x"] * 2], "right_ending": [2, 1]})
    pairs = Pairs.of(table)
    assert (pairs.right.tolist(), pairs.wrong.tolist(), pairs.case.tolist()) == ([1, 1, 3], [0, 2, 4], [0, 0, 1])
    scores = np.array([0.5, 2.0, -1.0, 0.25, 1.25])
    first = np.exp(scores[:3])
    expected = [-np.log(first[1] / first.sum()), -np.log(1 / (1 + np.e))]
    assert pairs.losses(scores[pairs.right] - scores[pairs.wrong]) == pytest.approx(expected)


def test_learns_the_weights_by_which_people_choose_among_four() -> None:
    """Each ending is chosen with a probability by its features, as in McFadden's conditional logit."""
    random = np.random.default_rng(5)
    measures = random.normal(size=(3000, 4, 2))
    utilities = measures @ np.array([1.5, -0.75])
    odds = np.exp(utilities)
    right = np.array([random.choice(4, p=row / row.sum()) + 1 for row in odds], np.int8)
    features = [{"sign good": one, "sign bad": two} for one, two in measures.reshape(-1, 2)]
    table = cases(right, 4)
    model = Pairwise(features, Pairs.of(table), min_count=1)
    weights = model.fit({"sign"}, folds(len(right), 3, 1), seed=1)
    scores = model.score(features, table, weights)
    slope, _ = np.polyfit(np.diff(utilities, axis=1).ravel(), np.diff(scores, axis=1).ravel(), 1)
    assert slope == pytest.approx(1, abs=0.1)
    assert np.corrcoef(np.diff(utilities, axis=1).ravel(), np.diff(scores, axis=1).ravel())[0, 1] > 0.99
