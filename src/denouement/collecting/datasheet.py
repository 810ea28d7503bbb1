"""The datasheet of an exported collection: how it came about, by how many people, and what is known of its faults."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow as pa

from denouement.analysis.crowd import CrowdStatistics
from denouement.collecting.description import Collection, EndingStep, StoryStep
from denouement.collecting.exported import CollectedWork, ExportSummary
from denouement.collecting.filtering import KEPT
from denouement.collecting.sections import export_blocks, filter_blocks, given_away
from denouement.collecting.watching import EndingWatch
from denouement.papers import cited
from denouement.present.cells import NO_VALUE, Cell, Number
from denouement.present.markdown import render, without_html
from denouement.present.sections import Block, Bullets, Paragraph, Section, Table

_WAYS = {
    "v1.0": "a right and a wrong ending to four sentences, as for v1.0",
    "method_1": "a right and a wrong ending to four sentences, of one subject, a similar length and tone (method 1)",
    "method_2": "the last sentence of a story, changed so that the story no longer makes sense (method 2)",
}


def datasheet(found: ExportSummary, work: CollectedWork, collection: Collection) -> str:
    """The datasheet of an export, as Markdown. Nobody's id is in it."""
    return without_html(f"# {found.release}\n\n{render(_datasheet(found, work, collection))}\n")


def _datasheet(found: ExportSummary, work: CollectedWork, collection: Collection) -> Iterator[Block]:
    yield Paragraph(
        "Short English stories and Story Cloze cases, collected with Denouement. A case is four sentences with two "
        "endings, of which people confirmed that one is right and the other wrong."
        if found.filter
        else "Short English stories, collected with Denouement."
    )
    yield Paragraph(f"Licence: {collection.licence or 'not stated'}.")
    yield Section("What there is", "", export_blocks(found)[:1])
    yield Section("How it was collected", "", [*_ways(found, collection)])
    yield Section(
        "By how many people",
        f"As {cited('mostafazadeh_2016')}, Tables 2 and 5.",
        [*_crowd(found, work, collection), Paragraph(f"People who verified endings: {found.verifiers:,}.")],
    )
    if found.filter:
        yield Section("What fell where", "", filter_blocks(found.filter))
    if found.watch:
        yield Section("What the endings give away", "Of the cases that were kept.", _bias(found.watch))


def _bias(found: EndingWatch) -> list[Block]:
    """What was found of all writers together."""
    if found.missing:
        return [Paragraph(f"Not worked out: {found.missing}.")]
    return [*([Bullets("Above what is allowed:", found.above)] if found.above else []), *given_away(found)]


def _ways(found: ExportSummary, collection: Collection) -> Iterator[Block]:
    stories, endings = collection.stories or StoryStep(), collection.endings or EndingStep()
    lines = [
        f"Stories have {stories.sentences} sentences of at most {stories.longest} characters, without quotation marks.",
    ]
    if stories.prompts:
        lines.append(f"Writers got one of {len(stories.prompts):,} subjects.")
    if collection.review:
        lines.append(f"Each was approved by {collection.review.reviewers} reviewers.")
    if found.filter:
        lines.append(f"Endings: {_WAYS[endings.way]}.")
    for name, step in (("stories", collection.stories), ("endings", collection.endings)):
        if step and step.qualification:
            test = step.qualification
            lines.append(
                f"Before they wrote {name}, people judged {len(test.items)} examples, {test.pass_mark} of them right, "
                f"in at most {test.attempts} attempts."
            )
    yield Bullets("", lines)


def _crowd(found: ExportSummary, work: CollectedWork, collection: Collection) -> Iterator[Block]:
    """Tables 2 and 5, of what is known."""
    columns: list[tuple[str, CrowdStatistics]] = []
    if work.stories is not None:
        approved = [row == "approved" for row in work.stories["status"].to_pylist()]
        paid = collection.stories.payment.piece if collection.stories else 0
        columns.append(("stories", _crowd_of(work.stories, approved, paid)))
    if work.endings is not None:
        paid = collection.endings.payment.piece if collection.endings else 0
        columns.append(("pairs of endings", _crowd_of(work.endings, [True] * work.endings.num_rows, paid)))
    good = {name: of.approved for name, of in columns}
    if found.filter:
        good["pairs of endings"] = found.filter.outcomes[KEPT]
    rows: list[list[Cell]] = [
        ["handed in", *(of.submitted for _, of in columns)],
        ["approved or confirmed", *(good[name] for name, _ in columns)],
        ["writers", *(of.workers or "not known" for _, of in columns)],
        ["mean by writer", *(Number(of.mean_by_worker, 1) for _, of in columns)],
        ["most by one writer", *(of.most_by_worker or NO_VALUE for _, of in columns)],
        [f"payment for one ({collection.currency} cents)", *(Number(of.mean_cents, 1) for _, of in columns)],
    ]
    yield Table(["", *(name for name, _ in columns)], rows)


def _crowd_of(table: pa.Table, approved: Sequence[bool], paid: float) -> CrowdStatistics:
    writers = [name for name, is_in in zip(table["writer"].to_pylist(), approved, strict=True) if is_in and name]
    by_writer = Counter(writers)
    return CrowdStatistics(
        submitted=table.num_rows,
        approved=sum(approved),
        workers=len(by_writer),
        mean_by_worker=len(writers) / len(by_writer) if by_writer else None,
        most_by_worker=max(by_writer.values(), default=None),
        mean_minutes=None,
        median_minutes=None,
        mean_cents=100 * paid if paid else None,
    )
