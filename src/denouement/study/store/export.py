"""The tables of a study, made from its store."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from denouement.schemas import TABLES, write_table
from denouement.study.design.description import Design
from denouement.study.design.items import Item
from denouement.study.design.names import Kind
from denouement.study.store import Answer, Store

ANSWER_TABLES: dict[Kind, str] = {"pair": "votes", "rating": "ratings", "order": "orders"}


def study_tables(store: Store, study: str) -> dict[str, pa.Table]:
    """The tables `items`, by the study's kind `votes`, `ratings` or `orders`, and by what its design asks others.

    These are `replies` (own questions), `highlights` (marked words), `flags` (skips and reported problems) and
    `corrections` (answers that were corrected later).

    Rows are ordered by item and annotator, and those of one rating by question as the study asks, so that the same
    answers give the same tables.

    Raises:
        UserError: no such study.
    """
    return _tables(store, study, store.answers(study))


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
    """The table `votes`, `ratings` or `orders` of a study of this kind: its answers, in their order."""
    rows = [row for answer in answers for row in _ROWS[kind](study, answer)]
    return pa.Table.from_pylist(rows, schema=TABLES[ANSWER_TABLES[kind]].schema)


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


def table_file(table: pa.Table, name: str) -> bytes:
    """The Parquet file that `export` writes for this table."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.parquet"
        write_table(table, path, name)
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
    """Write a study's tables into the folder `out`, each as NAME.parquet.

    Raises:
        UserError: no such study; a folder that cannot be written to.
    """
    answers = store.answers(study)
    tables = _tables(store, study, answers)
    for name, table in tables.items():
        write_table(table, out / f"{name}.parquet", name)
    return StudyExport(
        study=study,
        kind=store.design(study).kind,
        answers=dict(sorted(Counter(each.status for each in answers if not each.item.is_check).items())),
        checks=dict(sorted(Counter(each.status for each in answers if each.item.is_check).items())),
        rows={name: table.num_rows for name, table in tables.items()},
        out=str(out),
    )


def _tables(store: Store, study: str, answers: Sequence[Answer]) -> dict[str, pa.Table]:
    design = store.design(study)
    make: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "replies": lambda: [vars(reply) for reply in store.replies(study)],
        "highlights": lambda: [
            {**_common(study, answer), **vars(each)} for answer in answers for each in answer.highlights or ()
        ],
        "flags": lambda: [{**_of_item(each.item), **vars(each)} for each in store.flags(study)],
        "corrections": lambda: [{**_of_item(each.item), **vars(each)} for each in store.corrections(study)],
    }
    kind, _, *others = table_names(design)
    rows = {name: [{"study": study, **row} for row in make[name]()] for name in others}
    return {
        kind: answers_table(design.kind, study, answers),
        "items": items_table(study, store.items(study)),
        **{name: pa.Table.from_pylist(its, schema=TABLES[name].schema) for name, its in rows.items()},
    }


def _vote(study: str, answer: Answer) -> list[dict[str, Any]]:
    first, second = (answer.item.systems[place] for place in answer.order)
    given = {"answer": answer.answer, "choice": answer.choice, "reason": answer.reason, "elements": answer.elements}
    return [{**_common(study, answer), "position_a": first, "position_b": second, **given}]


def _ratings(study: str, answer: Answer) -> list[dict[str, Any]]:
    why = {"reason": answer.reason, "elements": answer.elements}
    common = {**_common(study, answer), "system": answer.item.systems[0], **why}
    return [{**common, "question": question, "value": value} for question, value in answer.values.items()]


def _order(study: str, answer: Answer) -> list[dict[str, Any]]:
    return [{**_common(study, answer), "shown": answer.order, "order": answer.arranged}]


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


_ROWS: dict[Kind, Callable[[str, Answer], list[dict[str, Any]]]] = {"pair": _vote, "rating": _ratings, "order": _order}
