"""Batch results of Amazon Mechanical Turk: 27 fixed columns, then `Input.*`, `Answer.*`, `Approve` and `Reject`."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from denouement.delimited import Header, rows_of
from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.study.agreement import like_an_answer
from denouement.study.importing.answers import Answer, Unusable, answer_named, digest
from denouement.text.sentences import split_sentences

FIXED = (
    "HITId",
    "HITTypeId",
    "Title",
    "Description",
    "Keywords",
    "Reward",
    "CreationTime",
    "MaxAssignments",
    "RequesterAnnotation",
    "AssignmentDurationInSeconds",
    "AutoApprovalDelayInSeconds",
    "Expiration",
    "NumberOfSimilarHITs",
    "LifetimeInSeconds",
    "AssignmentId",
    "WorkerId",
    "AssignmentStatus",
    "AcceptTime",
    "SubmitTime",
    "AutoApprovalTime",
    "ApprovalTime",
    "RejectionTime",
    "RequesterFeedback",
    "WorkTimeInSeconds",
    "LifetimeApprovalRate",
    "Last30DaysApprovalRate",
    "Last7DaysApprovalRate",
)

STUDY = "mturk"

_TOLD_BY = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus")  # columns that no other file has
_TASK_ANSWERS = "taskAnswers"
_TICKS = {"true": True, "on": True, "false": False, "off": False}
_STATUSES = {"approved": "accepted", "submitted": "accepted", "rejected": "rejected"}

# What a requester may have called the columns, in lower case and letters and digits alone.
_NAMES: dict[str, tuple[str, ...]] = {
    "case_id": ("caseid", "storyid", "inputstoryid", "id"),
    "context": ("context", "story"),
    "ending_a": ("endinga", "optiona", "a"),
    "ending_b": ("endingb", "optionb", "b"),
    "system_a": ("systema", "positiona", "modela", "sourcea"),
    "system_b": ("systemb", "positionb", "modelb", "sourceb"),
    "model_side": ("modelside", "model1", "model"),
    "right_ending": ("rightending", "humanending"),
    "expected": ("expected", "gold"),
    "answer": ("answer", "choice", "preference", "option", "selection", "ending"),
    "reason": ("reason", "why", "explanation", "comment"),
}
ROLES = tuple(_NAMES)
"""What a column can be named as by the caller."""

_SENTENCE = re.compile(r"(?:input|context)?sentence([0-9]{1,3})")
_TIME = "%a %b %d %H:%M:%S %Y"
_ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}  # Mechanical Turk wrote Pacific time


def is_batch(names: Sequence[str]) -> bool:
    """Whether these are the columns of a batch's results, in any order and case."""
    lower = {name.lower() for name in names}
    return {name.lower() for name in _TOLD_BY} <= lower


@dataclass(frozen=True)
class _Columns:
    """The `Input.*` columns of a batch by what they hold; None where there is none."""

    case_id: str | None
    context: tuple[str, ...]
    ending_a: str
    ending_b: str
    system_a: str | None
    system_b: str | None
    model_side: str | None
    right_ending: str | None
    expected: str | None


def read_batch(
    path: Path, header: Header, systems: tuple[str, str], named: Mapping[str, str], seen: set[str]
) -> tuple[list[Answer], list[Unusable], Counter[str]]:
    """The answers of a batch, the rows that are none, and counts (`rows`, `duplicate_rows`, `unknown_times`).

    Args:
        path: the file.
        header: its header.
        systems: names for the generator and the people who wrote the right ending, where the file tells only which side
            the generated ending stood on, or the right ending's text.
        named: by role (`ROLES`) the column that has it, where its name does not tell.
        seen: assignments read before, from this file or others; what is read is added.

    Raises:
        UserError: a column that is needed is not there, or a named one is not; a column stands twice.
    """
    if repeated := _repeated(header.names):
        raise UserError(f"{path}: columns that stand twice: {shortened(repeated)}; rename or delete one of each")
    inputs = [name for name in header.names if name.lower().startswith("input.")]
    if not any(name.lower().startswith("answer.") for name in header.names):
        raise UserError(f"{path}: a batch without Answer columns; download the batch's results, not its input")
    columns = _input_columns(path, inputs, named)
    answers, unusable, counts = [], [], Counter[str]()
    for row in rows_of(path, header):
        counts["rows"] += 1
        if len(row.cells) != len(header.names):
            problem = f"{len(row.cells)} cells where the header has {len(header.names)}"
            unusable.append(Unusable(path.name, row.line, problem))
            continue
        cells = dict(zip(header.names, (cell.strip() for cell in row.cells), strict=True))
        fixed = {name.lower(): cell for name, cell in cells.items()}
        assignment = fixed["assignmentid"] or digest(row.cells)
        if assignment in seen:
            counts["duplicate_rows"] += 1
            continue
        seen.add(assignment)
        try:
            answers.append(_answer(cells, fixed, columns, systems, named))
        except ValueError as error:
            unusable.append(Unusable(path.name, row.line, str(error)))
            continue
        counts["unknown_times"] += sum(
            bool(fixed.get(name)) and _time(fixed[name]) is None for name in ("accepttime", "submittime")
        )
    return answers, unusable, counts


