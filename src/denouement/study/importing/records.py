"""What one person was shown and answered at once, from whatever tool, and how it is to be read."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.importing.answers import Unusable, answer_named
from denouement.study.importing.roles import ROLES, is_role


@dataclass(frozen=True)
class Reading:
    """How files of answers are to be read.

    Attributes:
        systems: names for the generator and the people who wrote the right ending, where a file says only on which
            side the generated ending was, or has the right ending's text.
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
        """The answer that a text or a box's name means; None when it is none."""
        named = {key.strip().casefold(): answer for key, answer in self.values.items()}
        return named.get(text.strip().casefold()) or answer_named(text)


@dataclass(frozen=True)
class Record:
    """What one person was shown and answered at once: a row of a file, or a part of a JSON document.

    Attributes:
        line: where it is written: the line of a text file, the number of the record in JSON.
        id: different for each record in all files; copies of a record have the same.
        shown: by the field's name what was asked about; the places of a list are `name[1]`, `name[2]`, ...
        given: by the field's name what was answered; boxes are `field.box`, ticked with `true` or `on`.
        annotator: an id of the person.
        status: of the table `votes`.
        is_truth: it is the known right answer, and nobody's vote.
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
class Loaded:
    """A file's records before it is known which field holds what.

    Attributes:
        path: the file.
        label: what messages and tables call it.
        records: in their order.
        unusable: the rows that are no record.
        counts: `rows`, and what became of those that are no record.
        notes: what the reader should know, a line each.
        shown_as, given_as: how the file calls what was shown and what was given, in messages.
        line_name: what the number of a record counts: a line, a task, a record.
    """

    path: Path
    label: str
    records: list[Record] = field(default_factory=list)
    unusable: list[Unusable] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    shown_as: str = "field"
    given_as: str = "answered field"

    def refuse(self, line: int, reason: str) -> None:
        """Note a row that is no record."""
        self.unusable.append(Unusable(self.label, line, reason))

    @property
    def shown_names(self) -> list[str]:
        """The names of what was shown, in their order."""
        return list(dict.fromkeys(name for record in self.records for name in record.shown))

    @property
    def given_names(self) -> list[str]:
        """The names of what was answered, in their order."""
        return list(dict.fromkeys(name for record in self.records for name in record.given))
