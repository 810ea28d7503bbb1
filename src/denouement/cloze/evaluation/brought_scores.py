"""Scores of endings that were made elsewhere: read from a file, checked against the cases, and compared with our
systems."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from denouement import schemas
from denouement.cloze.base import Scores, by_case
from denouement.cloze.evaluation.case_sets import CaseSet
from denouement.cloze.evaluation.published import HUMAN
from denouement.cloze.resources import MissingResourceError
from denouement.console import warn
from denouement.corpus.cases import n_endings
from denouement.delimited import header_of, rows_of
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.schemas import SPLITS, is_name, shortened

_CASE, _FIRST = "case_id", ("score_1", "score_2")
_OPTIONAL = ("system", "variant", "release", "split", "language")
_SCORE = re.compile(r"score_[1-9][0-9]{0,2}")

_NAME = re.compile(r"\w[\w .,:+()-]{0,79}")  # of a system or variant: it becomes part of a file's name

# Case, release, split and language; None: the file has no such column.
_Key = tuple[str, str | None, str | None, str | None]


@dataclass(frozen=True)
class BroughtScores:
    """The scores of one system, or one variant of it.

    Attributes:
        system, variant: as the file names them; without such a column its name, and "".
        file: the file's name.
        rows: the scores of the endings by case id, release, split and language; the last three None where the file has
            no such column, so that a row is for the case in any of them.
    """

    system: str
    variant: str
    file: str
    rows: dict[_Key, tuple[float, ...]]

    def of_set(self, each: CaseSet) -> Scores:
        """The scores of a case set.

        Raises:
            MissingResourceError: not all of its cases have them.
        """
        ids = each.cases["case_id"].to_pylist()
        found = [self._row(case_id, each) for case_id in ids]
        if lacking := [case_id for case_id, row in zip(ids, found, strict=True) if row is None]:
            raise MissingResourceError(
                f"{self.file} has no scores for {len(lacking):,} of {len(found):,} cases of {each.name}; the first is "
                f"{shortened(lacking[:1])}"
            )
        return by_case([score for row in found for score in row or ()], each.cases)

    def check_lengths(self, each: CaseSet) -> None:
        """Make sure that cases have as many scores as endings.

        Raises:
            UserError: a case of the set has more or fewer.
        """
        for case_id, n in zip(each.cases["case_id"].to_pylist(), n_endings(each.cases).tolist(), strict=True):
            row = self._row(case_id, each)
            if row is not None and len(row) != n:
                raise UserError(
                    f"{self.file}: case {case_id} of {each.name} has {n} endings and {len(row)} scores; give a score "
                    "for each ending, and leave the cells behind the last one empty"
                )

    def not_scored(self, sets: Sequence[CaseSet]) -> int:
        """How many rows belong to no scored case."""
        known: set[_Key] = set()
        for each in sets:
            known |= {key for case_id in each.cases["case_id"].to_pylist() for key in _keys(case_id, each)}
        return sum(key not in known for key in self.rows)

    def _row(self, case_id: str, each: CaseSet) -> tuple[float, ...] | None:
        return next((self.rows[key] for key in _keys(case_id, each) if key in self.rows), None)


def read_scores(path: Path) -> list[BroughtScores]:
    """The scores in a file, by system and variant.

    Args:
        path: CSV (also with tabs or semicolons) or Parquet with the columns `case_id`, `score_1` and `score_2`, and
            `score_3` and so on where a case has more endings: the highest score is of the ending that is likeliest to
            be right. Cells behind the last ending of a case are empty. Where there are columns `system` and `variant`
            they name several systems; otherwise the system has the file's name, without its suffix. With columns
            `release`, `split` and `language` a score is of a case in these alone.

    Raises:
        UserError: no such file, no such columns, a score that is no finite number, a case that is there twice for a
            system, or a release or split that there is not. The message names the line, or in a Parquet file the row.
    """
    is_parquet = existing_file(path).read_bytes()[:4] == b"PAR1"
    names, rows, place = _parquet_rows(path) if is_parquet else _text_rows(path)
    columns = _score_columns(names, path)
    if other := [name for name in names if name not in (_CASE, *columns, *_OPTIONAL)]:
        warn(f"{path}: columns that are not read: {shortened(other)}")
    found: dict[tuple[str, str], dict[_Key, tuple[float, ...]]] = {}
    for number, row in rows:
        where = f"{path}: {place} {number}"
        if not row[_CASE]:
            raise UserError(f"{where} has no case_id")
        if "split" in row and row["split"] not in SPLITS:
            raise UserError(f"{where}: split must be one of {', '.join(SPLITS)}, not {row['split']!r}")
        for name in ("release", "language"):
            if name in row and not is_name(row[name]):
                raise UserError(f"{where}: {name} must be a name such as v1.0 or en, not {row[name]!r}")
        system = row.get("system", path.stem)
        variant = row.get("variant") or ""
        for name in filter(None, (system or " ", variant)):
            if not _NAME.fullmatch(name):
                raise UserError(
                    f"{where}: {name!r} cannot name a system; give letters, digits, blanks and . , : + ( ) - alone, "
                    "at most 80, the first a letter or a digit"
                )
        of_system = found.setdefault((system, variant), {})
        key = (row[_CASE], row.get("release"), row.get("split"), row.get("language"))
        if key in of_system:
            raise UserError(f"{where}: case {row[_CASE]} is there twice for {system}; give each case once")
        of_system[key] = tuple(_number(cell, where) for cell in _filled([row[name] for name in columns]))
    if not found:
        raise UserError(f"{path}: no row of scores in it")
    return [BroughtScores(system, variant, path.name, rows) for (system, variant), rows in found.items()]


def _score_columns(names: Sequence[str], path: Path) -> list[str]:
    """The columns of scores in the order of the endings."""
    columns = [f"score_{place}" for place in range(1, sum(_SCORE.fullmatch(name) is not None for name in names) + 1)]
    if lacking := [name for name in columns if name not in names]:
        raise UserError(f"{path}: columns of later scores without {lacking[0]}; give score_1, score_2 and so on")
    return columns


def _filled(cells: Sequence[Any]) -> Sequence[Any]:
    """The cells of a row's scores up to the last that is filled; the first two in any case."""
    last = max((place for place, cell in enumerate(cells, 1) if cell not in ("", None)), default=0)
    return cells[: max(last, len(_FIRST))]


