"""Points with their intervals: accuracies, effects, whether probabilities come true."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from denouement.charts.style import BLUE, GREY, MARKS, ORANGE, in_percent, panel, panels

if TYPE_CHECKING:  # heavy
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Estimate:
    """A value with its interval.

    Attributes:
        label: of whom or what.
        value: within the interval.
        low: where the interval begins.
        high: where it ends.
        published: the value of a paper, where there is one.
        chance: the accuracy of a guess.
    """

    label: str
    value: float
    low: float
    high: float
    published: float | None = None
    chance: float = 0.5


@dataclass(frozen=True)
class Calibration:
    """Of the cases that get about the probability `predicted`, the share that is right, with its interval."""

    predicted: float
    observed: float
    low: float
    high: float


def accuracies(sets: Mapping[str, Sequence[Estimate]]) -> "Figure | None":
    """Accuracy of each system with its 95% interval and the published one, a panel a set of cases; None without any.

    Args:
        sets: by title the systems from above; all panels have a place for every system.
    """
    sets = {title: estimates for title, estimates in sets.items() if estimates}
    if not sets:
        return None
    names = list(dict.fromkeys(each.label for estimates in sets.values() for each in estimates))
    figure, made = panels(2.6 + 3 * len(sets), 1 + 0.26 * max(2, len(names)), n_columns=len(sets))
    for place, (title, estimates) in zip(made, sets.items(), strict=True):
        rows = [names.index(each.label) for each in estimates]
        style: dict[str, Any] = {"fmt": "o", "color": BLUE, "markersize": 4, "linewidth": 1, "label": "here, 95%"}
        place.errorbar([each.value for each in estimates], rows, xerr=_sides(estimates), **style)
        papers = [(each.published, row) for each, row in zip(estimates, rows, strict=True) if each.published]
        if papers:
            place.plot(*zip(*papers, strict=True), "D", color=ORANGE, markersize=4, fillstyle="none", label="paper")
        place.axvline(estimates[0].chance, color=GREY, linewidth=1, zorder=0)
        place.set_title(title, fontsize="medium")
        place.set_xlabel("accuracy")
        in_percent(place.xaxis, ticks=5)
    made[0].set_yticks(range(len(names)), names)
    made[0].set_ylim(len(names) - 0.4, -0.6)
    handles, labels = made[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize="small", ncols=2, loc="outside upper center")
    return figure


def coefficients(sets: Mapping[str, Sequence[Estimate]], of: str) -> "Figure | None":
    """Correlations of scores with their 95% intervals, a panel a way to correlate; None without any.

    Args:
        sets: by title the scores from above; all panels have a place for every score.
        of: the name of the coefficient, for the axis.
    """
    sets = {title: estimates for title, estimates in sets.items() if estimates}
    if not sets:
        return None
    names = list(dict.fromkeys(each.label for estimates in sets.values() for each in estimates))
    figure, made = panels(2.6 + 3 * len(sets), 1 + 0.26 * max(2, len(names)), n_columns=len(sets))
    for place, (title, estimates) in zip(made, sets.items(), strict=True):
        rows = [names.index(each.label) for each in estimates]
        style: dict[str, Any] = {"fmt": "o", "color": BLUE, "markersize": 4, "linewidth": 1}
        place.errorbar([each.value for each in estimates], rows, xerr=_sides(estimates), **style)
        place.axvline(0, color=GREY, linewidth=1, zorder=0)
        place.set_title(title, fontsize="small", wrap=True)
        place.set_xlabel(of)
    made[0].set_yticks(range(len(names)), names)
    made[0].set_ylim(len(names) - 0.4, -0.6)
    return figure


def effects(sets: Mapping[str, Sequence[Estimate]]) -> "Figure | None":
    """By how much right endings differ from wrong ones in each feature, Cohen's d with its 95% interval.

    Args:
        sets: by name of a set of cases the features; the caller leaves out a feature without an interval.

    Returns:
        A row a feature, with a mark a set; None without a feature.
    """
    if (drawn := _marked(sets, at=0)) is None:
        return None
    figure, only = drawn
    only.set_xlabel("wrong endings have more  <   Cohen's d   >  right endings have more")
    return figure


def compared_shares(sets: Mapping[str, Sequence[Estimate]], of: str) -> "Figure | None":
    """Shares with their 95% intervals, a row a kind and a mark a set, beside a line at one half; None without any.

    Args:
        sets: by whose they are.
        of: what the shares are of, for the axis.
    """
    if (drawn := _marked(sets, at=0.5)) is None:
        return None
    figure, only = drawn
    only.set_xlim(-0.02, 1.02)
    in_percent(only.xaxis)
    only.set_xlabel(of)
    return figure


def reliability_curve(sets: Mapping[str, Sequence[Calibration]]) -> "Figure | None":
    """How often the likelier ending is right, by the probability it is given, with the 95% interval; None without any.

    Args:
        sets: by name of a set of cases.
    """
    from matplotlib.ticker import MultipleLocator

    sets = {name: points for name, points in sets.items() if points}
    if not sets:
        return None
    figure, only = panel(5.2, 4)
    least = min(0.5, *(each.predicted // 0.1 / 10 for points in sets.values() for each in points))
    only.plot((least, 1), (least, 1), color=GREY, linewidth=1, zorder=0)
    for number, (name, points) in enumerate(sets.items()):
        colour, mark = MARKS[number % len(MARKS)]
        sides = [[each.observed - each.low for each in points], [each.high - each.observed for each in points]]
        style: dict[str, Any] = {"fmt": mark, "color": colour, "markersize": 4, "linewidth": 1.2, "label": name}
        only.errorbar([each.predicted for each in points], [each.observed for each in points], yerr=sides, **style)
    only.set_xlim(least - 0.02, 1.02)
    only.set_xlabel("probability of the likelier ending")
    only.set_ylabel("share that is right")
    for axis in (only.xaxis, only.yaxis):
        axis.set_major_locator(MultipleLocator(0.1))
        in_percent(axis)
    figure.legend(frameon=False, fontsize="small", ncols=3, loc="outside upper center")
    return figure


def _marked(sets: Mapping[str, Sequence[Estimate]], at: float) -> "tuple[Figure, Axes] | None":
    """A row a label, with a mark a set, and a line at a value; None without a label."""
    labels = list(dict.fromkeys(each.label for estimates in sets.values() for each in estimates))
    if not labels:
        return None
    figure, only = panel(6.6, 1.2 + 0.45 * len(labels))
    step = 0.5 / len(sets)
    for number, (name, estimates) in enumerate(sets.items()):
        rows = [labels.index(each.label) + (number - (len(sets) - 1) / 2) * step for each in estimates]
        colour, mark = MARKS[number % len(MARKS)]
        style: dict[str, Any] = {"fmt": mark, "color": colour, "markersize": 4, "linewidth": 1.2, "label": name}
        only.errorbar([each.value for each in estimates], rows, xerr=_sides(estimates), **style)
    only.axvline(at, color=GREY, linewidth=1, zorder=0)
    only.set_yticks(range(len(labels)), labels)
    only.set_ylim(len(labels) - 0.5, -0.5)
    figure.legend(frameon=False, fontsize="small", ncols=3, loc="outside upper center")
    return figure, only


def _sides(estimates: Sequence[Estimate]) -> list[list[float]]:
    """How far the ends are from the value, which a bootstrap interval may not hold."""
    return [
        [max(0.0, each.value - each.low) for each in estimates],
        [max(0.0, each.high - each.value) for each in estimates],
    ]
