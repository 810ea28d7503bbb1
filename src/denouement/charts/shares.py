"""Shares of a whole as the parts of a bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from denouement.charts.style import BAR, BLUE, GREY, ORANGE, PALE_BLUE, in_percent, panel, quiet, write_inside

if TYPE_CHECKING:  # heavy
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OUTCOMES = {
    "first": ("first one {}", BLUE),
    "both": ("both", PALE_BLUE),
    "no_agreement": ("no agreement", "white"),
    "neither": ("neither", GREY),
    "second": ("second one {}", ORANGE),
}


@dataclass(frozen=True)
class Sentiments:
    """Shares of negative and positive endings of a group; the others are neutral.

    Attributes:
        label: of whom the endings are.
        n: how many there are.
        negative: a share of them.
        positive: a share of them.
        published: those of a paper, which are drawn paler, right below.
    """

    label: str
    n: int
    negative: float
    positive: float
    published: "Sentiments | None" = None


@dataclass(frozen=True)
class Outcomes:
    """What people agree on of two systems: how many of the `items` came to each outcome.

    Attributes:
        first: a system.
        second: the other one.
        items: how many were compared.
        counts: by outcome: `first`, `second`, `both`, `neither`, `no_agreement`.
    """

    first: str
    second: str
    items: int
    counts: Mapping[str, int]


@dataclass(frozen=True)
class BestAndWorst:
    """How many of the `n` answers that show a system's ending call it the best, and the worst, of those shown."""

    label: str
    n: int
    best: int
    worst: int


def sentiment_shares(groups: Sequence[Sentiments]) -> "Figure | None":
    """Negative, neutral and positive shares, a bar a group; None without a group."""
    from matplotlib.patches import Patch

    bars: list[tuple[Sentiments, float, float]] = []  # with place and opacity
    place = 0.0
    for group in groups:
        bars.append((group, place, 1.0))
        if group.published:
            place += BAR
            bars.append((group.published, place, 0.45))
        place += 1.25 * BAR
    if not bars:
        return None
    figure, only = panel(7.5, 0.9 + place / 2)
    colours = {"negative": ORANGE, "neutral": GREY, "positive": BLUE}
    for group, place, alpha in bars:
        left = 0.0
        shares = (group.negative, 1 - group.positive - group.negative, group.positive)
        for share, colour in zip(shares, colours.values(), strict=True):
            only.barh(place, share, left=left, height=BAR, color=colour, alpha=alpha)
            if share >= 0.04:
                write_inside(only, left + share / 2, place, f"{share:.0%}", colour != GREY and alpha == 1)
            left += share
    only.set_yticks([place for _, place, _ in bars], [f"{group.label} (n = {group.n:,})" for group, *_ in bars])
    only.set_ylim(bars[-1][1] + BAR, -BAR)
    only.set_xlabel("share of endings")
    only.set_xlim(0, 1)
    in_percent(only.xaxis)
    handles = [Patch(color=colour, label=name) for name, colour in colours.items()]
    figure.legend(handles=handles, ncols=3, loc="outside upper center", frameon=False)
    return figure


def best_and_worst(systems: Sequence[BestAndWorst]) -> "Figure | None":
    """How often the endings of each system are the worst, between, and the best of those shown, a bar a system.

    None without an answer.
    """
    from matplotlib.patches import Patch

    systems = [system for system in systems if system.n]
    if not systems:
        return None
    figure, only = panel(7.5, 0.9 + 0.4 * len(systems))
    colours = {"worst": ORANGE, "between": GREY, "best": BLUE}
    for place, system in enumerate(systems):
        counts = (system.worst, system.n - system.worst - system.best, system.best)
        _bar_of_counts(only, place, list(zip(counts, colours.values(), strict=True)), system.n)
    only.set_yticks(range(len(systems)), [f"{system.label} (n = {system.n:,})" for system in systems])
    only.set_ylim(len(systems) - 0.5, -0.5)
    only.set_xlim(0, 1)
    only.set_xlabel("share of answers")
    in_percent(only.xaxis)
    handles = [Patch(color=colour, label=name) for name, colour in colours.items()]
    figure.legend(handles=handles, ncols=3, loc="outside upper center", frameon=False)
    return figure


def study_outcomes(pairs: Sequence[Outcomes], what: str = "better") -> "Figure | None":
    """What people agree on, a bar a pair of systems with one at either end, and the numbers of items.

    `what` they say of an ending that they choose is in the legend. None without an item.
    """
    from matplotlib.patches import Patch

    pairs = [pair for pair in pairs if pair.items]
    if not pairs:
        return None
    figure, only = panel(7.5, 1.3 + 0.5 * len(pairs))
    for place, pair in enumerate(pairs):
        counts = [(pair.counts[outcome], colour) for outcome, (_, colour) in _OUTCOMES.items()]
        _bar_of_counts(only, place, counts, pair.items)
    other_side = only.twinx()
    quiet(other_side)
    only.set_yticks(range(len(pairs)), [f"{pair.first}\n(n = {pair.items:,})" for pair in pairs])
    other_side.set_yticks(range(len(pairs)), [pair.second for pair in pairs])
    for axis in (only, other_side):
        axis.set_ylim(len(pairs) - 0.5, -0.5)
    only.set_xlim(0, 1)
    only.set_xlabel("share of items")
    in_percent(only.xaxis)
    handles = [
        Patch(facecolor=colour, edgecolor="black" if outcome == "no_agreement" else "none", label=label.format(what))
        for outcome, (label, colour) in _OUTCOMES.items()
        if outcome != "no_agreement" or any(pair.counts[outcome] for pair in pairs)
    ]
    figure.legend(handles=handles, ncols=5, loc="outside upper center", frameon=False, fontsize="small")
    return figure


def _bar_of_counts(panel: "Axes", place: int, parts: Sequence[tuple[int, str]], of: int) -> None:
    """A bar of counts and their colours as shares of `of`, with each number where there is room; white has an edge."""
    left = 0.0
    for n, colour in parts:
        share = n / of
        edge = "black" if colour == "white" and n else colour
        panel.barh(place, share, left=left, height=BAR, color=colour, edgecolor=edge, linewidth=0.5)
        if share >= 0.03:
            write_inside(panel, left + share / 2, place, f"{n:,}", colour in (BLUE, ORANGE))
        left += share
