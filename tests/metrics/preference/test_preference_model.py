"""The logistic model of differences, against properties, scikit-learn and values by hand."""

import numpy as np
import pytest
from scipy.special import expit

from denouement.errors import UserError
from denouement.metrics.preference.model import (
    PreferenceModel,
    best_penalty,
    fitted,
    half_widths,
    read_preference,
    scales,
)
from denouement.tensors import write_checkpoint


@pytest.fixture
def drawn():
    draws = np.random.default_rng(3)
    differences = draws.normal(size=(300, 4)) @ np.diag([1.0, 0.5, 2.0, 0.1])
    share = (draws.random(300) < expit(differences @ [1.0, -1.0, 0.0, 0.0])).astype(float)
    return differences, share


def test_weights_are_those_of_scikit_learn(drawn):
    from sklearn.linear_model import LogisticRegression

    differences, share = drawn
    theirs = LogisticRegression(C=1 / 2.5, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(differences, share)
    np.testing.assert_allclose(fitted(differences, share, 2.5), theirs.coef_[0], atol=2e-4)


def test_pairs_that_are_turned_around_teach_the_same(drawn):
    differences, share = drawn
    turned = np.random.default_rng(1).random(len(share)) < 0.5
    sign = np.where(turned, -1.0, 1.0)
    again = fitted(differences * sign[:, None], np.where(turned, 1 - share, share), 1.0)
    np.testing.assert_allclose(again, fitted(differences, share, 1.0), atol=1e-4)


def test_ties_alone_teach_nothing_and_one_in_two_halves_the_share():
    assert fitted(np.ones((5, 1)), np.full(5, 0.5), 0.01) == pytest.approx([0])
    # of 3 ties and 3 wins the mean share is 0.75, whose log-odds is log 3
    assert fitted(np.ones((6, 1)), np.array([0.5, 1.0] * 3), 1e-9) == pytest.approx([np.log(3)], abs=1e-3)


def test_probabilities_of_a_pair_sum_to_one_whichever_is_first():
    model = PreferenceModel(["a", "b"], None, None, np.array([0.7, -2.0]), 3.3, frozenset(), {}, {})
    one, other = model.utilities(np.array([[1.0, 5.0], [4.0, 2.5]]))
    assert one - other == pytest.approx(0.7 * -3 - 2 * 2.5)
    assert expit(one - other) + expit(other - one) == pytest.approx(1)


def test_a_penalty_is_strong_where_there_is_nothing_to_learn(drawn):
    differences, share = drawn
    fold_of = np.arange(len(share)) % 5
    noise = np.random.default_rng(2).integers(0, 2, len(share)).astype(float)
    assert best_penalty(differences, noise, fold_of) > best_penalty(differences, share, fold_of)


def test_each_score_and_all_of_a_vector_differ_by_one():
    differences = np.array([[3.0, 0, 1, 2], [-4.0, 0, 2, 1]])
    found = differences / scales(differences, 2)
    assert (found[:, 0] ** 2).mean() == pytest.approx(1)
    assert (found[:, 1] == 0).all()  # never differs
    assert (found[:, 2:] ** 2).sum(axis=1).mean() == pytest.approx(1)


def test_intervals_are_those_of_leaving_out_one_story_after_the_other(drawn):
    from scipy.stats import t

    differences, share = drawn
    story = np.arange(len(share)) // 6
    whole = fitted(differences, share, 1.0)
    without = np.array([fitted(differences[story != one], share[story != one], 1.0) for one in range(50)])
    expected = t.ppf(0.975, 49) * np.sqrt(49 / 50 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    np.testing.assert_allclose(half_widths(differences, share, whole, 1.0, story), expected, rtol=0.02)


def test_intervals_hold_the_truth(drawn):
    """Without a penalty, of the weight that is 1, in 200 draws of 40 stories with 4 pairs alike each."""
    held = 0
    for seed in range(200):
        draws = np.random.default_rng(seed)
        story = np.repeat(np.arange(40), 4)
        differences = draws.normal(size=(40, 1))[story] + 0.3 * draws.normal(size=(160, 1))
        share = (draws.random(160) < expit(differences[:, 0])).astype(float)
        weights = fitted(differences, share, 1e-6)
        held += abs(weights[0] - 1) < half_widths(differences, share, weights, 1e-6, story)[0]
    assert 182 <= held <= 199


def test_what_is_written_is_read_again_and_other_checkpoints_are_refused(tmp_path):
    path = tmp_path / "model.parquet"
    model = PreferenceModel(
        ["length"],
        "minilm",
        "f",
        np.array([1.5, 0.25]),
        0.5,
        frozenset({"d1", "d2"}),
        {"pairs/1": "x"},
        {"stories": "y"},
    )
    model.save(path)
    found = read_preference(path)
    np.testing.assert_array_equal(found.weights, model.weights)
    assert {**vars(found), "weights": None} == {**vars(model), "weights": None}
    first = path.read_bytes()
    model.save(path)
    assert path.read_bytes() == first
    found.refuse_other_sources(path, {"stories": "y", "cloze": "z"})
    with pytest.raises(UserError, match="other content of stories"):
        found.refuse_other_sources(path, {"stories": "z"})
    write_checkpoint({"chooser": {}}, path)
    with pytest.raises(UserError, match="no preference model; `denouement metrics preference --out` writes one"):
        read_preference(path)
