"""How far scores agree with people, as sections."""

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from denouement.charts.intervals import Estimate, coefficients
from denouement.metrics.agreement.ceiling import Ceiling
from denouement.metrics.agreement.differences import Difference
from denouement.metrics.agreement.levels import FEWEST, GLOBAL, ITEM, LEVELS, SYSTEM
from denouement.metrics.agreement.picking import Picked, PickedByElement
from denouement.metrics.agreement.weighted import COEFFICIENTS, KENDALL, PEARSON, SPEARMAN
from denouement.metrics.agreement.with_people import Agreement, Correlation
from denouement.present.cells import NO_VALUE, Cell, Interval, Number, PValue, Share
from denouement.present.sections import Block, Chart, Fold, Paragraph, Section, Table

if TYPE_CHECKING:  # heavy
    from matplotlib.figure import Figure

CHART = "agreement.svg"

_NAMES = {PEARSON: "Pearson's r", SPEARMAN: "Spearman's rho", KENDALL: "Kendall's tau-b"}
_LEVELS = {
    GLOBAL: "Over all endings",
    ITEM: "Within items, over systems, then the mean",
    SYSTEM: "Over systems, of their means",
}
_UNITS = {GLOBAL: "endings", ITEM: "items", SYSTEM: "systems"}
_PICKS = (
    *("score", "pairs", "accuracy", "95%", "right", "wrong", "score ties", "people tie"),
    *("as people", "calibrated", "threshold"),
)
_DRAWN = 30  # scores in the chart


def agreement_sections(found: Agreement) -> list[Block]:
    """Correlations, differences, picks, elements, and how well people agree with each other."""
    sections = [
        Section("Scores and people", "", [*map(Paragraph, _about(found)), *_correlations(found)]),
        Section(
            "Which scores differ",
            "Tests of whether one score correlates better with people than another.",
            _differences(found),
        ),
        Section(
            "Picking what people picked",
            "Of two endings of an item, whether the one that people prefer has the higher score.",
            _picks(found),
        ),
    ]
    if found.by_element:
        sections.append(
            Section(
                "By what reasons name",
                "Whether a score is right more often where those who chose the winner name an element.",
                element_blocks(found.by_element),
            )
        )
    sections.append(
        Section(
            "How well people agree with each other",
            "What a score may be held against: how each rater agrees with the others.",
            _ceiling(found.ceiling),
        )
    )
    return list(sections)


def _about(found: Agreement) -> list[str]:
    match = found.matched
    of_systems = f" by {match.systems:,} systems" if match.systems else ""
    said = [f"{match.endings:,} endings of {match.items:,} items{of_systems} have scores and ratings."]
    for n, what in (
        (match.only_scores, "have scores and no ratings"),
        (match.only_people, "have ratings and no scores"),
    ):
        if n:
            said.append(f"{n:,} further endings {what} and are left out.")
    if found.question:
        said.append(f"People were asked: {found.question}.")
    if found.other_questions:
        said.append(f"The same file has {', '.join(found.other_questions)}: choose with --question.")
    if found.settings.without:
        said.append(f"Left out: {', '.join(found.settings.without)}.")
    if found.without_score:
        named = ", ".join(f"{name} {n:,}" for name, n in found.without_score.items())
        said.append(f"Rated endings without a score, which is worked out over the others: {named}.")
    if found.left_out:
        said.append(f"Columns that are no numbers, not read: {', '.join(found.left_out)}.")
    if found.lower:
        said.append(f"Lower values are better of {', '.join(found.lower)}: these count times -1.")
    if found.no_direction:
        said.append(
            f"This version does not know {', '.join(found.no_direction)}: higher values count as better unless --lower "
            "names them."
        )
    if found.of_sets and SYSTEM not in found.levels_left_out:
        said.append(f"Values of all endings of a system together, so over systems alone: {', '.join(found.of_sets)}.")
    said += [f"{_LEVELS[level]}: not worked out, as {why}." for level, why in found.levels_left_out.items()]
    return [" ".join(said), *([width] if (width := can_show(found)) else [])]


def can_show(found: Agreement) -> str | None:
    """What so many endings can show: how wide the intervals are. None without an interval."""
    coefficient = found.settings.coefficient
    widths = {
        level: [
            row.high - row.low for row in found.of(level, coefficient) if row.low is not None and row.high is not None
        ]
        for level in LEVELS
    }
    known = {level: median(each) for level, each in widths.items() if each}
    if not known:
        return None
    n = {level: max(row.n for row in found.of(level, coefficient)) for level in known}
    parts = [f"{width:.2f} ({n[level]:,} {_UNITS[level]})" for level, width in known.items()]
    return (
        f"What so many can show: half of the scores' 95% intervals of {_NAMES[coefficient]} are wider than "
        f"{', '.join(parts)}. A value of less than half of that is hardly told from 0."
    )


