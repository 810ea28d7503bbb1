"""A file of answers, the records that are read from it, and how they are to be read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from denouement.delimited import WINDOWS, Header, is_unicode, rows_of
from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.importing.answers import Unusable, answer_named
from denouement.study.importing.roles import ROLES, is_role

Format = Literal[
    "mturk",
    "published",
    "own",
    "own_csv",
    "label_studio",
    "argilla",
    "potato",
    "potato_data",
    "prolific",
    "battles",
    "csv",
]

JsonObjects: TypeAlias = Sequence[tuple[int, Mapping[str, Any]]]
"""The objects of a JSON file, each with its place: its number in the list, or its line."""


class Recognised(NamedTuple):
    """The format of a file of answers, with its header, its JSON objects, or the table that our own Parquet holds."""

    kind: Format
    header: Header | None = None
    table: str | None = None
    objects: JsonObjects = ()


@dataclass(frozen=True)
class Source:
    """A file of answers.

    Attributes:
        path: the file.
        label: its name in messages and tables.
        found: its format.
    """

    path: Path
    label: str
    found: Recognised

    @property
    def header(self) -> Header:
        """The header of a file with columns."""
        assert self.found.header is not None
        return self.found.header


@dataclass(frozen=True)
class Reading:
    """How files of answers are read.

    Attributes:
        systems: names for the generator and for the human endings, where a file says only on which side the generated
            ending was, or has the text of the right ending.
        columns: by role (`ROLES`, or with a question's number, such as `answer_2`) the field that has it, where
            the field's name does not show it.
        values: by a text that means an answer, such as 1, the answer: A, B, both or neither.
    """

    systems: tuple[str, str]
    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := sorted(role for role in self.columns if not is_role(role)):
            raise UserError(
                f"columns: no role {shortened(unknown)}; roles are {', '.join(ROLES)}, and of the second question of a "
                "row answer_2 and so on"
            )
        if wrong := [text for text, answer in self.values.items() if answer not in ("A", "B", "both", "neither")]:
            raise UserError(
                f"values: {wrong[0]} is to mean {self.values[wrong[0]]}; a value means A, B, both or neither"
            )

    def meant(self, text: str) -> str | None:
        """The answer that a text or the name of a box means; None where it means none."""
        named = {key.strip().casefold(): answer for key, answer in self.values.items()}
        return named.get(text.strip().casefold()) or answer_named(text)


@dataclass(frozen=True)
class Record:
    """What one person was shown and answered at once: a row of a file, or a part of a JSON document.

    Attributes:
        line: the line of a text file, or the number of the record in JSON.
        id: differs between records of all files; copies of a record have the same.
        shown: what was asked about, by the field's name; the places of a list are `name[1]`, `name[2]`, ...
        given: what was answered, by the field's name; boxes are `field.box`, ticked with `true` or `on`.
        annotator: an id of the person.
        status: a status of the table `votes`.
        is_truth: the answer is the known right one, and nobody's vote.
        started_at, submitted_at, decided_at: as in `ImportedAnswer`.
    """

    line: int
    id: str
    shown: Mapping[str, str]
    given: Mapping[str, str]
    annotator: str
    status: str = "accepted"
    is_truth: bool = False
    started_at: datetime | None = None
    submitted_at: datetime | None = None
    decided_at: datetime | None = None


@dataclass
class FileRead:
    """A file while it is read.

    Attributes:
        source: the file.
        unusable: the rows that could not be used.
        counts: `rows`, and what became of those that could not be used.
        notes: what the user should know, a line each.
    """

    source: Source
    unusable: list[Unusable] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        """Note a row that cannot be used."""
        self.unusable.append(Unusable(self.source.label, line, reason))

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """The rows that are as wide as the header: the line of each, and its cells by the column's name as written.

        All rows are counted, and those of another width are refused.
        """
        header = self.source.header
        if not is_unicode(self.source.path):
            self.notes.append(f"{self.source.label}: is not UTF-8; it is read as Windows-1252, so look at its accents")
        for row in rows_of(self.source.path, header, WINDOWS):
            self.counts["rows"] += 1
            if problem := header.misfit(row.cells):
                self.refuse(row.line, problem)
            else:
                yield row.line, dict(zip(header.names, row.cells, strict=True))


@dataclass
class Loaded(FileRead):
    """A file's records, before it is known which field holds what.

    Attributes:
        records: in their order.
        shown_as, given_as: what messages call a field of what was shown, and of what was answered.
    """

    records: list[Record] = field(default_factory=list)
    shown_as: str = "field"
    given_as: str = "answered field"

    @property
    def shown_names(self) -> list[str]:
        """The names of what was shown, in their order."""
        return list(dict.fromkeys(name for record in self.records for name in record.shown))

    @property
    def given_names(self) -> list[str]:
        """The names of what was answered, in their order."""
        return list(dict.fromkeys(name for record in self.records for name in record.given))
