"""Mistakes in a study's file, and the checks that are common to several of its sections."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from denouement.legible import can_be_shown, seen

UNSHOWN = "holds characters that cannot be shown: type it again"


class Mistake(NamedTuple):
    """What is wrong with a value, and the keys on which this depends; with a broken key it is not reported."""

    keys: tuple[str, ...]
    text: str


def text_mistakes(section: object, *keys: str) -> Iterator[Mistake]:
    """The mistakes in the texts under `keys`, which annotators read: only blanks, or characters that cannot be shown.

    An empty text takes its default.
    """
    for key in keys:
        text = getattr(section, key)
        if text and not seen(text):
            yield Mistake((key,), f"{key}: is empty: leave the key out for the default")
        elif not can_be_shown(text):
            yield Mistake((key,), f"{key}: {UNSHOWN}")


def repeated(values: Sequence[str]) -> list[str]:
    """The values that occur more than once, each once."""
    return [value for value in dict.fromkeys(values) if values.count(value) > 1]


def n_different(texts: Collection[str]) -> int:
    """How many different texts a reader sees: blanks, case and invisible characters make no difference."""
    return len({seen(text).casefold() for text in texts})
