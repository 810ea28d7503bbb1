"""Who wrote a collection, how long it took them and what it cost, beside the paper that the collection follows."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from denouement.analysis.crowd import ApprovedWork, CrowdStatistics, of_work
from denouement.collect.description import Collection, Payment
from denouement.collect.exported import CollectedWork
from denouement.collect.filtering import KEPT, FilterSummary
from denouement.papers import cited, published
from denouement.present.cells import Cell, Number
from denouement.present.sections import Table

_PAPER = "mostafazadeh_2016"
_ROWS = {
    "submitted": ("handed in", 0),
    "approved": ("approved or confirmed", 0),
    "workers": ("writers", 0),
    "mean_by_worker": ("by one writer, mean", 2),
    "most_by_worker": ("by one writer, most", 0),
    "mean_minutes": ("minutes for one, mean of writers", 2),
    "median_minutes": ("minutes for one, median of writers", 2),
    "mean_cents": ("payment for one, cents", 1),
}


@dataclass(frozen=True)
class CollectedCrowd:
    """The writers of a collection.

    Attributes:
        stories: of approved stories; None without any stories.
        endings: of all pairs of endings, as in the paper; None without any.
        confirmed: how many of these verifiers confirmed; None where this is not known.
    """

    stories: CrowdStatistics | None
    endings: CrowdStatistics | None
    confirmed: int | None


def crowd_of(work: CollectedWork, collection: Collection, filtered: FilterSummary | None) -> CollectedCrowd:
    """The writers of what was collected.

    Args:
        work: its tables.
        collection: says what is paid.
        filtered: what verifiers confirmed; None where this is not known.
    """
    stories = endings = None
    if work.stories is not None:
        approved = [status == "approved" for status in work.stories["status"].to_pylist()]
        stories = _statistics(work.stories, approved, collection.stories.payment if collection.stories else None)
    if work.endings is not None:
        paid = collection.endings.payment if collection.endings else None
        endings = _statistics(work.endings, [True] * work.endings.num_rows, paid)
    return CollectedCrowd(stories, endings, filtered.outcomes[KEPT] if filtered else None)


def crowd_table(found: CollectedCrowd, currency: str) -> Table:
    """Tables 2 and 5 of the paper, and what is known here beside them."""
    columns: list[tuple[str, dict[str, float | None]]] = []
    if found.stories:
        columns.append(("stories", _values(found.stories, found.stories.approved)))
        columns.append(("paper: stories", _of_paper("Table 2", "stories")))
    if found.endings:
        columns.append(("pairs of endings", _values(found.endings, found.confirmed)))
        columns.append(("paper: pairs", _of_paper("Table 5", "cases")))
    rows: list[list[Cell]] = [
        [name, *(Number(values.get(key), decimals) for _, values in columns)] for key, (name, decimals) in _ROWS.items()
    ]
    note = (
        f"{cited(_PAPER)}: Table 2 (stories) and Table 5 (pairs). From the third row on approved stories count, and "
        f"all pairs. Minutes are the mean of a writer's times. Cents here are of {currency}."
    )
    return Table(["", *(name for name, _ in columns)], rows, note=note)


def _statistics(table: pa.Table, approved: Sequence[bool], paid: Payment | None) -> CrowdStatistics:
    cents = 100 * paid.piece if paid and paid.piece else None
    rows = zip(table["writer"].to_pylist(), table["minutes"].to_pylist(), approved, strict=True)
    return of_work(
        table.num_rows,
        [
            ApprovedWork(writer, None if minutes is None else 60 * minutes, cents)
            for writer, minutes, is_in in rows
            if is_in
        ],
    )


def _values(found: CrowdStatistics, good: int | None) -> dict[str, float | None]:
    """The values by row; 0 writers are writers who are not known."""
    return {**vars(found), "approved": good, "workers": found.workers or None}


def _of_paper(table: str, row: str) -> dict[str, float | None]:
    values: dict[str, float | None] = {key: float(value) for key, value in published(_PAPER, table)[row].items()}
    return {**values, "approved": values.get("confirmed", values.get("approved"))}
