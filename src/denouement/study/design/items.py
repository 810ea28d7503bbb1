"""An item, which annotators judge, and whether an answer to it is the known right one."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from denouement.study.design.names import Kind


@dataclass(frozen=True)
class Item:
    """A story with one ending or two that a person answers a question about.

    Attributes:
        id: a digest of the item, which does not show the systems.
        case_id: the story's id.
        kind: what is asked.
        context: the story's sentences before the ending.
        systems: those that wrote the endings: two in a pair study, else one.
        endings: the endings of these systems.
        is_check: whether it is an attention check: its answer is known, and everyone may get it.
        is_training: whether it is shown before the first item; its answer is not kept.
        expected: the right answer where it is known: to a pair a `choice` of the table `votes`, of a rating the right
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
        """The sentences of the context and the endings; an order study shuffles these."""
        return (*self.context, *self.endings)

    def chosen(self, answer: str | None, order: Sequence[int]) -> str | None:
        """The system that A or B means, in a pair shown in `order`; both and neither stay."""
        return self.systems[order[answer == "B"]] if answer in ("A", "B") else answer

    def is_right(self, choice: str | None, values: Mapping[str, int], arranged: Sequence[int]) -> bool | None:
        """Whether an answer is the known right one; None where none is known.

        Args:
            choice: in a pair study, what `chosen` returns.
            values: in a rating study, the values by question.
            arranged: in an order study, the sentences by their place in the story, from 0.
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
        """The questions of a rating whose known answer is not the value given; none in a study of another kind."""
        expected: dict[str, list[int]] = json.loads(self.expected) if self.kind == "rating" and self.expected else {}
        return [question for question, right in expected.items() if values.get(question) not in right]

    @property
    def content(self) -> str:
        """A digest of the texts alone, on either side: no person sees two items of the same texts."""
        return digest(self.kind, self.context, sorted(self.endings))


def digest(*parts: object) -> str:
    """A digest of these parts, which JSON can hold: 16 hexadecimal digits."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:16]
