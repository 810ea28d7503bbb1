"""Answers that were collected elsewhere, as the tables `votes` and `items`. A file is known by its header.

Our own exports may also hold `ratings` or `orders`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.delimited import Header, header_of
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.study.agreement import like_an_answer
from denouement.study.counted import ANSWER, SCALES
from denouement.study.importing import mturk, own, published
from denouement.study.importing.answers import Answer, Imported, Unusable, hidden, tables_of

Kind = Literal["mturk", "published", "own", "own_csv"]

SYSTEMS = ("h_seq2seq", "human_right")
"""Names for the two systems where a file tells only which ending is the generated one: those of Mori et al. 2019."""

_KNOWN: dict[Kind, Callable[[Sequence[str]], bool]] = {
    "mturk": mturk.is_batch,
    "published": published.is_published,
    "own_csv": own.is_votes,
}


_LABELS = {
    "accepted": "answers accepted",
    "rejected": "rejected by the requester (kept apart)",
    "excluded": "of excluded annotators (kept apart)",
    "surplus": "too late (kept apart)",
    "duplicate_rows": "written twice (once kept)",
    "answered_twice": "second answers of a person to an item (left out)",
    "unknown_times": "times in an unknown form (left empty)",
    "unusable": "not usable",
}
_SHOWN = 20  # rows that are not usable


class Recognised(NamedTuple):
    """What a file of answers is, with its header when it is text, or its table's name when it is our own."""

    kind: Kind
    header: Header | None
    table: str | None


def recognise(path: Path) -> Recognised | None:
    """What the file `path` is, or None when it is no file of answers.

    Raises:
        UserError: no such file, UTF-16 text, or a table of our own that holds no votes.
    """
    table = schemas.table_name(existing_file(path))
    if table in own.NAMES:
        return Recognised("own", None, table)
    if table is None and (header := header_of(path, lambda names: own.other_table(names) is not None)):
        table = own.other_table(header.names)
    if table in schemas.TABLES:
        raise UserError(f"{path}: a table '{table}', not votes; {_instead(table)}")
    for kind, known in _KNOWN.items():
        header = header_of(path, known)
        if header:
            return Recognised(kind, header, None)
    return None


def find_answers(folder: Path) -> list[Path]:
    """The files of answers in `folder` and the folders below it, sorted; hidden files are passed over."""
    found = []
    for path in sorted(folder.rglob("*")):
        hidden_file = any(part.startswith(".") for part in path.relative_to(folder).parts)
        try:
            if not hidden_file and path.is_file() and recognise(path):
                found.append(path)
        except (OSError, UserError):  # what cannot be opened is told by who looks for other files
            continue
    return found


