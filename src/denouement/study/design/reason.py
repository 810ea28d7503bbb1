"""The section `reason` of a study's file: whether and how it asks for reasons."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from denouement.study.design.mistakes import Mistake, repeated, text_mistakes
from denouement.study.reasons import ELEMENTS


@dataclass(frozen=True)
class Reason:
    """Whether annotators are asked for the reason of an answer, and its least and greatest length in characters.

    Attributes:
        boxes: the elements of a story (`reasons.ELEMENTS`) that are offered as boxes to tick.
        highlight: whether annotators may mark words of the story and its endings as part of the reason.
    """

    mode: Literal["required", "optional", "off"] = "off"
    min_length: int = 10
    max_length: int = 2000
    question: str = ""
    boxes: tuple[str, ...] = ()
    highlight: bool = False

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if self.min_length < 1:
            yield Mistake(("min_length",), f"min_length: must be at least 1, not {self.min_length}")
        if not self.min_length <= self.max_length <= 10_000:
            yield Mistake(
                ("min_length", "max_length"),
                f"max_length: must be between min_length and 10,000, not {self.max_length}",
            )
        yield from text_mistakes(self, "question")
        for box in self.boxes:
            if box not in ELEMENTS:
                yield Mistake(("boxes",), f"boxes: must be true or some of {', '.join(ELEMENTS)}, not {box!r}")
        for box in repeated(self.boxes):
            yield Mistake(("boxes",), f"boxes: {box} is listed twice")
        for key in ("min_length", "max_length", "question", "boxes", "highlight"):
            if self.mode == "off" and getattr(self, key) != getattr(Reason, key):
                yield Mistake(("mode", key), f"{key}: no reason is asked: leave the key out, or set mode")
