"""The tables of a study, made from its store."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from denouement.answers import as_metadata
from denouement.documents import write_document
from denouement.schemas import PERSON, TABLES, write_table
from denouement.study.design.description import Design
from denouement.study.design.items import Item
from denouement.study.design.names import Kind
from denouement.study.design.questions import answer_of
from denouement.study.store import Answer, Store

ANSWER_TABLES: dict[Kind, str] = {
    "pair": "votes",
    "rating": "ratings",
    "order": "orders",
    "best_worst": "rankings",
    "ranking": "rankings",
}


def study_tables(store: Store, study: str) -> dict[str, pa.Table]:
    """The tables `items` and, by the study's kind, one of `ANSWER_TABLES`, and by what its design asks others.

    These are `replies` (own questions), `highlights` (marked words), `flags` (skips and reported problems) and
    `corrections` (answers that were corrected later).

    Rows are ordered by item and annotator, and those of one answer by question as the study asks, so that the same
    answers give the same tables.

    Raises:
        UserError: no such study.
    """
    answers = store.answers(study)
    return {name: study_table(store, study, name, answers) for name in table_names(store.design(study))}


def study_table(store: Store, study: str, name: str, answers: Sequence[Answer]) -> pa.Table:
    """One of the tables `table_names` of a study.

    Args:
        store: the store.
        study: the study's name.
        name: which table.
        answers: the result of `Store.answers`.
    """
    design = store.design(study)
    if name == ANSWER_TABLES[design.kind]:
        return _answers_of(design, study, answers)
    if name == "items":
        return items_table(study, store.items(study))
    make: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "replies": lambda: [vars(reply) for reply in store.replies(study)],
        "highlights": lambda: [
            {**_common(study, answer), **vars(each)} for answer in answers for each in answer.highlights or ()
        ],
        "flags": lambda: [{**_of_item(each.item), **vars(each)} for each in store.flags(study)],
        "corrections": lambda: [{**_of_item(each.item), **vars(each)} for each in store.corrections(study)],
    }
    return pa.Table.from_pylist([{"study": study, **row} for row in make[name]()], schema=TABLES[name].schema)


def answers_and_items(store: Store, study: str) -> tuple[pa.Table, pa.Table]:
    """The table of a study's answers as they are now, and its `items`.

    Raises:
        UserError: no such study.
    """
    return _answers_of(store.design(study), study, store.answers(study)), items_table(study, store.items(study))


def table_names(design: Design) -> list[str]:
    """The tables of a study of this design, that of its answers first, `items` second."""
    asks = {
        "replies": bool(design.ask.before or design.ask.after),
        "highlights": design.reason.highlight,
        "flags": design.flag or design.skip is not None,
        "corrections": design.back,
    }
    return [ANSWER_TABLES[design.kind], "items", *(name for name, is_asked in asks.items() if is_asked)]


def answers_table(kind: Kind, study: str, answers: Sequence[Answer]) -> pa.Table:
    """The table of answers of a study of this kind, in the order of `answers`."""
    rows = [row for answer in answers for row in _ROWS[kind](study, answer)]
    return pa.Table.from_pylist(rows, schema=TABLES[ANSWER_TABLES[kind]].schema)


def _answers_of(design: Design, study: str, answers: Sequence[Answer]) -> pa.Table:
    """The table of answers of a study; of votes with the words of their questions in its metadata."""
    table = answers_table(design.kind, study, answers)
    if design.kind != "pair":
        return table
    return table.replace_schema_metadata(as_metadata({study: design.questions_asked()}))


def items_table(study: str, items: Sequence[Item]) -> pa.Table:
    """The table `items`."""
    rows = [
        {
            "study": study,
            "item_id": item.id,
            "case_id": item.case_id,
            "kind": item.kind,
            "context": item.context,
            "systems": item.systems,
            "endings": item.endings,
            "is_check": item.is_check,
            "is_training": item.is_training,
            "expected": item.expected,
        }
        for item in items
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["items"].schema)


def write_study_table(table: pa.Table, path: Path, name: str) -> None:
    """Write a table of a study, with what it has as metadata."""
    kept = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    write_table(table, path, name, kept)


def table_file(table: pa.Table, name: str) -> bytes:
    """The Parquet file that `export` writes for this table."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.parquet"
        write_study_table(table, path, name)
        return path.read_bytes()


