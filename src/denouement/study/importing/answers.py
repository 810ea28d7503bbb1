"""From answers that were collected elsewhere to the tables `votes` and `items`."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from denouement import schemas

_ANSWERS = {
    **dict.fromkeys(("a", "optiona", "endinga", "choicea", "onlya"), "A"),
    **dict.fromkeys(("b", "optionb", "endingb", "choiceb", "onlyb"), "B"),
    **dict.fromkeys(("both", "bothaandb", "aandb", "ab", "bothequally", "bothendings", "bothoptions"), "both"),
    **dict.fromkeys(("neither", "neitheranorb", "none", "neitherending", "neitheroption"), "neither"),
}


@dataclass(frozen=True)
class Answer:
    """One answer to a pair, as a file tells it.

    Attributes:
        case_id: of the story.
        context: the story's sentences.
        endings: A and B as they were shown.
        systems: that wrote A and B.
        annotator: an id of the person.
        answer: A, B, both or neither.
        reason: as written; None where there is none.
        status: of the table `votes`.
        expected: the choice that an attention check asks for; None where the item is none.
        started_at, submitted_at: in UTC; None where not told.
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
    started_at: datetime | None = None
    submitted_at: datetime | None = None

    @property
    def item_id(self) -> str:
        """A digest of context and endings, whichever side these stood on."""
        sides = sorted(zip(self.systems, self.endings, strict=True))
        return digest(self.case_id, self.context, sides)

    @property
    def choice(self) -> str:
        """The system chosen, both or neither."""
        return {"A": self.systems[0], "B": self.systems[1]}.get(self.answer, self.answer)


@dataclass(frozen=True)
class Unusable:
    """A row that no answer could be made of, with the line it starts on and the reason."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True)
class Imported:
    """What files of answers hold.

    Attributes:
        kinds: what each file is.
        tables: by name: `votes` and, of files that tell them, `items`.
        rejects: the rows that could not be used: the table `rejects`.
        counts: `rows` read, and by what became of them: `accepted`, `rejected` and the other statuses, `unusable`,
            `duplicate_rows` (the same assignment or row again), `answered_twice` (another answer of the same person to
            the same item).
    """

    kinds: dict[str, str]
    tables: dict[str, pa.Table]
    rejects: pa.Table
    counts: dict[str, int]


def answer_named(text: str) -> str | None:
    """The answer that a cell's text or a box's name means: A, B, both, neither; None when it is none of them."""
    return _ANSWERS.get("".join(character for character in text.lower() if character.isalnum()))


def digest(*parts: object) -> str:
    """32 hex digits that tell `parts` from others."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()[:32]


def hidden(answers: Iterable[Answer], files: Sequence[Path]) -> list[Answer]:
    """The same with every annotator's id hashed: nobody without the files can tell whose it is.

    The hash is keyed with the files' content, so that the same files always give the same ids.
    """
    key = hashlib.sha256(b"".join(sorted(hashlib.sha256(path.read_bytes()).digest() for path in files))).digest()

    def hashed(name: str) -> str:
        return hashlib.blake2b(name.encode(), key=key, digest_size=16).hexdigest()

    return [replace(answer, annotator=hashed(answer.annotator)) for answer in answers]


def tables_of(study: str, answers: Sequence[Answer]) -> tuple[dict[str, pa.Table], Counter[str]]:
    """The tables `votes` and `items`, and how many answers have each status or were left out (`answered_twice`).

    Of two answers of one person to one item the first that counts (status `accepted`) is kept, else the first.
    """
    kept: dict[tuple[str, str], Answer] = {}
    counts: Counter[str] = Counter()
    items: dict[str, Answer] = {}
    for answer in answers:
        item_id = answer.item_id
        items.setdefault(item_id, answer)
        key = item_id, answer.annotator
        if key not in kept:
            kept[key] = answer
            continue
        counts["answered_twice"] += 1
        if answer.status == "accepted" != kept[key].status:
            kept[key] = answer
    counts.update(answer.status for answer in kept.values())
    votes = [
        {
            "study": study,
            "item_id": item_id,
            "case_id": answer.case_id,
            "annotator_id": answer.annotator,
            "position_a": answer.systems[0],
            "position_b": answer.systems[1],
            "answer": answer.answer,
            "choice": answer.choice,
            "reason": answer.reason,
            "is_check": answer.expected is not None,
            "status": answer.status,
            "started_at": answer.started_at,
            "submitted_at": answer.submitted_at,
        }
        for (item_id, _), answer in kept.items()
    ]
    shown = []
    for item_id, answer in items.items():
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
    return {name: pa.Table.from_pylist(its, schema=schemas.TABLES[name].schema) for name, its in rows.items()}, counts
