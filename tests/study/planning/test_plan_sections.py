"""How a plan is shown."""

from denouement.present.cells import written
from denouement.present.sections import Chart, Paragraph, Table
from denouement.study.planning.assumed import AssumedAnswers, Pilot
from denouement.study.planning.plan import PlanGoal, PlannedSize, PlanSettings, SizeTried, StudyPlan
from denouement.study.planning.sections import plan_blocks

TRIED = [SizeTried(10, 0.4, 0.3), SizeTried(14, 0.2, 0.9)]
REACHED, NOT = PlannedSize(3, 12, 36, 3, 3.6, TRIED), PlannedSize(1, None, None, None, None, TRIED)


def plan_of(goal: PlanGoal, pilot: Pilot | None = None, **settings: object) -> StudyPlan:
    return StudyPlan(AssumedAnswers(0.6, ties=0.1), pilot, goal, PlanSettings(**settings), [NOT, REACHED])


def test_a_goal_that_is_not_reached_is_a_dash_with_the_reason_below():
    _, table, _ = plan_blocks(plan_of(PlanGoal(width=0.3), people=3, pay=0.1))
    assert isinstance(table, Table)
    assert [[written(cell) for cell in row] for row in table.rows] == [
        ["1", "-", "-", "-", "-"],
        ["3", "12", "36", "3", "3.60"],
    ]
    assert table.note.endswith("no study of up to 20,000 answers reaches it; plan for more people.")


def test_what_is_assumed_is_said():
    [said, *_] = plan_blocks(plan_of(PlanGoal(power=0.8)))
    assert isinstance(said, Paragraph)
    assert said.text.startswith("Wanted: that 80% of such studies tell the share of answers for a system from 50%")
    assert "60.0% of the answers for one of the two systems are for it, 10.0% of all answers for neither" in said.text


def test_the_picture_has_the_curve_of_the_goal():
    for goal, values in ((PlanGoal(width=0.3), [0.4, 0.2]), (PlanGoal(power=0.8), [0.3, 0.9])):
        chart = plan_blocks(plan_of(goal))[-1]
        assert isinstance(chart, Chart)
        [panel] = chart.picture.axes
        assert list(panel.lines[1].get_ydata()) == values


def test_what_a_pilot_does_not_say_is_said():
    pilot = Pilot("a", "b", 10, 30, None, AssumedAnswers(0.6), ["how far people differ"])
    [said, *_] = plan_blocks(plan_of(PlanGoal(width=0.3), pilot))
    assert said.text.startswith(
        "The pilot: 30 answers to 10 items, which compare a with b; shares are of a. It does not "
    )
    assert "say how far people differ, so the usual value is taken" in said.text
