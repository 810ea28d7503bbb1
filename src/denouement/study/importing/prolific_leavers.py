"""Who left a study on Prolific, so that others can get the items they hold."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from denouement.errors import UserError
from denouement.study.importing.prolific import Submission, read_submissions
from denouement.study.importing.recognising import sources_of
from denouement.study.importing.records import FileRead
from denouement.study.store import Store

LEFT = ("RETURNED", "TIMED-OUT")
"""The statuses of a submission whose participant gave the place back, or ran out of time."""


@dataclass(frozen=True)
class ReleasedLeavers:
    """What was released of people who left.

    Attributes:
        participants: how many Prolific names.
        left: of these, whose every submission was returned or timed out.
        came: of those who left, how many had come to the study.
        people: of these, the ids in the tables of those who held an item.
        unusable: rows of the file that are no submission.
    """

    study: str
    participants: int
    left: int
    came: int
    people: tuple[str, ...]
    unusable: int = 0


def submissions_of(path: Path) -> tuple[list[Submission], int]:
    """The submissions in Prolific's demographic export, and how many of its rows are none.

    Raises:
        UserError: another file.
    """
    (source,) = sources_of([path])
    if source.found.kind != "prolific":
        raise UserError(f"{path}: no demographic export of Prolific, with Submission id, Participant id and Status")
    file = FileRead(source)
    found = read_submissions(file)
    return found, len(file.unusable)


def who_left(submissions: Iterable[Submission]) -> list[str]:
    """The participants whose every submission was returned or timed out: who came back has another one."""
    statuses: dict[str, set[str]] = defaultdict(set)
    for each in submissions:
        statuses[each.participant].add(each.status)
    return [participant for participant, its in statuses.items() if its <= set(LEFT)]


def release_leavers(store: Store, study: str, submissions: Sequence[Submission], unusable: int = 0) -> ReleasedLeavers:
    """Release what people hold who returned their submission or ran out of time. Their answers stay.

    Raises:
        UserError: people do not come to this study from Prolific.
    """
    if store.campaign(study).entry.kind != "prolific":
        raise UserError(f"{study}: people do not come from Prolific; use --annotator, --item or --idle")
    left = who_left(submissions)
    there = {each.annotator_id for each in store.people(study)}
    came = [each for each in left if _id_of(store, study, each) in there]
    released = store.returned(study, came)
    participants = len({each.participant for each in submissions})
    return ReleasedLeavers(study, participants, len(left), len(came), released.people, unusable)


def _id_of(store: Store, study: str, participant: str) -> str | None:
    try:
        return store.annotator_id(study, participant)
    except UserError:  # an id that nobody can have
        return None
