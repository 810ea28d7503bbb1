"""Who wrote a collection, how long it took them and what it cost, beside the paper that the collection follows."""

from collections.abc import Sequence

import pyarrow as pa

from denouement.analysis.crowd import ApprovedWork, CrowdStatistics, of_work
from denouement.collecting.description import Collection, Payment
from denouement.collecting.filtering import KEPT, FilterSummary
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


def crowd_table(
    stories: pa.Table | None, endings: pa.Table | None, collection: Collection, filtered: FilterSummary | None
) -> Table:
    """Tables 2 and 5 of the paper, of what is known here.

    Args:
        stories: the table `collected_stories`.
        endings: the table `collected_endings`; all of it counts, as in the paper.
        collection: says what is paid.
        filtered: what verifiers confirmed; None where this is not known.
    """
    columns: list[str] = []
    values: list[dict[str, float | None]] = []
    if stories is not None:
        approved = [status == "approved" for status in stories["status"].to_pylist()]
        paid = collection.stories.payment if collection.stories else None
        found = _crowd_of(stories, approved, paid)
        columns += ["stories", "paper: stories"]
        values += [_values(found, found.approved), _of_paper("Table 2", "stories")]
    if endings is not None:
        paid = collection.endings.payment if collection.endings else None
        found = _crowd_of(endings, [True] * endings.num_rows, paid)
        columns += ["pairs of endings", "paper: pairs"]
        values += [_values(found, filtered.outcomes[KEPT] if filtered else None), _of_paper("Table 5", "cases")]
    rows: list[list[Cell]] = [
        [name, *(Number(of.get(key), decimals) for of in values)] for key, (name, decimals) in _ROWS.items()
    ]
    note = (
        f"{cited(_PAPER)}: Table 2 (stories) and Table 5 (pairs). Only approved stories and all pairs count from the "
        f"third row on. Minutes are the mean of a writer's times. Cents here are of {collection.currency}."
    )
    return Table(["", *columns], rows, note=note)


def _crowd_of(table: pa.Table, approved: Sequence[bool], paid: Payment | None) -> CrowdStatistics:
    cents = 100 * paid.piece if paid and paid.piece else None
    work = [
        ApprovedWork(writer, None if minutes is None else 60 * minutes, cents)
        for writer, minutes, is_in in zip(
            table["writer"].to_pylist(), table["minutes"].to_pylist(), approved, strict=True
        )
        if is_in
    ]
    return of_work(table.num_rows, work)


def _values(found: CrowdStatistics, good: int | None) -> dict[str, float | None]:
    """The values by row; people are none only where nobody is known."""
    return {**vars(found), "approved": good, "workers": found.workers or None}


def _of_paper(table: str, row: str) -> dict[str, float | None]:
    values = published(_PAPER, table)[row]
    found = {key: float(value) for key, value in values.items()}
    return {**found, "approved": found.get("confirmed", found.get("approved"))}
