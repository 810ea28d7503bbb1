"""Prolific's demographic export: a row a submission, joined to the answers by the participant's id."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pyarrow as pa

from denouement.answers import ANSWER
from denouement.schemas import TABLES, shortened
from denouement.study.importing.answers import moment
from denouement.study.importing.copies import STRICTNESS
from denouement.study.importing.records import FileRead
from denouement.study.importing.roles import key_of

_IDS = ({"submissionid", "sessionid"}, {"participantid"}, {"status"})
# Columns that identify a person, or open the study to others.
_SECRET = ("submissionid", "sessionid", "participantid", "completioncode")
_TIMES = ("reviewedat", "completedat", "startedat")

# The status of answers by the status of the submission; with any other one they count.
_STATUSES = {
    "REJECTED": "rejected",
    "RETURNED": "excluded",  # the participant gave the place back, and with it the work
    "TIMED-OUT": "excluded",
    "SCREENED OUT": "excluded",
}
_NEVER = datetime.min.replace(tzinfo=UTC)
_COUNTING = ("APPROVED", "PARTIALLY APPROVED", "AWAITING REVIEW", "ACTIVE", "RESERVED")


@dataclass(frozen=True)
class Submission:
    """A row of the export: its id, the participant's id on Prolific, the status, and the other cells by column."""

    id: str
    participant: str
    status: str
    demographics: Mapping[str, str]
    at: datetime | None = None

    @property
    def makes(self) -> str:
        """The status that accepted answers of the person get; `accepted` leaves them as they are."""
        return _STATUSES.get(self.status, "accepted")


@dataclass
class Joined:
    """What came of joining participants to answers.

    Attributes:
        tables: the tables of answers, with the statuses that follow from Prolific's.
        participants: the table `participants`.
        notes: how many participants and annotators were joined, and other remarks.
    """

    tables: dict[str, pa.Table]
    participants: pa.Table
    notes: list[str] = field(default_factory=list)


def is_export(names: Sequence[str]) -> bool:
    """Whether these are the columns of a demographic export, in any order and case."""
    keys = {key_of(name) for name in names}
    return all(keys & wanted for wanted in _IDS)


def read_submissions(file: FileRead) -> list[Submission]:
    """The submissions of the file; rows that are none are refused."""
    found = []
    for line, row in file.rows():
        cells = {name: cell.strip() for name, cell in row.items()}
        keyed = {key_of(name): cell for name, cell in cells.items()}
        if not keyed["participantid"] or not keyed["status"]:
            file.refuse(line, "empty: Participant id or Status")
            continue
        found.append(
            Submission(
                id=keyed.get("submissionid") or keyed.get("sessionid") or keyed["participantid"],
                participant=keyed["participantid"],
                status=plain_status(keyed["status"]),
                demographics={name: cell for name, cell in cells.items() if cell and key_of(name) not in _SECRET},
                at=next((time for name in _TIMES if (time := moment(keyed.get(name, "")))), None),
            )
        )
    return found


def plain_status(status: str) -> str:
    """A status as this module names it, in whichever way the export or the API writes it."""
    words = " ".join(status.upper().replace("_", " ").split())
    return "TIMED-OUT" if words == "TIMED OUT" else words