def _repeated(names: Sequence[str]) -> list[str]:
    """The names that stand more than once; of the fixed columns in any case, as they are known in any."""
    fixed = {name.lower(): name for name in FIXED}
    counts = Counter(fixed.get(name.lower(), name) for name in names if name)
    return [name for name, n in counts.items() if n > 1]


def _input_columns(path: Path, inputs: Sequence[str], named: Mapping[str, str]) -> _Columns:
    """Which `Input.*` column holds what."""
    found: dict[str, str] = {}
    for role, names in _NAMES.items():
        if role in ("answer", "reason"):
            continue
        if role in named:
            matching = [
                name for name in inputs if name.lower() in (named[role].lower(), f"input.{named[role]}".lower())
            ]
            if not matching:
                raise UserError(f"{path}: no column {named[role]} for {role}; there are {shortened(inputs)}")
        else:
            matching = [name for wanted in names for name in inputs if _plain(name) == wanted]
        if matching:
            found[role] = matching[0]
    numbered = sorted((int(told[1]), name) for name in inputs if (told := _SENTENCE.fullmatch(_plain(name))))
    context = (found["context"],) if "context" in found else tuple(name for _, name in numbered)
    missing = [role for role in ("ending_a", "ending_b") if role not in found] + ([] if context else ["context"])
    if not {"system_a", "system_b"} <= set(found) and not {"model_side", "right_ending"} & set(found):
        missing.append("system_a and system_b (or model_side, or right_ending)")
    if missing:
        raise UserError(
            f"{path}: no Input column tells {', '.join(missing)}; name it with --column ROLE=COLUMN (there are "
            f"{shortened(inputs) or 'none'})"
        )
    others = ("case_id", "system_a", "system_b", "model_side", "right_ending", "expected")
    return _Columns(
        context=context,
        ending_a=found["ending_a"],
        ending_b=found["ending_b"],
        **{role: found.get(role) for role in others},
    )


def _plain(name: str) -> str:
    """The key of a column's name without its prefix."""
    return _key(name.partition(".")[2])


def _answer(
    cells: Mapping[str, str],
    fixed: Mapping[str, str],
    columns: _Columns,
    systems: tuple[str, str],
    named: Mapping[str, str],
) -> Answer:
    """The answer of one row.

    Raises:
        ValueError: there is none, with the reason.
    """
    if not fixed["workerid"]:
        raise ValueError("empty: WorkerId")
    status = _STATUSES.get(fixed["assignmentstatus"].lower())
    if status is None:
        raise ValueError(f"AssignmentStatus is '{fixed['assignmentstatus']}', not Approved, Submitted or Rejected")
    if fixed.get("reject"):
        status = "rejected"  # the requester's mark before it is uploaded
    shown = [*columns.context, columns.ending_a, columns.ending_b]
    if empty := [name for name in shown if not cells[name]]:
        raise ValueError(f"empty: {', '.join(empty)}")
    context = tuple(sentence for name in columns.context for sentence in split_sentences(cells[name]))
    endings = cells[columns.ending_a], cells[columns.ending_b]
    sides = _sides(cells, columns, endings, systems)
    given = dict(_given(cells))
    answer = _chosen(given, named.get("answer"))
    return Answer(
        case_id=(cells[columns.case_id] if columns.case_id else "") or f"case-{digest(context)[:12]}",
        context=context,
        endings=endings,
        systems=sides,
        annotator=fixed["workerid"],
        answer=answer,
        reason=_reason(given, named.get("reason")),
        status=status,
        expected=_expected(cells, columns.expected, sides),
        started_at=_time(fixed.get("accepttime", "")),
        submitted_at=_time(fixed.get("submittime", "")),
    )


def _expected(cells: Mapping[str, str], column: str | None, sides: tuple[str, str]) -> str | None:
    """The choice that an attention check asks for; None where the item is none.

    Raises:
        ValueError: a text that is no choice: nobody could pass the check.
    """
    told = cells[column] if column else ""
    if not told or told in sides:
        return told or None
    side = answer_named(told)
    if side is None:
        raise ValueError(
            f"{column} is '{told[:40]}', not A, B, both, neither, {' or '.join(sides)}; leave it empty where the item "
            "is no attention check"
        )
    return {"A": sides[0], "B": sides[1]}.get(side, side)


