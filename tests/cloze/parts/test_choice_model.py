import numpy as np
import pytest

from denouement.cloze.parts import choice_model
from denouement.cloze.parts.choice_model import ChoiceModel
from denouement.cloze.parts.pairwise import Pairs


def pairs_of(n_endings, right):
    """The pairs of cases with so many endings, of which these are right (from 1)."""
    starts = np.cumsum([0, *n_endings[:-1]])
    pairs = [
        (start + number - 1, start + other, case)
        for case, (start, n, number) in enumerate(zip(starts, n_endings, right, strict=True))
        for other in range(n)
        if other != number - 1
    ]
    return Pairs(*np.array(pairs).T)


def fit(vectors, right, *arguments, **named):
    return choice_model.fit(np.concatenate(vectors), pairs_of(list(map(len, vectors)), right), *arguments, **named)


def drawn(n, n_endings, seed=1):
    """Cases whose right ending is drawn by a model of three features; the numbers of endings go round."""
    draws = np.random.default_rng(seed)
    vectors = [draws.normal(size=(n_endings[row % len(n_endings)], 3)) * [1, 1, 5] for row in range(n)]
    odds = [np.exp(each @ [2.0, -1.0, 0.0]) for each in vectors]
    return vectors, np.array([draws.choice(len(each), p=each / each.sum()) + 1 for each in odds], np.int8)


def test_of_two_endings_it_is_the_logistic_regression_of_differences():
    from sklearn.linear_model import LogisticRegression

    vectors, right = drawn(200, [2])
    differences = np.stack(
        [of_case[number - 1] - of_case[2 - number] for of_case, number in zip(vectors, right, strict=True)]
    )
    sign = np.where(np.arange(200) % 2, 1, -1)
    expected = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-8).fit(differences * sign[:, None], sign).coef_[0]
    assert choice_model.fitted(differences, np.arange(200), 0.5) == pytest.approx(expected, abs=1e-3)


def test_of_several_endings_it_is_the_conditional_logit_of_statsmodels():
    from statsmodels.discrete.conditional_models import ConditionalLogit

    vectors, right = drawn(300, [2, 4, 3])
    is_right = np.concatenate([np.arange(len(each)) + 1 == number for each, number in zip(vectors, right, strict=True)])
    groups = np.repeat(np.arange(300), list(map(len, vectors)))
    expected = ConditionalLogit(is_right.astype(int), np.concatenate(vectors), groups=groups).fit(disp=0).params
    found = fit(vectors, right, np.arange(300) % 3, strengths=[1e6])
    assert found.weights == pytest.approx(expected, abs=1e-3)


def test_the_penalty_is_that_of_the_least_loss_on_held_out_cases():
    vectors, right = drawn(60, [2, 3])
    noise = np.random.default_rng(2)
    wide = [np.column_stack([each, noise.normal(size=(len(each), 40))]) for each in vectors]
    fold_of = np.arange(60) % 5
    grid = [0.001, 0.01, 0.1, 1.0, 10.0]
    found = fit(wide, right, fold_of, grid)

    def loss(strength):
        scale = 1 / np.concatenate(wide).std(axis=0)
        losses = []
        for fold in range(5):
            seen = [row for row in range(60) if fold_of[row] != fold]
            scaled = [wide[row] * scale for row in seen]
            pairs = pairs_of(list(map(len, scaled)), right[seen])
            together = np.concatenate(scaled)
            weights = choice_model.fitted(together[pairs.right] - together[pairs.wrong], pairs.case, strength)
            for row in set(range(60)) - set(seen):
                scores = wide[row] * scale @ weights
                losses.append(np.log(np.exp(scores).sum()) - scores[right[row] - 1])
        return np.mean(losses)

    assert found.strength == min(grid, key=loss)
    assert 0.001 < found.strength < 10


def test_scores_do_not_depend_on_the_order_of_endings():
    vectors, right = drawn(50, [3])
    turned = [each[::-1] for each in vectors]
    fold_of = np.arange(50) % 2
    one, other = fit(vectors, right, fold_of), fit(turned, 4 - right, fold_of)
    assert one.weights == pytest.approx(other.weights, abs=1e-6)


def test_a_feature_that_never_changes_says_nothing():
    vectors, right = drawn(30, [2])
    with_constant = [np.column_stack([each, np.full(2, 7.0)]) for each in vectors]
    assert fit(with_constant, right, np.arange(30) % 2).weights[-1] == 0


def test_scores_are_products():
    assert ChoiceModel(np.array([1.0, -2.0]), 1.0).scores(np.array([[1.0, 1.0], [0.0, 3.0]])).tolist() == [-1.0, -6.0]
