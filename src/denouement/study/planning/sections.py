"""How large a study has to be, as blocks."""

from typing import TYPE_CHECKING

from denouement.charts.lines import sizes_and_goal
from denouement.present.cells import NO_VALUE, Cell, Number
from denouement.present.sections import Block, Chart, Paragraph, Table
from denouement.study.planning.assumed import AssumedAnswers, Pilot
from denouement.study.planning.plan import PlannedSize, StudyPlan

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

CHART = "plan.svg"


def plan_blocks(plan: StudyPlan) -> list[Block]:
    """What is assumed, a row for each number of answers an item, and the curves."""
    paid = plan.settings.pay is not None
    columns = ["answers an item", "items", "answers", "annotators", *(["cost"] if paid else [])]
    missing = [size.answers_per_item for size in plan.sizes if size.items is None]
    note = (
        f"Read off {plan.settings.draws:,} drawn studies of each size, whose results are worked out as those of a real "
        "study: intervals allow for other cases and other annotators. Attention checks are not "
        "among the answers."
    )
    if missing:
        what = "more people" if plan.settings.people else "a wider interval or a larger difference"
        note += f" A dash: no study of up to 20,000 answers reaches it; plan for {what}."
    return [
        *([Paragraph(_pilot(plan.pilot))] if plan.pilot else []),
        Paragraph(f"{_goal(plan)} Assumed: {_assumed(plan)}."),
        Table(columns, [_row(size, paid) for size in plan.sizes], note=note),
        Chart(CHART, plan_chart(plan), _caption(plan)),
    ]


def plan_chart(plan: StudyPlan) -> "Figure | None":
    """Width or power by the number of items, a line for each number of answers an item."""
    goal = plan.goal.width if plan.goal.width is not None else plan.goal.power
    assert goal is not None
    curves = {
        _answers(size.answers_per_item): [
            (each.items, each.width if plan.goal.width is not None else each.power) for each in size.tried
        ]
        for size in plan.sizes
    }
    what = "width of the interval" if plan.goal.width is not None else "studies that tell the share from 50%"
    return sizes_and_goal(curves, goal, what)


def _answers(n: int) -> str:
    return f"{n} answer{'' if n == 1 else 's'} an item"


def _caption(plan: StudyPlan) -> str:
    if plan.goal.width is not None:
        return "Median width of the 95% interval by the number of items; the grey line is the width that is wanted."
    return "How many studies of a size tell the share from 50% (p < .05); the grey line is the power that is wanted."


def _goal(plan: StudyPlan) -> str:
    if plan.goal.width is not None:
        return (
            "Wanted: a 95% interval of the share of answers for a system that in half of such studies is no wider than "
            f"{plan.goal.width:.1%}."
        )
    return (
        f"Wanted: that {plan.goal.power:.0%} of such studies tell the share of answers for a system from 50% (p < .05)."
    )


def _assumed(plan: StudyPlan) -> str:
    its: AssumedAnswers = plan.assumed
    ties = f", {its.ties:.1%} of all answers for neither or both" if its.ties else ""
    settings = plan.settings
    who = (
        f"{settings.people} people" if settings.people else f"each annotator answers about {settings.per_person} items"
    )
    return (
        f"{its.share:.1%} of the answers for one of the two systems are for it{ties}; two people agree about an item "
        f"beyond chance by {its.agreement:.2f} (kappa); {its.between_people:.1%} of what makes answers differ is the "
        f"person's own; {who}"
    )


def _pilot(pilot: Pilot) -> str:
    people = f" of {pilot.people:,} people" if pilot.people is not None else ""
    unknown = f" It does not say {' and '.join(pilot.unknown)}, so the usual value is taken." if pilot.unknown else ""
    return (
        f"The pilot: {pilot.answers:,} answers{people} to {pilot.items:,} items, which compare {pilot.first} with "
        f"{pilot.second}; shares are of {pilot.first}.{unknown} What so few answers say is uncertain: plan for "
        "more than one assumption."
    )


def _row(size: PlannedSize, paid: bool) -> list[Cell]:
    counts: list[Cell] = [NO_VALUE if n is None else n for n in (size.items, size.answers, size.people)]
    return [size.answers_per_item, *counts, *([Number(size.cost, 2)] if paid else [])]
