"""How many items each person has to answer so that a study fills."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from denouement.study.design.description import Design
from denouement.study.design.items import Item

_MOST_SPARE = 3

# Rough times in seconds: of reading a story, of what is then asked about it, and of a reason that must be written.
_READING, _ASKED, _RANKED_ENDING, _ORDERED, _REASON = 20, 10, 15, 40, 30


@dataclass(frozen=True)
class FairShare:
    """What a study asks of its people.

    Attributes:
        answers: to all items together.
        people: how many are expected: one a link, or `entry.people`; None: not known.
        each: the most items of a person, checks included; None: no limit.
        minutes: a rough time for these, or without a limit for all items.
        is_computed: whether `each` is the fair share; else it is from the study's file.
    """

    answers: int
    people: int | None
    each: int | None
    minutes: int
    is_computed: bool


def fair_share(design: Design, items: Sequence[Item]) -> FairShare:
    """The share of each person: as the file says, or such that all together give all answers, each about as many.

    The computed share has up to three spare questions. Without them the last items may lack an answer that only people
    can give who did their share already, since the others answered these items before.

    Args:
        design: the study's design, as its file has it.
        items: the items of the study.
    """
    of_texts, n_checks = _counted(items)
    answers = of_texts.total() * design.answers_per_item
    people = design.entry.links or design.entry.people
    each = design.max_items_per_person
    is_computed = each is None and people is not None
    if people is not None and each is None:
        least = math.ceil(answers / people)
        spare = min(_MOST_SPARE, round(least / people)) if design.answers_per_item > 1 else 0
        each = with_checks(design, min(len(of_texts), least + spare), n_checks)
    minutes = asked_of_each(replace(design, max_items_per_person=each), items)[1]
    return FairShare(answers, people, each, minutes, is_computed)


def asked_of_each(design: Design, items: Sequence[Item]) -> tuple[int, int]:
    """How many questions a person is asked at most, checks included, and a rough time for them in minutes."""
    of_texts, n_checks = _counted(items)
    most = with_checks(design, len(of_texts), n_checks)
    if design.max_items_per_person is not None:
        most = min(most, design.max_items_per_person)
    return most, math.ceil(most * seconds(design) / 60)


def seconds(design: Design) -> int:
    """A rough time of one item of a study, in seconds."""
    asked = {
        "pair": _ASKED * len(design.asked),
        "rating": _ASKED * len(design.scales),
        "best_worst": _ASKED * (design.n_shown or 0),
        "ranking": _RANKED_ENDING * (design.n_shown or 0),
        "order": _ORDERED,
    }[design.kind]
    return _READING + asked + (_REASON if design.reason.mode == "required" else 0)


def shortfall(design: Design, share: FairShare, items: Sequence[Item]) -> str | None:
    """Why a study of this share cannot fill, in one line for its organiser; None where it can, or nobody knows.

    An item needs as many people as it gets answers. Items of the same texts together need as many as they all get,
    since nobody sees the same texts twice.
    """
    if share.people is None or share.each is None:
        return None
    k = design.answers_per_item
    is_by_links = design.entry.kind == "links"
    who = ("private link", "private links") if is_by_links else ("person", "people")
    there = f"{share.people} {who[share.people > 1]}"
    how = "raise entry.links, or add links later" if is_by_links else "raise entry.people"
    if share.people < k:
        return f"{there} cannot give {k} answers to each item: {how}"
    of_texts, n_checks = _counted(items)
    same = [n for n in of_texts.values() if n * k > share.people]
    if same:
        return (
            f"systems wrote the same endings, so {sum(same):,} items read like another one, and nobody sees the "
            f"same texts twice: {there} cannot give the {max(same) * k} answers of {max(same)} such items: {how}"
        )
    judged = max(n for n in range(len(of_texts) + 1) if with_checks(design, n, n_checks) <= share.each)
    if judged * share.people < share.answers:
        return (
            f"{share.people} people who answer {judged} items each, apart from checks, give {judged * share.people:,} "
            f"of {share.answers:,} answers: raise max_items_per_person, or {how}"
        )
    return None


def _counted(items: Sequence[Item]) -> tuple[Counter[str], int]:
    """By texts how many items to judge have them, and the number of checks."""
    to_judge = Counter(item.content for item in items if not (item.is_check or item.is_training))
    return to_judge, sum(item.is_check for item in items)


def with_checks(design: Design, judged: int, n_checks: int) -> int:
    """How many items a person sees at most, checks included, who judges so many.

    The last item of all is no check: the c-th of c checks comes before it, so c - 1 < (judged + c - 1) rate.
    """
    rate = design.checks.rate
    return judged + min(n_checks, math.ceil(round(judged * rate / (1 - rate), 9)))
