"""Collected work in files: stories, pairs of endings and verifications, as Parquet tables or as CSV."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from denouement import schemas
from denouement.corpus.cases import in_english
from denouement.corpus.layouts import columns_of, recognise
from denouement.corpus.readers import read_file
from denouement.corpus.reading import content_of
from denouement.delimited import Header, header_of, rows_of
from denouement.errors import UserError
from denouement.schemas import shortened
from denouement.spreadsheets import undefused

Kind = Literal["collected_stories", "collected_endings", "verifications"]

KINDS: dict[Kind, str] = {
    "collected_stories": "stories (story_id, sentence1, sentence2, ...)",
    "collected_endings": "endings (case_id, sentence1 to sentence4, right, wrong)",
    "verifications": "verifications (case_id, ending, verifier, answer)",
}
"""What a file may hold, and by which columns of a CSV file that is recognised."""

_REQUIRED: dict[Kind, frozenset[str]] = {
    "collected_stories": frozenset({"storyid", "sentence1", "sentence2"}),
    "collected_endings": frozenset({"caseid", *(f"sentence{n}" for n in range(1, 5)), "right", "wrong"}),
    "verifications": frozenset({"caseid", "ending", "verifier", "answer"}),
}
_OPTIONAL: dict[Kind, frozenset[str]] = {
    "collected_stories": frozenset({"title", "writer", "status", "remark", "minutes"}),
    "collected_endings": frozenset({"storyid", "writer", "storywriter", "minutes"}),
    "verifications": frozenset(),
}
_SENTENCE = re.compile(r"sentence([1-9][0-9]?)")
_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
_HEAD_BYTES = 1 << 16


def read_work(path: Path, kinds: Sequence[Kind]) -> tuple[Kind, pa.Table]:
    """The work in a file: which kind of table it is, and the table.

    Besides the tables of a collection and CSV files with their columns (in any order, case and spelling with `_`, `-`
    or blanks), stories and labelled cases are read from the tables `stories` and `cloze` and from official CSV files;
    who wrote these is not known. Of a table `filtered_cases` all pairs are read. Cells are kept as they are, but for
    blanks around ids, answers and names of columns.

    Args:
        path: the file.
        kinds: those that are wanted.

    Raises:
        UserError: no such file, another content, or a row that cannot be read; the message names its line.
    """
    path = Path(path)
    kind, table = _parquet(path) if _is_parquet(path) else _text(path)
    if kind not in kinds:
        wanted = " or ".join(KINDS[each] for each in kinds)
        raise UserError(f"{path}: holds {KINDS[kind].partition(' (')[0]}, not {wanted}")
    if not table.num_rows:
        raise UserError(f"{path}: no rows; name the complete file")
    return kind, table


def as_table(kind: Kind | Literal["filtered_cases"], rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Rows as a table of a collection; a column that a row lacks is null there."""
    schema = schemas.TABLES[kind].schema
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema)


def of_cases(cases: pa.Table) -> pa.Table:
    """The table `collected_endings` of the labelled English cases, with two endings, of a table `cloze`."""
    cases, _ = in_english(cases)
    rows = [
        {
            "case_id": row["case_id"],
            "context": row["context"],
            "right": row["endings"][row["right_ending"] - 1],
            "wrong": row["endings"][2 - row["right_ending"]],
        }
        for row in cases.to_pylist()
        if row["right_ending"] is not None and len(row["endings"]) == 2
    ]
    return as_table("collected_endings", rows)


def of_stories(stories: pa.Table) -> pa.Table:
    """The table `collected_stories` of a table `stories`; all are approved."""
    wanted = ("story_id", "title", "sentences")
    return as_table("collected_stories", [{**row, "status": "approved"} for row in stories.select(wanted).to_pylist()])


def as_cases(endings: pa.Table, release: str = "collected") -> pa.Table:
    """Pairs of endings as labelled validation cases, in the same order: the table `cloze`.

    Sides alternate, so that a place says nothing.
    """
    rows = endings.to_pylist()
    sides = [1 + at % 2 for at in range(len(rows))]
    schema = schemas.TABLES["cloze"].schema
    return pa.Table.from_pylist(
        [
            {
                "case_id": row["case_id"],
                "context": row["context"],
                "endings": [row["right"], row["wrong"]][:: 1 if side == 1 else -1],
                "right_ending": side,
                "question": None,
                "language": schemas.ENGLISH,
                "release": release,
                "split": "validation",
            }
            for row, side in zip(rows, sides, strict=True)
        ],
        schema,
    )


def _is_parquet(path: Path) -> bool:
    return content_of(path, 4) == b"PAR1"


