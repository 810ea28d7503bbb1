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
from denouement.study.design.names import TIES
from denouement.study.design.questions import CODES, MUCH, SLIGHTLY, answer_of
from denouement.study.design.scales import Scale
from denouement.study.languages import Texts, joined, texts

_MARK = re.compile("mark-([0-9]{1,3})-([0-9]{1,4})")

_ANSWER = "answer"


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
        endings: in a pair study, both endings, where the answers to choose from do not have their texts.
        groups: the answers to choose from.
        ranked: in a best_worst study, the endings of which one is the best and one the worst.
        sentences: what gets places: in an order study the sentences, in a ranking study the endings.
        may_tie: whether sentences may share a place.
        legend: the question about `ranked` or `sentences` or, above its scales, about `ending`.
        keys: what the keys of the keyboard do.
    """

    context: Sequence[str] = ()
    ending: str | None = None
    endings: Sequence[Choice] = ()
    groups: Sequence[Group] = ()
    ranked: Sequence[Choice] = ()
    sentences: Sequence[str] = ()
    may_tie: bool = False
    legend: str = ""
    keys: str = ""


@dataclass(frozen=True)
class Given:
    """An answer in the form that `Store.submit` takes: one of the first four, by the study's kind.

    `elements` and `marks` are of the reason: boxes that were ticked, and words that were marked.
    """

    answer: str | Mapping[str, str] | None = None
    values: Mapping[str, int] | None = None
    order: Sequence[int] | None = None
    ranks: Sequence[int] | None = None
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
        shown: the texts to judge, in the order in which this person sees them: endings, or
            shuffled sentences.
    """
    say = texts(design.language)
    keys = say(f"question.keys.{'questions' if design.questions else design.kind}")
    if design.kind in ("order", "ranking"):
        may_tie = design.kind == "ranking" and design.choices == "ties"
        story = () if design.kind == "order" else context
        return Question(story, sentences=shown, may_tie=may_tie, legend=design.question, keys=keys)
    if design.kind == "best_worst":
        return Question(context, ranked=_lettered(shown), legend=design.question, keys=keys)
    if design.kind == "rating":
        groups = [Group(f"scale-{scale.name}", scale.text, _values(scale, say), scale=True) for scale in design.scales]
        return Question(context, shown[0], groups=groups, legend=design.question, keys=keys)
    endings = _lettered(shown)
    if design.choices == "graded":
        is_better = {name: asked.is_better for name, asked in design.questions_asked().items()}
        groups = [
            Group(answer_name(design, asked.name), asked.text, _graded(say, is_better[asked.name]), scale=True)
            for asked in design.asked
        ]
        return Question(context, endings=endings, groups=groups, keys=keys)
    choices = list(endings)
    if design.choices == "ties":
        choices += [
            Choice(name, str(key), say(f"question.{name}"), say(f"question.{name}_text") if design.asks_better else "")
            for key, name in enumerate(TIES, 3)
        ]
    if not design.questions:
        return Question(context, groups=[Group(_ANSWER, design.question, choices)], keys=keys)
    choices = [choice._replace(text="") for choice in choices]  # the endings are above all questions
    groups = [Group(answer_name(design, asked.name), asked.text, choices, scale=True) for asked in design.asked]
    return Question(context, endings=endings, groups=groups, keys=keys)


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
    if design.kind == "best_worst":
        return Given(ranks=_best_and_worst(form, design.n_shown or 0), **why)
    if design.kind == "ranking":
        return Given(ranks=_places(form), **why)
    if not design.questions:
        return Given(answer=form.get(_ANSWER), **why)
    names = {asked.name: answer_name(design, asked.name) for asked in design.asked}
    return Given(answer={name: form[field] for name, field in names.items() if field in form}, **why)


def answer_name(design: Design, question: str) -> str:
    """The name of the field with the answer to a question about a pair."""
    return f"{_ANSWER}-{question}" if design.questions else _ANSWER


def _lettered(texts: Sequence[str]) -> list[Choice]:
    """The endings, each with a letter and the digit that chooses it."""
    return [
        Choice(ascii_uppercase[place], str(place + 1), ascii_uppercase[place], text) for place, text in enumerate(texts)
    ]


def _graded(say: Texts, is_better: bool) -> list[Choice]:
    """The answers to a question that has no tie; other questions than which ending is better name no quality."""
    answers = [(code, *answer_of(code)) for code in CODES["graded"]]
    words = {MUCH: say("question.much"), SLIGHTLY: say("question.slightly")}
    if is_better:
        words = {MUCH: say("question.much_better"), SLIGHTLY: say("question.slightly_better")}
    return [
        Choice(code, str(key), side, words[strength or SLIGHTLY])
        for key, (code, side, strength) in enumerate(answers, 1)
    ]


def _best_and_worst(form: Mapping[str, str], n_shown: int) -> list[int]:
    """1 for the best ending on the page, 3 for the worst, 2 for the others; empty where unclear."""
    letters = ascii_uppercase[:n_shown]
    best, worst = form.get("best", ""), form.get("worst", "")
    if best == worst or not {best, worst} <= set(letters):
        return []
    return [{best: 1, worst: 3}.get(letter, 2) for letter in letters]


def _places(form: Mapping[str, str]) -> list[int]:
    """The place of each ending on the page; empty where one is missing."""
    n_shown = sum(name.startswith("place-") for name in form)
    places = [form.get(f"place-{number}", "") for number in range(1, n_shown + 1)]
    return [int(place) for place in places] if all(re.fullmatch("[1-9]", place) for place in places) else []


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
