"""A question as its page shows it, and the answer that is read from a posted form.

This module does not know which system wrote a text: it gets the texts in the order in which they are shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, NamedTuple

from denouement.study.design.description import Design
from denouement.study.design.marking import word_places
from denouement.study.design.scales import Scale
from denouement.study.languages import Texts, joined, texts

_MARK = re.compile("mark-([0-9]{1,3})-([0-9]{1,4})")


class Choice(NamedTuple):
    """One answer to choose; `key` is the digit that chooses it."""

    value: str
    key: str
    name: str
    text: str


@dataclass(frozen=True)
class Group:
    """Answers of which a person chooses one; those of a `scale` are side by side."""

    name: str
    legend: str
    choices: Sequence[Choice]
    scale: bool = False


@dataclass(frozen=True)
class Question:
    """The content of a question's page.

    Attributes:
        context: the story's sentences before the ending.
        ending: in a rating study, the ending to rate.
        groups: the answers to choose from.
        sentences: in an order study, the sentences to put into order.
        legend: the question about `sentences` or, above its scales, about `ending`.
        keys: what the keys of the keyboard do.
    """

    context: Sequence[str] = ()
    ending: str | None = None
    groups: Sequence[Group] = ()
    sentences: Sequence[str] = ()
    legend: str = ""
    keys: str = ""


@dataclass(frozen=True)
class Given:
    """An answer in the form that `Store.submit` takes: one of `answer`, `values` and `order`, by the study's kind.

    `elements` and `marks` are of the reason: boxes that were ticked, and words that were marked.
    """

    answer: str | None = None
    values: Mapping[str, int] | None = None
    order: Sequence[int] | None = None
    reason: str | None = None
    elements: Sequence[str] = ()
    marks: Sequence[tuple[int, int]] = ()


class Word(NamedTuple):
    """A word that a person may mark: its field, its text, and the blank after it, or none."""

    field: str
    text: str
    gap: str


class Marked(NamedTuple):
    """A part of the story whose words a person may mark."""

    name: str
    words: Sequence[Word]


def question(design: Design, context: Sequence[str], shown: Sequence[str]) -> Question:
    """The question of a study about one item.

    Args:
        design: the study's design.
        context: the item's sentences that are neither judged nor moved.
        shown: the texts to judge, in the order in which this person sees them: two endings, one, or shuffled sentences.
    """
    say = texts(design.language)
    keys = say(f"question.keys.{design.kind}")
    if design.kind == "order":
        return Question(sentences=shown, legend=design.question, keys=keys)
    if design.kind == "rating":
        groups = [Group(f"scale-{scale.name}", scale.text, _values(scale, say), scale=True) for scale in design.scales]
        return Question(context, shown[0], groups, legend=design.question, keys=keys)
    first, second = shown
    choices = (
        Choice("A", "1", "A", first),
        Choice("B", "2", "B", second),
        Choice("both", "3", say("question.both"), say("question.both_text")),
        Choice("neither", "4", say("question.neither"), say("question.neither_text")),
    )
    return Question(context, groups=[Group("answer", design.question, choices)], keys=keys)


def given(design: Design, form: Mapping[str, str]) -> Given:
    """The answer in `form`, as far as it can be read; the store checks whether it answers the question."""
    why: dict[str, Any] = {
        "reason": form.get("reason"),
        "elements": [box for box in design.reason.boxes if f"box-{box}" in form],
        "marks": [(int(found[1]), int(found[2])) for name in form if (found := _MARK.fullmatch(name))],
    }
    if design.kind == "order":
        return Given(order=_order(form), **why)
    if design.kind == "rating":
        chosen = {scale.name: form.get(f"scale-{scale.name}", "") for scale in design.scales}
        values = {name: int(value) for name, value in chosen.items() if re.fullmatch("[0-9]{1,3}", value)}
        return Given(values=values, **why)
    return Given(answer=form.get("answer"), **why)


def boxes(design: Design) -> list[tuple[str, str]]:
    """The boxes of the reason: the field of each, and what it says."""
    say = texts(design.language)
    return [(f"box-{box}", say(f"more.elements.{box}")) for box in design.reason.boxes]


def markable(design: Design, context: Sequence[str], shown: Sequence[str]) -> list[Marked]:
    """The words of the story and its endings, where people may mark them; texts are counted as they are shown."""
    if not design.reason.highlight:
        return []
    say = texts(design.language)
    story = [word for number, text in enumerate(context) for word in _words(number, text)]
    is_one = len(shown) == 1
    endings = [
        Marked(
            say("question.ending") if is_one else say("more.ending", side=ascii_uppercase[place]),
            _words(len(context) + place, text),
        )
        for place, text in enumerate(shown)
    ]
    return [Marked(say("question.story"), story), *endings]


def _words(number: int, text: str) -> list[Word]:
    """The words of the text with this number; the last one is followed by the blank that the next sentence needs."""
    places = word_places(text)
    ends = [start for start, _ in places[1:]]
    after = joined([text, "."])[len(text) : -1]
    gaps = [text[end:start] for (_, end), start in zip(places, ends, strict=False)] + [after]
    return [
        Word(f"mark-{number}-{place}", text[start:end], gap)
        for place, ((start, end), gap) in enumerate(zip(places, gaps, strict=True))
    ]


def _values(scale: Scale, say: Texts) -> list[Choice]:
    lowest, highest = say.several("scales.ends")
    labels = scale.labels or (lowest, *[""] * (scale.high - scale.low - 1), highest)
    return [
        Choice(str(value), str(value) if value < 10 else "", str(value), label)
        for value, label in enumerate(labels, scale.low)
    ]


def _order(form: Mapping[str, str]) -> list[int]:
    """For each place of the story, the number (from 0) of the shown sentence that comes there; empty where unclear."""
    n_shown = sum(name.startswith("place-") for name in form)
    places = [form.get(f"place-{number}", "") for number in range(1, n_shown + 1)]
    wanted = [str(place) for place in range(1, n_shown + 1)]
    return [places.index(place) for place in wanted] if sorted(places) == sorted(wanted) else []
