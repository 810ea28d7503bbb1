"""Bars of one thickness, however many they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from denouement.charts.style import BLUE, ORANGE, panel, panels

if TYPE_CHECKING:  # heavy
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KINDS = (BLUE, ORANGE)
_THIN = 0.75  # height of a bar among many
_FEWEST = 7  # bars that there is room for at least


@dataclass(frozen=True)
class Bar:
    """A value with its name; its kind, where bars are of several kinds, gives the colour."""

    label: str
    value: float
    kind: str = ""


def share_bars(bars: Sequence[Bar], of: str, kinds: Sequence[str]) -> "Figure | None":
    """Lying bars of shares, such as Figure 3 of Mostafazadeh et al. 2016; None without a bar.

    Args:
        bars: from above.
        of: what the shares are of, for the axis.
        kinds: at most two, as bars name them and the legend does.
    """
    from matplotlib.patches import Patch

    if not bars:
        return None
    figure, only = panel(6.4, 0.9 + 0.19 * len(bars))
    colours = dict(zip(kinds, _KINDS, strict=False))
    _lie(only, bars, [colours[bar.kind] for bar in bars], len(bars), "small")
    only.set_xlabel(of)
    only.xaxis.set_major_formatter(lambda share, _: f"{share:.1%}")
    handles = [Patch(color=colour, label=kind) for kind, colour in colours.items()]
    if len(bars) < _FEWEST:
        figure.legend(handles=handles, frameon=False, ncols=2, loc="outside upper center")
    else:
        only.legend(handles=handles, frameon=False, loc="lower right")
    return figure


def opposed_bars(sets: Mapping[str, Sequence[Bar]], left: str, value: str, right: str) -> "Figure | None":
    """Lying bars to the left and the right of 0, a panel a set; None where no set has a bar.

    Args:
        sets: by title the bars from above; a set may have none.
        left: what values below 0 mean.
        value: what the values are.
        right: what values above 0 mean.
    """
    n_bars = max(map(len, sets.values()), default=0)
    if not n_bars:
        return None
    n_places = max(_FEWEST, n_bars)  # so that a few bars are no thicker than many
    figure, made = panels(3.9 * len(sets), 0.9 + 0.18 * n_places, n_columns=len(sets), sharing=False)
    for place, (title, bars) in zip(made, sets.items(), strict=True):
        _lie(place, bars, [BLUE if bar.value > 0 else ORANGE for bar in bars], n_places, "x-small")
        place.set_title(title, fontsize="medium")
        place.set_xlabel(f"{left}  <   {value}   >  {right}", fontsize="small")
        if bars:
            place.axvline(0, color="black", linewidth=0.6)
        else:
            place.set_xticks([])
            place.text(0.5, 0.5, "none", transform=place.transAxes, ha="center", fontsize="small")
    return figure


def word_bars(bars: Sequence[Bar], title: str) -> "Figure | None":
    """Upright bars with their counts on top, as Figure 2 of Mori et al. 2019; None without a bar."""
    from matplotlib.ticker import MaxNLocator

    if not bars:
        return None
    figure, only = panel(max(4.0, 0.42 * len(bars) + 1), 3.6)
    drawn = only.bar([bar.label for bar in bars], [bar.value for bar in bars], width=0.7, color=BLUE)
    only.bar_label(drawn, fontsize="small", padding=2)
    only.set_ylabel("times")
    only.set_title(title, fontsize="medium")
    only.yaxis.set_major_locator(MaxNLocator(integer=True))
    only.tick_params(axis="x", rotation=60, length=0)
    only.margins(x=0.01)
    if len(bars) < _FEWEST:
        only.set_xlim(-0.5, _FEWEST - 0.5)
    return figure


def _lie(panel: "Axes", bars: Sequence[Bar], colours: Sequence[str], n_places: int, size: str) -> None:
    """Draw horizontal bars from the top into a panel that has room for `n_places`."""
    panel.barh(range(len(bars)), [bar.value for bar in bars], color=colours, height=_THIN)
    panel.set_yticks(range(len(bars)), [bar.label for bar in bars], fontsize=size)
    panel.set_ylim(n_places - 0.4, -0.6)
