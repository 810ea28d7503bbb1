"""How many items a study needs, by studies of rising size that are drawn and worked out as results are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, exp

import numpy as np

from denouement.console import progress
from denouement.errors import UserError
from denouement.study.planning.assumed import AssumedAnswers, Pilot, assigned, drawn_answers
from denouement.study.planning.drawn_studies import drawn_studies

PER_ITEM = (1, 3, 5, 10)
PER_PERSON = 20

_FIRST_SIZE, _GROWTH = 10, 1.4
_MOST_ANSWERS = 20_000
_AT_ONCE = 4_000_000  # answers that are in memory


@dataclass(frozen=True)
class PlanGoal:
    """What a study is to reach; one of the two.

    Attributes:
        width: that half of such studies have a 95% interval no wider than this, from 0 to 1.
        power: the share of such studies that tell the share from a half (p < .05), from 0 to 1.
    """

    width: float | None = None
    power: float | None = None


@dataclass(frozen=True)
class PlanSettings:
    """How studies are drawn.

    Attributes:
        per_item: answers to each item, rising.
        per_person: items that a person answers, where `people` is None.
        people: how many answer, whatever the number of items; None for as many as are needed.
        pay: for an answer; None where nothing is paid.
        draws: studies of each size.
        seed: of the draws.
    """

    per_item: tuple[int, ...] = PER_ITEM
    per_person: int = PER_PERSON
    people: int | None = None
    pay: float | None = None
    draws: int = 1000
    seed: int = 1

    def people_for(self, items: int, per_item: int) -> int:
        """How many annotators a study of this size has: two at least, or it would not show how people differ."""
        return self.people or max(2, per_item, ceil(items * per_item / self.per_person))


@dataclass(frozen=True)
class SizeTried:
    """Studies of one size.

    Attributes:
        items: how many.
        width: the median width of their intervals.
        power: the share of them that tells the share from a half.
    """

    items: int
    width: float
    power: float


@dataclass(frozen=True)
class PlannedSize:
    """The smallest study that reaches the goal with so many answers an item.

    Attributes:
        answers_per_item: how many.
        items: None where none of up to 20,000 answers reaches it; then so are the next three.
        answers, people: how many that makes.
        cost: of the answers; None where nothing is paid.
        tried: the sizes that were drawn.
    """

    answers_per_item: int
    items: int | None
    answers: int | None
    people: int | None
    cost: float | None
    tried: list[SizeTried]


@dataclass(frozen=True)
class StudyPlan:
    """How large a study has to be.

    Attributes:
        assumed: how people are assumed to answer.
        pilot: where that is from; None without a pilot.
        goal: what is to be reached.
        settings: how studies were drawn.
        sizes: a row for each number of answers an item.
    """

    assumed: AssumedAnswers
    pilot: Pilot | None
    goal: PlanGoal
    settings: PlanSettings
    sizes: list[PlannedSize]


def study_plan(
    assumed: AssumedAnswers, goal: PlanGoal, settings: PlanSettings | None = None, pilot: Pilot | None = None
) -> StudyPlan:
    """The smallest study for each number of answers an item; the same arguments give the same plan.

    Args:
        assumed: how people answer.
        goal: what is to be reached.
        settings: how studies are drawn.
        pilot: where `assumed` is from, which is only passed on.

    Raises:
        UserError: a goal that is no share, both or none, a share of a half that is to be told from a half, or settings
            that do not fit together.
    """
    settings = settings or PlanSettings()
    _check(assumed.check(), goal, settings)
    steps = progress(settings.per_item, "studies are drawn", unit="answers an item")
    sizes = [_planned(assumed, goal, settings, per_item) for per_item in steps]
    return StudyPlan(assumed, pilot, goal, settings, _never_more(sizes, settings))


def _check(assumed: AssumedAnswers, goal: PlanGoal, settings: PlanSettings) -> None:
    if (goal.width is None) == (goal.power is None):
        raise UserError("give --width, or --power with a share that is to be told from 50%")
    if goal.width is not None and not 0 < goal.width < 1:
        raise UserError(f"--width {goal.width:g}: must be above 0 and below 1, such as 0.1 for 10 percentage points")
    if goal.power is not None and not 0.05 < goal.power < 1:
        raise UserError(f"--power {goal.power:g}: must be above 0.05 and below 1, such as 0.8")
    if goal.power is not None and abs(assumed.share - 0.5) < 1e-3:
        raise UserError("--power: a share of 50% cannot be told from 50%; name another one with --share")
    if settings.people == 1:
        raise UserError("--people 1: the answers of one person do not show how people differ; name two at least")
    if settings.people and settings.people < max(settings.per_item):
        raise UserError(
            f"--people {settings.people}: too few for {max(settings.per_item)} answers an item by as many people; "
            "name fewer with --answers-per-item"
        )


def _planned(assumed: AssumedAnswers, goal: PlanGoal, settings: PlanSettings, per_item: int) -> PlannedSize:
    tried: list[SizeTried] = []
    items = _FIRST_SIZE
    while items * per_item <= _MOST_ANSWERS:
        tried.append(tried_size(assumed, settings, items, per_item))
        if len(tried) > 1 and all(map(_reaches(goal), tried[-2:])):
            break
        items = ceil(items * _GROWTH)
    return _sized(per_item, _least_items(tried, goal), settings, tried)


def _reaches(goal: PlanGoal) -> Callable[[SizeTried], bool]:
    if goal.width is not None:
        width = goal.width
        return lambda size: size.width <= width
    power = goal.power
    assert power is not None
    return lambda size: size.power >= power


def _sized(per_item: int, items: int | None, settings: PlanSettings, tried: list[SizeTried]) -> PlannedSize:
    if items is None:
        return PlannedSize(per_item, None, None, None, None, tried)
    answers = items * per_item
    cost = None if settings.pay is None else round(answers * settings.pay, 4)
    return PlannedSize(per_item, items, answers, settings.people_for(items, per_item), cost, tried)


def _never_more(sizes: Sequence[PlannedSize], settings: PlanSettings) -> list[PlannedSize]:
    """The same, where chance in the draws never makes more answers an item need more items."""
    found: list[PlannedSize] = []
    least: int | None = None
    for size in sizes:
        if size.items is not None and least is not None and size.items > least:
            size = _sized(size.answers_per_item, least, settings, size.tried)
        least = size.items if size.items is not None else least
        found.append(size)
    return found


def tried_size(assumed: AssumedAnswers, settings: PlanSettings, items: int, per_item: int) -> SizeTried:
    """Draw studies of one size. Which answers are ties is drawn once for all of them."""
    generator = np.random.default_rng([settings.seed, items, per_item])
    by = assigned(items, per_item, settings.people_for(items, per_item), generator)
    by = by.of(generator.random(len(by.cases)) >= assumed.ties)
    n = len(by.cases)
    if n < 2 or len(np.unique(by.cases)) < 2:
        return SizeTried(items, 1.0, 0.0)
    block = max(1, min(settings.draws, _AT_ONCE // n))
    blocks = [min(block, settings.draws - start) for start in range(0, settings.draws, block)]
    drawn = [drawn_studies(drawn_answers(assumed, by, each, generator), by) for each in blocks]
    width, p = (np.concatenate([getattr(each, name) for each in drawn]) for name in ("width", "p"))
    return SizeTried(items, float(np.median(width)), float((p < 0.05).mean()))


def _least_items(tried: Sequence[SizeTried], goal: PlanGoal) -> int | None:
    """The number of items at which the curve through the sizes tried reaches the goal; None where none does.

    Between two sizes the logarithm of the width falls with that of the items, and the normal quantile of the power
    rises with their root, each about along a line.
    """
    from scipy.special import ndtri

    items = np.array([size.items for size in tried], np.float64)
    if goal.width is not None:
        reached = -np.log([size.width for size in tried])
        wanted, scale = -np.log(goal.width), np.log(items)
    else:
        assert goal.power is not None
        reached = ndtri(np.clip([size.power for size in tried], 1e-3, 1 - 1e-3))
        wanted, scale = float(ndtri(goal.power)), np.sqrt(items)
    reached = np.maximum.accumulate(reached)
    if reached[-1] < wanted:
        return None
    at = float(np.interp(wanted, reached, scale))
    return ceil((exp(at) if goal.width is not None else at**2) - 1e-9)
