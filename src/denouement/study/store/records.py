"""What the store returns: plain values, none of which writes anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from denouement.study.design.items import Item

State = Literal["consenting", "declined", "training", "answering", "done", "withdrawn", "screened_out", "excluded"]


@dataclass(frozen=True)
class Annotator:
    """A person in a study.

    Attributes:
        id: as in the tables: a salted hash unless the study says otherwise.
        key: secret; a browser that has it counts as this person. For the session cookie, never for a page.
        study: its name.
        state: `consenting`, then `training` (where the study has a training item), then `answering`. `done`: there is
            nothing for this person at present; asked again later, there may be. `declined` (no consent), `withdrawn`,
            `screened_out` (by the training item) and `excluded` are final.
        answered: items answered, checks included.
        training_failures: wrong answers to the training item.
    """

    id: str
    key: str = field(repr=False)
    study: str
    state: State
    answered: int = 0
    training_failures: int = 0


@dataclass(frozen=True)
class Assignment:
    """An item handed out to one person.

    Attributes:
        id: an unguessable token; besides its texts the only thing about the item that a page may contain.
        item: with its systems, which no page may contain.
        order: of the texts on the page, drawn for this person and item: `shown[i]` is text `order[i]` of the
            item's endings (pair, rating; A is the first) or sentences (order).
        started_at: when it was first handed out.
        expires_at: until then nobody else gets its place.
        number: it is this person's number-th item, from 1.
        of: how many items this person may see at most.
    """

    id: str
    item: Item
    order: tuple[int, ...]
    started_at: datetime
    expires_at: datetime
    number: int
    of: int

    @property
    def shown(self) -> tuple[str, ...]:
        """The texts in the order of the page: A and B of a pair, the one ending of a rating, shuffled sentences."""
        texts = self.item.sentences if self.item.kind == "order" else self.item.endings
        return tuple(texts[place] for place in self.order)


@dataclass(frozen=True)
class Outcome:
    """What became of an answer.

    Attributes:
        status: `accepted`: it counts, and is on the disk. `surplus`: it is kept, marked, since it came late and others
            had filled the item. `duplicate`: this item was answered before; nothing changed. `refused`: it is not kept.
        message: of a refused one: why, for the annotator, one line.
    """

    status: Literal["accepted", "surplus", "duplicate", "refused"]
    message: str = ""


@dataclass(frozen=True)
class Answer:
    """An answer that was given, as `export` writes it.

    Attributes:
        item: that was judged.
        order: as in `Assignment`.
        answer: of a pair, one of A, B, both, neither; else None.
        values: of a rating, by question.
        arranged: of an order, the item's sentences (by their place in the story, from 0) as this person arranged them.
        status: accepted, excluded or surplus.
        started_at: when the item was first handed to this person.
    """

    item: Item
    annotator_id: str
    order: tuple[int, ...]
    answer: str | None
    values: Mapping[str, int]
    arranged: tuple[int, ...]
    reason: str | None
    status: str
    started_at: datetime
    submitted_at: datetime

    @property
    def seconds(self) -> float:
        """From the first sight of the item to its answer."""
        return (self.submitted_at - self.started_at).total_seconds()

    @property
    def choice(self) -> str | None:
        """Of a pair: the system chosen, or both, or neither."""
        return self.item.chosen(self.answer, self.order)

    @property
    def is_right(self) -> bool | None:
        """Whether it is the known answer; None where none is known."""
        return self.item.is_right(self.choice, self.values, self.arranged)


@dataclass(frozen=True)
class ItemProgress:
    """How far an item to judge, of `systems`, is: `accepted` answers, and `open` leases that have not lapsed.

    `median_seconds` is of an accepted answer; None without any.
    """

    item_id: str
    case_id: str
    systems: tuple[str, ...]
    accepted: int
    open: int
    median_seconds: float | None


@dataclass(frozen=True)
class PersonProgress:
    """How far a person is.

    Attributes:
        answered: answers, whatever their status; checks are not among them, here and everywhere.
        checks, checks_failed: answers to checks, and how many of those are wrong.
        median_seconds: of an answer; None without any.
    """

    annotator_id: str
    state: State
    answered: int
    checks: int
    checks_failed: int
    surplus: int
    median_seconds: float | None
    last_seen_at: datetime


@dataclass(frozen=True)
class Progress:
    """How far a study is. Checks are not among items, answers and open leases.

    Attributes:
        wanted: answers in all: items times k.
        accepted: answers that count.
        complete: items that have k of them.
        open: leases that have not lapsed.
        surplus, excluded: answers kept and not counted.
        median_seconds: of an accepted answer; None without any.
    """

    study: str
    items: tuple[ItemProgress, ...]
    people: tuple[PersonProgress, ...]
    wanted: int
    accepted: int
    complete: int
    open: int
    surplus: int
    excluded: int
    median_seconds: float | None
