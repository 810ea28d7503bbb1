"""The values that the store returns; changing one changes nothing in the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from denouement.study.design.items import Item
from denouement.study.design.names import RANKED

State = Literal[
    "consenting", "declined", "asking", "training", "answering", "done", "withdrawn", "screened_out", "excluded"
]

StudyState = Literal["open", "paused", "closed"]


@dataclass(frozen=True)
class Outlook:
    """What a person finds who comes to a study now.

    Attributes:
        state: `free`: there is an item for somebody. `busy`: all items have their answers or are being answered.
            `full`: all have their answers. `paused` and `closed`: as the study is.
        minutes: where it is busy, the minutes until the first of these leases ends, rounded up.
    """

    state: Literal["free", "busy", "full", "paused", "closed"]
    minutes: int | None = None


@dataclass(frozen=True)
class Released:
    """Leases that were ended before their time.

    Attributes:
        people: the ids in the tables of the people who had one.
        without: how many of those named held no item, among them people who never came.
    """

    study: str
    people: tuple[str, ...]
    without: int = 0


@dataclass(frozen=True)
class Annotator:
    """A person in a study.

    Attributes:
        id: the id in the tables: a salted hash unless the study says otherwise.
        key: a secret; a browser that has it counts as this person. It is for the session cookie, never for a page.
        study: its name.
        state: `consenting`, then `asking` (where there are questions of the study's own before the items), then
            `training` (where there are practice items), then `answering`. `done`: there is no item for this person at
            present; later there may be one. `declined` (no consent), `withdrawn`, `screened_out` (by the training) and
            `excluded` are final.
        answered: items answered, checks included.
        training_failures: wrong answers to the practice item that they are at.
        training_passed: practice items passed.
        has_replied: whether they replied to the questions after the last item.
    """

    id: str
    key: str = field(repr=False)
    study: str
    state: State
    answered: int = 0
    training_failures: int = 0
    training_passed: int = 0
    has_replied: bool = False


@dataclass(frozen=True)
class Assignment:
    """An item handed out to one person.

    Attributes:
        id: an unguessable token. A page contains this token and the item's texts, and nothing else about the item.
        item: the item; it has its systems, which no page may contain.
        order: the order of the texts on the page, drawn for this person and item: `shown[i]` is text `order[i]` of the
            item's endings (A is the first) or, in an order study, of its sentences.
        started_at: when the item was first handed out.
        expires_at: the end of the lease; until then nobody else gets this place.
        number: which of this person's items it is, from 1.
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
        """The texts in the order of the page: the endings, such as A and B of a pair, or shuffled sentences."""
        texts = self.item.sentences if self.item.kind == "order" else self.item.endings
        return tuple(texts[place] for place in self.order)


@dataclass(frozen=True)
class Outcome:
    """What the store did with an answer.

    Attributes:
        status: `accepted`: it counts, and is on the disk. `surplus`: it is kept and does not count, since it came late
            and others had given all answers to the item. `duplicate`: this person answered the item before; nothing
            changed. `refused`: it is not kept.
        message: why an answer was refused: one line for the annotator.
    """

    status: Literal["accepted", "surplus", "duplicate", "refused"]
    message: str = ""


@dataclass(frozen=True)
class Highlight:
    """Words of a story that a person marked as part of the reason for an answer.

    Attributes:
        system: whose ending it is; None for the story before it.
        sentence: its place in the story, 0 the first; each ending comes after the last of the context.
        start, end: the first word (from 0, as `design.marking` divides them), and the one after the last.
        text: these words.
    """

    system: str | None
    sentence: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Answer:
    """An answer that was given, as `export` writes it.

    Attributes:
        item: the item that was judged.
        order: as in `Assignment`.
        answers: to a pair: a code of `questions.CODES` by question, in the order of the design; else empty.
        values: of a rating: the value by question.
        arranged: of an order: the item's sentences (by their place in the story, from 0) as this person arranged them;
            of several endings: the rank of each of the item's endings.
        status: accepted, excluded or surplus.
        started_at: when the item was first handed to this person.
        submitted_at: when the answer was given, or last corrected.
        elements: the boxes of the reason that were ticked; None where the study has none.
        highlights: the words that were marked, in the story's order; None where the study asks for none.
    """

    item: Item
    annotator_id: str
    order: tuple[int, ...]
    answers: Mapping[str, str]
    values: Mapping[str, int]
    arranged: tuple[int, ...]
    reason: str | None
    status: str
    started_at: datetime
    submitted_at: datetime
    elements: tuple[str, ...] | None = None
    highlights: tuple[Highlight, ...] | None = None

    @property
    def seconds(self) -> float:
        """The time from the first showing of the item to the answer; 0 where the clock was set back in between."""
        return max(0.0, (self.submitted_at - self.started_at).total_seconds())

    @property
    def answer(self) -> str | None:
        """The answer to the first question about a pair, as its code; None in a study of another kind."""
        return next(iter(self.answers.values()), None)

    @property
    def choice(self) -> str | None:
        """The answer to the first question about a pair, as the system chosen, both or neither."""
        return self.item.chosen(self.answer, self.order)

    @property
    def arranged_on_page(self) -> tuple[int, ...]:
        """`arranged` by places on the page, from 0: of sentences the place of each, of endings the rank at each."""
        if self.item.kind in RANKED:
            return tuple(self.arranged[place] for place in self.order)
        return tuple(self.order.index(place) for place in self.arranged)

    @property
    def is_right(self) -> bool | None:
        """Whether it is the known answer; None where none is known."""
        return self.item.is_right(self.choice, self.values, self.arranged)


@dataclass(frozen=True)
class Reply:
    """What a person replied to a question of the study's own; one of several options is a reply of its own."""

    annotator_id: str
    question: str
    type: str
    value: str


@dataclass(frozen=True)
class Flag:
    """An item that a person skipped (`skip`), or a problem with it that they reported with their answer (`flag`).

    Attributes:
        text: what they wrote; None where they skipped the item and wrote nothing.
    """

    item: Item
    annotator_id: str
    kind: str
    text: str | None
    made_at: datetime


@dataclass(frozen=True)
class Correction:
    """An answer that the person corrected later.

    Attributes:
        place: which of the answers to this item it was, 1 the first.
        earlier: what was answered, as JSON.
        submitted_at: when it was given.
    """

    item: Item
    annotator_id: str
    place: int
    earlier: str
    submitted_at: datetime


@dataclass(frozen=True)
class ItemProgress:
    """How far an item to judge is.

    Attributes:
        systems: those whose endings it shows.
        accepted: answers that count.
        open: leases that have not lapsed.
        median_seconds: the median time of an accepted answer; None without any.
        skipped, flagged: how many people skipped it, and reported a problem with it.
    """

    item_id: str
    case_id: str
    systems: tuple[str, ...]
    accepted: int
    open: int
    median_seconds: float | None
    skipped: int = 0
    flagged: int = 0


@dataclass(frozen=True)
class PersonProgress:
    """How far a person is.

    Attributes:
        answered: answers of any status, without those to checks.
        checks, checks_failed: answers to checks, and how many of these are wrong.
        surplus: answers that came too late to count.
        median_seconds: the median time of an answer; None without any.
        last_seen_at: when they last got an item or sent a form.
        is_holding: whether they hold an item.
        excluded_because: why they are excluded; empty where they are not, or no reason was given.
        skipped, flagged, corrected: items skipped, items with a problem reported, corrections of answers; with checks.
    """

    annotator_id: str
    state: State
    answered: int
    checks: int
    checks_failed: int
    surplus: int
    median_seconds: float | None
    last_seen_at: datetime
    is_holding: bool = False
    excluded_because: str = ""
    skipped: int = 0
    flagged: int = 0
    corrected: int = 0


@dataclass(frozen=True)
class Progress:
    """How far a study is. Items, answers, leases, skips, flags and corrections are without those of checks.

    Attributes:
        state: whether the study is `open`, `paused` (nobody gets a new item) or `closed` (nobody comes in, either).
        wanted: the number of answers in the end: items times answers per item.
        accepted: answers that count.
        complete: items that have all their answers.
        open: leases that have not lapsed.
        surplus, excluded: answers that are kept and do not count.
        median_seconds: the median time of an accepted answer; None without any.
        skipped, flagged, corrected: how often items were skipped or reported, and answers corrected.
    """

    study: str
    state: StudyState
    items: tuple[ItemProgress, ...]
    people: tuple[PersonProgress, ...]
    wanted: int
    accepted: int
    complete: int
    open: int
    surplus: int
    excluded: int
    median_seconds: float | None
    skipped: int = 0
    flagged: int = 0
    corrected: int = 0
