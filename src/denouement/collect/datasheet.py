"""The datasheet of an exported collection: how it came about, by how many people, and what is known of its faults."""

from collections.abc import Iterator

from denouement.collect.crowd import crowd_of, crowd_table
from denouement.collect.description import Collection
from denouement.collect.exported import CollectedWork, ExportSummary
from denouement.collect.qualification import Qualification
from denouement.collect.sections import export_blocks, filter_blocks, given_away
from denouement.collect.watching import EndingWatch
from denouement.present.markdown import render, without_html
from denouement.present.sections import Block, Bullets, Paragraph, Section

_WAYS = {
    "v1.0": "a right and a wrong ending to four sentences, as for v1.0",
    "method_1": "a right and a wrong ending to four sentences, of one subject, a similar length and tone (method 1)",
    "method_2": "the last sentence of a story, changed so that the story no longer makes sense (method 2)",
}

_TESTED = {"stories": "wrote stories", "endings": "wrote endings", "verification": "verified endings"}


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
    """What people were asked for. Of texts from files, which no step asked for, it says that this is not described."""
    lines = [*_of_stories(collection)]
    if found.filter and collection.endings:
        lines.append(f"Endings: {_WAYS[collection.endings.way]}.")
    elif found.filter:
        lines.append("How the endings were written is not described.")
    if found.filter and (asked := collection.verification):
        lines.append(f"Each ending was to be verified by {asked.people:,} people, by the form of {asked.form}.")
    for name, does in _TESTED.items():
        test: Qualification | None = getattr(getattr(collection, name), "qualification", None)
        if test:
            lines.append(
                f"Before they {does}, people judged {len(test.items)} examples, at least {test.pass_mark} of them "
                f"right, in at most {test.attempts} {'attempt' if test.attempts == 1 else 'attempts'}."
            )
    yield Bullets("", lines)


def _of_stories(collection: Collection) -> Iterator[str]:
    if stories := collection.stories:
        yield (
            f"Stories have {stories.sentences} sentences of at most {stories.longest} characters, without quotation "
            "marks."
        )
        if stories.prompts:
            yield f"Writers got one of {len(stories.prompts):,} subjects."
    else:
        yield "How the stories were written is not described."
    if review := collection.review:
        yield f"A story was approved by {'one reviewer' if review.reviewers == 1 else f'{review.reviewers} reviewers'}."
        if review.approve_after_days is not None:
            yield f"One that was not decided within {review.approve_after_days:g} days counts as approved."
