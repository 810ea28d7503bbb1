"""An item, which annotators judge, and whether an answer to it is the known right one."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from denouement.study.design.names import RANKED, Kind
from denouement.study.design.questions import answer_of


@dataclass(frozen=True)
class Item:
    """A story with one ending or more that a person answers a question about.

    Attributes:
        id: a digest of the item, which does not show the systems.
        case_id: the story's id.
        kind: what is asked.
        context: the story's sentences before the ending.
        systems: those that wrote the endings: two in a pair study, several in best_worst and ranking studies, else one.
        endings: the endings of these systems.
        is_check: whether it is an attention check: its answer is known, and everyone may get it.
        is_training: whether it is shown before the first item; its answer is not kept.
        expected: the right answer where it is known: to the first question about a pair a `choice` of the table
            `votes`, of a rating the right values by question as JSON, of an order the places as JSON, of several
            endings their ranks as JSON, null where any other rank is right.
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
        """The system that an answer (a code of `questions.CODES`) is for, in a pair shown in `order`; ties stay."""
        side = answer_of(answer)[0] if answer else answer
        return self.systems[order[side == "B"]] if side in ("A", "B") else side

    def is_right(self, choice: str | None, values: Mapping[str, int], arranged: Sequence[int]) -> bool | None:
        """Whether an answer is the known right one; None where none is known.

        Args:
            choice: in a pair study, what `chosen` returns for the answer to the first question.
            values: in a rating study, the values by question.
            arranged: what `arrangement` returns, where sentences or endings were put into order.
        """
        if self.expected is None:
            return None
        if self.kind == "pair":
            return choice == self.expected
        expected: Any = json.loads(self.expected)
        if self.kind == "rating":
            return not self.missed(values)
        if self.kind in RANKED:
            return agrees_with_ranks(arranged, expected)
        return bool(list(arranged) == expected)

    def arrangement(self, given: Sequence[int], order: Sequence[int]) -> list[int]:
        """An arrangement given on a page that showed the texts in `order`, as it is kept.

        Args:
            given: in an order study, the places on the page of the sentences in the order of the story; in best_worst
                and ranking studies, the rank of each ending on the page.
            order: the places in the item of the texts on the page.

        Returns:
            In an order study the sentences by their place in the story; else the rank of each of `endings`: in a
            ranking study one more than the number of better ones, whatever places were left empty.
        """
        if self.kind not in RANKED:
            return [order[place] for place in given]
        ranks = [rank for _, rank in sorted(zip(order, given, strict=False))]  # empty where nothing was given
        return ranks if self.kind == "best_worst" else [1 + sum(other < rank for other in ranks) for rank in ranks]

    def missed(self, values: Mapping[str, int]) -> list[str]:
        """The questions of a rating whose known answer is not the value given; none in a study of another kind."""
        expected: dict[str, list[int]] = json.loads(self.expected) if self.kind == "rating" and self.expected else {}
        return [question for question, right in expected.items() if values.get(question) not in right]

    @property
    def content(self) -> str:
        """A digest of the texts alone, on either side: no person sees two items of the same texts."""
        return digest(self.kind, self.context, sorted(self.endings))


def agrees_with_ranks(ranks: Sequence[int], expected: Sequence[int | None]) -> bool:
    """Whether ranks are the expected ones; an ending whose rank is not known (None) may not share a known rank."""
    return len(ranks) == len(expected) and all(
        rank == wanted if wanted is not None else rank not in expected
        for rank, wanted in zip(ranks, expected, strict=True)
    )


def digest(*parts: object) -> str:
    """A digest of these parts, which JSON can hold: 16 hexadecimal digits."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:16]
