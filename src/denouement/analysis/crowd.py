"""Who wrote a collection, how long it took and what it cost: Mostafazadeh et al. 2016, Tables 2 and 5."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from denouement.analysis.columns import read_columns
from denouement.errors import UserError
from denouement.schemas import shortened

COLUMNS = {"worker": "WorkerId", "seconds": "WorkTimeInSeconds", "payment": "Reward", "status": "AssignmentStatus"}
"""By role the column that has it, as Mechanical Turk names them. All but `worker` may be missing."""

_APPROVED = {"approved", "accepted"}

_LONGEST = 20  # characters of a time or a payment
_AMBIGUOUS = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_MARKS = ((",", "."), (".", ","))  # the marks between groups of three digits, and before decimals


@dataclass(frozen=True)
class CrowdStatistics:
    """The values of both tables; None where the file lacks the column.

    Attributes:
        submitted: rows.
        approved: those whose status says so (all, without such a column); the other values are of these alone.
        workers, mean_by_worker, most_by_worker: how many people wrote them, and how many each wrote.
        mean_minutes, median_minutes: of the workers' mean times.
        mean_cents: of the payments, which the file gives in dollars.
    """

    submitted: int
    approved: int
    workers: int
    mean_by_worker: float | None
    most_by_worker: int | None
    mean_minutes: float | None
    median_minutes: float | None
    mean_cents: float | None


@dataclass(frozen=True)
class ApprovedWork:
    """A story or case that was approved; None where a value is not known.

    Attributes:
        worker: who wrote it.
        seconds: the time that it took.
        cents: what was paid for it.
    """

    worker: str | None
    seconds: float | None = None
    cents: float | None = None


def crowd_statistics(path: Path, columns: Mapping[str, str]) -> CrowdStatistics:
    """The values of both tables, from a CSV file with a row for each story or case handed in.

    Args:
        path: comma-, tab- or semicolon-separated.
        columns: by role (`COLUMNS`) the column that has it, where it is named otherwise.

    Raises:
        UserError: no such file or column, a row without a worker, or a cell that is no number; it names the line.
    """
    required = {"worker"} | columns.keys()
    rows = read_columns(path, COLUMNS | dict(columns), required)
    approved = [row for row in rows if row.get("status") is None or row["status"].lower() in _APPROVED]
    return of_work(len(rows), [_work(path, row) for row in approved])


def of_work(submitted: int, approved: Sequence[ApprovedWork]) -> CrowdStatistics:
    """The values of both tables, of so much that was handed in, and of what was approved of it."""
    by_worker = Counter(each.worker for each in approved if each.worker is not None)
    seconds: dict[str, list[float]] = {}
    for each in approved:
        if each.worker is not None and each.seconds is not None:
            seconds.setdefault(each.worker, []).append(each.seconds)
    minutes = [fmean(times) / 60 for times in seconds.values()]
    cents = [each.cents for each in approved if each.cents is not None]
    return CrowdStatistics(
        submitted=submitted,
        approved=len(approved),
        workers=len(by_worker),
        mean_by_worker=by_worker.total() / len(by_worker) if by_worker else None,
        most_by_worker=max(by_worker.values(), default=None),
        mean_minutes=fmean(minutes) if minutes else None,
        median_minutes=median(minutes) if minutes else None,
        mean_cents=fmean(cents) if cents else None,
    )


def _work(path: Path, row: Mapping[str, str]) -> ApprovedWork:
    if not row["worker"]:
        raise UserError(f"{path}: line {row['line']}: no worker; leave the row out or give it one")
    seconds = _number(path, row, "seconds") if row.get("seconds") else None
    return ApprovedWork(row["worker"], seconds, 100 * _number(path, row, "payment") if row.get("payment") else None)


def _number(path: Path, row: Mapping[str, str], role: str) -> float:
    """The number of a cell, by the only reading of its commas and points; a single point is a decimal point.

    Raises:
        UserError: no number, a negative one, or one such as `1,500` that may be two.
    """
    text = row[role].strip().removeprefix("$").strip()
    where = f"{path}: line {row['line']}: {role} {shortened([repr(row[role])])}"
    if _AMBIGUOUS.fullmatch(text):
        raise UserError(f"{where} may be {text.replace(',', '')} or {text.replace(',', '.')}; write it without a comma")
    for groups, decimals in _MARKS:
        whole, part = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[{groups}][0-9]{{3}})+)", rf"[{decimals}][0-9]+"
        if len(text) <= _LONGEST and re.fullmatch(f"{whole}(?:{part})?|{part}", text):
            return float(text.replace(groups, "").replace(decimals, "."))
    raise UserError(f"{where} is no number from 0; correct it or leave it empty")