def _correlations(found: Agreement) -> list[Block]:
    blocks: list[Block] = []
    for level in (each for each in LEVELS if each not in found.levels_left_out):
        order = [KENDALL, PEARSON, SPEARMAN]
        order.sort(key=lambda name: name != found.settings.coefficient)
        by_score: dict[str, dict[str, Correlation]] = {row.score: {} for row in found.of(level, KENDALL)}
        for name in COEFFICIENTS:
            for row in found.of(level, name):
                by_score[row.score][name] = row
        rows: list[list[Cell]] = []
        for score, its in by_score.items():
            cells: list[Cell] = [score, its[KENDALL].n]
            for name in order:
                cells += [Number(its[name].value, 3), Interval(its[name].low, its[name].high, 2)]
            why = list(dict.fromkeys(each.why_not for each in its.values() if each.why_not))
            rows.append([*cells, "; ".join(why) or NO_VALUE])
        columns = ["score", _UNITS[level], *(part for name in order for part in (_NAMES[name], "95%")), "why not"]
        if all(row[-1] == NO_VALUE for row in rows):
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        blocks.append(Table(columns, rows, _LEVELS[level], _note(found, level)))
    return [*blocks, Chart(CHART, agreement_chart(found), _caption(found))]


def _note(found: Agreement, level: str) -> str:
    over = "items and systems" if found.matched.systems >= FEWEST else "items"
    undefined = max((row.undefined for row in found.correlations if row.level == level), default=0)
    missing = f" Up to {undefined:,} draws of a score are not defined and left out." if undefined else ""
    return f"Intervals are of {found.settings.draws:,} bootstrap draws of {over}.{missing}"


def agreement_chart(found: Agreement) -> "Figure | None":
    """Dots with intervals, a panel a level; None without an interval."""
    of = found.settings.coefficient
    panels = {
        _LEVELS[level]: [
            Estimate(row.score, row.value, row.low, row.high)
            for row in found.of(level, of)[:_DRAWN]
            if row.value is not None and row.low is not None and row.high is not None
        ]
        for level in LEVELS
    }
    return coefficients(panels, _NAMES[of])


def _caption(found: Agreement) -> str:
    first = f" The first {_DRAWN} scores." if len(found.of(GLOBAL, KENDALL)) > _DRAWN else ""
    return f"{_NAMES[found.settings.coefficient]} of each score with people's mean ratings, with 95% intervals.{first}"


def _differences(found: Agreement) -> list[Block]:
    if found.not_compared:
        return [Paragraph(f"Not tested: {found.not_compared}.")]
    blocks: list[Block] = []
    for level in dict.fromkeys(row.level for row in found.differences):
        rows = [row for row in found.differences if row.level == level]
        table = Table(
            ["first", "second", "of first", "of second", "p", "p corrected", "Williams' p", "corrected", "why not"],
            [_difference(row) for row in rows],
            "",
            f"{_NAMES[found.settings.coefficient]}. p is of {found.settings.permutations:,} permutations of both "
            "scores (Perm-Both); corrected by Benjamini and Hochberg's method for all pairs of this table. Williams' "
            "test compares the sizes of the correlations, whatever their signs.",
        )
        by_permutation = found.settings.permutations > 0
        p = [row.p_corrected if by_permutation else row.williams_corrected for row in rows]
        differ = sum(each is not None and each < 0.05 for each in p)
        test = "corrected p" if by_permutation else "corrected p of Williams' test"
        blocks.append(Fold(f"{_LEVELS[level]}: {differ:,} of {len(rows):,} pairs differ ({test} < .05)", [table]))
    return blocks


def _difference(row: Difference) -> list[Cell]:
    return [
        row.first,
        row.second,
        Number(row.of_first, 3),
        Number(row.of_second, 3),
        *map(PValue, (row.p, row.p_corrected, row.williams, row.williams_corrected)),
        row.why_not or NO_VALUE,
    ]


def _picks(found: Agreement) -> list[Block]:
    if not found.picked:
        return [Paragraph("No item has two endings with ratings and scores.")]
    return [*map(Paragraph, _about_picks(found)), pick_table([row for row in found.picked if row.pairs])]


