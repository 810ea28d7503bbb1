"""Names of kinds, systems and answers with a fixed meaning in every study, and the form of names that a study gives."""

import re
from collections.abc import Iterator
from typing import Literal

from denouement.study.design.mistakes import Mistake

Kind = Literal["pair", "rating", "order"]  # what a study asks

HUMAN_RIGHT, HUMAN_WRONG = "human_right", "human_wrong"
ANSWERS = ("A", "B", "both", "neither")
TIES = ("both", "neither")
CHECK_SYSTEMS = ("check_first", "check_second")

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


def name_mistakes(name: str) -> Iterator[Mistake]:
    """What is wrong with the name of a study or of a scale, which is used in addresses and tables."""
    if not _NAME.fullmatch(name):
        yield Mistake(
            ("name",), f"name: must be 1 to 40 of a-z, 0-9, - and _, the first a letter or digit, not {name!r}"
        )
