"""What annotators judge: an item, and whether an answer to it is the known one."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from denouement.study.design.defaults import Kind


@dataclass(frozen=True)
class Item:
    """What is judged.

    Attributes:
        id: a digest of what the item shows; it says nothing about the systems.
        case_id: of the story.
        kind: what is asked.
        context: the story's sentences before the ending.
        systems: that wrote the endings: two of a pair, else one.
        endings: theirs.
        is_check: its answer is known and it is given to everyone.
        is_training: it is shown before the first item, and its answer is not kept.
        expected: the right answer where it is known: of a pair a `choice` of the table `votes`, of a rating the right
            values by question as JSON, of an order the places as JSON.
    """

    id: str
    case_id: str
    kind: Kind
    context: tuple[str, ...]
    systems: tuple[str, ...]
    endings: tuple[str, ...]
    is_check: bool = False
    is_training: bool = False
    expected: str | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The context's sentences and the endings: of an order, those that are shuffled."""
        return (*self.context, *self.endings)

    def chosen(self, answer: str | None, order: Sequence[int]) -> str | None:
        """In a pair shown in `order`: the system that the answer A or B chose; both and neither stay."""
        return self.systems[order[answer == "B"]] if answer in ("A", "B") else answer

    def is_right(self, choice: str | None, values: Mapping[str, int], arranged: Sequence[int]) -> bool | None:
        """Whether the known answer was given; None where none is known.

        Args:
            choice: of a pair, as `chosen` returns it.
            values: of a rating, by question.
            arranged: of an order, the sentences by their place in the story, from 0.
        """
        if self.expected is None:
            return None
        if self.kind == "pair":
            return choice == self.expected
        expected: Any = json.loads(self.expected)
        if self.kind == "rating":
            return not self.missed(values)
        return bool(list(arranged) == expected)

    def missed(self, values: Mapping[str, int]) -> list[str]:
        """The questions of a rating whose answer is known and is not the value given; none of another kind."""
        expected: dict[str, list[int]] = json.loads(self.expected) if self.kind == "rating" and self.expected else {}
        return [question for question, right in expected.items() if values.get(question) not in right]

    @property
    def content(self) -> str:
        """A digest of the texts alone, on whichever side: no person sees two items of the same texts."""
        return digest(self.kind, self.context, sorted(self.endings))


def digest(*parts: object) -> str:
    """A digest of these parts, which JSON can hold: 16 hexadecimal digits."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:16]
