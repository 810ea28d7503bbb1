"""The words, topics and elements of reasons, and examples, as blocks to show."""

from collections.abc import Iterable, Sequence

import pyarrow as pa

from denouement.errors import printable
from denouement.present.cells import Cell, CountAndShare, Number, Share, ShareAndInterval
from denouement.present.sections import Block, Bullets, Paragraph, Table
from denouement.study.reasons.boxes import Boxes, ElementTicked
from denouement.study.reasons.elements import Chosen, ElementQuality, ElementsSummary, RulesQuality
from denouement.study.reasons.highlights import MarkedWords
from denouement.study.reasons.quality import Quality, TagCounts
from denouement.study.reasons.topics import Topics
from denouement.study.reasons.words import FrequentWords
from denouement.study.results.sections import scope


def word_blocks(words: FrequentWords) -> list[Block]:
    """The most frequent words."""
    note = (
        f"Of {words.distinct:,} words in {words.reasons:,} reasons: lemmas of nouns, adjectives, verbs and adverbs, "
        f"without stop words (Mori et al. 2019, A.4).{_left_out(words.not_english)}"
    )
    rows: list[list[Cell]] = [[row.word, row.count, row.reasons] for row in words.words]
    return [Table(["word", "times", "reasons"], rows, note=note)]


def topic_blocks(topics: Topics) -> list[Block]:
    """The topics, the largest first; before them a caution where there are too few reasons."""
    rows: list[list[Cell]] = [
        [
            str(place),
            Share(topic.share),
            topic.reasons,
            _or_blank(topic.coherence, 3),
            ", ".join(word.word for word in topic.words),
        ]
        for place, topic in enumerate(topics.topics, 1)
    ]
    named = (("C_v", topics.coherence_c_v), ("U_mass", topics.coherence_u_mass))
    coherences = [f"{name} {Number(value, 3)}" for name, value in named if value is not None]
    note = (
        f"{topics.reasons:,} reasons, {topics.vocabulary:,} words. Share of the words; reasons in which the topic is "
        "the strongest; coherence, which is higher where the words of a topic are often used together: "
        f"{', '.join(coherences) or 'undefined'}.{_left_out(topics.not_english)}"
    )
    table = Table(["topic", "share", "reasons", "C_v", "words"], rows, note=note)
    if topics.reasons >= topics.enough_reasons:
        return [table]
    caution = (
        f"Caution: with fewer than {topics.enough_reasons:,} reasons, {len(topics.topics)} topics mean nothing: "
        "another --seed gives others. The elements (`denouement reasons elements`) need fewer reasons."
    )
    return [Paragraph(caution), table]


def element_blocks(summary: ElementsSummary) -> list[Block]:
    """How often each element is named, with which choices, which are named together, and how good the rules are."""
    quality = [] if summary.quality is None else [_quality(summary.quality)]
    boxes = [] if summary.boxes is None else [ticked_boxes(summary.boxes)]
    return [named_elements(summary), *boxes, _chosen(summary), _together(summary), *quality]


def named_elements(summary: ElementsSummary) -> Table:
    """How often each element is named."""
    note = (
        f"Of {summary.reasons:,} reasons, {summary.untagged:,} name no element. Denied: named only to say that it is "
        f"missing, or that something is not so.{_left_out(summary.not_english)}"
    )
    rows: list[list[Cell]] = [[row.element, CountAndShare(row.n, row.share), row.denied] for row in summary.elements]
    return Table(["element", "reasons", "denied"], rows, note=note)


def ticked_boxes(boxes: Boxes) -> Table:
    """What people ticked beside their reasons, and how far the rules agree."""
    note = (
        f"For {boxes.none:,} of {boxes.answers:,} answers no box is ticked. The columns from “written” on are of the "
        f"{boxes.reasons:,} answers with a written reason: for how many the box is ticked, how many a rule tags, and "
        "how many both. Precision: which share of the tags by rule is also ticked; recall: which share of the ticked "
        "ones a rule tags; F1: the harmonic mean of both. Kappa: how far boxes and rules agree beyond chance. An "
        "element that nobody ticked is left out."
    )
    rows: list[list[Cell]] = [
        [
            row.element,
            CountAndShare(row.n, row.share),
            row.ticked,
            row.tagged,
            row.both,
            *_measures(row),
            _or_blank(row.kappa, 2),
        ]
        for row in boxes.elements
    ]
    columns = ["element", "ticked", "written", "by rule", "both", "precision", "recall", "F1", "kappa"]
    return Table(columns, rows, "Elements that people ticked themselves", note)


