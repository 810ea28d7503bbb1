"""Scores and ratings in plain tables: CSV, JSON Lines or Parquet, a row an ending or a row a value."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from denouement.answers import chosen_question
from denouement.corpus.endings import named_rows
from denouement.errors import UserError
from denouement.files import existing_file
from denouement.metrics.agreement.values import (
    Ending,
    Ratings,
    Scores,
    Value,
    gathered_ratings,
    gathered_scores,
)
from denouement.schemas import shortened, table_name

ITEMS = ("case_id", "item_id")
SYSTEM = "system"
_SCORE, _VALUE = "score", "value"
_RATERS = ("rater", "annotator_id")
_RATINGS = ("rating", _VALUE)
_QUESTION = "question"
_MISSING = ("", "na", "nan", "null", "none")


def kind_of(path: Path) -> str | None:
    """Which table of this package a file is; None for any other file.

    Raises:
        UserError: no such file.
    """
    with existing_file(path).open("rb") as opened:
        is_parquet = opened.read(4) == b"PAR1"
    return table_name(path) if is_parquet else None


def scores_of_table(path: Path) -> Scores:
    """Scores with a row for each value (`score`, `value`), or a column for each score.

    Columns that hold a text are left out.

    Raises:
        UserError: no such file, no column that names items, no score, a value that is no number, or rows that repeat
            another.
    """
    names, rows = _rows(path)
    item, system = _column(path, names, ITEMS), SYSTEM if SYSTEM in names else None
    if {_SCORE, _VALUE} <= set(names):
        values = (
            (
                _ending(row, item, system, where, path),
                _text(row, _SCORE, where, path),
                _number(row[_VALUE], where, path, _VALUE),
            )
            for where, row in rows
        )
        return gathered_scores(str(path), values)
    held = list(rows)
    numbers, texts = _columns_of_numbers(names, held)
    if not numbers:
        raise UserError(f"{path}: no column of scores; it has {shortened(names)}")
    return gathered_scores(str(path), _wide(path, held, item, system, numbers), texts)


def ratings_of_table(path: Path, question: str | None, columns: Sequence[str]) -> tuple[Ratings, str | None, list[str]]:
    """Ratings with a row for each (`rater`, `rating`), or a column for each rater.

    Args:
        path: the file.
        question: of those in the column `question`, where there is one; None is the first.
        columns: the columns of the raters; none for all columns of numbers.

    Returns:
        The ratings, the question, and the other questions.

    Raises:
        UserError: as `scores_of_table`, or no such question.
    """
    names, rows = _rows(path)
    item, system = _column(path, names, ITEMS), SYSTEM if SYSTEM in names else None
    held = list(rows)
    questions: list[str] = []
    if _QUESTION in names:
        questions = list(dict.fromkeys(str(row[_QUESTION]) for _, row in held))
        question = chosen_question(path, question, questions)
        held = [(where, row) for where, row in held if str(row[_QUESTION]) == question]
    elif question is not None:
        raise UserError(f"{path}: has no column question; leave --question out")
    rater = next((name for name in _RATERS if name in names), None)
    value = next((name for name in _RATINGS if name in names), None)
    others = [each for each in questions if each != question]
    if rater and value:
        found = gathered_ratings(
            str(path),
            (
                (
                    _ending(row, item, system, where, path),
                    _text(row, rater, where, path),
                    _number(row[value], where, path, value),
                )
                for where, row in held
            ),
        )
        return (found.only(columns) if columns else found), question, others
    numbers, _ = _columns_of_numbers(names, held)
    if missing := [name for name in columns if name not in names]:
        raise UserError(f"{path}: no column {shortened(missing)}; it has {shortened(names)}")
    if not (columns or numbers):
        raise UserError(f"{path}: no column of ratings; it has {shortened(names)}")
    return gathered_ratings(str(path), _wide(path, held, item, system, columns or numbers)), question, others


_Row = tuple[str, dict[str, Any]]


def _rows(path: Path) -> tuple[Sequence[str], Iterator[_Row]]:
    def fits(names: Sequence[str]) -> bool:
        return bool(set(ITEMS) & set(names))

    return named_rows(path, fits)


def _column(path: Path, names: Sequence[str], known: Sequence[str]) -> str:
    for name in known:
        if name in names:
            return name
    raise UserError(f"{path}: no column {' or '.join(known)}; it has {shortened(names) or 'no columns'}")


def _columns_of_numbers(names: Sequence[str], rows: Sequence[_Row]) -> tuple[list[str], list[str]]:
    """The columns in which each value is a number or missing and not all are missing, and the other ones."""
    numbers: list[str] = []
    texts: list[str] = []
    for name in (each for each in names if each not in (*ITEMS, SYSTEM, _QUESTION, *_RATERS)):
        values = [row.get(name) for _, row in rows]
        is_number = all(map(_is_number, values)) and not all(map(_is_missing, values))
        (numbers if is_number else texts).append(name)
    return numbers, texts


def _is_missing(value: Any) -> bool:
    return value is None or str(value).strip().lower() in _MISSING


def _is_number(value: Any) -> bool:
    if isinstance(value, list | dict | bytes):
        return False
    try:
        return _is_missing(value) or float(value) is not None
    except (TypeError, ValueError):
        return False


def _wide(path: Path, rows: Sequence[_Row], item: str, system: str | None, columns: Sequence[str]) -> Iterator[Value]:
    for where, row in rows:
        ending = _ending(row, item, system, where, path)
        for name in columns:
            yield ending, name, _number(row.get(name), where, path, name)


def _ending(row: dict[str, Any], item: str, system: str | None, where: str, path: Path) -> Ending:
    return _text(row, item, where, path), _text(row, system, where, path) if system else ""


def _text(row: dict[str, Any], name: str, where: str, path: Path) -> str:
    value = row.get(name)
    if value is None or not str(value).strip():
        raise UserError(f"{path}: {where}: {name} is empty; fill it or leave the row out")
    return str(value)


def _number(value: Any, where: str, path: Path, name: str) -> float:
    if _is_missing(value):
        return math.nan
    if not _is_number(value) or math.isinf(float(value)):
        raise UserError(f"{path}: {where}: {name} is {str(value)[:40]!r}, no number; correct it or leave it empty")
    return float(value)