def _sides(
    cells: Mapping[str, str], columns: _Columns, endings: tuple[str, str], systems: tuple[str, str]
) -> tuple[str, str]:
    """The systems that wrote A and B."""
    if columns.system_a and columns.system_b:
        a, b = cells[columns.system_a], cells[columns.system_b]
        if not a or not b:
            raise ValueError(f"empty: {columns.system_a if not a else columns.system_b}")
        if a == b:
            raise ValueError(f"A and B are both of {a}")
        if problem := like_an_answer((a, b)):
            raise ValueError(problem)
        return a, b
    model, human = systems
    if columns.model_side and (side := answer_named(cells[columns.model_side])) in ("A", "B"):
        return (model, human) if side == "A" else (human, model)
    if columns.right_ending and (right := cells[columns.right_ending]) in endings and endings[0] != endings[1]:
        return (human, model) if right == endings[0] else (model, human)
    raise ValueError(f"{columns.model_side or columns.right_ending} does not tell which system wrote A and B")


def _given(cells: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What was answered, by name without `Answer.`; the JSON of `Answer.taskAnswers` under names joined with dots."""
    for name, cell in cells.items():
        prefix, _, own = name.partition(".")
        if prefix.lower() != "answer":
            continue
        if own.lower() != _TASK_ANSWERS.lower():
            yield own, cell
            continue
        if not cell:
            continue
        try:
            told = json.loads(cell)
            is_right = isinstance(told, list) and len(told) == 1 and isinstance(told[0], dict)
            leaves = list(_leaves(told[0], "")) if is_right else []
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name} is not JSON") from error
        if not is_right:
            raise ValueError(f"{name} is not a JSON list of one object")
        yield from leaves


def _leaves(told: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in told.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name}.")
        elif isinstance(value, bool):
            yield f"{prefix}{name}", str(value).lower()
        elif value is not None:
            yield f"{prefix}{name}", _whole(str(value)).strip()


def _whole(text: str) -> str:
    """The text with U+FFFD for halves of characters, which JSON can escape and no table can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _chosen(given: Mapping[str, str], named: str | None) -> str:
    """A, B, both or neither: from one field, or from the boxes that are ticked.

    A box stands for itself (`Answer.A`, `Answer.both.on`) or in a field (`Answer.choice.B`); of an old form a field
    holds the names of all ticked boxes with `|` between them. A and B ticked, and nothing else, are both.

    Raises:
        ValueError: none, several, or another text.
    """
    wanted = _wanted("answer", named)
    told: list[str] = []  # the texts of fields, and the names of ticked boxes
    is_there = False
    for name, value in given.items():
        field, *box = [part for part in name.split(".") if part.lower() != "on"] or [""]
        in_field = _key(field) in wanted
        if value.lower() in _TICKS and ((in_field and box) or (not named and answer_named(field))):
            is_there = True
            told += [box[-1] if box else field] if _TICKS[value.lower()] else []
        elif in_field:
            is_there = True
            told += filter(None, value.split("|"))
    if given and not is_there:
        raise ValueError("no Answer column is known to hold the answer; name it with --column answer=COLUMN")
    answers = {text: answer_named(text) for text in told}
    if strange := [text for text, answer in answers.items() if not answer]:
        raise ValueError(f"the answer is '{strange[0][:40]}', not A, B, both or neither")
    ticked = {answer for answer in answers.values() if answer}
    if ticked == {"A", "B"}:
        return "both"
    if not ticked:
        raise ValueError("no answer is given")
    if len(ticked) > 1:
        raise ValueError(f"several answers at once: {', '.join(sorted(ticked))}")
    return ticked.pop()


def _reason(given: Mapping[str, str], named: str | None) -> str | None:
    wanted = _wanted("reason", named)
    return next((value for name, value in given.items() if _key(name) in wanted), None) or None


def _wanted(role: str, named: str | None) -> tuple[str, ...]:
    """The keys of the fields that have the role: the one that the caller named, or the usual ones."""
    if named is None:
        return _NAMES[role]
    prefix, _, own = named.partition(".")
    return (_key(own if prefix.lower() == "answer" else named),)


def _key(name: str) -> str:
    """In lower case, letters and digits alone."""
    return "".join(character for character in name.lower() if character.isalnum())


def _time(text: str) -> datetime | None:
    """The time of a cell such as `Tue Mar 05 08:14:02 PST 2019`; None when it is written otherwise or is none."""
    told = re.fullmatch(r"(.+) ([A-Z]{3}) (\d{4})", text)
    if not told or told[2] not in _ZONES:
        return None
    try:
        local = datetime.strptime(f"{told[1]} {told[3]}", _TIME)
        return (local - timedelta(hours=_ZONES[told[2]])).replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # the last evening of the year 9999
        return None
