"""Do 95% intervals with a score hold what they should? `python -m benchmarks prediction_powered` draws more studies."""

import pytest

from benchmarks.prediction_powered import JUDGES, share_outcome, strength_outcome

STUDIES = 400
# Of 400 intervals that hold it with a chance of 95%, fewer than 367 or more than 393 do in 1 of 100 simulations.
LEAST, MOST = 0.9175, 0.9825

GOOD, USELESS, OPPOSITE = JUDGES


@pytest.mark.parametrize("answered", [20, 50])
@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_shares_are_held(judge, answered):
    assert LEAST <= share_outcome(judge, answered, STUDIES, named=False).held <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_shares_are_held_where_annotators_differ(judge):
    assert share_outcome(judge, 50, STUDIES).held >= LEAST


@pytest.mark.parametrize("judge", [GOOD, OPPOSITE], ids=lambda judge: judge.name)
def test_a_judge_who_knows_something_makes_intervals_narrower_whatever_the_sign(judge):
    found = share_outcome(judge, 50, 100)
    assert found.width < 0.9 * found.alone


def test_a_useless_judge_makes_them_hardly_wider():
    found = share_outcome(USELESS, 50, 100)
    assert found.width < 1.03 * found.alone


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
def test_strengths_are_held(judge):
    assert strength_outcome(judge, 50, 150).held >= LEAST
