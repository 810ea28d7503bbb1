"""The section `skip` of a study's file: whether people may leave a question unanswered."""

from collections.abc import Iterator
from dataclasses import dataclass

from denouement.study.design.mistakes import Mistake


@dataclass(frozen=True)
class Skip:
    """That people may skip an item: its place is free again, and the person does not get it again.

    Attributes:
        most: how many items a person may skip; None: no limit.
    """

    most: int | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if self.most is not None and not 1 <= self.most <= 1_000_000:
            yield Mistake(("most",), f"most: must be between 1 and 1,000,000, not {self.most}")
