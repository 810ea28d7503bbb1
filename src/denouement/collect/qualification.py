"""Examples with and without faults, and the test that people take before they may write or verify."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from denouement.legible import can_be_shown, seen
from denouement.study.design.mistakes import UNSHOWN, Mistake

N_ITEMS = 5
"""How many items a test has, as in Mostafazadeh et al. 2016, section 3.1."""


@dataclass(frozen=True)
class JudgedExample:
    """A story, or a story without its end and two endings, and whether it is acceptable.

    Attributes:
        sentences: five of a story; four where there are endings.
        right, wrong: the two endings; both empty for a story.
        acceptable: whether it is as it should be.
        why: what a person reads about it.
    """

    sentences: tuple[str, ...] = ()
    right: str = ""
    wrong: str = ""
    acceptable: bool = True
    why: str = ""

    @property
    def has_endings(self) -> bool:
        """Whether two endings are judged, not a story."""
        return bool(self.right or self.wrong)

    def mistakes(self) -> Iterator[Mistake]:
        """What is missing or cannot be shown."""
        if bool(self.right) != bool(self.wrong):
            yield Mistake(("right", "wrong"), "right, wrong: give both endings, or none for a whole story")
        wanted = 4 if self.has_endings else 5
        if len(self.sentences) != wanted or not all(map(seen, self.sentences)):
            what = "a story whose endings are judged" if self.has_endings else "a whole story"
            yield Mistake(
                ("sentences", "right", "wrong"),
                f"sentences: must be the {wanted} of {what}, none of them empty, not {len(self.sentences)}",
            )
        if not seen(self.why):
            yield Mistake(("why",), "why: is missing: people read it to learn what is right")
        for key in ("sentences", "right", "wrong", "why"):
            texts = getattr(self, key)
            if not all(map(can_be_shown, [texts] if isinstance(texts, str) else texts)):
                yield Mistake((key,), f"{key}: {UNSHOWN}")


@dataclass(frozen=True)
class Qualification:
    """The test before a step. Who passed once in a collection does not take it again.

    Attributes:
        items: what is judged acceptable or not; `N_ITEMS`, by default ours.
        pass_mark: how many must be judged right.
        attempts: how often a person may take it; who fails the last time is screened out.
        feedback: whether a person sees after each attempt which were wrong, and why.
    """

    items: tuple[JudgedExample, ...] = ()
    pass_mark: int = 4
    attempts: int = 2
    feedback: bool = True

    def mistakes(self) -> Iterator[Mistake]:
        """What is out of range."""
        if self.items and len(self.items) != N_ITEMS:
            yield Mistake(("items",), f"items: must be {N_ITEMS}, not {len(self.items)}: leave the key out for ours")
        if self.items and len({each.acceptable for each in self.items}) < 2:
            yield Mistake(("items",), "items: must hold one that is acceptable and one that is not")
        if not 1 <= self.pass_mark <= N_ITEMS:
            yield Mistake(("pass_mark",), f"pass_mark: must be between 1 and {N_ITEMS}, not {self.pass_mark}")
        if not 1 <= self.attempts <= 100:
            yield Mistake(("attempts",), f"attempts: must be between 1 and 100, not {self.attempts}")


@dataclass(frozen=True)
class Attempt:
    """The result of one attempt.

    Attributes:
        right: bool by item: whether it was judged as it should be.
        passed: whether enough were.
        attempts_left: after this one; 0 where the test is passed.
    """

    right: tuple[bool, ...]
    passed: bool
    attempts_left: int

    @property
    def screened_out(self) -> bool:
        """Whether the person may not go on."""
        return not (self.passed or self.attempts_left)


def attempt(test: Qualification, judged: Mapping[int, bool], earlier: Sequence[Attempt] = ()) -> Attempt:
    """Mark what a person judged.

    Args:
        test: with its items filled in (`description.Collection`).
        judged: by the place of an item, from 0, whether the person calls it acceptable; one left out is wrong.
        earlier: the person's attempts before.

    Raises:
        ValueError: an attempt after a passed one or after the last one, or a place without an item.
    """
    if any(each.passed for each in earlier) or len(earlier) >= test.attempts:
        raise ValueError(f"the test was passed or failed before, in {len(earlier)} attempts")
    if unknown := [place for place in judged if not 0 <= place < len(test.items)]:
        raise ValueError(f"the test has no item {unknown[0]}")
    right = tuple(judged.get(place) == item.acceptable for place, item in enumerate(test.items))
    passed = sum(right) >= test.pass_mark
    return Attempt(right, passed, 0 if passed else test.attempts - len(earlier) - 1)