def pick_table(rows: Sequence[Picked]) -> Table:
    """A row a score, the one that is right most often first."""
    ordered = sorted(rows, key=lambda row: (row.accuracy is None, -(row.accuracy or 0), row.score))
    return Table(
        _PICKS,
        [
            [
                row.score,
                row.pairs,
                Share(row.accuracy),
                Interval(row.low, row.high, 1, of_share=True) if row.why_not is None else f"none: {row.why_not}",
                row.right,
                row.wrong,
                row.tied,
                row.people_tied,
                Share(row.as_people),
                Share(row.calibrated),
                Number(row.threshold, 4),
            ]
            for row in ordered
        ],
        "",
        "Accuracy is over pairs in which people prefer an ending and the scores differ; pairs with equal scores, and "
        "those in which people prefer neither, are counted apart. As people: the share of all pairs of which the score "
        "says what people say, ties included (Deutsch et al. 2023); calibrated: the same, where scores that differ by "
        "at most the threshold are ties. The threshold is fitted to these very pairs, so that share is an upper bound.",
    )


def _about_picks(found: Agreement) -> list[str]:
    said = []
    known = found.by_system
    if known and known.decided:
        said.append(
            f"People prefer an ending in {known.decided:,} pairs. A rule that knows only which systems wrote the two "
            f"endings can be right in {known.right:,} of them ({known.right / known.decided:.1%}): a score that is "
            "right no more often may tell systems apart, and say nothing about endings of one system."
        )
    if lacking := [row.score for row in found.picked if not row.pairs]:
        said.append(f"In no pair both endings have {', '.join(lacking)}.")
    return said


def element_blocks(rows: Sequence[PickedByElement]) -> list[Block]:
    """How often scores are right by element, where they pick at all, and the differences in a fold."""
    by_score: dict[str, list[PickedByElement]] = {}
    for row in rows:
        by_score.setdefault(row.score, []).append(row)
    by_score = {score: its for score, its in by_score.items() if any(row.named + row.others for row in its)}
    elements = list(dict.fromkeys(row.element for row in rows))
    shares = Table(
        ["score", *elements],
        [
            [score, *(f"{row.share:.0%} of {row.named:,}" if row.share is not None else NO_VALUE for row in its)]
            for score, its in by_score.items()
        ],
        "",
        "In how many of the pairs that name the element, in which people prefer an ending and the scores differ, the "
        "score is right. An element counts as named where the reason of somebody who chose the winner names it.",
    )
    tested = [row for its in by_score.values() for row in its if row.low is not None and row.high is not None]
    apart = sum(not row.low <= 0 <= row.high for row in tested if row.low is not None and row.high is not None)
    differences = Table(
        ["element", "score", "pairs", "right", "other pairs", "right there", "difference, 95%"],
        [
            [
                row.element,
                row.score,
                row.named,
                Share(row.share),
                row.others,
                Share(row.share_others),
                Interval(row.low, row.high, 1, of_share=True),
            ]
            for row in sorted(tested, key=lambda row: (elements.index(row.element), row.score))
        ],
    )
    title = (
        f"Differences from the other pairs: {apart:,} of {len(tested):,} intervals leave out 0, about "
        f"{len(tested) * 0.05:,.0f} would by chance"
    )
    return [shares, Fold(title, [differences])] if tested else [shares]


def _ceiling(found: Ceiling) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            _LEVELS[row.level],
            _NAMES[row.coefficient],
            row.raters,
            Number(row.mean, 3),
            Interval(row.least, row.greatest, 2),
            row.why_not or NO_VALUE,
        ]
        for row in found.correlations
    ]
    picks = found.picks
    said = [f"{found.raters:,} raters gave {found.ratings:,} ratings."]
    if picks.accuracy is not None:
        said.append(
            f"Of two endings, one rater picks the one that the others prefer in {picks.right:,} of "
            f"{picks.right + picks.wrong:,} cases ({picks.accuracy:.1%}); in {picks.tied:,} more, one side prefers "
            "neither."
        )
    for name, value in (
        ("Fleiss' kappa", found.kappa and found.kappa.kappa),
        ("Krippendorff's alpha", found.alpha and found.alpha.alpha),
    ):
        said.append(f"{name}: {NO_VALUE if value is None else f'{value:.3f}'}.")
    columns = ["level", "coefficient", "raters", "mean", "least and greatest", "why not"]
    note = (
        "Each rater in turn against the mean of the others. A score may exceed it: it is held against the mean of all "
        "raters, which varies less by chance than what one of them says."
    )
    return [Paragraph(" ".join(said)), Table(columns, rows, "", note)]
