"""Names of kinds, systems and answers with a fixed meaning in every study, and the form of names that a study gives."""

import re
from collections.abc import Iterator
from typing import Literal

from denouement.study.design.mistakes import Mistake

Kind = Literal["pair", "rating", "order", "best_worst", "ranking"]  # what a study asks
RANKED: tuple[Kind, ...] = ("best_worst", "ranking")
"""The kinds of study that show several endings of a story at once."""

HUMAN_RIGHT, HUMAN_WRONG = "human_right", "human_wrong"
ANSWERS = ("A", "B", "both", "neither")
TIES = ("both", "neither")
CHECK_SYSTEMS = (
    "check_first",
    "check_second",
    "check_third",
    "check_fourth",
    "check_fifth",
    "check_sixth",
    "check_seventh",
    "check_eighth",
)

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


_PREVIEW = "preview"  # the organiser's address of previews


def study_name_mistakes(name: str) -> Iterator[Mistake]:
    """What is wrong with the name of a new study."""
    yield from name_mistakes(name)
    if name == _PREVIEW:
        yield Mistake(("name",), f"name: {_PREVIEW} is the address of the organiser's previews; choose another name")


def name_mistakes(name: str) -> Iterator[Mistake]:
    """What is wrong with the name of a study or of a scale, which is used in addresses and tables."""
    if not _NAME.fullmatch(name):
        yield Mistake(
            ("name",), f"name: must be 1 to 40 of a-z, 0-9, - and _, the first a letter or digit, not {name!r}"
        )
