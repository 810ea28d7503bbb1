"""The values that the store of collections returns; changing one changes nothing in the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from denouement.collect.checks import Remark
from denouement.collect.reviewing import Decision, Status
from denouement.study.store import StudyState

OfferState = Literal["free", "test", "failed", "busy", "none", "enough", "paused", "closed"]


@dataclass(frozen=True)
class TakenFromFiles:
    """What a collection began with.

    Attributes:
        stories: how many that are approved or open.
        pairs: of endings.
        left_out: how many other stories.
    """

    stories: int = 0
    pairs: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class Offer:
    """What a person may do in a step now.

    Attributes:
        step: one of `description.STEPS` but for `filter`.
        state: `free`: there is a piece of work for them. `test`: there is one, and they must pass the step's test
            first. `failed`: they failed it, and have no attempt left. `busy`: others hold all that is left. `none`:
            there is nothing now, and more may come. `enough`: they did as much as one person may, or all that was
            wanted is done. `paused` and `closed`: as the step, or the whole collection, is.
        done: how many pieces they have handed in.
    """

    step: str
    state: OfferState
    done: int


@dataclass(frozen=True)
class Piece:
    """A piece of work that a person holds: a story or endings to write, a story to review, an ending to verify.

    Attributes:
        id: an unguessable token, which the page sends back.
        step: the step.
        context: the sentences to read: of a story to review all, of endings and verifications the first four.
        title: of a story to review; else empty.
        ending: `method_2`: the last sentence, which is to be changed; verification: the one that follows; else empty.
        prompt: the subject to write about; empty: any.
        draft: what was typed so far, by the name of the field.
        feedback: what reviewers said of a story that was returned to its writer, the oldest first.
        expires_at: until when nobody else gets this piece; None of a returned story, which is its writer's own.
    """

    id: str
    step: str
    context: tuple[str, ...] = ()
    title: str = ""
    ending: str = ""
    prompt: str = ""
    draft: Mapping[str, str] = field(default_factory=dict)
    feedback: tuple[str, ...] = ()
    expires_at: datetime | None = None


@dataclass(frozen=True)
class OwnStory:
    """A story that a person handed in, and what became of it.

    Attributes:
        id: as of `Piece`: where the status is `returned`, the piece with this id is the story to improve.
        feedback: what its reviewers said, the oldest first.
        bonus: whether it was marked for a bonus.
    """

    id: str
    title: str
    sentences: tuple[str, ...]
    status: Status
    feedback: tuple[str, ...] = ()
    bonus: bool = False


@dataclass(frozen=True)
class KnownStory:
    """A story that somebody handed in, whatever became of it.

    Attributes:
        id: as of `Piece`.
        at: when it was handed in for the last time.
    """

    id: str
    sentences: tuple[str, ...]
    at: datetime


@dataclass(frozen=True)
class StoryWork:
    """A story as it is handed in."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ReviewWork:
    """A review as it is handed in."""

    decision: Decision
    remark: str = ""
    bonus: bool = False


@dataclass(frozen=True)
class EndingWork:
    """Two endings as they are handed in; in `method_2` the right one is the story's own, whatever is given."""

    right: str
    wrong: str


@dataclass(frozen=True)
class VerificationWork:
    """What a verifier answers: one of `filtering.ANSWERS` of the collection's form."""

    answer: str


Work = StoryWork | ReviewWork | EndingWork | VerificationWork


@dataclass(frozen=True)
class HandInOutcome:
    """What the store did with work that was handed in.

    Attributes:
        status: `accepted`: it is on the disk. `surplus`: it is kept and does not count, since it came after its time
            and others had done the piece. `duplicate`: it was handed in before; nothing changed. `refused`: nothing is
            kept, for the reasons in `remarks`.
        remarks: what is wrong, by box; without a box where the whole piece is meant.
    """

    status: Literal["accepted", "surplus", "duplicate", "refused"]
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class StepProgress:
    """How far a step is.

    Attributes:
        step: one of `description.STEPS` but for `filter`.
        state: open, paused or closed.
        people: who handed in anything.
        done: pieces that were handed in and count.
        wanted: how many there are to be; None where there is no number: stories until the step is closed.
        open: pieces that somebody holds now.
        surplus, excluded: pieces that are kept and do not count.
        statuses: of stories: how many are approved, open (being reviewed), returned and rejected; else empty.
        median_minutes: of a piece that counts, from its first showing until it was handed in; None without any.
        failed: people who failed the step's test and have no attempt left.
    """

    step: str
    state: StudyState
    people: int
    done: int
    wanted: int | None
    open: int
    surplus: int
    excluded: int
    statuses: Mapping[str, int]
    median_minutes: float | None
    failed: int


@dataclass(frozen=True)
class StepOfPerson:
    """What a person did in a step; see `StepProgress` and `paying.DoneWork`."""

    step: str
    done: int
    statuses: Mapping[str, int]
    bonuses: int
    median_minutes: float | None


@dataclass(frozen=True)
class CollectorProgress:
    """How far a person of a collection is.

    Attributes:
        person: the id in the tables.
        state: as of an annotator of a study.
        may: the steps that they may do.
        steps: what they did, only steps in which they handed in anything.
    """

    person: str
    state: str
    may: tuple[str, ...]
    steps: tuple[StepOfPerson, ...]
    last_seen_at: datetime
    is_holding: bool
    excluded_because: str


@dataclass(frozen=True)
class CollectionProgress:
    """How far a collection is: its steps, and its people in the order in which they came."""

    collection: str
    state: StudyState
    steps: tuple[StepProgress, ...]
    people: tuple[CollectorProgress, ...]