def highlight_blocks(marked: MarkedWords) -> list[Block]:
    """The words that people marked most often, by text."""
    rows: list[list[Cell]] = [
        [part.system or "the story before the ending", word.word, word.answers]
        for part in marked.parts
        for word in part.words
    ]
    answers = ", ".join(f"{part.system or 'the story'} {part.answers:,}" for part in marked.parts)
    note = (
        f"Of {marked.answers:,} answers with a marked word that count; by text: {answers}. Words are in lower case, "
        "without punctuation and English stop words. An answer counts once for a word of a text."
    )
    return [Table(["marked in", "word", "answers"], rows, note=note)]


def example_blocks(tags: pa.Table) -> list[Block]:
    """Reasons that name each element.

    Args:
        tags: rows of a table `reason_elements`, such as `examples.draw_examples` returns.
    """
    rows = tags.to_pylist()
    blocks: list[Block] = []
    for element in dict.fromkeys(row["element"] for row in rows):
        items = [
            f"{printable(' '.join(row['reason'].split()))}\n  chose {row['choice']}; {row['rule']}: "
            f"“{printable(row['words'])}”{', denied' if row['denied'] else ''}"
            for row in rows
            if row["element"] == element
        ]
        blocks.append(Bullets(f"{element}:", items))
    return blocks or [Paragraph("No reason names any of these elements.")]


def _chosen(summary: ElementsSummary) -> Table:
    rows = [("all", summary.reasons, summary.choices)]
    rows += [(row.element, row.n, row.choices) for row in summary.elements]
    with_interval = [(f"{name} {each.choice}", each) for name, _, its in rows for each in its if each.over]
    note = (
        "Intervals allow for answers about one case, and answers of one annotator, being alike; a dash where all who "
        "name the element chose the same or did so about one case. " + scope(with_interval)
    )
    columns = ["element", "n", *(row.choice for row in summary.choices)]
    title = "Chosen by those who name an element, with the 95% interval"
    return Table(columns, [[name, n, *map(_share, its)] for name, n, its in rows], title, note)


def _share(chosen: Chosen) -> Cell:
    return "" if chosen.share is None else ShareAndInterval(chosen.share, chosen.low, chosen.high)


def _together(summary: ElementsSummary) -> Table:
    elements = [row.element for row in summary.elements]
    counts = {frozenset(row.elements): row.n for row in summary.together}
    counts |= {frozenset([row.element]): row.n for row in summary.elements}
    rows: list[list[Cell]] = [[one, *(counts[frozenset({one, other})] for other in elements)] for one in elements]
    return Table(["", *elements], rows, "Named together")


def _quality(quality: RulesQuality) -> Table:
    counted: Iterable[tuple[str, ElementQuality | TagCounts]] = [
        *((row.element, row) for row in quality.elements),
        ("micro", quality.micro),
    ]
    rows: list[list[Cell]] = [[name, row.tagged, row.labelled, row.both, *_measures(row)] for name, row in counted]
    rows.append(["macro", "", "", "", *_measures(quality.macro)])
    title = f"How well the rules agree with {quality.n:,} of these reasons as a reader labelled them"
    note = (
        "Precision: which share of the tags by rule are also the reader's; recall: which share of the reader's are "
        "also by rule; F1: the harmonic mean of both. Micro: of all elements together; macro: the mean over the "
        f"elements. All labels of a reason are right in {Share(quality.exact)}."
    )
    return Table(["element", "by rule", "by reader", "both", "precision", "recall", "F1"], rows, title, note)


def _measures(of: ElementQuality | ElementTicked | TagCounts | Quality) -> Sequence[Cell]:
    return [_or_blank(value, 2) for value in (of.precision, of.recall, of.f1)]


def _left_out(not_english: int) -> str:
    """What a note says of reasons in other languages; nothing where there are none."""
    if not not_english:
        return ""
    return f" Left out, since they do not look English: {not_english:,} further reasons."


def _or_blank(value: float | None, decimals: int) -> Cell:
    return "" if value is None else Number(value, decimals)
