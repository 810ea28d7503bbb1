"""The section `reason` of a study's file: whether and how it asks for reasons."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from denouement.study.design.mistakes import Mistake, text_mistakes


@dataclass(frozen=True)
class Reason:
    """Whether annotators are asked for the reason of an answer, and its least and greatest length in characters."""

    mode: Literal["required", "optional", "off"] = "off"
    min_length: int = 10
    max_length: int = 2000
    question: str = ""

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
        for key in ("min_length", "max_length", "question"):
            if self.mode == "off" and getattr(self, key) != getattr(Reason, key):
                yield Mistake(("mode", key), f"{key}: no reason is asked: leave the key out, or set mode")
