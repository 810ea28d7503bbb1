"""Copies of one answer, such as those in two downloads of one study: which copy counts, and how the copies differ."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from denouement.errors import UserError

STRICTNESS = ("accepted", "surplus", "excluded", "rejected")
"""The statuses of answers; of copies without times, the one whose status is last in this list counts."""

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Copy:
    """One copy of an answer.

    Attributes:
        place: the file, and the line where there is one.
        content: what was asked and answered, by name; it should be the same in all copies of an answer.
        status: a status of the table `votes`.
        reason: None where there is none.
        started_at, submitted_at: None where the file has none.
        decided_at: when the answer got its status; None where the file does not say.
    """

    place: str
    content: Mapping[str, object]
    status: str
    reason: str | None = None
    started_at: datetime | None = None
    submitted_at: datetime | None = None
    decided_at: datetime | None = None


@dataclass(frozen=True)
class Conflict:
    """Copies of one answer that are not the same.

    Attributes:
        answer: which answer it is, in words.
        differs: the names of the parts in which the copies differ.
        places: the file and line of each copy.
        kept: the place of the copy that counts.
        why: why that copy counts.
    """

    answer: str
    differs: tuple[str, ...]
    places: tuple[str, ...]
    kept: str
    why: str


def settle(copies: Sequence[Copy], answer: str) -> tuple[int, Conflict | None]:
    """Which copy of an answer counts, in whichever order they come, and how the copies differ.

    Differences are settled in this order: the answer, the status, then the reason and the times.

    - Different answers: the one submitted later, where all have the time of submission.
    - Else different statuses: the one decided later, where all have that time; else the strictest (`STRICTNESS`).
    - Else the one submitted later; of those, one with a reason before one without, and a longer one before a shorter.

    Args:
        copies: at least one.
        answer: which answer it is, for messages.

    Returns:
        The place in `copies` of the one that counts, and how the copies differ; None where they do not.

    Raises:
        UserError: different answers, and no time says which is later: they cannot be one answer.
    """
    differs = _differences(copies)
    if not differs:
        return 0, None
    places = tuple(copy.place for copy in copies)
    left = list(range(len(copies)))
    why = ""
    if differing := [name for name in differs if name in copies[0].content]:
        left = _latest(copies, left, lambda copy: copy.submitted_at)
        if any(copies[one].content != copies[left[0]].content for one in left):
            raise UserError(
                f"{' and '.join(dict.fromkeys(places))}: differ in {', '.join(differing)} of one answer ({answer}); "
                "no time says which is later; leave the wrong one out"
            )
        why = "submitted later"
    if len({copies[one].status for one in left}) > 1:
        later = _latest(copies, left, lambda copy: copy.decided_at)
        is_timed = len({copies[one].status for one in later}) == 1
        strictest = max((copies[one].status for one in left), key=STRICTNESS.index)
        left = later if is_timed else [one for one in left if copies[one].status == strictest]
        why = why or ("decided later" if is_timed else "the stricter status, since no time says which is later")
    best = max(left, key=lambda one: _preference(copies[one]))
    if not why:
        is_later = len({copies[one].submitted_at or _NEVER for one in left}) > 1
        why = "submitted later" if is_later else "it has more"
    return best, Conflict(answer, tuple(differs), places, places[best], why)


def _differences(copies: Sequence[Copy]) -> list[str]:
    """The names of the parts in which the copies differ."""
    first = copies[0]
    named = [name for name in first.content if any(copy.content[name] != first.content[name] for copy in copies)]
    others = ("status", "reason", "started_at", "submitted_at")
    return named + [name for name in others if len({getattr(copy, name) for copy in copies}) > 1]


def _latest(copies: Sequence[Copy], left: list[int], moment: Callable[[Copy], datetime | None]) -> list[int]:
    """The latest of the copies `left`; all of `left` where one has no time."""
    moments = [moment(copies[one]) for one in left]
    known = [each for each in moments if each is not None]
    if len(known) < len(moments):
        return left
    return [one for one, each in zip(left, moments, strict=True) if each == max(known)]


def _preference(copy: Copy) -> tuple[datetime, bool, int, str, datetime, str]:
    """The sort key of copies that differ in reason and times alone; its last entries make the choice definite."""
    reason = copy.reason or ""
    return (
        copy.submitted_at or _NEVER,
        copy.reason is not None,
        len(reason),
        reason,
        copy.started_at or _NEVER,
        copy.place,
    )
