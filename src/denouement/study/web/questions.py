"""One question as its page shows it, and the answer that is read from a posted form.

Nothing in this module knows which system wrote what: it gets texts in the order in which they are shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from denouement.study.design.defaults import SCALE_ENDS
from denouement.study.design.design import Design
from denouement.study.design.scales import Scale


class Choice(NamedTuple):
    """One answer to choose: `key` is the digit that chooses it."""

    value: str
    key: str
    name: str
    text: str


@dataclass(frozen=True)
class Group:
    """Answers of which one is chosen; those of a scale are side by side."""

    name: str
    legend: str
    choices: Sequence[Choice]
    scale: bool = False


@dataclass(frozen=True)
class Question:
    """What a question's page shows.

    Attributes:
        context: the story's sentences before the ending.
        ending: the one ending that is rated.
        groups: what is chosen from.
        sentences: those to put into order.
        legend: what is asked of `sentences` or, before its scales, of `ending`.
        keys: what the keyboard does, for those who have one.
    """

    context: Sequence[str] = ()
    ending: str | None = None
    groups: Sequence[Group] = ()
    sentences: Sequence[str] = ()
    legend: str = ""
    keys: str = "a digit chooses, Enter goes on."


@dataclass(frozen=True)
class Given:
    """An answer, as the store takes it: one of `answer`, `values` and `order`, by the study's kind."""

    answer: str | None = None
    values: Mapping[str, int] | None = None
    order: Sequence[int] | None = None
    reason: str | None = None


def question(design: Design, context: Sequence[str], shown: Sequence[str]) -> Question:
    """The question of a study about one item.

    Args:
        design: of the study.
        context: the item's sentences that are not judged or moved.
        shown: what is judged, in the order in which this person sees it: two endings, one, or shuffled sentences.
    """
    if design.kind == "order":
        keys = "a digit gives a sentence its place and goes to the next one, Enter goes on."
        return Question(sentences=shown, legend=design.question, keys=keys)
    if design.kind == "rating":
        groups = [Group(f"scale-{scale.name}", scale.text, _values(scale), scale=True) for scale in design.scales]
        keys = "a digit rates and goes to the next scale, Enter goes on."
        return Question(context, shown[0], groups, legend=design.question, keys=keys)
    first, second = shown
    choices = (
        Choice("A", "1", "A", first),
        Choice("B", "2", "B", second),
        Choice("both", "3", "Both", "complete it equally well"),
        Choice("neither", "4", "Neither", "of them can end this story"),
    )
    return Question(context, groups=[Group("answer", design.question, choices)])


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


def _values(scale: Scale) -> list[Choice]:
    lowest, highest = SCALE_ENDS
    labels = scale.labels or (lowest, *[""] * (scale.high - scale.low - 1), highest)
    return [
        Choice(str(value), str(value) if value < 10 else "", str(value), label)
        for value, label in enumerate(labels, scale.low)
    ]


def _order(form: Mapping[str, str]) -> list[int]:
    """For each place of the story, which of the shown sentences comes there, from 0; empty where that is unclear."""
    n_shown = sum(name.startswith("place-") for name in form)
    places = [form.get(f"place-{number}", "") for number in range(1, n_shown + 1)]
    wanted = [str(place) for place in range(1, n_shown + 1)]
    return [places.index(place) for place in wanted] if sorted(places) == sorted(wanted) else []
