"""Cross-validation over stories: what is held out, what simple rules reach, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit

from denouement import schemas
from denouement.errors import UserError
from denouement.metrics.agreement.people import HumanAnswers
from denouement.metrics.agreement.picking import PreferredPairs
from denouement.metrics.agreement.values import gathered_ratings
from denouement.metrics.preference.features import Features
from denouement.metrics.preference.learning import BEST, LONGER, MODEL, PreferenceSettings, learn
from denouement.metrics.preference.pairs import JudgedPairs

FEW = PreferenceSettings(draws=200)


def judged(stories, shares, people=None, texts=None):
    """The pairs of endings `a` and `b` of each story, in this order."""
    share = np.asarray(shares, np.float64)
    pairs = PreferredPairs(
        [("s", str(number)) for number in range(len(share))],
        [(story, f"a{number}") for number, story in enumerate(stories)],
        [(story, f"b{number}") for number, story in enumerate(stories)],
        np.sign(share - 0.5).astype(np.int64),
    )
    return JudgedPairs("answers", pairs, share, texts or {}, people=people)


def features(pairs, differences, names, lengths=None):
    """Features whose difference in each pair is given; the second ending has zeros."""
    of = dict(zip(pairs.pairs.first, differences, strict=True))
    values = np.array([of.get(ending, np.zeros(len(differences[0]))) for ending in pairs.endings], np.float64)
    if lengths is not None:
        lengths = np.array([lengths.get(ending, 1.0) for ending in pairs.endings])
    return Features(names, values, lengths)


def features_of(pairs, differences, n):
    """Of the first pairs."""
    return features(pairs.where([number < n for number in range(len(differences))]), differences[:n], ["good", "noise"])


@pytest.fixture
def drawn():
    """60 stories of 4 pairs, in which people go by `good`, and not by `noise`; three of four would say so."""
    draws = np.random.default_rng(5)
    differences = draws.normal(size=(240, 2))
    shares = (draws.random(240) < expit(2 * differences[:, 0])).astype(float)
    stories = [f"story {number // 4}" for number in range(240)]
    return judged(stories, shares), differences


def test_no_story_is_in_two_folds():
    """Each story has a feature of its own that tells its winners: learned from other stories it is worth nothing."""
    draws = np.random.default_rng(1)
    stories = [f"story {number // 3}" for number in range(90)]
    winner = draws.integers(0, 2, 30)
    pairs = judged(stories, [float(winner[number // 3]) for number in range(90)])
    own = np.zeros((90, 30))
    own[np.arange(90), np.arange(90) // 3] = 1
    _, found = learn(pairs, features(pairs, own, [f"of {number}" for number in range(30)]), None, FEW)
    [model] = [row for row in found.picked if row.score == MODEL]
    assert (model.right, model.wrong, model.tied) == (0, 0, 90)


def test_it_finds_what_people_go_by_and_its_probabilities_come_true(drawn):
    pairs, differences = drawn
    model, found = learn(pairs, features(pairs, differences, ["good", "noise"]), None, FEW)
    rows = {row.score: row for row in found.picked}
    assert set(rows) == {MODEL, BEST}  # no lengths
    agree = np.sign(differences[:, 0]) == pairs.pairs.prefers
    assert rows[BEST].accuracy == pytest.approx(agree.mean())  # good was the best in every fold
    assert found.chosen == {"good": 5}
    assert rows[MODEL].accuracy == pytest.approx(agree.mean(), abs=0.03)
    assert rows[MODEL].low < agree.mean() < rows[MODEL].high
    good, noise = found.weights
    assert good.low > 0
    assert noise.low < 0 < noise.high
    assert good.weight / good.typical == pytest.approx(2, rel=0.3)
    assert model.weights[0] == pytest.approx(good.weight / good.typical)
    assert found.loss < 0.6
    inside = [row.low <= row.predicted <= row.high for row in found.calibration if row.low is not None]
    assert sum(inside) >= len(inside) - 1 >= 3
    assert sum(row.pairs for row in found.calibration) == found.pairs == 240
    assert found.stories == 60


def test_the_order_of_the_two_endings_changes_nothing(drawn):
    pairs, differences = drawn
    own = features(pairs, differences, ["good", "noise"])
    turned = JudgedPairs(
        "answers",
        PreferredPairs(pairs.pairs.ids, pairs.pairs.second, pairs.pairs.first, -pairs.pairs.prefers),
        1 - pairs.share,
    )
    (one, found), (other, again) = learn(pairs, own, None, FEW), learn(turned, own, None, FEW)
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-3)
    assert [(row.right, row.wrong) for row in found.picked] == [(row.right, row.wrong) for row in again.picked]


def test_the_longer_ending_is_right_as_often_as_it_is_longer():
    stories = [f"story {number}" for number in range(20)]
    pairs = judged(stories, [1.0] * 12 + [0.0] * 8)
    longer = {("story 0", "a0"): 2.0, ("story 1", "a1"): 2.0, ("story 15", "b15"): 2.0, ("story 16", "a16"): 5.0}
    _, found = learn(pairs, features(pairs, [[1.0]] * 20, ["same"], longer), None, FEW)
    [row] = [row for row in found.picked if row.score == LONGER]
    assert (row.right, row.wrong, row.tied) == (3, 1, 16)
    [less] = [row for row in found.better_than if row.rule == LONGER]
    # `same` says the first of each pair, which is right in 12; the longer one is in 3, and half right in 16
    assert less.difference == pytest.approx((12 - 3 - 16 / 2) / 20)
    assert less.low < less.difference < less.high


def test_pairs_without_a_score_are_left_out_and_counted(drawn):
    pairs, differences = drawn
    differences = differences.copy()
    differences[:3, 1] = np.nan
    _, found = learn(pairs, features(pairs, differences, ["good", "noise"]), None, FEW)
    assert found.pairs == 237
    assert found.left_out == ["3 pairs in which an ending lacks a score are left out (noise 3)"]


def test_ties_of_people_are_learned_from_and_are_not_in_the_accuracy(drawn):
    pairs, differences = drawn
    share = pairs.share.copy()
    share[:100] = 0.5
    tied = judged([item for item, _ in pairs.pairs.first], share)
    own = features(tied, differences, ["good", "noise"])
    with_ties, found = learn(tied, own, None, FEW)
    decided = share != 0.5
    without = tied.where(decided.tolist())
    without, _ = learn(without, features(without, differences[decided], ["good", "noise"]), None, FEW)
    assert found.people_tied == 100
    [model] = [row for row in found.picked if row.score == MODEL]
    assert model.right + model.wrong == 140
    assert 0 < with_ties.weights[0] < 0.8 * without.weights[0]


def test_test_pairs_of_stories_that_are_learned_from_are_left_out(drawn):
    pairs, differences = drawn
    own = features(pairs, differences, ["good", "noise"])
    others = judged(["story 1", "new 1", "new 2"], [1.0, 1.0, 0.0])
    given = features(others, [[-1.0, 0], [1.0, 0], [1.0, 0]], ["good", "noise"])
    _, found = learn(pairs, own, None, FEW, test=(others, given))
    assert [(row.score, row.right, row.wrong) for row in found.test] == [(MODEL, 1, 1), (BEST, 1, 1)]
    assert found.test_stories == 2
    assert found.left_out == ["test: 1 pairs of stories that are learned from are left out"]
    with pytest.raises(UserError, match="all of its stories are learned from"):
        learn(pairs, own, None, FEW, test=(pairs, own))


def test_by_element_of_the_winners_reasons(drawn):
    pairs, differences = drawn
    people = HumanAnswers(gathered_ratings("x", [(("i", "s"), "r", 1.0)]), pairs.pairs, question="better")
    rows = []
    for number in range(240):
        first = pairs.pairs.prefers[number] > 0
        winner = (pairs.pairs.first if first else pairs.pairs.second)[number][1]
        for element, choice in (("logic", winner), ("emotion", "another")):
            if number < 40:
                rows.append(
                    {
                        **{"study": "s", "item_id": str(number), "case_id": "c", "annotator_id": "a"},
                        **{"question": "better", "choice": choice, "reason": "x", "element": element},
                        **{"rule": "r", "words": "x", "denied": False},
                    }
                )
    elements = pa.Table.from_pylist(rows, schemas.TABLES["reason_elements"].schema)
    given = judged([item for item, _ in pairs.pairs.first], pairs.share, people)
    _, found = learn(given, features(given, differences, ["good", "noise"]), None, FEW, elements)
    by = {(row.element, row.score): row for row in found.by_element}
    assert by["logic", MODEL].named == 40
    assert by["logic", MODEL].others == 200
    assert by["emotion", MODEL].named == 0  # no reason of who chose the winner names it
    assert by["emotion", MODEL].why_not is not None
    assert by["logic", BEST].right == int((np.sign(differences[:40, 0]) == pairs.pairs.prefers[:40]).sum())
    logic, emotion = found.element_weights
    assert (logic.element, logic.pairs, logic.stories, emotion.why_not) == (
        *("logic", 40, 10),
        "0 pairs; 10 for each score are needed",
    )
    few = learn(given.where([True] * 40 + [False] * 200), features_of(given, differences, 40), None, FEW)[1]
    # of the pairs that name logic alone, a model of these alone says the same as one that saw no others
    assert [row.weight > 0 for row in logic.weights] == [row.weight > 0 for row in few.weights]
    assert logic.weights[0].low < few.weights[0].weight < logic.weights[0].high
    with pytest.raises(UserError, match="--elements: reasons are for votes"):
        learn(pairs, features(pairs, differences, ["good", "noise"]), None, FEW, elements)


@pytest.mark.parametrize(
    ("n", "share", "problem"),
    [
        (9, 1.0, "9 stories have compared endings with all scores; at least 10"),
        (12, 0.5, "neither ending in every pair"),
    ],
)
def test_too_little_to_learn_from_is_refused(n, share, problem):
    pairs = judged([f"story {number}" for number in range(n)], [share] * n)
    with pytest.raises(UserError, match=problem):
        learn(pairs, features(pairs, [[1.0]] * n, ["x"]), None, FEW)


def test_which_scores_are_missing_where_too_few_pairs_are_left_is_said():
    pairs = judged([f"story {number}" for number in range(12)], [1.0] * 12)
    known = features(pairs, [[1.0, np.nan]] * 3 + [[1.0, 1.0]] * 9, ["good", "rare"])
    with pytest.raises(UserError) as refused:
        learn(pairs, known, None, FEW)
    assert "9 stories have compared endings with all scores; at least 10" in str(refused.value)
    assert "3 pairs in which an ending lacks a score are left out (rare 3)" in str(refused.value)
    assert str(refused.value).endswith("read those alone that all endings have (--score)")
