"""One look for all charts: their colours, their sizes, and axes that show no more than is read.

Colours are those of Okabe and Ito, which people with any colour vision can distinguish.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # heavy
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, YELLOW, PINK, SKY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9"
GREY, DARK_GREY, PALE_BLUE = "#C8C8C8", "#7F7F7F", "#9CC8E3"

MARKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "D"))
"""Colour and mark of each series of points in a panel."""

BAR = 0.6
"""Height of a bar, where bars are 1 apart."""


def panels(
    width: float, height: float, n_rows: int = 1, n_columns: int = 1, sharing: bool = True
) -> "tuple[Figure, list[Axes]]":
    """A chart of so many inches with panels, row by row; `sharing`: both axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    made = list(figure.subplots(n_rows, n_columns, sharex=sharing, sharey=sharing, squeeze=False).ravel())
    for panel in made:
        quiet(panel)
    return figure, made


def panel(width: float, height: float) -> "tuple[Figure, Axes]":
    """A chart of so many inches with one panel."""
    figure, [only] = panels(width, height)
    return figure, only


def quiet(panel: "Axes") -> None:
    """Leave out the lines and ticks that say nothing."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(length=3)


def in_percent(axis: "Axis", ticks: int | None = None) -> None:
    """Label shares as whole percents; `ticks`: at most so many, at places that are whole percents."""
    from matplotlib.ticker import MaxNLocator

    if ticks:
        axis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(lambda share, _: f"{share:.0%}")


def write_inside(panel: "Axes", x: float, y: float, text: str, on_dark: bool) -> None:
    """Write `text` into a part of a bar whose middle is at `x`, `y`."""
    colour = "white" if on_dark else "black"
    panel.text(x, y, text, color=colour, ha="center", va="center_baseline", fontsize="small")
