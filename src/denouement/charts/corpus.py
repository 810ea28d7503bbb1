"""Charts of what statistics find, in the manner of `report.figures`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from denouement.analysis.ngram_odds import NOTABLE
from denouement.analysis.sentiment import RIGHT
from denouement.charts.run import BLUE, GREEN, GREY, ORANGE, PINK, SKY, YELLOW, quiet

if TYPE_CHECKING:  # heavy
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POSITIONS = (BLUE, SKY, GREEN, YELLOW, ORANGE, PINK)
_MARKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "D"))
_TALL = 1.5  # times the tallest bar of right endings: what the panels of sentiment show
_DASHES = ("-", "--", "-.", ":", "-", "--")


def sentence_lengths(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Figure 2 of Mostafazadeh et al. 2016: how many sentences at each place have so many words.

    Args:
        rows: of `corpus_statistics.by_position`.
    """
    figure, panel = _figure(7, 3.8)
    longest = max((_quantile(row["counts"], 0.995) for row in rows), default=1)
    for row in rows:
        place = (row["position"] - 1) % len(_POSITIONS)
        shares = [count / row["n"] for count in row["counts"][: longest + 1]]
        label = f"sentence {row['position']}: mean {row['mean']:.1f}"
        panel.plot(range(len(shares)), shares, _DASHES[place], color=_POSITIONS[place], label=label)
    panel.set_xlim(0, max(1, longest))
    panel.set_ylim(0)
    panel.set_xlabel("words in the sentence")
    panel.set_ylabel("share of sentences")
    _in_percent(panel.yaxis)
    panel.legend(frameon=False, fontsize="small")
    return figure


def vocabulary_growth(found: Mapping[str, Any]) -> "Figure":
    """How many different words the first so many words of the corpus are.

    Args:
        found: of `corpus_statistics.vocabulary_growth`.
    """
    figure, panel = _figure(5.4, 3.6)
    panel.plot(*zip(*found["points"], strict=True), color=BLUE)
    panel.set_xlim(0)
    panel.set_ylim(0)
    panel.set_xlabel("words read")
    panel.set_ylabel("different words")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(lambda n, _: f"{n:,.0f}")
        axis.set_major_locator(_few_ticks())
    return figure


def events(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Figure 3 of Mostafazadeh et al. 2016: the most frequent events with their shares.

    Args:
        rows: of the table `event_counts`, those to show.
    """
    from matplotlib.patches import Patch

    figure, panel = _figure(6.4, 0.9 + 0.19 * len(rows))
    colours = {"VERB": BLUE, "NOUN": ORANGE}
    panel.barh(
        range(len(rows)), [row["share"] for row in rows], color=[colours[row["pos"]] for row in rows], height=0.75
    )
    panel.set_yticks(range(len(rows)), [row["lemma"] for row in rows], fontsize="small")
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.set_xlabel("share of all events")
    panel.xaxis.set_major_formatter(lambda share, _: f"{share:.1%}")
    handles = [Patch(color=colour, label=name.lower()) for name, colour in colours.items()]
    panel.legend(handles=handles, frameon=False, loc="lower right")
    return figure


def feature_effects(rows: Mapping[str, Sequence[Mapping[str, Any]]], names: Mapping[str, str]) -> "Figure":
    """By how much right endings differ from wrong ones in each feature: Cohen's d with its 95% interval.

    Args:
        rows: by release and split, of `ending_statistics.ending_statistics`.
        names: of the features, for people.
    """
    features = list(dict.fromkeys(row["feature"] for of_set in rows.values() for row in of_set))
    figure, panel = _figure(6.6, 1.2 + 0.45 * len(features))
    step = 0.5 / max(1, len(rows))
    for number, (name, of_set) in enumerate(rows.items()):
        drawn = [row for row in of_set if row["effect_low"] is not None]
        places = [features.index(row["feature"]) + (number - (len(rows) - 1) / 2) * step for row in drawn]
        values = [row["effect"] for row in drawn]
        sides = [
            [row["effect"] - row["effect_low"] for row in drawn],
            [row["effect_high"] - row["effect"] for row in drawn],
        ]
        colour, mark = _MARKS[number % len(_MARKS)]
        panel.errorbar(values, places, xerr=sides, fmt=mark, color=colour, markersize=4, linewidth=1.2, label=name)
    panel.axvline(0, color=GREY, linewidth=1, zorder=0)
    panel.set_yticks(range(len(features)), [names[feature] for feature in features])
    panel.set_ylim(len(features) - 0.5, -0.5)
    panel.set_xlabel("wrong endings have more  <   Cohen's d   >  right endings have more")
    figure.legend(frameon=False, fontsize="small", ncols=3, loc="outside upper center")
    return figure


def reliability_curve(found: Mapping[str, Mapping[str, Any]]) -> "Figure":
    """How often the likelier ending is right, by the probability it is given, with the 95% interval.

    Args:
        found: by release and split, of `cloze.calibration.reliability`.
    """
    from matplotlib.ticker import MultipleLocator

    figure, panel = _figure(5.2, 4)
    panel.plot((0.5, 1), (0.5, 1), color=GREY, linewidth=1, zorder=0)
    for number, (name, of_set) in enumerate(found.items()):
        colour, mark = _MARKS[number % len(_MARKS)]
        predicted, observed = ([row[key] for row in of_set["bins"]] for key in ("predicted", "observed"))
        sides = [
            [row["observed"] - row["low"] for row in of_set["bins"]],
            [row["high"] - row["observed"] for row in of_set["bins"]],
        ]
        panel.errorbar(predicted, observed, yerr=sides, fmt=mark, color=colour, markersize=4, linewidth=1.2, label=name)
    panel.set_xlim(0.48, 1.02)
    panel.set_xlabel("probability of the likelier ending")
    panel.set_ylabel("share that is right")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(MultipleLocator(0.1))
        axis.set_major_formatter(lambda share, _: f"{share:.0%}")
    figure.legend(frameon=False, fontsize="small", ncols=3, loc="outside upper center")
    return figure


def marking_ngrams(
    columns: Mapping[str, Mapping[str, Sequence[Any]]], most: int, visible: Callable[[str], str]
) -> "Figure":
    """The n-grams that most mark right and wrong endings, a panel a release and split.

    Args:
        columns: by release and split, of `ngram_odds.ngram_odds`.
        most: so many of each.
        visible: makes an n-gram readable.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.9 * max(1, len(columns)), 0.9 + 0.36 * most), layout="constrained")
    panels = figure.subplots(1, max(1, len(columns)), squeeze=False)[0]
    for panel, (name, found) in zip(panels, columns.items(), strict=False):
        grams, z = found["ngram"], found["z"]
        top = [place for place in range(min(most, len(z))) if z[place] >= NOTABLE]
        bottom = [place for place in range(max(len(top), len(z) - most), len(z)) if z[place] <= -NOTABLE]
        shown = top + bottom
        panel.barh(
            range(len(shown)),
            [z[place] for place in shown],
            color=[BLUE if z[place] > 0 else ORANGE for place in shown],
            height=0.75,
        )
        panel.set_yticks(range(len(shown)), [visible(grams[place]) for place in shown], fontsize="x-small")
        panel.set_ylim(len(shown) - 0.4, -0.6)
        panel.axvline(0, color="black", linewidth=0.6)
        panel.set_title(name, fontsize="medium")
        panel.set_xlabel("wrong  <   z of the log-odds   >  right", fontsize="small")
        quiet(panel)
    return figure


