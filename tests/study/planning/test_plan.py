"""The size that a plan names is the size that reaches the goal."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from denouement.errors import UserError
from denouement.study.planning.assumed import AssumedAnswers
from denouement.study.planning.plan import PlanGoal, PlanSettings, study_plan, tried_size

INDEPENDENT = AssumedAnswers(share=0.5, agreement=0, between_people=0)
ALONE = PlanSettings(per_item=(1,), per_person=1, draws=200)


def test_independent_answers_need_what_the_binomial_formula_says():
    """With one answer a person and item, the width is about 2 * 1.96 * sqrt(p * (1 - p) / n): 384 items for 10%."""
    [size] = study_plan(INDEPENDENT, PlanGoal(width=0.1), ALONE).sizes
    assert size.items == pytest.approx((2 * 1.96 * 0.5 / 0.1) ** 2, rel=0.03)
    assert size.people == size.answers == size.items
    uneven = replace(INDEPENDENT, share=0.8)
    [size] = study_plan(uneven, PlanGoal(width=0.1), ALONE).sizes
    assert size.items == pytest.approx((2 * 1.96 / 0.1) ** 2 * 0.8 * 0.2, rel=0.03)


def test_power_of_independent_answers_is_that_of_the_normal_test():
    """To tell 60% from 50%, 80% of studies need (1.96 * sqrt(.25) + .84 * sqrt(.24))^2 / .1^2 = 194 answers."""
    settings = replace(ALONE, draws=1000)
    [size] = study_plan(replace(INDEPENDENT, share=0.6), PlanGoal(power=0.8), settings).sizes
    assert size.items == pytest.approx(194, rel=0.08)


def test_half_as_many_answers_are_for_nobody_so_that_twice_as_many_are_needed():
    [few] = study_plan(INDEPENDENT, PlanGoal(width=0.2), ALONE).sizes
    [many] = study_plan(replace(INDEPENDENT, ties=0.5), PlanGoal(width=0.2), ALONE).sizes
    assert many.items == pytest.approx(2 * few.items, rel=0.15)


def test_more_answers_an_item_never_need_more_items_and_cost_is_by_answer():
    settings = PlanSettings(draws=100, pay=0.1)
    sizes = study_plan(AssumedAnswers(share=0.7), PlanGoal(width=0.2), settings).sizes
    items = [size.items for size in sizes]
    assert items == sorted(items, reverse=True)
    assert [size.answers for size in sizes] == [size.items * size.answers_per_item for size in sizes]
    assert [size.cost for size in sizes] == pytest.approx([size.answers * 0.1 for size in sizes])
    assert [size.people for size in sizes] == [
        max(2, size.answers_per_item, int(np.ceil(size.answers / 20))) for size in sizes
    ]


@pytest.mark.parametrize("goal", [PlanGoal(width=0.15), PlanGoal(power=0.8)])
def test_fresh_studies_of_the_planned_size_reach_the_goal(goal):
    assumed = AssumedAnswers(share=0.62, agreement=0.3, between_people=0.1, ties=0.1)
    settings = PlanSettings(per_item=(3,), draws=600)
    [size] = study_plan(assumed, goal, settings).sizes
    fresh = tried_size(assumed, replace(settings, seed=77), size.items, 3)
    smaller = tried_size(assumed, replace(settings, seed=77), int(size.items * 0.8), 3)
    if goal.width:
        assert fresh.width == pytest.approx(goal.width, rel=0.04)
        assert smaller.width > goal.width * 1.05
    else:
        assert fresh.power == pytest.approx(goal.power, abs=0.05)
        assert smaller.power < fresh.power


def test_five_people_never_reach_what_their_tastes_forbid():
    settings = PlanSettings(per_item=(5,), people=5, draws=50)
    assumed = AssumedAnswers(share=0.6, between_people=0.3)
    [size] = study_plan(assumed, PlanGoal(width=0.05), settings).sizes
    assert (size.items, size.answers, size.people, size.cost) == (None, None, None, None)
    assert size.tried[-1].items * 5 <= 20_000 < size.tried[-1].items * 5 * 1.4 + 5


def test_the_same_seed_gives_the_same_plan():
    settings = PlanSettings(per_item=(3,), draws=50)
    plans = [study_plan(AssumedAnswers(share=0.6), PlanGoal(width=0.3), settings) for _ in range(2)]
    assert plans[0] == plans[1]


@pytest.mark.parametrize(
    ("share", "goal", "settings", "problem"),
    [
        (0.6, PlanGoal(), PlanSettings(), "give --width, or --power"),
        (0.6, PlanGoal(0.1, 0.8), PlanSettings(), "give --width, or --power"),
        (0.6, PlanGoal(width=10), PlanSettings(), "--width 10: must be above 0 and below 1"),
        (0.6, PlanGoal(power=80), PlanSettings(), "--power 80: must be"),
        (0.5, PlanGoal(power=0.8), PlanSettings(), "a share of 50% cannot be told from 50%"),
        (0.6, PlanGoal(width=0.1), PlanSettings(people=1), "--people 1: the answers of one person"),
        (0.6, PlanGoal(width=0.1), PlanSettings(people=4), "--people 4: too few for 10 answers an item"),
    ],
)
def test_a_goal_that_makes_no_sense_is_refused(share, goal, settings, problem):
    with pytest.raises(UserError, match=problem):
        study_plan(AssumedAnswers(share=share), goal, settings)


def test_the_table_of_the_docs_is_what_the_command_prints():
    page = (Path(__file__).parents[3] / "docs/study_planning.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| +(\d+) \| +([\d,]+) \| +([\d,]+) \| +([\d,]+) \|$", page, re.MULTILINE)
    written = [[int(cell.replace(",", "")) for cell in row] for row in rows]
    sizes = study_plan(AssumedAnswers(0.5), PlanGoal(width=0.1)).sizes
    for row, size in zip(written, sizes, strict=True):
        assert row == pytest.approx([size.answers_per_item, size.items, size.answers, size.people], rel=0.03)
