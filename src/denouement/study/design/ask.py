"""The section `ask` of a study's file: questions of the organiser's own about the people who take part."""

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from denouement.legible import can_be_shown, cleaned, seen
from denouement.study.design.mistakes import UNSHOWN, Mistake, n_different, repeated
from denouement.study.design.names import name_mistakes
from denouement.study.languages import Texts

MOST_CHARACTERS = 2000  # of a text
_MOST_OPTIONS = 50
_WITH_OPTIONS = ("choice", "several")


class UnfitReply(ValueError):  # noqa: N818 (not a fault of the program)
    """A reply cannot be kept; the message says why, for the annotator."""


@dataclass(frozen=True)
class OwnQuestion:
    """A question about a person, such as their age.

    Attributes:
        name: the question's name in the table `replies`.
        text: what annotators read.
        type: `text`; `number`; `choice`, one of `options`; `several`, any number of them.
        options: what is chosen from.
        required: whether an annotator has to reply.
    """

    name: str = ""
    text: str = ""
    type: Literal["text", "number", "choice", "several"] = "text"
    options: tuple[str, ...] = ()
    required: bool = False

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing or out of range."""
        yield from name_mistakes(self.name)
        if not seen(self.text):
            yield Mistake(("text",), "text: is missing: write what annotators read")
        if not all(map(can_be_shown, (self.text, *self.options))):
            yield Mistake(("text", "options"), f"text, options: {UNSHOWN}")
        if self.type in _WITH_OPTIONS:
            least = 2 if self.type == "choice" else 1
            if not least <= len(self.options) <= _MOST_OPTIONS:
                yield Mistake(
                    ("type", "options"),
                    f"options: must be {least} to {_MOST_OPTIONS} for a question of type {self.type}, "
                    f"not {len(self.options)}",
                )
            if not all(map(seen, self.options)) or n_different(self.options) < len(self.options):
                yield Mistake(("options",), "options: must be different texts, none of them empty")
        elif self.options:
            yield Mistake(("type", "options"), f"options: a question of type {self.type} has none: leave the key out")

    def replied(self, given: Sequence[str], say: Texts) -> list[str]:
        """The reply as it is kept: several options in their order, one value of another type, or nothing.

        A text loses invisible characters and the blanks at its ends. A number is written as Python writes it, without
        `.0`; digits of other scripts and widths are read as digits.

        Args:
            given: what the form has under the question's name.
            say: the texts of the language in which it is said why a reply does not fit.

        Raises:
            UnfitReply: no reply where one is required, no number, an option that was not offered, or a text that is
                too long or cannot be shown.
        """
        values = [value for value in given if seen(value)]
        if not self.options:
            values = [cleaned(value.replace("\r\n", "\n").replace("\r", "\n")).strip() for value in values]
        if not values:
            if self.required:
                raise UnfitReply(say("ask.missing", question=self.text))
            return []
        if self.type == "several":
            if strange := set(values) - set(self.options):
                raise UnfitReply(say("ask.not_offered", option=sorted(strange)[0]))
            return [option for option in self.options if option in values]
        if len(values) > 1 or (self.type == "choice" and values[0] not in self.options):
            raise UnfitReply(say("ask.choose_one", question=self.text))
        if self.type == "number":
            number = _number(values[0])
            if number is None:
                raise UnfitReply(say("ask.no_number", question=self.text))
            return [number]
        if len(values[0]) > MOST_CHARACTERS:
            raise UnfitReply(say("ask.too_long", question=self.text, most=MOST_CHARACTERS))
        if not can_be_shown(values[0]):
            raise UnfitReply(say("ask.not_shown", question=self.text))
        return values


@dataclass(frozen=True)
class Ask:
    """Questions about a person: `before` the first item, on one page, and `after` the last, on another."""

    before: tuple[OwnQuestion, ...] = ()
    after: tuple[OwnQuestion, ...] = ()

    def mistakes(self) -> Iterator[Mistake]:
        """Names that occur twice."""
        for name in repeated([question.name for question in (*self.before, *self.after)]):
            yield Mistake(
                ("before", "after"), f"before, after: {name} is listed twice: replies are known by their name"
            )


def _number(text: str) -> str | None:
    plain = unicodedata.normalize("NFKC", text)
    try:
        value = float(plain)
    except ValueError:
        return None
    if not math.isfinite(value) or "_" in plain or len(plain) > 30:
        return None
    return str(int(value)) if value == int(value) else repr(value)
