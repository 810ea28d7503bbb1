"""Lines: the course of a training, lengths, growth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from denouement.charts.style import BLUE, GREEN, GREY, ORANGE, PINK, SKY, YELLOW, in_percent, panel, quiet

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

_COLOURS = (BLUE, SKY, GREEN, YELLOW, ORANGE, PINK)
_DASHES = ("-", "--", "-.", ":", "-", "--")


@dataclass(frozen=True)
class TrainingCourse:
    """Perplexities by epoch, epochs counted from 1.

    Attributes:
        name: of the generator.
        training: epoch and perplexity of the training stories, of every epoch.
        validation: the same of the stories held out; empty where none were.
        used: the epoch whose weights are used; it is marked where it has a perplexity of stories held out.
    """

    name: str
    training: Sequence[tuple[int, float]]
    validation: Sequence[tuple[int, float]]
    used: int


@dataclass(frozen=True)
class Distribution:
    """How often each value occurs.

    Attributes:
        label: of whom or what.
        counts: of the values 0, 1, 2, ..., or of bins of equal width.
    """

    label: str
    counts: Sequence[int]

    @property
    def n(self) -> int:
        """How many values there are."""
        return sum(self.counts)

    @property
    def shares(self) -> list[float]:
        """Of all values the share of each."""
        return [count / self.n for count in self.counts]


def training_curves(courses: Sequence[TrainingCourse]) -> "Figure | None":
    """Perplexity by epoch, a panel a generator; None without an epoch.

    Training perplexity is that of the batches as they were learned from, with dropout, so it starts above validation's.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

    courses = [course for course in courses if course.training]
    if not courses:
        return None
    figure = Figure(figsize=(4.2 * len(courses), 3.4), layout="constrained")
    panels = figure.subplots(1, len(courses), sharey=True, squeeze=False)[0]  # each with epochs of its own
    for place, course in zip(panels, courses, strict=True):
        quiet(place)
        line: dict[str, Any] = {"color": BLUE, "marker": "o", "markersize": 3.5, "linestyle": "--", "label": "training"}
        place.plot(*zip(*course.training, strict=True), **line)
        if course.validation:
            line = {"color": ORANGE, "marker": "s", "markersize": 3.5, "label": "validation"}
            place.plot(*zip(*course.validation, strict=True), **line)
        if perplexity := dict(course.validation).get(course.used):
            circle: dict[str, Any] = {
                "color": ORANGE,
                "marker": "o",
                "markersize": 12,
                "fillstyle": "none",
                "linestyle": "none",
            }
            place.plot(course.used, perplexity, **circle, label=f"used: epoch {course.used}, {perplexity:.1f}")
        place.set_title(course.name)
        place.set_xlabel("epoch")
        place.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        place.legend(frameon=False, fontsize="small")
    panels[0].set_ylabel("perplexity per token (log scale)")
    panels[0].set_yscale("log")
    panels[0].yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    panels[0].yaxis.set_major_formatter(ScalarFormatter())
    panels[0].yaxis.set_minor_formatter(NullFormatter())
    return figure


def sentence_lengths(positions: Sequence[Distribution]) -> "Figure | None":
    """Figure 2 of Mostafazadeh et al. 2016: the shares of sentences of so many words, a line a position in the story.

    None without a sentence.
    """
    positions = [each for each in positions if each.n]
    if not positions:
        return None
    figure, only = panel(7, 3.8)
    longest = max(_quantile(each.counts, 0.995) for each in positions)
    for place, each in enumerate(positions):
        shares = each.shares[: longest + 1]
        place %= len(_COLOURS)
        only.plot(range(len(shares)), shares, _DASHES[place], color=_COLOURS[place], label=each.label)
    only.set_xlim(0, max(1, longest))
    only.set_ylim(0)
    only.set_xlabel("words in the sentence")
    only.set_ylabel("share of sentences")
    in_percent(only.yaxis, ticks=6)
    only.legend(frameon=False, fontsize="small")
    return figure


