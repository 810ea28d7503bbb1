"""Checks whether an answer fits the question that was asked."""

from collections.abc import Collection, Mapping, Sequence

from denouement.legible import can_be_shown, cleaned, seen, unturned
from denouement.study.design.description import Design
from denouement.study.design.items import Item
from denouement.study.design.marking import runs, word_places
from denouement.study.design.names import RANKED
from denouement.study.languages import Texts, texts
from denouement.study.store.records import Highlight

_MOST_OF_REMARK = 2000  # characters


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
    text = _plain(reason)
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


def checked_remark(design: Design, text: str | None) -> str | None:
    """What a person wrote about a problem with an item, in the form of `checked_reason`; None where it is nothing.

    Raises:
        Unfit: it is too long, or has characters that cannot be shown.
    """
    kept = _plain(text)
    if not seen(kept):
        return None
    if len(kept) > _MOST_OF_REMARK:
        raise Unfit(texts(design.language)("unfit.remark_long", n=len(kept), most=_MOST_OF_REMARK))
    if not can_be_shown(kept):
        raise Unfit(texts(design.language)("unfit.remark_not_shown"))
    return kept


def checked_elements(design: Design, elements: Collection[str]) -> list[str] | None:
    """The boxes that were ticked, in the design's order; None where the design has none.

    Raises:
        Unfit: a box that was not offered.
    """
    if not design.reason.boxes:
        return None
    if set(elements) - set(design.reason.boxes):
        raise Unfit(texts(design.language)("unfit.other_boxes"))
    return [box for box in design.reason.boxes if box in elements]


def highlights_of(
    design: Design, item: Item, order: Sequence[int], marks: Collection[tuple[int, int]]
) -> list[Highlight] | None:
    """The marked words by sentence, in the story's order; None where the design asks for none.

    Args:
        design: the study's design.
        item: the item.
        order: the order of its endings on the page.
        marks: which texts of the page (the context's sentences, then the endings in their order) and words, from 0.

    Raises:
        Unfit: a word that is not on the page.
    """
    if not design.reason.highlight:
        return None
    n = len(item.context)
    shown: list[tuple[str | None, int, str]] = [(None, place, text) for place, text in enumerate(item.context)]
    shown += [(item.systems[place], n, item.endings[place]) for place in order]
    found: list[Highlight] = []
    for place in sorted({place for place, _ in marks}):
        words = {word for its, word in marks if its == place}
        system, sentence, text = shown[place] if 0 <= place < len(shown) else (None, 0, "")
        places = word_places(text)
        if not all(0 <= word < len(places) for word in words):
            raise Unfit(texts(design.language)("unfit.other_words"))
        found += [
            Highlight(system, sentence, start, end, text[places[start][0] : places[end - 1][1]])
            for start, end in runs(words)
        ]
    systems = {system: number for number, system in enumerate(item.systems)}
    return sorted(found, key=lambda each: (each.sentence, systems.get(each.system or "", -1), each.start))


def _plain(text: str | None) -> str:
    return cleaned(unturned((text or "").replace("\r\n", "\n").replace("\r", "\n"))).strip()