def check_against(brought: Sequence[BroughtScores], sets: Sequence[CaseSet], systems: Sequence[str]) -> dict[str, int]:
    """Make sure that scores and cases belong together.

    Args:
        brought: what was read.
        sets: what is scored.
        systems: the names of our own systems that are evaluated.

    Returns:
        By note how often it applies: rows that belong to no scored case.

    Raises:
        UserError: two systems whose name and variant, written one after the other, are the same; no row is of a case
            that is scored; or one score for a case that has other endings, or the same in another order, in two of the
            sets; or a case with more or fewer scores than endings.
    """
    notes: dict[str, int] = {}
    seen: dict[str, str] = {}
    endings = _endings_by_key(sets)
    for each in brought:
        name = f"{each.system} {each.variant}".strip()
        # Which variants our own systems have is known only once they have scored.
        if each.system == HUMAN or any(f"{name} ".startswith(f"{ours} ") for ours in systems):
            raise UserError(f"{each.file}: {name} has the name of a system that is evaluated here; rename one of them")
        if name in seen:
            raise UserError(f"{each.file}: {name} has the name of a system in {seen[name]}; rename one of them")
        seen[name] = each.file
        for of_set in sets:
            each.check_lengths(of_set)
        n_strange = each.not_scored(sets)
        if n_strange == len(each.rows):
            scored = ", ".join(of_set.name for of_set in sets)
            raise UserError(f"{each.file}: none of the {n_strange:,} scores of {name} is of a case of {scored}")
        if n_strange:
            notes[f"{each.file}: scores of {name} for cases that are not scored"] = n_strange
        for key in each.rows:
            names = list(endings.get(key, {}).values())
            if len(names) < 2:
                continue
            if len(set(names)) == 1:
                raise UserError(f"{each.file}: case {key[0]} is twice in {names[0]}, with other endings; leave one out")
            raise UserError(
                f"{each.file}: case {key[0]} has other endings, or the same in another order, in "
                f"{' and '.join(names)}; give the columns release and split, or score one set with --release and "
                "--split"
            )
    return notes