def vocabulary_growth(points: Sequence[tuple[int, int]]) -> "Figure | None":
    """How many different words the first so many words of a corpus are; None for fewer than two points."""
    from matplotlib.ticker import MaxNLocator

    if len(points) < 2:
        return None
    figure, only = panel(5.4, 3.6)
    only.plot(*zip(*points, strict=True), color=BLUE)
    only.set_xlim(0)
    only.set_ylim(0)
    only.set_xlabel("words read")
    only.set_ylabel("different words")
    for axis in (only.xaxis, only.yaxis):
        axis.set_major_formatter(lambda n, _: f"{n:,.0f}")
        axis.set_major_locator(MaxNLocator(5))
    return figure


def sizes_and_goal(curves: Mapping[str, Sequence[tuple[int, float]]], goal: float, what: str) -> "Figure | None":
    """What studies of rising size reach, a line a way to make them, and the value that is wanted; None without a point.

    Args:
        curves: by name the sizes and the share that each reaches, the sizes rising.
        goal: the wanted share.
        what: the name of what is reached, for the axis.
    """
    from matplotlib.ticker import FixedLocator, NullLocator

    curves = {name: points for name, points in curves.items() if points}
    if not curves:
        return None
    figure, only = panel(6.4, 3.8)
    only.axhline(goal, color=GREY, linewidth=1, zorder=0)
    for place, (name, points) in enumerate(curves.items()):
        place %= len(_COLOURS)
        only.plot(*zip(*points, strict=True), _DASHES[place], color=_COLOURS[place], label=name)
    least = min(points[0][0] for points in curves.values())
    most = max(points[-1][0] for points in curves.values())
    only.set_xscale("log")
    only.xaxis.set_major_locator(FixedLocator([n for n in _SIZES if least <= n <= most]))
    only.xaxis.set_minor_locator(NullLocator())
    only.xaxis.set_major_formatter(lambda n, _: f"{n:,.0f}")
    only.set_ylim(0, min(1.0, 4 * goal))  # what is far from the goal is not what is looked for
    only.set_xlabel("items (log scale)")
    only.set_ylabel(what)
    in_percent(only.yaxis, ticks=6)
    only.legend(frameon=False, fontsize="small")
    return figure


def watched(points: Sequence[tuple[int, float, float, float]], threshold: float, what: str) -> "Figure | None":
    """How an accuracy that should be a half changes while cases come in, with the value that it may not exceed.

    None without a point.

    Args:
        points: how many cases there were, the accuracy, and the ends of its interval; the numbers rising.
        threshold: the value that it may not exceed.
        what: the name of the accuracy, for the axis.
    """
    from matplotlib.ticker import MaxNLocator

    if not points:
        return None
    n, shares, low, high = map(list, zip(*points, strict=True))
    figure, only = panel(6.4, 3.6)
    only.axhline(0.5, color=GREY, linewidth=1, zorder=0)
    only.axhline(threshold, color=ORANGE, linewidth=1.2, linestyle="--", label=f"at most {threshold:.0%}")
    only.fill_between(n, low, high, color=SKY, alpha=0.3, linewidth=0, label="95% interval")
    only.plot(n, shares, color=BLUE, marker="o", markersize=3.5)
    only.set_xlim(0)
    only.set_ylim(min(0.4, *low), max(0.8, threshold + 0.05, *high))
    only.set_xlabel("pairs of endings")
    only.set_ylabel(what)
    only.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    only.xaxis.set_major_formatter(lambda n, _: f"{n:,.0f}")
    in_percent(only.yaxis, ticks=6)
    only.legend(frameon=False, fontsize="small")
    return figure


_SIZES = [factor * 10**power for power in range(6) for factor in (1, 2, 5)]


def _quantile(counts: Sequence[int], share: float) -> int:
    """The least value that at least this share of values does not exceed."""
    total, seen = sum(counts), 0
    for value, count in enumerate(counts):
        seen += count
        if seen >= share * total:
            return value
    return 0
