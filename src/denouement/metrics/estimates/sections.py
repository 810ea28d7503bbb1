"""What people would say of all items, as sections."""

from denouement.metrics.estimates.estimates import (
    ITEMS,
    PREFERRED,
    SUSPICIOUS,
    WINS,
    EstimatedValue,
    Estimates,
    PairEstimates,
    PoweredValue,
)
from denouement.present.cells import NO_VALUE, Cell, Interval, Number, Share
from denouement.present.sections import Block, Paragraph, Section, Table

_COLUMNS = ("people alone", "95%", "with the score", "95%", "times as many items", "why not")

_SHARES = {
    ITEMS: "items on which it is preferred, ties half",
    WINS: "answers for it, ties half",
    PREFERRED: "of answers for one of the two, those for it",
}

_NOTE = (
    "Times as many items: how many times as many items people would have to answer for an interval as narrow without "
    "the score; below 1 the score did not help. Both intervals allow for other cases and other annotators where these "
    "are known; that of items for other cases and the same annotators."
)


def estimate_blocks(found: Estimates) -> list[Block]:
    """A section a pair, and one of strengths."""
    asked = f"“{found.words}”" if found.words else found.question
    about = Paragraph(
        f"People were asked: {asked}. Their answers about some items are put together with the score “{found.score}” "
        "of all items, by prediction-powered estimation. It holds where the answered items are a random draw of all."
    )
    sections: list[Block] = [_pair(each) for each in found.pairs]
    if found.strengths:
        what = "Logarithms with mean 0; the stronger of two systems is preferred more often (Bradley and Terry)."
        sections.append(Section("Strengths", what, [_table([*map(_strength, found.strengths)], "system")]))
    elif found.why_no_strengths:
        sections.append(Paragraph(f"No strengths: {found.why_no_strengths}."))
    return [about, *sections]


def warnings(found: Estimates) -> list[str]:
    """What should be known before the estimates are believed, a sentence each."""
    said = []
    for pair in found.pairs:
        named = f"{pair.first} and {pair.second}"
        if pair.p_not_random is not None and pair.p_not_random < SUSPICIOUS:
            said.append(
                f"{named}: the answered items have other scores than the others (p = {pair.p_not_random:.2g}); they "
                "seem to be no random draw, and then the estimates with the score may be wrong"
            )
        if pair.without_score:
            said.append(
                f"{named}: {pair.without_score:,} answered items have no score; they count in what people say alone"
            )
        if pair.items == pair.answered:
            said.append(f"{named}: every scored item is answered, so that the score can add nothing")
    return said


def _pair(pair: PairEstimates) -> Section:
    r = NO_VALUE if pair.correlation is None else f"{pair.correlation:.2f}"
    p = (
        ""
        if pair.p_not_random is None
        else f" Do answered and other items differ in their scores: p = {pair.p_not_random:.3f}."
    )
    what = (
        f"{pair.items:,} items have a score; people gave {pair.answers:,} answers to {pair.answered:,} of them. "
        f"Correlation of an answer with the score's rank: {r}.{p}"
    )
    rows: list[list[Cell]] = [[_SHARES[row.what], *_shares(row)] for row in pair.values]
    return Section(f"{pair.first} compared with {pair.second}", what, [_table(rows, pair.first)])


def _table(rows: list[list[Cell]], first: str) -> Table:
    columns = [first, *_COLUMNS]
    if all(row[-1] == NO_VALUE for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(columns, rows, note=_NOTE)


def _shares(row: PoweredValue) -> list[Cell]:
    cells: list[Cell] = []
    for its in (row.alone, row.with_score):
        cells += [Share(its.value), Interval(its.low, its.high, 1, of_share=True)]
    return [*cells, Number(row.worth, 2), _why_not(row.alone, row.with_score)]


def _strength(row: PoweredValue) -> list[Cell]:
    cells: list[Cell] = [row.what]
    for its in (row.alone, row.with_score):
        cells += [Number(its.value, 2), Interval(its.low, its.high, 2)]
    return [*cells, Number(row.worth, 2), _why_not(row.alone, row.with_score)]


def _why_not(*values: EstimatedValue) -> str:
    return "; ".join(dict.fromkeys(each.why_not for each in values if each.why_not)) or NO_VALUE
