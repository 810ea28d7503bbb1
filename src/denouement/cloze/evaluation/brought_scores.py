"""Scores of endings that were made elsewhere: read from a file, checked against the cases, and compared with our
systems."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from denouement import schemas
from denouement.cloze.base import Scores
from denouement.cloze.evaluation.case_sets import CaseSet
from denouement.cloze.evaluation.published import HUMAN
from denouement.cloze.resources import MissingResourceError
from denouement.console import warn
from denouement.delimited import header_of, rows_of
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.schemas import RELEASES, SPLITS, shortened

_CASE, _SCORES = "case_id", ("score_1", "score_2")
_OPTIONAL = ("system", "variant", "release", "split")
_CHOICES = {"release": RELEASES, "split": SPLITS}

_NAME = re.compile(r"\w[\w .,:+()-]{0,79}")  # of a system or variant: it becomes part of a file's name

_Key = tuple[str, str | None, str | None]  # case, release and split; None: the file has no such column


@dataclass(frozen=True)
class BroughtScores:
    """The scores of one system, or one variant of it.

    Attributes:
        system, variant: as the file names them; without such a column its name, and "".
        file: the file's name.
        pairs: the scores of both endings by case id, release and split; the last two None where the file has no such
            column, so that a pair is for the case in any release and split.
    """

    system: str
    variant: str
    file: str
    pairs: dict[_Key, tuple[float, float]]

    def of_set(self, each: CaseSet) -> Scores:
        """The scores of a case set, float64 [cases, 2].

        Raises:
            MissingResourceError: not all of its cases have one.
        """
        found = [self._pair(case_id, each) for case_id in each.cases["case_id"].to_pylist()]
        if lacking := [
            case_id for case_id, pair in zip(each.cases["case_id"].to_pylist(), found, strict=True) if pair is None
        ]:
            raise MissingResourceError(
                f"{self.file} has no scores for {len(lacking):,} of {len(found):,} cases of {each.name}; the first is "
                f"{shortened(lacking[:1])}"
            )
        return np.array(found, np.float64).reshape(-1, 2)

    def not_scored(self, sets: Sequence[CaseSet]) -> int:
        """How many pairs belong to no scored case."""
        known: set[_Key] = set()
        for each in sets:
            known |= {
                key for case_id in each.cases["case_id"].to_pylist() for key in _keys(case_id, each.release, each.split)
            }
        return sum(key not in known for key in self.pairs)

    def _pair(self, case_id: str, each: CaseSet) -> tuple[float, float] | None:
        return next((self.pairs[key] for key in _keys(case_id, each.release, each.split) if key in self.pairs), None)


def read_scores(path: Path) -> list[BroughtScores]:
    """The scores in a file, by system and variant.

    Args:
        path: CSV (also with tabs or semicolons) or Parquet with the columns `case_id`, `score_1` and `score_2`: the
            higher score is of the ending that is likelier to be right. Where there are columns `system` and `variant`
            they name several systems; otherwise the system has the file's name, without its suffix. With columns
            `release` and `split` a score is of a case in these alone.

    Raises:
        UserError: no such file, no such columns, a score that is no finite number, a case that is there twice for a
            system, or a release or split that there is not. The message names the line, or in a Parquet file the row.
    """
    is_parquet = existing_file(path).read_bytes()[:4] == b"PAR1"
    names, rows, place = _parquet_rows(path) if is_parquet else _text_rows(path)
    if other := [name for name in names if name not in (_CASE, *_SCORES, *_OPTIONAL)]:
        warn(f"{path}: columns that are not read: {shortened(other)}")
    found: dict[tuple[str, str], dict[_Key, tuple[float, float]]] = {}
    for number, row in rows:
        where = f"{path}: {place} {number}"
        if not row[_CASE]:
            raise UserError(f"{where} has no case_id")
        for name, choices in _CHOICES.items():
            if name in row and row[name] not in choices:
                raise UserError(f"{where}: {name} must be one of {', '.join(choices)}, not {row[name]!r}")
        system = row.get("system", path.stem)
        variant = row.get("variant") or ""
        for name in filter(None, (system or " ", variant)):
            if not _NAME.fullmatch(name):
                raise UserError(
                    f"{where}: {name!r} cannot name a system; give letters, digits, blanks and . , : + ( ) - alone, "
                    "at most 80, the first a letter or a digit"
                )
        pairs = found.setdefault((system, variant), {})
        key = (row[_CASE], row.get("release"), row.get("split"))
        if key in pairs:
            raise UserError(f"{where}: case {row[_CASE]} is there twice for {system}; give each case once")
        pairs[key] = (_number(row["score_1"], where), _number(row["score_2"], where))
    if not found:
        raise UserError(f"{path}: no row of scores in it")
    return [BroughtScores(system, variant, path.name, pairs) for (system, variant), pairs in found.items()]


def check_against(brought: Sequence[BroughtScores], sets: Sequence[CaseSet], systems: Sequence[str]) -> dict[str, int]:
    """Make sure that scores and cases belong together.

    Args:
        brought: what was read.
        sets: what is scored.
        systems: the names of our own systems that are evaluated.

    Returns:
        By note how often it applies: pairs that belong to no scored case.

    Raises:
        UserError: two systems whose name and variant, written one after the other, are the same; no pair is of a case
            that is scored; or one score for a case that has other endings, or the same in another order, in two of the
            sets.
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
        n_strange = each.not_scored(sets)
        if n_strange == len(each.pairs):
            scored = ", ".join(of_set.name for of_set in sets)
            raise UserError(f"{each.file}: none of the {n_strange:,} scores of {name} is of a case of {scored}")
        if n_strange:
            notes[f"{each.file}: scores of {name} for cases that are not scored"] = n_strange
        for key in each.pairs:
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