def join(
    submissions: Sequence[Submission],
    tables: Mapping[str, pa.Table],
    ids_of: Callable[[str, str], Iterable[str]],
) -> Joined:
    """Give the answers of each participant the status that follows from the submission's, and describe the people.

    REJECTED makes accepted answers `rejected`; RETURNED, TIMED-OUT and SCREENED OUT make them `excluded`; another
    status leaves them as they are. Of two downloads of one submission the later one counts where both have a time, else
    the stricter one. Of several submissions of a person, one whose answers count is preferred.

    Args:
        submissions: the submissions of all files.
        tables: those of `votes`, `ratings` and `orders` that there are; others stay as they are.
        ids_of: returns the ids that a participant may have in the tables of a study.
    """
    people, notes = _people(submissions)
    given = {name: table for name, table in tables.items() if "annotator_id" in table.column_names}
    annotators = {pair for table in given.values() for pair in _annotators(table)}
    studies = sorted({study for study, _ in annotators})
    found: dict[tuple[str, str], Submission] = {}
    absent = 0
    for participant, submission in people.items():
        here = {(study, name) for study in studies for name in ids_of(study, participant)} & annotators
        absent += not here
        found |= dict.fromkeys(here, submission)
    notes.append(
        f"Prolific: {len(people) - absent:,} of {len(people):,} participants are among the {len(annotators):,} "
        f"annotators; {len(annotators) - len(found):,} annotators are no participants"
    )
    if absent == len(people):
        notes.append(
            "Prolific: none of the participants is among the annotators; if the answers are an export of our own, its "
            "ids are hashed: name the study's store with --store"
        )
    changed: Counter[str] = Counter()
    made = dict(tables)
    for name, table in given.items():
        made[name] = _with_statuses(table, found, changed)
    notes += [
        f"Prolific: {n:,} accepted answers are {_STATUSES[status]} now, since their submission is {status}"
        for status, n in sorted(changed.items())
    ]
    if strange := {each.status for each in people.values()} - set(_STATUSES) - set(_COUNTING):
        notes.append(f"Prolific: unknown status {shortened(sorted(strange))}: the answers of these people count")
    rows = [
        {"study": study, "annotator_id": annotator, "question": question, "value": value}
        for (study, annotator), submission in sorted(found.items(), key=lambda pair: pair[0])
        for question, value in submission.demographics.items()
    ]
    return Joined(made, pa.Table.from_pylist(rows, schema=TABLES["participants"].schema), notes)


def _people(submissions: Sequence[Submission]) -> tuple[dict[str, Submission], list[str]]:
    """The submission of each participant that counts, and notes on the others."""
    downloads: dict[str, list[Submission]] = {}
    for each in submissions:
        downloads.setdefault(each.id, []).append(each)
    people: dict[str, Submission] = {}
    differing, several = 0, 0
    for its in downloads.values():
        differing += len({each.status for each in its}) > 1
        strictest = [each for each in its if each.makes == max((one.makes for one in its), key=STRICTNESS.index)]
        is_timed = all(each.at for each in its) and len({each.at for each in its}) > 1
        one = max(
            its if is_timed else strictest,
            key=lambda each: (each.at or _NEVER, each.status, sorted(each.demographics.items())),
        )
        several += one.participant in people
        people[one.participant] = min(people.get(one.participant, one), one, key=_preference)
    notes = []
    if differing:
        notes.append(f"Prolific: {differing:,} submissions have two statuses; the later counts, else the stricter")
    if several:
        notes.append(f"Prolific: {several:,} further submissions of a participant are left out")
    return people, notes


def _preference(submission: Submission) -> tuple[int, str]:
    """The sort key of the submissions of one person: one whose answers count comes first."""
    return STRICTNESS.index(submission.makes), submission.id


def _annotators(table: pa.Table) -> set[tuple[str, str]]:
    """The study and the id of each annotator."""
    pairs = table.group_by(["study", "annotator_id"]).aggregate([])
    return set(zip(pairs["study"].to_pylist(), pairs["annotator_id"].to_pylist(), strict=True))


def _with_statuses(table: pa.Table, found: Mapping[tuple[str, str], Submission], changed: Counter[str]) -> pa.Table:
    """The table with the new statuses; `changed` counts the changed answers by Prolific's status."""
    statuses = table["status"].to_pylist()
    answers = zip(*(table[name].to_pylist() for name in ANSWER), strict=True)
    counted: set[tuple[str, ...]] = set()
    for row, answer in enumerate(answers):
        submission = found.get((answer[0], answer[2]))
        if submission and submission.makes != "accepted" and statuses[row] == "accepted":
            statuses[row] = submission.makes
            changed[submission.status] += answer not in counted
            counted.add(answer)
    place = table.schema.get_field_index("status")
    return table.set_column(place, table.schema.field("status"), pa.array(statuses, pa.string()))
