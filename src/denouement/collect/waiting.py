"""The flow of work through a collection: what is done, what somebody has in hand, and what waits where."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # heavy
    from denouement.collect.store.records import CollectionProgress, StepProgress

Kind = Literal["done", "in hand", "waiting", "wanted", "lost"]


@dataclass(frozen=True)
class Noun:
    """A thing that is counted."""

    one: str
    several: str

    def count(self, n: int) -> str:
        """So many of it, such as `3 reviews`."""
        return f"{n:,} {self.one if n == 1 else self.several}"


PIECES = {
    "stories": Noun("story", "stories"),
    "review": Noun("review", "reviews"),
    "endings": Noun("pair of endings", "pairs of endings"),
    "verification": Noun("verification", "verifications"),
}
"""What is handed in in each step."""


@dataclass(frozen=True)
class FlowPart:
    """So many pieces of a step.

    Attributes:
        words: what is said of them, such as `returned to their writers`.
    """

    words: str
    n: int
    kind: Kind


@dataclass(frozen=True)
class StepFlow:
    """Where the pieces of a step are; only parts that have any."""

    step: str
    parts: tuple[FlowPart, ...]

    @property
    def total(self) -> int:
        """All pieces of the step, also those that are only wanted."""
        return sum(part.n for part in self.parts)


def flow(progress: "CollectionProgress") -> list[StepFlow]:
    """Where the pieces of each step are, in the order of the steps."""
    return [StepFlow(step.step, tuple(part for part in _parts(step) if part.n)) for step in progress.steps]


def _parts(step: "StepProgress") -> Iterator[FlowPart]:
    if step.step == "stories":
        yield FlowPart("approved", step.statuses["approved"], "done")
        yield FlowPart("waiting for a reviewer", step.statuses["open"], "waiting")
        yield FlowPart("returned to their writers", step.statuses["returned"], "waiting")
    else:
        yield FlowPart("done", step.done, "done")
    yield FlowPart("in hand", step.open, "in hand")
    if step.wanted is not None:
        yield FlowPart("still to be done", max(0, step.wanted - step.done - step.open), "wanted")
    yield FlowPart("rejected", step.statuses.get("rejected", 0), "lost")
