"""A question as its page shows it, and the answer that is read from a posted form.

This module does not know which system wrote a text: it gets the texts in the order in which they are shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from denouement.study.design.description import Design
from denouement.study.design.scales import Scale
from denouement.study.languages import Texts, texts


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
    """An answer in the form that `Store.submit` takes: one of `answer`, `values` and `order`, by the study's kind."""

    answer: str | None = None
    values: Mapping[str, int] | None = None
    order: Sequence[int] | None = None
    reason: str | None = None


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
    reason = form.get("reason")
    if design.kind == "order":
        return Given(order=_order(form), reason=reason)
    if design.kind == "rating":
        chosen = {scale.name: form.get(f"scale-{scale.name}", "") for scale in design.scales}
        values = {name: int(value) for name, value in chosen.items() if re.fullmatch("[0-9]{1,3}", value)}
        return Given(values=values, reason=reason)
    return Given(answer=form.get("answer"), reason=reason)


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
