"""HANNA (Chhun et al. 2022): `hanna_metric_scores.csv` and `hanna_metric_scores_llm.csv`.

A row a system; a cell is a list of 96 numbers, one for each story. Six columns are means of three people's ratings by a
criterion. In the later file columns such as `Human 2 RE` have each person's ratings, and `Human Avg` columns are means
of two. All other columns are scores, and at the end of a name stand signs of its kind.
"""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from denouement.delimited import text_of
from denouement.errors import UserError
from denouement.metrics.agreement.published.rows import PublishedFile, beginning, number_of
from denouement.metrics.agreement.values import Value

_SYSTEM = "Model"
_CRITERIA = {
    "Relevance": "RE",
    "Coherence": "CH",
    "Empathy": "EM",
    "Surprise": "SU",
    "Engagement": "EG",
    "Complexity": "CX",
}
_PEOPLE = "Human "
_SIGNS = " ΞΔ§¤ε"


def is_of(path: Path) -> bool:
    """Whether the header is HANNA's."""
    return beginning(path).startswith(",".join([_SYSTEM, *_CRITERIA]))


def read(path: Path) -> PublishedFile:
    """The scores, and the ratings by criterion; the item ids are 1 to 96.

    Raises:
        UserError: a cell that is no list of numbers, or lists of different lengths.
    """
    text = text_of(path)
    limit = csv.field_size_limit(len(text) + 1)
    try:
        header, *rows = list(csv.reader(io.StringIO(text, newline="")))
    finally:
        csv.field_size_limit(limit)
    columns = {name: place for place, name in enumerate(header)}
    if strange := [row for row in rows if len(row) != len(header)]:
        raise UserError(
            f"{path}: a row has {len(strange[0])} cells where the header has {len(header)}; get the file again"
        )
    lists = {
        (row[0], name): _numbers(row[columns[name]], path, f"{name} of {row[0]}") for row in rows for name in header[1:]
    }
    if len({len(each) for each in lists.values()}) > 1:
        raise UserError(f"{path}: its lists have different lengths; get the file again")

    def values(name: str, called: str) -> Iterator[Value]:
        for row in rows:
            for place, value in enumerate(lists[row[0], name], 1):
                yield (str(place), row[0]), called, value

    scores = [name for name in header[1:] if name not in _CRITERIA and not name.startswith(_PEOPLE)]
    ratings = {}
    for criterion, short in _CRITERIA.items():
        of_people = [name for name in (f"Human {person} {short}" for person in (1, 2, 3)) if name in columns]
        ratings[criterion] = [each for name in of_people or [criterion] for each in values(name, name)]
    return PublishedFile([each for name in scores for each in values(name, name.rstrip(_SIGNS))], ratings)


def _numbers(cell: str, path: Path, where: str) -> list[float]:
    try:
        written = json.loads(cell.replace("nan", "NaN"))
    except ValueError as error:
        raise UserError(f"{path}: {where} is no list of numbers; get the file again") from error
    if not isinstance(written, list):
        raise UserError(f"{path}: {where} is no list of numbers; get the file again")
    return [number_of(value, path, where) for value in written]
