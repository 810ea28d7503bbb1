"""Several files' tables become one: copies of an answer, people who have withdrawn, tables that do not fit together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

import pyarrow as pa

from denouement.answers import ANSWER
from denouement.errors import UserError
from denouement.schemas import TABLES
from denouement.study.importing.copies import Conflict, Copy, settle

_STATE = ("status", "reason", "started_at", "submitted_at")


def merged(parts: Sequence[tuple[str, pa.Table]]) -> tuple[pa.Table, Counter[str], list[Conflict]]:
    """Several tables of answers as one, in whichever order they come; one copy of each answer counts (`copies.settle`).

    A person answers an item of a study once, so copies have the same study, item and annotator.

    Args:
        parts: the tables of one name (such as `votes`), each with its file's name in messages.

    Returns:
        The table, how many rows were left out (`duplicate_rows`), and which copies differ.

    Raises:
        UserError: copies with different answers, and no times that say which is later.
    """
    together = pa.concat_tables(table for _, table in parts)
    keys = list(zip(*(together[column].to_pylist() for column in ANSWER), strict=True))
    files = [label for label, table in parts for _ in range(table.num_rows)]
    # an answer of votes and ratings has a row for each question
    asked = together["question"].to_pylist() if "question" in together.column_names else [None] * len(keys)
    copies: dict[tuple[str, ...], list[list[int]]] = {}
    latest: dict[tuple[str, ...], str] = {}
    for row, (key, file) in enumerate(zip(keys, files, strict=True)):
        its = copies.setdefault(key, [])
        if latest.get(key) == file and asked[row] not in {asked[other] for other in its[-1]}:
            its[-1].append(row)
        else:
            its.append([row])
        latest[key] = file
    if all(len(its) == 1 for its in copies.values()):
        return together, Counter(), []
    several = [row for its in copies.values() if len(its) > 1 for rows in its for row in rows]
    row_of = dict(zip(several, together.take(several).to_pylist(), strict=True))
    kept, conflicts = [], []
    for key, its in copies.items():
        best = 0
        if len(its) > 1:
            rivals = [_copy(files[rows[0]], [row_of[row] for row in rows]) for rows in its]
            best, conflict = settle(rivals, f"study {key[0]}, item {key[1]}, annotator {key[2]}")
            conflicts += [conflict] if conflict else []
        kept += its[best]
    return together.take(kept), Counter(duplicate_rows=together.num_rows - len(kept)), conflicts


def _copy(file: str, rows: Sequence[Mapping[str, Any]]) -> Copy:
    """A copy of an answer: one row, or of votes and ratings a row for each question."""
    names = [name for name in rows[0] if name not in (*_STATE, *ANSWER)]
    first = rows[0]
    return Copy(
        place=file,
        content={name: [row[name] for row in rows] for name in names},
        status=first["status"],
        reason=first.get("reason"),
        started_at=first["started_at"],
        submitted_at=first["submitted_at"],
    )


def without_withdrawn(parts: Sequence[tuple[str, pa.Table]]) -> tuple[list[tuple[str, pa.Table]], list[str]]:
    """Exports without the answers of people who have withdrawn since, and notes on these.

    Withdrawal deletes all answers of a person, so a person in an earlier export may be missing in a later one. Take two
    exports of one study that share an answer, and a person who is in one of them only: the other one is later if it has
    an answer that was submitted after one of that person's. Where each is later than the other by this rule, they are
    parts of one export, and all answers stay.

    Args:
        parts: the tables of one name, each with its file's name in messages.
    """
    exports = [_Export.of(label, table) for label, table in parts]
    gone: set[tuple[str, str]] = set()
    notes = []
    for one, other in combinations(exports, 2):
        for study in sorted({key[0] for key in one.keys & other.keys}):
            pairs = [(one, other, one.lacked(study, other)), (other, one, other.lacked(study, one))]
            if all(people for *_, people in pairs):
                notes.append(
                    f"study {study}: {one.label} and {other.label} each lack annotators of the other; all count"
                )
                continue
            for earlier, later, people in pairs:
                gone |= {(study, person) for person in people}
                if people:
                    notes.append(
                        f"study {study}: {len(people):,} annotators of {earlier.label} are not in {later.label}, which "
                        "is later: they have withdrawn, and their answers are left out"
                    )
    if not gone:
        return list(parts), notes
    kept = []
    for label, table in parts:
        of_row = zip(table["study"].to_pylist(), table["annotator_id"].to_pylist(), strict=True)
        kept.append((label, table.filter(pa.array([person not in gone for person in of_row], pa.bool_()))))
    return kept, notes


@dataclass(frozen=True)
class _Export:
    """What an export says about its people.

    Attributes:
        label: the file's name in messages.
        first: when an annotator of a study submitted the first answer; None where there is no time.
        latest: when the last answer of a study was submitted.
        keys: study, item and annotator of each answer.
    """

    label: str
    first: Mapping[tuple[str, str], datetime | None]
    latest: Mapping[str, datetime]
    keys: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, label: str, table: pa.Table) -> "_Export":
        keys = list(zip(*(table[name].to_pylist() for name in ANSWER), strict=True))
        first: dict[tuple[str, str], datetime | None] = {}
        latest: dict[str, datetime] = {}
        for (study, _, annotator), time in zip(keys, table["submitted_at"].to_pylist(), strict=True):
            first[study, annotator] = min(filter(None, (first.get((study, annotator)), time)), default=None)
            if time:
                latest[study] = max(latest.get(study, time), time)
        return cls(label, first, latest, frozenset(keys))

    def lacked(self, study: str, other: "_Export") -> set[str]:
        """The annotators whom the other export lacks, although it has an answer that is later than one of theirs."""
        latest = other.latest.get(study)
        return {
            annotator
            for (of, annotator), time in self.first.items()
            if of == study and (of, annotator) not in other.first and time and latest and time < latest
        }


def merged_items(parts: Sequence[tuple[str, pa.Table]]) -> pa.Table:
    """Several tables of items as one, in whichever order they come.

    Raises:
        UserError: two items of the same study and id differ, so that there are two studies of one name.
    """
    found: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
    for label, table in parts:
        for row in table.to_pylist():
            key = row["study"], row["item_id"]
            file, other = found.setdefault(key, (label, row))
            if other != row:
                differs = ", ".join(name for name in row if row[name] != other[name])
                raise UserError(
                    f"{file} and {label}: item {key[1]} of study {key[0]} differs in {differs}: these are two studies "
                    "of one name; import each by itself"
                )
    return pa.Table.from_pylist([row for _, row in found.values()], schema=TABLES["items"].schema)


def check_items(votes: pa.Table, items: pa.Table) -> list[str]:
    """Make sure that votes and items belong together; return notes on votes without an item.

    Raises:
        UserError: a vote compares other systems, or is about another story, than its item.
    """
    known = {
        (row["study"], row["item_id"]): (frozenset(row["systems"]), row["case_id"])
        for row in items.select(["study", "item_id", "systems", "case_id"]).to_pylist()
    }
    columns = (votes[name].to_pylist() for name in ("study", "item_id", "position_a", "position_b", "case_id"))
    studies = {study for study, _ in known}
    absent: Counter[str] = Counter()
    for study, item_id, a, b, case_id in zip(*columns, strict=True):
        item = known.get((study, item_id))
        if item is None:
            absent[study] += study in studies
        elif item != (frozenset((a, b)), case_id):
            raise UserError(
                f"item {item_id} of study {study}: its answers compare {a} and {b} on case {case_id}, but the table of "
                f"items has {' and '.join(sorted(item[0]))} on case {item[1]}: they are of two studies of one name"
            )
    return [
        f"study {study}: {n:,} answers are to items that are in no table of items"
        for study, n in sorted(absent.items())
        if n
    ]
