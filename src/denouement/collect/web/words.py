"""The words of a collection's pages: those of studies, some of its own, and what pages say of a step."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files

from denouement.collect.description import Collection
from denouement.collect.waiting import PIECES, Noun
from denouement.study.languages import ENGLISH, Entry, Texts, entries, texts
from denouement.yaml_files import parse_yaml


@dataclass(frozen=True)
class StepWords:
    """What pages say of a step.

    Attributes:
        title: what one does in it.
        begin: the button that leads to a piece of work.
        piece: what is handed in.
        paid: what is paid for.
        bonus: what a bonus is for; empty where there is none.
        handed_in: what is said after a piece was handed in.
        judged: the question about an item of the step's test.
        good, bad: the two answers to it.
    """

    title: str
    begin: str
    piece: Noun
    paid: str
    handed_in: str
    bonus: str = ""
    judged: str = ""
    good: str = "Acceptable"
    bad: str = "Not acceptable"


STEP_WORDS = {
    "stories": StepWords(
        title="Write stories",
        begin="Write a story",
        piece=PIECES["stories"],
        paid="story that is approved",
        handed_in="Your story is handed in.",
        bonus="one that a reviewer marks for it",
        judged="Is this story acceptable?",
    ),
    "review": StepWords(
        title="Review stories",
        begin="Review a story",
        piece=PIECES["review"],
        paid="review",
        handed_in="Your review is handed in.",
    ),
    "endings": StepWords(
        title="Write endings",
        begin="Write endings",
        piece=PIECES["endings"],
        paid="pair of endings",
        handed_in="Your endings are handed in.",
        judged="Are these two endings acceptable?",
    ),
    "verification": StepWords(
        title="Verify stories",
        begin="Verify a story",
        piece=PIECES["verification"],
        paid="verification",
        handed_in="Your answer is handed in.",
        judged="Do these five sentences make sense?",
        good="They make sense",
        bad="They do not",
    ),
}


def words(collection: Collection) -> Texts:
    """The English texts of studies, with a collection's own in the place of some."""
    own = Texts(ENGLISH, _own())
    rule = own("rule.keeps" if collection.keeps_approved else "rule.deletes")
    filled = {key: text.replace("{rule}", rule) if isinstance(text, str) else text for key, text in own.entries.items()}
    return Texts(ENGLISH, {**texts(ENGLISH).entries, **filled})


def paid(collection: Collection, step: str) -> str:
    """What a step pays, as a sentence; empty where it pays nothing."""
    pays, said = collection.payment(step), STEP_WORDS[step]
    parts = [f"{money(pays.piece)} {collection.currency} for each {said.paid}"] if pays.piece else []
    if pays.bonus and said.bonus:
        parts.append(f"{money(pays.bonus)} {collection.currency} on top for {said.bonus}")
    return f"{' and '.join(parts)}." if parts else ""


def money(amount: float) -> str:
    """An amount with two decimals, or with as many as it has."""
    exact = Decimal(str(amount))
    return f"{exact:,.2f}" if exact == round(exact, 2) else f"{exact.normalize():,f}"


@cache
def _own() -> Mapping[str, Entry]:
    text = (files(__package__) / "words.yaml").read_text(encoding="utf-8")
    return dict(entries(parse_yaml(text, "words.yaml"), "words.yaml"))
