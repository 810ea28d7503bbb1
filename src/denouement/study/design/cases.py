"""The section `cases` of a study's file: which stories it asks about."""

from collections.abc import Iterator
from dataclasses import dataclass

from denouement.schemas import SPLITS, is_name
from denouement.study.design.mistakes import Mistake


@dataclass(frozen=True)
class Cases:
    """Which Story Cloze cases are drawn.

    Attributes:
        n: how many; None takes all.
        seed: of the draw; a larger `n` with the same seed contains the smaller sample.
        split: a split of the table `cloze`.
        release: a release of that table; None is the first that has cases of the split (`schemas.in_order`).
    """

    n: int | None = 200
    seed: int = 1
    split: str = "validation"
    release: str | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if self.n is not None and self.n < 1:
            yield Mistake(("n",), f"n: must be at least 1, not {self.n}, or empty to take all cases")
        if self.split not in SPLITS:
            yield Mistake(("split",), f"split: must be one of {', '.join(SPLITS)}, not {self.split!r}")
        if self.release is not None and not is_name(self.release):
            yield Mistake(("release",), f"release: must be the name of a release, such as v1.0, not {self.release!r}")
