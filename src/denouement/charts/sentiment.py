"""How the sentiment of endings is spread, and how it follows that of their contexts."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from denouement.charts.lines import Distribution
from denouement.charts.style import BLUE, DARK_GREY, GREY, ORANGE, PALE_BLUE, in_percent, panel, panels

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

_TALL = 1.5  # times the tallest bar of the reference: what the panels show
_CONTEXTS = {"negative": (ORANGE, "v"), "neutral": (DARK_GREY, "o"), "positive": (BLUE, "^")}


def sentiment_distributions(groups: Sequence[Distribution], reference: Distribution | None) -> "Figure | None":
    """How the sentiment of each group's endings is spread, a panel a group, the reference as a line in each.

    Args:
        groups: with counts of bins of equal width from -1 to 1.
        reference: one of `groups`, such as the right endings.

    Returns:
        None without a group that has an ending.
    """
    groups = [group for group in groups if group.n]
    reference = reference if reference and reference.n else None
    if not groups:
        return None
    n_columns = min(3, len(groups))
    n_lines = -(-len(groups) // n_columns)
    figure, made = panels(2.7 * n_columns + 0.4, 1.9 * n_lines + 0.5, n_lines, n_columns)
    # a generator that repeats itself must not make the others' bars too low to read
    highest = min(1.0, _TALL * max((reference or groups[0]).shares))
    for place, group in zip(made, groups, strict=False):
        shares = group.shares
        edges = [-1 + 2 * edge / len(shares) for edge in range(len(shares) + 1)]
        place.stairs(shares, edges, fill=True, color=GREY if group is reference else PALE_BLUE)
        if reference:
            place.stairs(reference.shares, edges, color="black", linewidth=0.9, label=f"{reference.label} endings")
        for number, share in enumerate(shares):
            if share > highest:
                middle = sum(edges[number : number + 2]) / 2
                place.text(middle, highest, f"{share:.0%}", ha="center", va="top", fontsize="x-small")
        place.set_ylim(0, highest)
        place.set_title(f"{group.label} (n = {group.n:,})", fontsize="small")
        in_percent(place.yaxis, ticks=6)
    for place in made[len(groups) :]:
        place.set_visible(False)
    figure.supxlabel("VADER's compound score, from negative to positive", fontsize="small")
    figure.supylabel("share of endings", fontsize="small")
    if reference:
        made[0].legend(frameon=False, fontsize="x-small", loc="upper left")
    return figure


def sentiment_by_context(groups: Mapping[str, Mapping[str, float]]) -> "Figure | None":
    """The mean sentiment of each group's endings after negative, neutral and positive contexts; None without any.

    Args:
        groups: by group and kind of context the mean; kinds that have no ending are missing.
    """
    if not any(groups.values()):
        return None
    figure, only = panel(6.2, 1.2 + 0.42 * len(groups))
    for kind, (colour, mark) in _CONTEXTS.items():
        points = [(means[kind], place) for place, means in enumerate(groups.values()) if kind in means]
        if points:
            only.plot(*zip(*points, strict=True), mark, color=colour, label=f"{kind} context")
    only.axvline(0, color=GREY, linewidth=1, zorder=0)
    only.set_yticks(range(len(groups)), list(groups))
    only.set_ylim(len(groups) - 0.5, -0.5)
    only.set_xlabel("mean of the endings' compound scores")
    figure.legend(frameon=False, fontsize="small", ncols=3, loc="outside upper center")
    return figure
