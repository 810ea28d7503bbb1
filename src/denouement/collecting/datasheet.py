"""The datasheet of an exported collection: how it came about, by how many people, and what is known of its faults."""

from collections.abc import Iterator

from denouement.collecting.crowd import crowd_of, crowd_table
from denouement.collecting.description import Collection, EndingStep, StoryStep
from denouement.collecting.exported import CollectedWork, ExportSummary
from denouement.collecting.sections import export_blocks, filter_blocks, given_away
from denouement.collecting.watching import EndingWatch
from denouement.present.markdown import render, without_html
from denouement.present.sections import Block, Bullets, Paragraph, Section

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
        "",
        [
            crowd_table(crowd_of(work, collection, found.filter), collection.currency),
            Paragraph(f"People who verified endings: {found.verifiers:,}."),
        ],
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
        by = "one reviewer" if collection.review.reviewers == 1 else f"{collection.review.reviewers} reviewers"
        days = collection.review.approve_after_days
        late = f", or was not reviewed within {days:g} days" if days is not None else ""
        lines.append(f"Each was approved by {by}{late}.")
    if found.filter:
        lines.append(f"Endings: {_WAYS[endings.way]}.")
    if found.filter and collection.verification:
        asked = collection.verification
        lines.append(f"Each ending was to be verified by {asked.people:,} people, by the form of {asked.form}.")
    tested = {
        "wrote stories": collection.stories,
        "wrote endings": collection.endings,
        "verified endings": collection.verification,
    }
    for did, step in tested.items():
        if step and step.qualification:
            test = step.qualification
            lines.append(
                f"Before they {did}, people judged {len(test.items)} examples, at least {test.pass_mark} of them "
                f"right, in at most {test.attempts} {'attempt' if test.attempts == 1 else 'attempts'}."
            )
    yield Bullets("", lines)
