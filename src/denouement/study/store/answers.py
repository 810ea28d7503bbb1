"""Checks whether an answer fits the question that was asked."""

from collections.abc import Mapping, Sequence

from denouement.legible import can_be_shown, cleaned, seen, unturned
from denouement.study.design.description import Design
from denouement.study.design.names import RANKED
from denouement.study.languages import Texts, texts


class Unfit(ValueError):  # noqa: N818 (not a fault of the program)
    """An answer cannot be kept; the message says why, for the annotator."""


def check_answer(
    design: Design,
    n_shown: int,
    answer: str | Mapping[str, str] | None = None,
    values: Mapping[str, int] | None = None,
    order: Sequence[int] | None = None,
    ranks: Sequence[int] | None = None,
) -> None:
    """Make sure that an answer answers the design's question or questions, and no other.

    Args:
        design: the study's design.
        n_shown: how many texts are shown.
        answer, values, order, ranks: as of `Answering.submit`.

    Raises:
        Unfit: it does not.
    """
    say = texts(design.language)
    given = {"pair": answer is not None, "rating": values is not None, "order": order is not None}
    given["ranked"] = ranks is not None
    if not given.pop("ranked" if design.kind in RANKED else design.kind) or any(given.values()):
        raise Unfit(say("unfit.no_answer"))
    if design.kind == "pair":
        _check_pair(design, answers_by_question(design, answer), say)
    if design.kind in RANKED:
        _check_ranks(design, n_shown, ranks or (), say)
    if design.kind == "rating":
        for scale in design.scales:
            value = (values or {}).get(scale.name)
            if type(value) is not int or not scale.low <= value <= scale.high:
                raise Unfit(say("unfit.no_value", low=scale.low, high=scale.high))
        if len(values or {}) != len(design.scales):
            raise Unfit(say("unfit.other_questions"))
    if design.kind == "order" and sorted(order or ()) != list(range(n_shown)):
        raise Unfit(say("unfit.no_place"))


def answers_by_question(design: Design, answer: str | Mapping[str, str] | None) -> dict[str, str]:
    """An answer to a pair by question; a single text answers a study's only question."""
    if isinstance(answer, Mapping):
        return dict(answer)
    return {} if answer is None else {design.asked[0].name: answer}


def _check_pair(design: Design, answers: Mapping[str, str], say: Texts) -> None:
    asked = [question.name for question in design.asked]
    if any(answers.get(name) not in design.codes for name in asked):
        raise Unfit(say("unfit.each_question" if len(asked) > 1 else f"unfit.no_choice.{design.choices}"))
    if len(answers) != len(asked):
        raise Unfit(say("unfit.other_questions"))


def _check_ranks(design: Design, n_shown: int, ranks: Sequence[int], say: Texts) -> None:
    if design.kind == "best_worst":
        if sorted(ranks) != [1, *[2] * (n_shown - 2), 3]:
            raise Unfit(say("unfit.best_and_worst"))
    elif len(ranks) != n_shown or any(type(rank) is not int or not 1 <= rank <= n_shown for rank in ranks):
        raise Unfit(say("unfit.no_rank"))
    elif design.choices == "forced" and len(set(ranks)) < n_shown:
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