@dataclass(frozen=True)
class StudyExport:
    """What `export` wrote.

    Attributes:
        study, kind: the study's name, and what it asks.
        answers, checks: the numbers of answers to items, and of those to attention checks, by status.
        rows: the number of rows of each table, by its name.
        out: the folder.
    """

    study: str
    kind: str
    answers: dict[str, int]
    checks: dict[str, int]
    rows: dict[str, int]
    out: str


def export(store: Store, study: str, out: Path) -> StudyExport:
    """Write a study's tables into the folder `out`, each as NAME.parquet, and its log as log.json.

    The store keeps that these answers were exported, unless it is read-only.

    Raises:
        UserError: no such study; a folder that cannot be written to.
    """
    answers = store.answers(study)
    tables = {name: study_table(store, study, name, answers) for name in table_names(store.design(study))}
    for name, table in tables.items():
        write_study_table(table, out / f"{name}.parquet", name)
    if not store.is_read_only:
        store.exported(study, answers)
    write_document(store.log(study), out / "log.json")
    return StudyExport(
        study=study,
        kind=store.design(study).kind,
        answers=dict(sorted(Counter(each.status for each in answers if not each.item.is_check).items())),
        checks=dict(sorted(Counter(each.status for each in answers if each.item.is_check).items())),
        rows={name: table.num_rows for name, table in tables.items()},
        out=str(out),
    )


def _votes(study: str, answer: Answer) -> list[dict[str, Any]]:
    """A row for each question; the reason and its boxes, which are those of all of them, are in the first."""
    first, second = (answer.item.systems[place] for place in answer.order)
    rows = []
    for number, (question, code) in enumerate(answer.answers.items()):
        side, strength = answer_of(code)
        rows.append(
            {
                **_common(study, answer),
                "position_a": first,
                "position_b": second,
                "question": question,
                "answer": side,
                "strength": strength,
                "choice": answer.item.chosen(code, answer.order),
                "reason": None if number else answer.reason,
                "elements": None if number else answer.elements,
                "kind": PERSON,
            }
        )
    return rows


def _ratings(study: str, answer: Answer) -> list[dict[str, Any]]:
    why = {"reason": answer.reason, "elements": answer.elements}
    common = {**_common(study, answer), "system": answer.item.systems[0], **why}
    return [{**common, "question": question, "value": value} for question, value in answer.values.items()]


def _order(study: str, answer: Answer) -> list[dict[str, Any]]:
    return [{**_common(study, answer), "shown": answer.order, "order": answer.arranged}]


def _ranking(study: str, answer: Answer) -> list[dict[str, Any]]:
    systems = [answer.item.systems[place] for place in answer.order]
    ranks = [answer.arranged[place] for place in answer.order]
    why = {"reason": answer.reason, "elements": answer.elements}
    return [{**_common(study, answer), "kind": answer.item.kind, "systems": systems, "ranks": ranks, **why}]


def _common(study: str, answer: Answer) -> dict[str, Any]:
    return {
        "study": study,
        **_of_item(answer.item),
        "annotator_id": answer.annotator_id,
        "status": answer.status,
        "started_at": answer.started_at,
        "submitted_at": answer.submitted_at,
    }


def _of_item(item: Item) -> dict[str, Any]:
    return {"item_id": item.id, "case_id": item.case_id, "is_check": item.is_check}


_ROWS: dict[Kind, Callable[[str, Answer], list[dict[str, Any]]]] = {
    "pair": _votes,
    "rating": _ratings,
    "order": _order,
    "best_worst": _ranking,
    "ranking": _ranking,
}
