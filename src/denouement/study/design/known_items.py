"""Items whose answer is known: the training item and the attention checks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from denouement.legible import can_be_shown, seen
from denouement.study.design.mistakes import UNSHOWN, Mistake, n_different, text_mistakes
from denouement.study.design.names import TIES, Kind
from denouement.study.design.scales import Scale


@dataclass(frozen=True)
class KnownItem:
    """An item whose answer is known.

    Attributes:
        context: its sentences.
        endings: two in a pair study, one in the others.
        expected: in a pair study only: `first` (None means the same), `second`, `both` or `neither`.
        values: in a rating study only: the values that are right, by the scale's name. In an order study the story's
            own order is right.
    """

    context: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    expected: str | None = None
    values: dict[str, list[int]] = field(default_factory=dict)

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing or out of range in a study of any kind."""
        for key in ("context", "endings"):
            texts = getattr(self, key)
            if not texts or not all(map(seen, texts)):
                yield Mistake((key,), f"{key}: must be a list of sentences, none of them empty")
            if not all(map(can_be_shown, texts)):
                yield Mistake((key,), f"{key}: {UNSHOWN}")
        if self.expected not in (None, "first", "second", *TIES):
            yield Mistake(
                ("expected",), f"expected: must be one of first, second, both, neither, not {self.expected!r}"
            )

    def mistakes_as(self, kind: Kind, scales: tuple[Scale, ...]) -> Iterator[str]:
        """What is wrong with the item in a study of this kind."""
        wanted = 2 if kind == "pair" else 1
        if len(self.endings) != wanted:
            yield f"endings: must be {wanted} in a study of kind {kind}, not {len(self.endings)}"
        judged = (*self.context, *self.endings) if kind == "order" else self.endings
        if n_different(judged) < len(judged):
            yield "endings: two sentences to choose from are the same to a reader: change one"
        if self.expected is not None and kind != "pair":
            yield f"expected: a study of kind {kind} has none: leave the key out"
        if self.values and kind != "rating":
            yield f"values: a study of kind {kind} has none: leave the key out"
        if kind == "rating":
            for name in self.values.keys() - {scale.name for scale in scales}:
                yield f"values: {name} is not among the scales"
            for scale in scales:
                right = self.values.get(scale.name)
                if not (isinstance(right, list) and right and all(value in scale.values for value in right)):
                    yield (
                        f"values: must list which of {scale.low} to {scale.high} are right for {scale.name}, such as "
                        f"{{{scale.name}: [{scale.high}]}}"
                    )


@dataclass(frozen=True)
class Training(KnownItem):
    """A practice item before the first one to judge; a person sees it until their answer is right.

    Attributes:
        feedback: what a person reads after a wrong answer.
        feedback_right: what a person reads after the right one.
        attempts: wrong answers after which a person is screened out; None: never.
    """

    feedback: str = ""
    feedback_right: str = ""
    attempts: int | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing or out of range."""
        yield from super().mistakes()
        yield from text_mistakes(self, "feedback", "feedback_right")
        if self.attempts is not None and self.attempts < 1:
            yield Mistake(("attempts",), f"attempts: must be at least 1, not {self.attempts}")


@dataclass(frozen=True)
class Checks:
    """Attention checks: items with known answers among the others.

    Attributes:
        rate: the share of checks among the items that a person sees. A person sees each check at most once.
        items: the checks; by default those of this package, except in rating studies.
    """

    rate: float = 0.0
    items: tuple[KnownItem, ...] = ()

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if not 0 <= self.rate <= 0.5:
            yield Mistake(("rate",), f"rate: must be between 0 and 0.5, not {self.rate}")
        if self.items and not self.rate:
            yield Mistake(("rate", "items"), "items: are never shown at a rate of 0: leave the key out, or set rate")