def _endings_by_key(sets: Sequence[CaseSet]) -> dict[_Key, dict[tuple[str, str], str]]:
    """By how a file may name a case the pairs of endings that it has, each with the first set in which it has them."""
    found: dict[_Key, dict[tuple[str, str], str]] = {}
    for each in sets:
        columns = (each.cases[name].to_pylist() for name in ("case_id", "ending_1", "ending_2"))
        for case_id, first, second in zip(*columns, strict=True):
            for key in _keys(case_id, each.release, each.split):
                found.setdefault(key, {}).setdefault((first, second), each.name)
    return found


def _keys(case_id: str, release: str, split: str) -> list[_Key]:
    """How a file may name a case, by which of the columns release and split it has."""
    return [(case_id, a, b) for a in (release, None) for b in (split, None)]


def _text_rows(path: Path) -> tuple[Sequence[str], list[tuple[int, dict[str, Any]]], str]:
    header = header_of(path, lambda names: {_CASE, *_SCORES} <= set(names))
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
    try:
        names = pq.read_schema(path).names
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: damaged Parquet file; make it again") from error
    if lacking := [name for name in (_CASE, *_SCORES) if name not in names]:
        raise UserError(f"{path}: no column {', '.join(lacking)}; give case_id, score_1 and score_2")
    _refuse_repeated(path, names)
    table = schemas.read_parquet(path).select([name for name in (_CASE, *_SCORES, *_OPTIONAL) if name in names])
    for name in table.column_names:
        kind = table.schema.field(name).type
        if name in _SCORES:
            is_right = pa.types.is_floating(kind) or pa.types.is_integer(kind)
        else:
            is_right = schemas.is_text(kind) or pa.types.is_dictionary(kind)
        if not is_right:
            raise UserError(f"{path}: column {name} holds {kind}; give {'numbers' if name in _SCORES else 'text'}")
        if name != "variant" and table[name].null_count:
            first = pc.index(pc.is_null(table[name]), True).as_py() + 1
            raise UserError(f"{path}: row {first} has no {name}")
    return names, list(enumerate(table.to_pylist(), 1)), "row"


def _refuse_repeated(path: Path, names: Sequence[str]) -> None:
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UserError(f"{path}: two columns {repeated[0]}; leave one out")


def _number(value: Any, where: str) -> float:
    try:
        number = math.nan if "_" in str(value) else float(value)  # Python alone reads 1_0 as ten
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"{where}: {value!r} is not a finite number; give a score for each of the two endings")
    return number
