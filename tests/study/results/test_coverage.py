"""Do 95% intervals hold what they should in 95 of 100 studies? `python -m benchmarks coverage` draws more studies."""

import pytest

from benchmarks.coverage import Simulation, preference_coverage, rating_coverage, strength_coverage

STUDIES = 200
# Of 200 intervals that hold it with a chance of 95%, fewer than 182 do in 1 of 100 simulations.
LEAST = 0.91

EVERYONE = Simulation(30, 5, 0.7, 0.7)
DESIGNS = [
    Simulation(30, 5, 0.7, 0.0),
    Simulation(30, 5, 0.7, 0.5),
    EVERYONE,
    Simulation(30, 20, 0.7, 0.7),
    Simulation(30, 50, 0.7, 0.7, per_item=5),
    Simulation(30, 10, 0.7, 0.7, per_item=3),
    Simulation(60, 5, 0.7, 0.7, per_item=1, shares=(0.6, 0.1, 0.1, 0.1, 0.1)),
]

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("simulation", DESIGNS, ids=str)
def test_strengths_are_held(simulation):
    assert strength_coverage(simulation, STUDIES) >= LEAST


@pytest.mark.parametrize("simulation", [*DESIGNS, Simulation(8, 5, 0.7, 0.7)], ids=str)
def test_preferences_are_held(simulation):
    assert preference_coverage(simulation, STUDIES) >= LEAST


@pytest.mark.parametrize("simulation", DESIGNS, ids=str)
def test_mean_ratings_are_held(simulation):
    assert rating_coverage(simulation, STUDIES) >= LEAST


@pytest.mark.parametrize("coverage", [strength_coverage, preference_coverage, rating_coverage])
def test_intervals_are_no_wider_than_needed_where_many_answer(coverage):
    assert coverage(Simulation(60, 40, 0.7, 0.7, per_item=10), STUDIES) < 0.99


def test_without_names_of_annotators_intervals_are_too_narrow_for_other_annotators():
    """What the docs say of counts alone; the names are what mends it."""
    assert strength_coverage(EVERYONE, STUDIES, named=False) < 0.85
