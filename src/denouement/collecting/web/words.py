"""The words of a collection's pages that studies have, too, and those that all pages say of a step."""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files

from denouement.collecting.description import Collection, Payment
from denouement.study.languages import ENGLISH, Entry, Texts, entries, texts
from denouement.yaml_files import parse_yaml

TITLES = {
    "stories": "Write stories",
    "review": "Review stories",
    "endings": "Write endings",
    "verification": "Judge endings",
}

# What is paid for, and what a bonus is for.
_PAID = {
    "stories": ("story that is approved", "one that a reviewer likes especially"),
    "review": ("review", ""),
    "endings": ("pair of endings", ""),
    "verification": ("answer", ""),
}


def words(collection: Collection) -> Texts:
    """The English texts of studies, with a collection's own in the place of some."""
    own = _own()
    rule = Texts(ENGLISH, own)("rule.keeps" if getattr(collection, "keeps_approved", True) else "rule.deletes")
    filled = {key: text.replace("{rule}", rule) if isinstance(text, str) else text for key, text in own.items()}
    return Texts(ENGLISH, {**texts(ENGLISH).entries, **filled})


def payment(collection: Collection, step: str) -> Payment:
    """What a step pays."""
    found: Payment = getattr(collection, step).payment
    return found


def paid(collection: Collection, step: str) -> str:
    """What a step pays, as a sentence; empty where it pays nothing."""
    pays, (piece, bonus) = payment(collection, step), _PAID[step]
    if not pays.piece and not pays.bonus:
        return ""
    on_top = f", and {money(pays.bonus)} {collection.currency} on top for {bonus}" if pays.bonus and bonus else ""
    return f"{TITLES[step]}: {money(pays.piece)} {collection.currency} for each {piece}{on_top}."


def money(amount: float) -> str:
    """An amount with two decimals, or as many as it has."""
    exact = Decimal(str(amount))
    return f"{exact:,.2f}" if exact == round(exact, 2) else f"{exact.normalize():,f}"


@cache
def _own() -> Mapping[str, Entry]:
    text = (files(__package__) / "words.yaml").read_text(encoding="utf-8")
    return dict(entries(parse_yaml(text, "words.yaml"), "words.yaml"))