def sentiment_distributions(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """How the sentiment of each group's endings is spread, a panel a group, right endings as a line in each.

    Args:
        rows: of `sentiment_drift.distributions`.
    """
    from matplotlib.figure import Figure

    n_columns = min(3, max(1, len(rows)))
    n_lines = -(-max(1, len(rows)) // n_columns)
    figure = Figure(figsize=(2.7 * n_columns + 0.4, 1.9 * n_lines + 0.5), layout="constrained")
    panels = figure.subplots(n_lines, n_columns, sharex=True, sharey=True, squeeze=False).ravel()
    right = next((row for row in rows if row["group"] == RIGHT), None)
    highest = min(1.0, _TALL * max(_shares(right or rows[0])))  # a generator that repeats itself must not hide the rest
    for panel, row in zip(panels, rows, strict=False):
        shares = _shares(row)
        edges = [-1 + 2 * place / len(shares) for place in range(len(shares) + 1)]
        panel.stairs(shares, edges, fill=True, color=GREY if row is right else "#9CC8E3")
        if right:
            panel.stairs(_shares(right), edges, color="black", linewidth=0.9, label="right endings")
        for place, share in enumerate(shares):
            if share > highest:
                panel.text(
                    sum(edges[place : place + 2]) / 2,
                    highest,
                    f"{share:.0%}",
                    ha="center",
                    va="top",
                    fontsize="x-small",
                )
        panel.set_ylim(0, highest)
        panel.set_title(f"{row['group']} (n = {row['n']:,})", fontsize="small")
        _in_percent(panel.yaxis)
        quiet(panel)
    for panel in panels[len(rows) :]:
        panel.set_visible(False)
    figure.supxlabel("VADER's compound score, from negative to positive", fontsize="small")
    figure.supylabel("share of endings", fontsize="small")
    if right:
        panels[0].legend(frameon=False, fontsize="x-small", loc="upper left")
    return figure


def sentiment_by_context(rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """The mean sentiment of each group's endings after negative, neutral and positive contexts.

    Args:
        rows: of `sentiment_drift.by_context`.
    """
    groups = list(dict.fromkeys(row["group"] for row in rows))
    figure, panel = _figure(6.2, 1.2 + 0.42 * len(groups))
    marks = {"negative": (ORANGE, "v"), "neutral": ("#7F7F7F", "o"), "positive": (BLUE, "^")}
    for context, (colour, mark) in marks.items():
        of_context = [row for row in rows if row["context"] == context]
        if of_context:
            panel.plot(
                [row["mean"] for row in of_context],
                [groups.index(row["group"]) for row in of_context],
                mark,
                color=colour,
                label=f"{context} context",
            )
    panel.axvline(0, color=GREY, linewidth=1, zorder=0)
    panel.set_yticks(range(len(groups)), groups)
    panel.set_ylim(len(groups) - 0.5, -0.5)
    panel.set_xlabel("mean of the endings' compound scores")
    figure.legend(frameon=False, fontsize="small", ncols=3, loc="outside upper center")
    return figure


def _figure(width: float, height: float) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    panel = figure.subplots()
    quiet(panel)
    return figure, panel


def _in_percent(axis: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))  # whole percents, as they are written
    axis.set_major_formatter(lambda share, _: f"{share:.0%}")


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def _shares(row: Mapping[str, Any]) -> list[float]:
    return [count / row["n"] for count in row["counts"]]


def _quantile(counts: Sequence[int], share: float) -> int:
    """The least value that at least this share of values does not exceed."""
    total, seen = sum(counts), 0
    for value, count in enumerate(counts):
        seen += count
        if seen >= share * total:
            return value
    return 0
