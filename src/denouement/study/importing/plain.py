"""Any other table of answers as CSV, once the caller has named the column of the answer."""

from collections import Counter
from collections.abc import Mapping

from denouement.errors import UserError
from denouement.schemas import UNNAMED_ANNOTATOR, shortened
from denouement.study.importing.answers import digest, moment
from denouement.study.importing.records import Loaded, Reading, Record, Source
from denouement.study.importing.roles import GIVEN, PEOPLE, key_of, split_role

_TIMES = {
    "started_at": ("startedat", "starttime", "acceptedat"),
    "submitted_at": ("submittedat", "submittime", "endtime", "timestamp", "createdat"),
}


def load_rows(source: Source, reading: Reading) -> Loaded:
    """Each row as a record. What was answered are the columns named for it, and a column with a usual name of a reason.

    The annotator is in the column named so, or in one of a usual name; without either each answer has an annotator of
    its own, as in files that name none.

    Raises:
        UserError: the column named for the annotator is missing.
    """
    names = source.header.names
    by_role = {role: name.casefold() for role, name in reading.columns.items()}
    asked = {name for role, name in by_role.items() if split_role(role)[0] in GIVEN}
    given = [name for name in names if name.casefold() in asked or key_of(name) in GIVEN["reason"]]
    named = by_role.get("annotator")
    who = next(
        (name for name in names if (name.casefold() == named if named else key_of(name) in PEOPLE["annotator"])), None
    )
    if named and who is None:
        raise UserError(
            f"{source.path}: no column {reading.columns['annotator']} for annotator; there are {shortened(names)}"
        )
    times = {role: next((name for name in names if key_of(name) in usual), "") for role, usual in _TIMES.items()}
    apart = {who, *given, *times.values()}
    file = Loaded(source, shown_as="column", given_as="column")
    if who is None:
        file.notes.append(f"{source.label}: no column names the annotators; --column annotator=COLUMN does")
    seen: Counter[str] = Counter()
    for line, row in file.rows():
        cells = {name: cell.strip() for name, cell in row.items()}
        identity = digest(cells)
        seen[identity] += 1
        annotator = cells[who] if who else f"{UNNAMED_ANNOTATOR}{digest(identity, seen[identity])[:16]}"
        file.records.append(
            Record(
                line=line,
                id=digest(identity, 1 if who else seen[identity]),
                shown=_without(cells, apart),
                given={name: cells[name] for name in given},
                annotator=annotator,
                started_at=moment(cells.get(times["started_at"], "")),
                submitted_at=moment(cells.get(times["submitted_at"], "")),
            )
        )
    return file


def _without(cells: Mapping[str, str], names: set[str | None]) -> dict[str, str]:
    return {name: cell for name, cell in cells.items() if name not in names}
