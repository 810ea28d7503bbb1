"""Answers that were collected elsewhere, and the tables `votes` and `items` that are made of them."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from denouement import schemas
from denouement.errors import UserError
from denouement.schemas import BETTER, PERSON
from denouement.study.importing.copies import STRICTNESS, Conflict, Copy, settle
from denouement.study.importing.roles import key_of

_ANSWERS = {
    **dict.fromkeys(("a", "optiona", "endinga", "choicea", "onlya"), "A"),
    **dict.fromkeys(("b", "optionb", "endingb", "choiceb", "onlyb"), "B"),
    **dict.fromkeys(("both", "bothaandb", "aandb", "ab", "bothequally", "bothendings", "bothoptions"), "both"),
    **dict.fromkeys(("neither", "neitheranorb", "none", "neitherending", "neitheroption"), "neither"),
}


@dataclass(frozen=True)
class ImportedAnswer:
    """One answer to a pair, as a file has it.

    Attributes:
        case_id: of the story.
        context: the story's sentences.
        endings: A and B as they were shown.
        systems: those that wrote A and B.
        annotator: an id of the person.
        answer: A, B, both or neither.
        reason: as written; None where there is none.
        status: of the table `votes`.
        expected: the choice that an attention check asks for, by its first question; None where the item is no check.
        question: what was asked about the pair.
        started_at, submitted_at: in UTC; None where the file has none.
        decided_at: when it got its status, in UTC; None where the file does not say.
        id: differs between answers of all files; copies of one answer have the same.
        file, line: where the answer is written.
    """

    case_id: str
    context: tuple[str, ...]
    endings: tuple[str, str]
    systems: tuple[str, str]
    annotator: str
    answer: str
    reason: str | None
    status: str = "accepted"
    expected: str | None = None
    question: str = BETTER
    started_at: datetime | None = None
    submitted_at: datetime | None = None
    decided_at: datetime | None = None
    id: str = ""
    file: str = ""
    line: int = 0

    @property
    def item_id(self) -> str:
        """A digest of context and endings, on whichever side these were."""
        sides = sorted(zip(self.systems, self.endings, strict=True))
        return digest(self.case_id, self.context, sides)

    @property
    def choice(self) -> str:
        """The system chosen, both or neither."""
        return {"A": self.systems[0], "B": self.systems[1]}.get(self.answer, self.answer)


@dataclass(frozen=True)
class Unusable:
    """A row that is no answer: the line on which it starts, and why."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True)
class Imported:
    """What files of answers hold.

    Attributes:
        kinds: the format of each file.
        tables: by name: `votes` and, where the files have them, `items` and `participants`.
        rejects: the table `rejects`: the rows that could not be used.
        counts: `rows` read, and by what became of them: `accepted`, `rejected` and the other statuses, `unusable`,
            `duplicate_rows` (the same assignment or row again), `conflicts` (answers whose copies are not the same),
            `answered_twice` (another answer of the same person to the same item).
        conflicts: the answers whose copies are not the same, and which copy counts.
        taken: by file, which field was taken for which role: a line a question.
        passed_over: by file and field, an example of the content of a field that was not used.
        notes: what else the user should know, a line each.
        metadata: the metadata of the written table `votes`: how its ids were hashed.
    """

    kinds: dict[str, str]
    tables: dict[str, pa.Table]
    rejects: pa.Table
    counts: dict[str, int]
    conflicts: list[Conflict] = field(default_factory=list)
    taken: dict[str, list[str]] = field(default_factory=dict)
    passed_over: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)


def answer_named(text: str) -> str | None:
    """The answer that the text of a cell or the name of a box means: A, B, both or neither; else None."""
    return _ANSWERS.get(key_of(text))


