"""Items whose answer is known: the training item and the attention checks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from denouement.legible import can_be_shown, seen
from denouement.study.design.mistakes import UNSHOWN, Mistake, n_different, text_mistakes
from denouement.study.design.names import RANKED, TIES, Kind
from denouement.study.design.questions import Choices
from denouement.study.design.scales import Scale
from denouement.study.languages import ClearCase, Texts

# What `expected` may be, by the kind of study.
_EXPECTED: dict[Kind, tuple[str, ...]] = {
    "pair": ("first", "second", *TIES),
    "best_worst": ("first", "order"),
    "ranking": ("first", "order"),
}


@dataclass(frozen=True)
class KnownItem:
    """An item whose answer is known.

    Attributes:
        context: its sentences.
        endings: two in a pair study, as many as are shown in best_worst and ranking studies, one in the others.
        expected: in a pair study, of its first question: `first` (None means the same), `second`, `both` or `neither`.
            In best_worst and ranking studies: `first` (None means the same), which alone is the best, or `order`: the
            endings are in their right order, the best first.
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

    def mistakes_as(
        self, kind: Kind, scales: tuple[Scale, ...], choices: Choices | None = None, n_shown: int | None = None
    ) -> Iterator[str]:
        """What is wrong with the item in a study of this kind."""
        wanted = n_shown or (2 if kind == "pair" else 1)
        if len(self.endings) != wanted:
            yield f"endings: must be {wanted} in a study of kind {kind}, not {len(self.endings)}"
        judged = (*self.context, *self.endings) if kind == "order" else self.endings
        if n_different(judged) < len(judged):
            yield "endings: two sentences to choose from are the same to a reader: change one"
        known = _EXPECTED.get(kind, ())
        if kind == "pair" and choices != "ties":
            known = tuple(answer for answer in known if answer not in TIES)
        if self.expected is not None and not known:
            yield f"expected: a study of kind {kind} has none: leave the key out"
        elif self.expected is not None and self.expected not in known:
            yield f"expected: must be one of {', '.join(known)}, not {self.expected!r}"
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


def clear_cases(say: Texts) -> list[ClearCase]:
    """The stories of the package of which one ending is clearly right: that of its training item, those of checks."""
    return [say.story("training_story"), *(say.story(f"check_stories.{name}") for name in say.names("check_stories"))]


def clear_endings(story: ClearCase, kind: str, n_shown: int, say: Texts) -> tuple[str, ...]:
    """The endings of one of these stories in a study: the right one, then the others that are shown.

    Several at once are the right one, the wrong one, and the right ones of the other stories.
    """
    if kind not in ("pair", *RANKED):
        return (story.right,)
    others = [each.right for each in clear_cases(say) if each != story]
    return (story.right, story.wrong, *others)[: n_shown if kind in RANKED else 2]