def _parquet(path: Path) -> tuple[Kind, pa.Table]:
    name = schemas.table_name(path)
    if name == "stories":
        return "collected_stories", of_stories(schemas.read_table(path, name))
    if name == "cloze":
        return "collected_endings", of_cases(schemas.read_table(path, name))
    if (
        name == "filtered_cases"
    ):  # all pairs, also those that were not kept: of an export, to be filtered by other rules
        return "collected_endings", as_table("collected_endings", schemas.read_table(path, name).to_pylist())
    for kind in KINDS:
        if name == kind:
            return kind, schemas.read_table(path, kind)
    raise UserError(f"{path}: {f'a table {name!r}' if name else 'no table of denouement'}, not {_all_kinds()}")


def _text(path: Path) -> tuple[Kind, pa.Table]:
    official = recognise(content_of(path, _HEAD_BYTES).decode(errors="ignore"))
    if official is not None:
        read = read_file(path, release="collected")
        if read.kind == "stories":
            return "collected_stories", of_stories(read.table)
        if not read.labelled:
            raise UserError(f"{path}: its cases do not say which ending is right; name a labelled file")
        return "collected_endings", of_cases(read.table)
    header = header_of(path, lambda names: _kind_of(names) is not None)
    kind = _kind_of(header.names) if header else None
    if header is None or kind is None:
        raise UserError(f"{path}: its header is not that of {_all_kinds()}")
    return kind, as_table(kind, _rows(path, header, kind))


def _kind_of(names: Sequence[str]) -> Kind | None:
    columns = columns_of(names)
    for kind, required in _REQUIRED.items():
        known = required | _OPTIONAL[kind]
        is_more = (name for name in columns if kind == "collected_stories" and _SENTENCE.fullmatch(name))
        if required <= set(columns) <= known.union(is_more) and len(set(columns)) == len(columns):
            return kind
    return None


def _rows(path: Path, header: Header, kind: Kind) -> Iterator[dict[str, Any]]:
    columns = columns_of(header.names)
    read = {"collected_stories": _story, "collected_endings": _endings, "verifications": _verification}[kind]
    key = schemas.TABLES[kind].key
    lines: dict[tuple[str, ...], int] = {}
    for row in rows_of(path, header):
        where = f"{path}: line {row.line}"
        if wrong := header.misfit(row.cells):
            raise UserError(f"{where}: {wrong}")
        cells = dict(zip(columns, map(undefused, row.cells), strict=True))
        for name in ("storyid", "caseid", "verifier", "writer", "storywriter", "ending", "answer", "status"):
            if name in cells:
                cells[name] = cells[name].strip()
        found = read(cells, where)
        identity = tuple(str(found[name]) for name in key)
        if empty := [name for name, text in zip(key, identity, strict=True) if not text]:
            raise UserError(f"{where}: {empty[0]} is empty")
        if identity in lines:
            raise UserError(f"{where}: {' '.join(identity)} is already in line {lines[identity]}; keep one of the two")
        lines[identity] = row.line
        yield found


def _story(cells: Mapping[str, str], where: str) -> dict[str, Any]:
    numbered = sorted((int(found[1]), text) for name, text in cells.items() if (found := _SENTENCE.fullmatch(name)))
    sentences = [text for _, text in numbered]
    while sentences and not sentences[-1].strip():  # a shorter story
        sentences.pop()
    status = cells.get("status") or "approved"
    if status not in (known := schemas.TABLES["collected_stories"].choices["status"]):
        raise UserError(f"{where}: status is {status!r}; it may be {', '.join(known)}")
    return {
        "story_id": cells["storyid"],
        "title": cells.get("title") or None,
        "sentences": sentences,
        "writer": cells.get("writer") or None,
        "status": status,
        "remark": cells.get("remark") or None,
        "minutes": _minutes(cells, where),
    }


def _endings(cells: Mapping[str, str], where: str) -> dict[str, Any]:
    return {
        "case_id": cells["caseid"],
        "story_id": cells.get("storyid") or None,
        "context": [cells[f"sentence{number}"] for number in range(1, 5)],
        "right": cells["right"],
        "wrong": cells["wrong"],
        "writer": cells.get("writer") or None,
        "story_writer": cells.get("storywriter") or None,
        "minutes": _minutes(cells, where),
    }


def _minutes(cells: Mapping[str, str], where: str) -> float | None:
    text = cells.get("minutes", "").strip()
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise UserError(f"{where}: minutes is {shortened([repr(text)])}; it may be a number from 0, such as 2.5")
    return float(text)


def _verification(cells: Mapping[str, str], where: str) -> dict[str, Any]:
    ending = cells["ending"].lower()
    if ending not in (known := schemas.TABLES["verifications"].choices["ending"]):
        raise UserError(f"{where}: ending is {cells['ending']!r}; it may be {' or '.join(known)}")
    return {"case_id": cells["caseid"], "ending": ending, "verifier": cells["verifier"], "answer": cells["answer"]}


def _all_kinds() -> str:
    return ", ".join(KINDS.values())