def import_answers(
    files: Sequence[Path],
    *,
    study: str | None = None,
    systems: tuple[str, str] = SYSTEMS,
    columns: Mapping[str, str] | None = None,
    keep_ids: bool = False,
) -> Imported:
    """Read files of answers; a row that stands in two of them counts once.

    Args:
        files: Mechanical Turk batch results, the published answers of Mori et al. 2019, or our own export.
        study: the name that the tables give the study; None is `mturk` or `mori_2019`. Our own keep theirs.
        systems: the generator's name and the human endings', where a file tells only which is which.
        columns: of a batch, by role (`mturk.ROLES`) the column that has it where its name does not tell.
        keep_ids: keep Mechanical Turk's worker ids, which are otherwise hashed.

    Raises:
        UserError: names of systems that are alike or those of answers; a role that is not known; a file that is none of
            these, or cannot be read; no usable answer in any of them.
    """
    if systems[0] == systems[1]:
        raise UserError(f"systems: both are called {systems[0]}; name two")
    if problem := like_an_answer(systems):
        raise UserError(f"systems: {problem}; give it another name")
    if unknown := sorted(set(columns or {}) - set(mturk.ROLES)):
        raise UserError(f"columns: no role {', '.join(unknown)}; roles are {', '.join(mturk.ROLES)}")
    found = {path: _recognised(path) for path in dict.fromkeys(files)}
    by_study: dict[str, list[Answer]] = {}
    tables: dict[str, list[pa.Table]] = {}
    unusable: list[Unusable] = []
    counts: Counter[str] = Counter()
    batches: list[Answer] = []
    assignments: set[str] = set()
    for path, (kind, header, name) in found.items():
        if kind == "own":
            assert name
            table = own.read_own(path, name)
            tables.setdefault(name, []).append(table)
            counts["rows"] += table.num_rows if name != "items" else 0
            continue
        assert header
        if kind == "own_csv":
            table, bad, its = own.read_votes(path, header)
            tables.setdefault("votes", []).append(table)
        elif kind == "mturk":
            answers, bad, its = mturk.read_batch(path, header, systems, columns or {}, assignments)
            batches += answers
        else:
            answers, bad, its = published.read_published(path, header, systems)
            by_study.setdefault(study or published.STUDY, []).extend(answers)
        unusable += bad
        counts += its
    if batches:
        paths = [path for path, each in found.items() if each.kind == "mturk"]
        by_study.setdefault(study or mturk.STUDY, []).extend(batches if keep_ids else hidden(batches, paths))
    for name_of_study, answers in by_study.items():
        made, its = tables_of(name_of_study, answers)
        counts["answered_twice"] += its["answered_twice"]
        for name, table in made.items():
            tables.setdefault(name, []).append(table)
    merged = {name: _merged(name, its, counts) for name, its in tables.items()}
    merged.setdefault("votes", schemas.empty_table("votes"))
    given = [table for name, table in merged.items() if name != "items"]
    for table in given:  # of ratings, an answer has a row for each question
        one_each = table.group_by([*ANSWER, "status"]).aggregate([])
        counts.update(one_each["status"].to_pylist())
    counts["unusable"] = len(unusable)
    if all(each.table == "items" for each in found.values()):
        raise UserError(f"{', '.join(map(str, found))}: items and no answers; name the votes.parquet beside it too")
    if not any(table.num_rows for table in given):
        first = f": {unusable[0].file} line {unusable[0].line}: {unusable[0].reason}" if unusable else ""
        raise UserError(f"{', '.join(map(str, found))}: no usable answer in {counts['rows']:,} rows{first}")
    rejects = [{"file": each.file, "line": each.line, "reason": each.reason} for each in unusable]
    return Imported(
        kinds={path.name: each.kind for path, each in found.items()},
        tables=merged,
        rejects=pa.Table.from_pylist(rejects, schema=schemas.TABLES["rejects"].schema),
        counts=dict(sorted(counts.items())),
    )


def _recognised(path: Path) -> Recognised:
    found = recognise(path)
    if found is None:
        raise UserError(
            f"{path}: no file of answers; known are Mechanical Turk batch results (HITId, ..., Answer.*), "
            "qualitative_evaluation_results.csv of Mori et al. 2019, and tables of `denouement study export`"
        )
    return found


def _instead(table: str) -> str:
    if table in SCALES:
        return "`denouement study results` reads it, as the Parquet file that was exported"
    return "name the votes.parquet of an export"


def _merged(name: str, tables: Sequence[pa.Table], counts: Counter[str]) -> pa.Table:
    """The tables as one; of rows with the same key the first is kept, and those left out are counted."""
    together = pa.concat_tables(tables)
    if len(tables) == 1:
        return together
    key = list(schemas.TABLES[name].key)
    numbered = together.append_column("row", pa.array(range(together.num_rows), pa.int64()))
    first = numbered.group_by(key).aggregate([("row", "min")])["row_min"]
    if name != "items":
        counts["duplicate_rows"] += together.num_rows - len(first)
    return together.take(first.take(pc.sort_indices(first)))


def imported_text(found: Imported) -> str:
    """What was read and what became of it, a line each."""
    what = {"mturk": "Mechanical Turk batch", "published": "published answers of Mori et al. 2019"}
    lines = [f"{name}: {what.get(kind, 'our own export')}" for name, kind in found.kinds.items()]
    told = [f"rows: {found.counts['rows']:,}"]
    told += [f"{label}: {n:,}" for key, label in _LABELS.items() if (n := found.counts.get(key, 0))]
    lines.append("; ".join(told))
    rejects = found.rejects.slice(0, _SHOWN).to_pylist()
    lines += [f"  {each['file']} line {each['line']}: {each['reason']}" for each in rejects]
    if (more := found.rejects.num_rows - len(rejects)) > 0:
        lines.append(f"  and {more:,} more rows that are not usable (--rejects writes all of them)")
    return "\n".join(lines)
