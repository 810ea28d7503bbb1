"""Checks whether an answer fits the question that was asked."""

from collections.abc import Mapping, Sequence

from denouement.legible import can_be_shown, cleaned, seen
from denouement.study.design.description import Design
from denouement.study.design.names import ANSWERS


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
    given = {"pair": answer is not None, "rating": values is not None, "order": order is not None}
    if not given.pop(design.kind) or any(given.values()):
        raise Unfit("Please answer the question.")
    if design.kind == "pair" and answer not in ANSWERS:
        raise Unfit("Please choose A, B, both or neither.")
    if design.kind == "rating":
        for scale in design.scales:
            value = (values or {}).get(scale.name)
            if type(value) is not int or not scale.low <= value <= scale.high:
                raise Unfit(f"Please choose a value from {scale.low} to {scale.high} on each scale.")
        if len(values or {}) != len(design.scales):
            raise Unfit("Please answer the questions that were asked, and no other.")
    if design.kind == "order" and sorted(order or ()) != list(range(n_shown)):
        raise Unfit("Please give each sentence a place of its own.")


def checked_reason(design: Design, reason: str | None) -> str | None:
    """The reason as it is kept: without blanks at its ends or invisible characters, lines ending in `\\n`.

    Only visible characters count for the least length.

    Returns:
        None where the study asks for no reason, or the annotator gave none.

    Raises:
        Unfit: it is too short or too long, or has characters that cannot be shown.
    """
    rules = design.reason
    if rules.mode == "off":
        return None
    text = (reason or "").replace("\r\n", "\n").replace("\r", "\n")
    text, length = cleaned(text).strip(), len(seen(text))
    if not length and rules.mode == "optional":
        return None
    if length < rules.min_length:
        raise Unfit(f"Please write a reason of at least {rules.min_length} characters; {length} can be seen so far.")
    if len(text) > rules.max_length:
        raise Unfit(f"Please write a reason of at most {rules.max_length:,} characters; it has {len(text):,}.")
    if not can_be_shown(text):
        raise Unfit("The reason holds characters that cannot be shown; please type it again.")
    return text
