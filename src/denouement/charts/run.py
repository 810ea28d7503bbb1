"""Figures as SVG, the same bytes from the same figures' data: no dates, no random ids.

Colours are those of Okabe and Ito, told apart with any colour vision.
"""

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from denouement.console import warn
from denouement.files import atomic_write
from denouement.legible import cleaned, printed
from denouement.report.tables import system_name

if TYPE_CHECKING:  # heavy
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#C8C8C8"
SKY, GREEN, YELLOW, PINK = "#56B4E9", "#009E73", "#E69F00", "#CC79A7"

_BAR = 0.6  # height of a bar
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def training_curves(histories: Mapping[str, Mapping[str, Any]]) -> "Figure":
    """Perplexity by epoch on training and validation stories, a panel a generator, the best epoch marked.

    Training perplexity is that of the batches as they were learned from, with dropout, so it starts above validation's.
    Epochs count from 1 here.

    Args:
        histories: by generator, what `generators.training.train` returns.
    """
    import math

    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

    histories = {name: history for name, history in histories.items() if history["epochs"]}
    figure = Figure(figsize=(4.2 * max(1, len(histories)), 3.4), layout="constrained")
    panels = figure.subplots(1, max(1, len(histories)), sharey=True, squeeze=False)[0]
    for panel, (name, history) in zip(panels, histories.items(), strict=False):
        epochs = [entry["epoch"] + 1 for entry in history["epochs"]]
        training = [math.exp(entry["train_loss"]) for entry in history["epochs"]]
        panel.plot(epochs, training, color=BLUE, marker="o", markersize=3.5, linestyle="--", label="training")
        held_out = [entry for entry in history["epochs"] if entry["validation_loss"] is not None]
        if held_out:
            epochs = [entry["epoch"] + 1 for entry in held_out]
            validation = [math.exp(entry["validation_loss"]) for entry in held_out]
            panel.plot(epochs, validation, color=ORANGE, marker="s", markersize=3.5, label="validation")
            best = epochs.index(history["best_epoch"] + 1)
            panel.plot(
                epochs[best],
                validation[best],
                color=ORANGE,
                marker="o",
                markersize=12,
                fillstyle="none",
                linestyle="none",
                label=f"used: epoch {epochs[best]}, {validation[best]:.1f}",
            )
        panel.set_title(name)
        panel.set_xlabel("epoch")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        panel.legend(frameon=False, fontsize="small")
        quiet(panel)
    panels[0].set_ylabel("perplexity per token (log scale)")
    panels[0].set_yscale("log")
    panels[0].yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    panels[0].yaxis.set_major_formatter(ScalarFormatter())
    panels[0].yaxis.set_minor_formatter(NullFormatter())
    return figure


def sentiment_shares(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Negative, neutral and positive shares of each group's endings, the paper's below ours where it has the group.

    Args:
        rows: of `analysis.sentiment.sentiment_table`.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    bars: list[tuple[str, Mapping[str, Any], float, float]] = []  # label, shares, place, opacity
    place = 0.0
    for row in rows:
        bars.append((row["group"], row, place, 1.0))
        if row["paper"]:
            place += _BAR
            bars.append(("Mori et al. 2019", row["paper"], place, 0.45))
        place += 1.25 * _BAR
    figure = Figure(figsize=(7.5, 0.9 + place / 2), layout="constrained")
    panel = figure.subplots()
    for _, row, place, alpha in bars:
        left = 0.0
        neutral = 1 - row["positive_share"] - row["negative_share"]
        for share, colour in ((row["negative_share"], ORANGE), (neutral, GREY), (row["positive_share"], BLUE)):
            panel.barh(place, share, left=left, height=_BAR, color=colour, alpha=alpha)
            if share >= 0.04:
                _inside(panel, left + share / 2, place, f"{share:.0%}", colour != GREY and alpha == 1)
            left += share
    panel.set_yticks([place for _, _, place, _ in bars], [f"{name} (n = {row['n']:,})" for name, row, _, _ in bars])
    panel.set_ylim(bars[-1][2] + _BAR, -_BAR)
    panel.set_xlabel("share of endings")
    panel.set_xlim(0, 1)
    panel.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    colours = {"negative": ORANGE, "neutral": GREY, "positive": BLUE}
    handles = [Patch(color=colour, label=name) for name, colour in colours.items()]
    figure.legend(handles=handles, ncols=3, loc="outside upper center", frameon=False)
    quiet(panel)
    return figure


def cloze_accuracies(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Accuracy of each Story Cloze system with its 95% interval and the paper's, a panel a release and split.

    Args:
        rows: of a `cloze.evaluate.Evaluation`; those without an accuracy are passed over.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    scored = [row for row in rows if row["accuracy"] is not None]
    sets = list(dict.fromkeys((row["release"], row["split"]) for row in scored))
    names = list(dict.fromkeys(system_name(row) for row in scored))
    figure = Figure(figsize=(2.6 + 3 * len(sets), 1 + 0.26 * len(names)), layout="constrained")
    panels = figure.subplots(1, len(sets), sharey=True, sharex=True, squeeze=False)[0]
    for panel, (release, split) in zip(panels, sets, strict=True):
        of_set = [row for row in scored if (row["release"], row["split"]) == (release, split)]
        places = [names.index(system_name(row)) for row in of_set]
        accuracy = [row["accuracy"] for row in of_set]
        sides = [[row["accuracy"] - row["low"] for row in of_set], [row["high"] - row["accuracy"] for row in of_set]]
        panel.errorbar(accuracy, places, xerr=sides, fmt="o", color=BLUE, markersize=4, linewidth=1, label="here, 95%")
        published = [(row["paper"], place) for row, place in zip(of_set, places, strict=True) if row["paper"]]
        if published:
            panel.plot(*zip(*published, strict=True), "D", color=ORANGE, markersize=4, fillstyle="none", label="paper")
        panel.axvline(0.5, color=GREY, linewidth=1, zorder=0)
        panel.set_title(f"{release} {split} (n = {of_set[0]['n']:,})", fontsize="medium")
        panel.set_xlabel("accuracy")
        panel.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))  # whole percents, as they are written
        panel.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        quiet(panel)
    panels[0].set_yticks(range(len(names)), names)
    panels[0].set_ylim(len(names) - 0.4, -0.6)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize="small", ncols=2, loc="outside upper center")
    return figure


