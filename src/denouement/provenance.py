"""The sources of a derived table: digests in its metadata, which are compared before it is joined with other tables.

A digest is of content, not of a path or a time: a table that was copied or renamed still belongs to its sources, but
not after a source was written again with other content.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from denouement.errors import UserError
from denouement.files import existing_file, write_text
from denouement.schemas import table_name

MadeFrom = dict[str, str]
"""The hex SHA-256 of each source's content, by the source's name."""

FILE = "made_from.json"
"""The record of a folder whose results are more than one table."""

CONTEXTS, MODEL = "contexts", "model"
"""The sources of a table of endings: their contexts, and the checkpoint that wrote them."""

_KEY = "made_from"


def rows_digest(rows: Iterable[tuple[str, ...]]) -> str:
    """Hex SHA-256 of the distinct rows; their order does not matter."""
    digest = hashlib.sha256()
    for row in sorted(set(rows)):
        digest.update(json.dumps(row, ensure_ascii=False).encode())
    return digest.hexdigest()


def contexts_digest(cases: pa.Table) -> str:
    """The digest of contexts together with their ids.

    Args:
        cases: columns `case_id` and `context` (list of sentences).
    """
    return rows_digest(
        (case_id, *context)
        for case_id, context in zip(cases["case_id"].to_pylist(), cases["context"].to_pylist(), strict=True)
    )


def as_metadata(made_from: Mapping[str, str]) -> dict[str, str]:
    """The record as an entry of a table's metadata, for `schemas.write_table`."""
    return {_KEY: json.dumps(dict(made_from), sort_keys=True)}


def of_table(path: Path) -> MadeFrom | None:
    """The recorded sources of the table in `path`; None without a record.

    Raises:
        UserError: no such file, no Parquet file, or a record that is damaged.
    """
    try:
        metadata = pq.read_schema(existing_file(path)).metadata or {}
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: not a Parquet file, or a damaged one; make it again") from error
    record = metadata.get(_KEY.encode())
    return None if record is None else _parsed(record.decode(errors="replace"), path)


def write_record(folder: Path, made_from: Mapping[str, str]) -> None:
    """Record the sources of the results in `folder`."""
    write_text(folder / FILE, json.dumps(dict(made_from), indent=2, sort_keys=True) + "\n")


def of_folder(folder: Path) -> MadeFrom | None:
    """The recorded sources of the results in `folder`; None without a record.

    Raises:
        UserError: a damaged record.
    """
    path = folder / FILE
    if not path.exists():
        return None
    try:
        return _parsed(existing_file(path).read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not text in UTF-8; make it again") from error


def check_contexts(endings: Path, cases: pa.Table) -> None:
    """Check that the endings in a file were written for the contexts that `cases` has under the same ids.

    A file without a record, such as a CSV file of endings made elsewhere, passes. So do endings some of whose cases are
    missing in `cases`; the caller who joins the two tables counts them.

    Args:
        endings: a table `endings`, or any other file.
        cases: columns `case_id` and `context`; in a table `cloze` also `release`, `split` and `language`.

    Raises:
        UserError: other contexts.
    """
    if written_for_other_contexts(endings, cases):
        raise UserError(
            f"{endings}: its endings were written for other contexts than those that the cases have under the same "
            "ids; write them again with `denouement generate`, or give the table of cases that they were written for"
        )


def written_for_other_contexts(endings: Path, cases: pa.Table) -> bool:
    """Whether a table of endings records other contexts than `cases` has under the same ids.

    Releases of Story Cloze share ids, and so do translations, so it is enough if the cases of one release, split and
    language have the recorded contexts.
    """
    made_from = of_table(endings) if table_name(endings) == "endings" else None
    return made_from is not None and of_other_contexts(made_from, pq.read_table(endings, columns=["case_id"]), cases)


def of_other_contexts(made_from: MadeFrom, endings: pa.Table, cases: pa.Table) -> bool:
    """`written_for_other_contexts` for endings whose record was read before; `endings` needs the column `case_id`."""
    wanted = made_from.get(CONTEXTS)
    if wanted is None:
        return False
    ids = pc.unique(endings["case_id"])
    shared = cases.filter(pc.is_in(cases["case_id"], ids))
    if len(pc.unique(shared["case_id"])) < len(ids):
        return False
    return all(contexts_digest(part) != wanted for part in _sets(shared) if _has_all(part, len(ids)))


def _has_all(cases: pa.Table, n: int) -> bool:
    return len(pc.unique(cases["case_id"])) == n


def _sets(cases: pa.Table) -> Iterable[pa.Table]:
    """All cases, then those of each release, split and language."""
    yield cases
    if {"release", "split"} <= set(cases.column_names):
        names = [name for name in ("release", "split", "language") if name in cases.column_names]
        for kind in cases.group_by(names).aggregate([]).to_pylist():
            of_kind = (pc.equal(cases[name], value) for name, value in kind.items())
            yield cases.filter(reduce(pc.and_, of_kind))


def _parsed(text: str, path: Path) -> MadeFrom:
    try:
        record = json.loads(text)
        if not isinstance(record, dict) or not all(isinstance(digest, str) for digest in record.values()):
            raise ValueError("no digests by name")
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: its record of what it was made from is damaged ({error}); make it again") from error
    return record
