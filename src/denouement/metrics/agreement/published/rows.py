"""What published files hold, and how JSON is read from them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from denouement.delimited import text_of
from denouement.errors import UserError
from denouement.metrics.agreement.values import Value


@dataclass(frozen=True)
class PublishedFile:
    """Scores and ratings.

    Attributes:
        scores: a row a score and ending.
        ratings: by question a row a rater and ending; the question is an empty text where there is one alone.
    """

    scores: Iterable[Value]
    ratings: Mapping[str, Iterable[Value]]


def beginning(path: Path, length: int = 4096) -> str:
    """The first characters of a file; an empty text where it is no file or no text."""
    if not path.is_file():
        return ""
    with path.open("rb") as opened:
        return opened.read(length).decode("utf-8", errors="replace").lstrip("\ufeff")


def json_of(path: Path) -> Any:
    """The value in a JSON file; NaN, which Python writes though JSON has none, is read.

    Raises:
        UserError: no JSON.
    """
    try:
        return json.loads(text_of(path))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: no JSON ({error}); get the file again") from error


def number_of(value: Any, path: Path, where: str) -> float:
    """A number.

    Raises:
        UserError: no finite one.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("inf")
    if number in (float("inf"), float("-inf")):
        raise UserError(f"{path}: {where}: {str(value)[:40]!r} is no number; get the file again")
    return number