def study_outcomes(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """What annotators agree on, a bar a pair of systems with one at either end, and the numbers of items.

    Args:
        rows: `pairs` of `study.results.study_results`.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    colours = {"first": BLUE, "both": "#9CC8E3", "no_agreement": "white", "neither": GREY, "second": ORANGE}
    figure = Figure(figsize=(7.5, 1.3 + 0.5 * len(rows)), layout="constrained")
    panel = figure.subplots()
    for place, row in enumerate(rows):
        left = 0.0
        for outcome, colour in colours.items():
            share = row["agreement"][outcome]["share"]
            edge = "black" if outcome == "no_agreement" and share else colour
            panel.barh(place, share, left=left, height=_BAR, color=colour, edgecolor=edge, linewidth=0.5)
            if share >= 0.03:
                n = f"{row['agreement'][outcome]['n']:,}"
                _inside(panel, left + share / 2, place, n, outcome in ("first", "second"))
            left += share
    other_side = panel.twinx()
    panel.set_yticks(range(len(rows)), [f"{row['first']}\n(n = {row['items']:,})" for row in rows])
    other_side.set_yticks(range(len(rows)), [row["second"] for row in rows])
    for axis in (panel, other_side):
        axis.set_ylim(max(1, len(rows)) - 0.5, -0.5)
        quiet(axis)
    panel.set_xlim(0, 1)
    panel.set_xlabel("share of items")
    panel.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    labels = {
        "first": "left one better",
        "both": "both",
        "no_agreement": "no agreement",
        "neither": "neither",
        "second": "right one better",
    }
    handles = [
        Patch(facecolor=colours[outcome], edgecolor="black" if outcome == "no_agreement" else "none", label=label)
        for outcome, label in labels.items()
        if outcome != "no_agreement" or any(row["agreement"]["no_agreement"]["n"] for row in rows)
    ]
    figure.legend(handles=handles, ncols=5, loc="outside upper center", frameon=False, fontsize="small")
    return figure


def save(figure: "Figure", path: Path) -> None:
    """Write `figure` to `path`, as SVG or PNG by its suffix, byte for byte the same each time."""
    with atomic_write(path) as beside:
        _save(figure, beside, path.suffix.removeprefix("."))


def as_svg(figure: "Figure") -> str:
    """`figure` as the text of an SVG file, the same each time."""
    buffer = io.BytesIO()
    _save(figure, buffer, "svg")
    return buffer.getvalue().decode("utf-8")


def _save(figure: "Figure", target: "Path | BinaryIO", kind: str) -> None:
    import warnings

    import matplotlib

    metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    _take_literally(figure)
    with (
        warnings.catch_warnings(record=True) as met,
        matplotlib.rc_context({"svg.hashsalt": "denouement", "text.parse_math": False}),
    ):
        warnings.simplefilter("always")
        figure.savefig(target, format=kind, dpi=150, metadata=metadata)
    for told in dict.fromkeys(str(each.message) for each in met):
        warn(f"a figure: {told}")  # such as a character that the font lacks, which is drawn as a box


def literal(text: str) -> str:
    """The text as a figure may hold it, every character of which has a form and a place in XML."""
    return _NOT_IN_XML.sub("\ufffd", printed(cleaned(text))).replace("\t", " ")


def _take_literally(figure: "Figure") -> None:
    """Make every text of the figure, which may be a name or words of a story, mean itself: no TeX, no control."""
    from matplotlib.category import StrCategoryLocator
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, FixedLocator

    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            locator = axis.get_major_locator()
            if isinstance(locator, FixedLocator | StrCategoryLocator):  # labels that were given, made when drawn
                places = list(locator())
                labels = [*map(literal, axis.get_major_formatter().format_ticks(places))]
                axis.set_major_locator(FixedLocator(places))
                axis.set_major_formatter(FixedFormatter(labels))
    for text in figure.findobj(Text):
        text.set_parse_math(False)
        text.set_text(literal(text.get_text()))


def _inside(panel: "Axes", x: float, y: float, text: str, on_dark: bool) -> None:
    """Write `text` into a part of a bar whose middle is at `x`, `y`."""
    colour = "white" if on_dark else "black"
    panel.text(x, y, text, color=colour, ha="center", va="center_baseline", fontsize="small")


def quiet(panel: "Axes") -> None:
    """Leave out the lines and ticks that say nothing."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.tick_params(length=3)
