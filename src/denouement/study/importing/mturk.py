"""Batch results of Amazon Mechanical Turk: 27 fixed columns, then `Input.*`, `Answer.*`, `Approve` and `Reject`."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from denouement.errors import UserError
from denouement.json_lines import texts_of
from denouement.schemas import shortened
from denouement.study.importing.answers import digest, moment
from denouement.study.importing.records import Loaded, Record, Source

FIXED = (
    *("HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments"),
    *("RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds", "Expiration"),
    *("NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime"),
    *("SubmitTime", "AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds"),
    *("LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate"),
)

_OWN = {"hitid", "workerid", "assignmentstatus"}  # columns that no other file has
_FORM = ("approve", "reject")  # the requester's marks, before they are uploaded
_TASK_ANSWERS = "taskAnswers"
_STATUSES = {"approved": "accepted", "submitted": "accepted", "rejected": "rejected"}
_TIME = "%a %b %d %H:%M:%S %Y"
_ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}  # Mechanical Turk wrote Pacific time


def is_batch(names: Sequence[str]) -> bool:
    """Whether these are the columns of a batch's results, in any order and case."""
    return {name.lower() for name in names} >= _OWN


def load_batch(source: Source) -> Loaded:
    """The records of a batch: `Input.*` is what was shown, `Answer.*` what was answered.

    An assignment is known by its AssignmentId; in a file without this column, by HIT and worker, who may take a HIT
    once. It was decided when it was approved or rejected; one that waits, when it was submitted.

    Raises:
        UserError: no column of answers; a column name is repeated.
    """
    names = source.header.names
    lower = {name.lower() for name in names}
    if repeated := _repeated(names):
        raise UserError(
            f"{source.path}: columns with the same name: {shortened(repeated)}; rename or delete one of each"
        )
    if not any(name.startswith("answer.") for name in lower):
        raise UserError(f"{source.path}: a batch without Answer columns; download the batch's results, not its input")
    file = Loaded(source, shown_as="Input column", given_as="Answer column")
    if "assignmentid" not in lower:
        file.notes.append(f"{source.label}: no column AssignmentId; an answer is known by its HIT and worker")
    known = {name.lower() for name in FIXED} | set(_FORM)
    others = [name for name in names if name.lower() not in known and not _is_field(name)]
    for line, row in file.rows():
        try:
            record, unknown = _record(line, {name: cell.strip() for name, cell in row.items()}, others)
        except ValueError as error:
            file.refuse(line, str(error))
            continue
        file.records.append(record)
        file.counts["unknown_times"] += unknown
    return file


def _is_field(name: str) -> bool:
    return name.lower().startswith(("input.", "answer."))


def _repeated(names: Sequence[str]) -> list[str]:
    """The names that occur more than once; of the fixed columns in any case."""
    fixed = {name.lower(): name for name in FIXED}
    counts = Counter(fixed.get(name.lower(), name) for name in names if name)
    return [name for name, n in counts.items() if n > 1]


def _record(line: int, cells: Mapping[str, str], others: Sequence[str]) -> tuple[Record, int]:
    """The record of one row, and how many of its times are in an unknown form.

    Raises:
        ValueError: it is none, with the reason.
    """
    fixed = {name.lower(): cell for name, cell in cells.items()}
    if not fixed["workerid"]:
        raise ValueError("empty: WorkerId")
    assignment = fixed.get("assignmentid", "")
    if not assignment and not fixed["hitid"]:
        raise ValueError("empty: HITId" if "assignmentid" not in fixed else "empty: AssignmentId, HITId")
    status = fixed["assignmentstatus"].lower()
    if status not in _STATUSES:
        raise ValueError(f"AssignmentStatus is '{fixed['assignmentstatus']}', not Approved, Submitted or Rejected")
    times = {name: _time(fixed.get(name, "")) for name in ("accepttime", "submittime", "approvaltime", "rejectiontime")}
    decided = {"approved": times["approvaltime"], "rejected": times["rejectiontime"], "submitted": times["submittime"]}
    is_marked = bool(fixed.get("reject"))
    record = Record(
        line=line,
        id=assignment or digest(fixed["hitid"], fixed["workerid"]),
        shown={
            **{f"Input.{name[6:]}": cell for name, cell in cells.items() if name.lower().startswith("input.")},
            **{name: cells[name] for name in others},
        },
        given=dict(_given(cells)),
        annotator=fixed["workerid"],
        status="rejected" if is_marked else _STATUSES[status],
        started_at=times["accepttime"],
        submitted_at=times["submittime"],
        decided_at=None if is_marked else decided[status],
    )
    return record, sum(bool(fixed.get(name)) and times[name] is None for name in ("accepttime", "submittime"))


def _given(cells: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What was answered, by name; the JSON of `Answer.taskAnswers` under names joined with dots."""
    for name, cell in cells.items():
        prefix, _, own = name.partition(".")
        if prefix.lower() != "answer":
            continue
        if own.lower() != _TASK_ANSWERS.lower():
            yield f"Answer.{own}", cell
            continue
        if not cell:
            continue
        try:
            value = json.loads(cell)
            is_right = isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)
            leaves = texts_of(value[0]) if is_right else {}
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name} is not JSON") from error
        if not is_right:
            raise ValueError(f"{name} is not a JSON list of one object")
        for own, text in leaves.items():
            yield f"Answer.{own}", text


def _time(text: str) -> datetime | None:
    """The time of a cell such as `Tue Mar 05 08:14:02 PST 2019`, or ISO 8601; None when it is none."""
    parts = re.fullmatch(r"(.+) ([A-Z]{3}) (\d{4})", text)
    if not parts:
        return moment(text)
    if parts[2] not in _ZONES:
        return None
    try:
        local = datetime.strptime(f"{parts[1]} {parts[3]}", _TIME)
        return (local - timedelta(hours=_ZONES[parts[2]])).replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # the last evening of the year 9999
        return None
