"""A study for spreadsheets: its answers, its people, and what they are paid, as CSV."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from denouement.spreadsheets import write_csv
from denouement.study.results.conduct import conducts
from denouement.study.results.rules import FLAGS
from denouement.study.store import Answer, Store
from denouement.study.store.export import answers_table, items_table

_PEOPLE = (
    "study",
    "annotator_id",
    "state",
    "excluded_because",
    "entered_at",
    "consented_at",
    "completed_at",
    "last_seen_at",
    "answers",
    "accepted",
    "surplus",
    "checks",
    "checks_failed",
    "median_seconds",
    "flags",
)
_PAYMENTS = ("study", "annotator_id", "state", "answers", "minutes", "amount")


@dataclass(frozen=True)
class Pay:
    """What people are paid, in any currency; at most one of both."""

    per_hour: Decimal | None = None
    per_answer: Decimal | None = None

    def amount(self, answers: int, seconds: Decimal) -> Decimal | None:
        """The amount for so many answers and so much time, rounded to hundredths; None where nothing is agreed."""
        if self.per_hour is not None:
            exact = self.per_hour * seconds / 3600
        elif self.per_answer is not None:
            exact = self.per_answer * answers
        else:
            return None
        return exact.quantize(Decimal("0.01"), ROUND_HALF_UP)


@dataclass(frozen=True)
class CsvTable:
    """A table to write as CSV."""

    columns: Sequence[str]
    rows: list[dict[str, Any]]


def csv_tables(store: Store, study: str, pay: Pay | None = None) -> dict[str, CsvTable]:
    """The tables `answers`, `people` and `payments` of a study.

    `answers` has the columns of the table `votes`, `ratings` or `orders`. A person's time is that from coming in to the
    first question, and that of each answer, to checks too; each counts as `lease_minutes` at most, so that a break is
    no work.

    Raises:
        UserError: no such study.
    """
    answers, kind = store.answers(study), store.design(study).kind
    table = answers_table(kind, study, answers)
    of_person: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        of_person[answer.annotator_id].append(answer)
    flags = {
        each.annotator_id: [one.text for one in FLAGS if one.holds(each)]
        for each in conducts(table, items_table(study, store.items(study)))
    }
    progress = {each.annotator_id: each for each in store.progress(study, answers=answers).people}
    longest = timedelta(minutes=store.design(study).lease_minutes)
    people, payments = [], []
    entries: dict[str, None] = {}
    for person in store.people(study):
        its, so_far = of_person[person.annotator_id], progress[person.annotator_id]
        entries |= dict.fromkeys(person.entry)
        people.append(
            {
                "study": study,
                "annotator_id": person.annotator_id,
                "state": person.state,
                "excluded_because": person.excluded_because,
                "entered_at": person.entered_at,
                "consented_at": person.consented_at,
                "completed_at": _last(its) if person.state == "done" else None,
                "last_seen_at": person.last_seen_at,
                "answers": so_far.answered,
                "accepted": sum(each.status == "accepted" and not each.item.is_check for each in its),
                "surplus": so_far.surplus,
                "checks": so_far.checks,
                "checks_failed": so_far.checks_failed,
                "median_seconds": so_far.median_seconds,
                "flags": ", ".join(flags.get(person.annotator_id, [])),
                **person.entry,
            }
        )
        seconds = _seconds(person.entered_at, its, longest)
        payments.append(
            {
                "study": study,
                "annotator_id": person.annotator_id,
                "state": person.state,
                "answers": len(its),
                "minutes": (seconds / 60).quantize(Decimal("0.1"), ROUND_HALF_UP),
                "amount": (pay or Pay()).amount(len(its), seconds),
            }
        )
    names = [*_PEOPLE, *(name for name in entries if name not in _PEOPLE)]
    return {
        "answers": CsvTable(table.column_names, table.to_pylist()),
        "people": CsvTable(names, [_full(names, row) for row in people]),
        "payments": CsvTable(_PAYMENTS, payments),
    }


def write_csv_tables(tables: Mapping[str, CsvTable], out: Path, bom: bool = False) -> list[Path]:
    """Write the tables into the folder `out`, each as NAME.csv; return the files.

    Raises:
        UserError: a folder that cannot be written to.
    """
    paths = {name: out / f"{name}.csv" for name in tables}
    for name, table in tables.items():
        write_csv(paths[name], table.columns, table.rows, bom)
    return list(paths.values())


def _full(names: Sequence[str], row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row.get(name) for name in names}


def _last(answers: Sequence[Answer]) -> datetime | None:
    return max((each.submitted_at for each in answers), default=None)


def _seconds(entered_at: datetime, answers: Sequence[Answer], longest: timedelta) -> Decimal:
    """The time of a person, in seconds; none where they gave no answer."""
    if not answers:
        return Decimal(0)
    nothing = timedelta()
    spent = [min(each.started_at for each in answers) - entered_at]
    spent += [each.submitted_at - each.started_at for each in answers]
    total = sum((min(max(each, nothing), longest) for each in spent), nothing)
    return Decimal(total // timedelta(microseconds=1)) / 1_000_000