def _endings_by_key(sets: Sequence[CaseSet]) -> dict[_Key, dict[tuple[str, ...], str]]:
    """By how a file may name a case the endings that it has in their order, with the first set in which it has them."""
    found: dict[_Key, dict[tuple[str, ...], str]] = {}
    for each in sets:
        columns = (each.cases[name].to_pylist() for name in ("case_id", "endings"))
        for case_id, endings in zip(*columns, strict=True):
            for key in _keys(case_id, each):
                found.setdefault(key, {}).setdefault(tuple(endings), each.name)
    return found


def _keys(case_id: str, each: CaseSet) -> list[_Key]:
    """How a file may name a case of a set, by which of the columns release, split and language it has."""
    return [(case_id, *names) for names in product((each.release, None), (each.split, None), (each.language, None))]


def _text_rows(path: Path) -> tuple[Sequence[str], list[tuple[int, dict[str, Any]]], str]:
    header = header_of(path, lambda names: {_CASE, *_FIRST} <= set(names))
    if header is None:
        raise UserError(f"{path}: no header with the columns case_id, score_1 and score_2, in CSV or Parquet")
    _refuse_repeated(path, header.names)
    rows = []
    for row in rows_of(path, header):
        if problem := header.misfit(row.cells):
            raise UserError(f"{path}: line {row.line} has {problem}; correct the line")
        rows.append((row.line, dict(zip(header.names, map(str.strip, row.cells), strict=True))))
    return header.names, rows, "line"


def _parquet_rows(path: Path) -> tuple[Sequence[str], list[tuple[int, dict[str, Any]]], str]:
    if schemas.table_name(path) == "scores":
        return _own_rows(schemas.read_table(path, "scores"))
    try:
        names = pq.read_schema(path).names
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: damaged Parquet file; make it again") from error
    if lacking := [name for name in (_CASE, *_FIRST) if name not in names]:
        raise UserError(f"{path}: no column {', '.join(lacking)}; give case_id, score_1 and score_2")
    _refuse_repeated(path, names)
    columns = _score_columns(names, path)
    table = schemas.read_parquet(path).select([name for name in (_CASE, *columns, *_OPTIONAL) if name in names])
    for name in table.column_names:
        kind = table.schema.field(name).type
        if name in columns:
            is_right = pa.types.is_floating(kind) or pa.types.is_integer(kind)
        else:
            is_right = schemas.is_text(kind) or pa.types.is_dictionary(kind)
        if not is_right:
            raise UserError(f"{path}: column {name} holds {kind}; give {'numbers' if name in columns else 'text'}")
        if name not in ("variant", *columns[len(_FIRST) :]) and table[name].null_count:
            first = pc.index(pc.is_null(table[name]), True).as_py() + 1
            raise UserError(f"{path}: row {first} has no {name}")
    return names, list(enumerate(table.to_pylist(), 1)), "row"


def _own_rows(table: pa.Table) -> tuple[Sequence[str], list[tuple[int, dict[str, Any]]], str]:
    """The rows of our own table of scores, with a column for each place of an ending."""
    rows = table.to_pylist()
    columns = [f"score_{place}" for place in range(1, max((len(row["scores"]) for row in rows), default=0) + 1)]
    for row in rows:
        row |= zip_longest(columns, row.pop("scores"))
    return [*(name for name in table.column_names if name != "scores"), *columns], list(enumerate(rows, 1)), "row"


def _refuse_repeated(path: Path, names: Sequence[str]) -> None:
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UserError(f"{path}: two columns {repeated[0]}; leave one out")


def _number(value: Any, where: str) -> float:
    try:
        number = math.nan if "_" in str(value) else float(value)  # Python alone reads 1_0 as ten
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"{where}: {value!r} is not a finite number; give a score for each ending")
    return number
