"""What a study of pairs asks about two endings: its questions, and the answers to choose from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from denouement.legible import can_be_shown, seen
from denouement.study.design.mistakes import UNSHOWN, Mistake
from denouement.study.design.names import ANSWERS, name_mistakes

Choices = Literal["ties", "forced", "graded"]

SLIGHTLY, MUCH = 1, 2
"""How strong a graded preference is."""

# The codes of the answers, A and B being the sides of the page. There is no code for "equal" among the graded ones: a
# slight preference is the least that can be said, so that each answer is for one side, as in a forced choice.
CODES: dict[Choices, tuple[str, ...]] = {
    "ties": ANSWERS,
    "forced": ("A", "B"),
    "graded": (f"A{MUCH}", f"A{SLIGHTLY}", f"B{SLIGHTLY}", f"B{MUCH}"),
}


@dataclass(frozen=True)
class PairQuestion:
    """A question about two endings: its name in the table `votes`, and what annotators read."""

    name: str = ""
    text: str = ""

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing, or cannot be shown."""
        yield from name_mistakes(self.name)
        if not seen(self.text):
            yield Mistake(("text",), "text: is missing: write what annotators read")
        elif not can_be_shown(self.text):
            yield Mistake(("text",), f"text: {UNSHOWN}")


def answer_of(code: str) -> tuple[str, int | None]:
    """The answer (A, B, both or neither) of one of the `CODES`, and how strong the preference is; None if not graded.

    >>> answer_of("A2"), answer_of("both")
    (('A', 2), ('both', None))
    """
    return (code[0], int(code[1])) if code in CODES["graded"] else (code, None)
