"""Checks whether an answer fits the question that was asked."""

from collections.abc import Mapping, Sequence

from denouement.legible import can_be_shown, cleaned, seen, unturned
from denouement.study.design.description import Design
from denouement.study.design.names import ANSWERS
from denouement.study.languages import texts


class Unfit(ValueError):  # noqa: N818 (not a fault of the program)
    """An answer cannot be kept; the message says why, for the annotator."""


def check_answer(
    design: Design,
    n_shown: int,
    answer: str | None,
    values: Mapping[str, int] | None,
    order: Sequence[int] | None,
) -> None:
    """Make sure that an answer answers the design's question, and no other.

    Raises:
        Unfit: it does not.
    """
    say = texts(design.language)
    given = {"pair": answer is not None, "rating": values is not None, "order": order is not None}
    if not given.pop(design.kind) or any(given.values()):
        raise Unfit(say("unfit.no_answer"))
    if design.kind == "pair" and answer not in ANSWERS:
        raise Unfit(say("unfit.no_choice"))
    if design.kind == "rating":
        for scale in design.scales:
            value = (values or {}).get(scale.name)
            if type(value) is not int or not scale.low <= value <= scale.high:
                raise Unfit(say("unfit.no_value", low=scale.low, high=scale.high))
        if len(values or {}) != len(design.scales):
            raise Unfit(say("unfit.other_questions"))
    if design.kind == "order" and sorted(order or ()) != list(range(n_shown)):
        raise Unfit(say("unfit.no_place"))


def checked_reason(design: Design, reason: str | None) -> str | None:
    """The reason as it is kept: without blanks at its ends or invisible characters, lines ending in `\\n`.

    Characters that turn the text after them are left out; the marks of direction of a language stay. Only visible
    characters count for the least length.

    Returns:
        None where the study asks for no reason, or the annotator gave none.

    Raises:
        Unfit: it is too short or too long, or has characters that cannot be shown.
    """
    rules, say = design.reason, texts(design.language)
    if rules.mode == "off":
        return None
    text = (reason or "").replace("\r\n", "\n").replace("\r", "\n")
    text = cleaned(unturned(text)).strip()
    length = len(seen(text))
    if not length and rules.mode == "optional":
        return None
    if length < rules.min_length:
        raise Unfit(say("unfit.reason_short", n=rules.min_length, seen=length))
    if len(text) > rules.max_length:
        raise Unfit(say("unfit.reason_long", n=len(text), most=rules.max_length))
    if not can_be_shown(text):
        raise Unfit(say("unfit.reason_not_shown"))
    return text