def digest(*parts: object) -> str:
    """32 hex digits that differ between different `parts`."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()[:32]


def moment(text: str) -> datetime | None:
    """The time of a text in ISO 8601, in UTC; a time without a zone is taken to be UTC. None for other texts."""
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def hashing(files: Sequence[Path]) -> Callable[[str], str]:
    """A function that hashes an annotator's id, so that nobody without the files can find out whose it is.

    The content of the files is the hash's key, so that the same files always give the same ids.
    """
    key = hashlib.sha256(b"".join(sorted(hashlib.sha256(path.read_bytes()).digest() for path in files))).digest()
    return lambda name: hashlib.blake2b(name.encode(), key=key, digest_size=16).hexdigest()


def tables_of(
    study: str, answers: Sequence[ImportedAnswer], truths: Sequence[ImportedAnswer] = ()
) -> tuple[dict[str, pa.Table], Counter[str], list[Conflict]]:
    """The tables `votes` and `items`, how many answers were left out, and the conflicts between copies of answers.

    Of several copies of an answer one counts (`copies.settle`; the count is `duplicate_rows`). Of two answers of one
    person to an item the accepted one is kept, else the one submitted first, else the first of the list
    (`answered_twice`).

    Args:
        study: the name of the study in the tables.
        answers: the answers of all files.
        truths: answers that are known to be right: their items are attention checks. A copy among `answers`, from
            before the answer was marked as right, is left out too (`truths`).

    Raises:
        UserError: copies that cannot be one answer; an item with two right answers.
    """
    known = {answer.id for answer in truths}
    votes_of = [answer for answer in answers if answer.id not in known]
    kept, counts, conflicts = _settled(votes_of)
    counts["truths"] += len(answers) - len(votes_of)
    expected = _expected_of([*_settled(truths)[0], *kept])
    kept = [replace(answer, expected=expected.get(answer.item_id)) for answer in kept]
    single: dict[tuple[str, str, str], ImportedAnswer] = {}
    for answer in kept:
        key = answer.item_id, answer.annotator, answer.question
        counts["answered_twice"] += key in single
        single[key] = min(single.get(key, answer), answer, key=_precedence)
    items = {answer.item_id: answer for answer in sorted(kept, key=_precedence, reverse=True)}
    votes = [
        {
            "study": study,
            "item_id": item_id,
            "case_id": answer.case_id,
            "annotator_id": answer.annotator,
            "position_a": answer.systems[0],
            "position_b": answer.systems[1],
            "question": answer.question,
            "answer": answer.answer,
            "strength": None,
            "choice": answer.choice,
            "reason": answer.reason,
            "is_check": answer.expected is not None,
            "status": answer.status,
            "started_at": answer.started_at,
            "submitted_at": answer.submitted_at,
            "kind": PERSON,
        }
        for (item_id, *_), answer in single.items()
    ]
    shown = []
    for item_id in dict.fromkeys(item_id for item_id, *_ in single):
        answer = items[item_id]
        sides = sorted(zip(answer.systems, answer.endings, strict=True))
        shown.append(
            {
                "study": study,
                "item_id": item_id,
                "case_id": answer.case_id,
                "kind": "pair",
                "context": answer.context,
                "systems": [system for system, _ in sides],
                "endings": [ending for _, ending in sides],
                "is_check": answer.expected is not None,
                "is_training": False,
                "expected": answer.expected,
            }
        )
    rows = {"votes": votes, "items": shown}
    tables = {name: pa.Table.from_pylist(its, schema=schemas.TABLES[name].schema) for name, its in rows.items()}
    return tables, counts, conflicts


def _settled(answers: Sequence[ImportedAnswer]) -> tuple[list[ImportedAnswer], Counter[str], list[Conflict]]:
    """The copy of each answer that counts, in the order of the first copies."""
    copies: dict[str, list[ImportedAnswer]] = {}
    for answer in answers:
        copies.setdefault(answer.id, []).append(answer)
    kept, conflicts, counts = [], [], Counter[str]()
    for its in copies.values():
        counts["duplicate_rows"] += len(its) - 1
        best, conflict = settle([_copy(answer) for answer in its], f"case {its[0].case_id}")
        kept.append(its[best])
        if conflict:
            conflicts.append(conflict)
    return kept, counts, conflicts


def _copy(answer: ImportedAnswer) -> Copy:
    item = {"item": answer.item_id, "question": answer.question, "sides": answer.systems}
    return Copy(
        place=f"{answer.file} line {answer.line}",
        content={**item, "annotator": answer.annotator, "answer": answer.answer},
        status=answer.status,
        reason=answer.reason,
        started_at=answer.started_at,
        submitted_at=answer.submitted_at,
        decided_at=answer.decided_at,
    )


def _expected_of(answers: Sequence[ImportedAnswer]) -> dict[str, str]:
    """The choice that an item asks for, by item; only of items that ask for one.

    Raises:
        UserError: two answers to one item name different choices.
    """
    found: dict[str, ImportedAnswer] = {}
    for answer in answers:
        if answer.expected is None:
            continue
        other = found.setdefault(answer.item_id, answer)
        if other.expected != answer.expected:
            raise UserError(
                f"{other.file} line {other.line} and {answer.file} line {answer.line}: the right answer to one item "
                f"(case {answer.case_id}) is {other.expected} and {answer.expected}; correct one"
            )
    return {item_id: answer.expected for item_id, answer in found.items() if answer.expected}


def _precedence(answer: ImportedAnswer) -> tuple[int, datetime]:
    """The sort key of the answers of one person to one item, of which the first is kept."""
    never = datetime.max.replace(tzinfo=UTC)
    return STRICTNESS.index(answer.status), answer.submitted_at or never
