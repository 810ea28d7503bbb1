"""UNION (Guan and Huang 2020): `ant_data.txt` with seven people's ratings, and files of scores in `metric_output/`.

A line of `ant_data.txt` is `ids ||| story ||| ratings`, where ratings are 0 or 1 with blanks between. A file of scores,
such as `union.txt`, has one number a line, in the same order; its name is the score's. Items are named by their lines.
"""

import re
from pathlib import Path

from denouement.delimited import text_of
from denouement.errors import UserError
from denouement.metrics.agreement.published.rows import PublishedFile, beginning, number_of
from denouement.metrics.agreement.values import Value

_BETWEEN = "|||"
_IDS = re.compile(r"\s*\d+(?:\s*///\s*\d+)*\s*\|\|\|")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan", re.IGNORECASE)


def is_of(path: Path) -> bool:
    """Whether it begins with a line of ratings, is a text file of numbers alone, or a folder of such files."""
    if path.is_dir():
        return any(map(_is_of_numbers, path.glob("*.txt")))
    return bool(_IDS.match(beginning(path))) or _is_of_numbers(path)


def read(path: Path) -> PublishedFile:
    """The ratings of a file of people, or the scores of a file or of all files `*.txt` of a folder.

    Raises:
        UserError: a line of another form, or files of different lengths.
    """
    if path.is_dir() or _is_of_numbers(path):
        return PublishedFile(_scores(path), {})
    rows: list[Value] = []
    for number, line in enumerate(text_of(path).splitlines(), 1):
        parts = line.split(_BETWEEN)
        if line.strip() and len(parts) != 3:
            raise UserError(f"{path}: line {number} is not `ids ||| story ||| ratings`; get the file again")
        for rater, value in enumerate(parts[-1].split() if line.strip() else [], 1):
            rows.append(((str(number), ""), f"rater {rater}", number_of(value, path, f"line {number}")))
    return PublishedFile([], {"": rows})


def _is_of_numbers(path: Path) -> bool:
    lines = beginning(path).split("\n")
    return path.suffix == ".txt" and all(_NUMBER.fullmatch(line.strip()) for line in lines[:-1][:20] or lines)


def _scores(path: Path) -> list[Value]:
    files = sorted(filter(_is_of_numbers, path.glob("*.txt"))) if path.is_dir() else [path]
    rows: list[Value] = []
    lengths: dict[int, Path] = {}
    for file in files:
        values = text_of(file).split()
        lengths.setdefault(len(values), file)
        rows += [
            ((str(line), ""), file.stem, number_of(value, file, f"line {line}")) for line, value in enumerate(values, 1)
        ]
    if len(lengths) > 1:
        (n, one), (m, other), *_ = lengths.items()
        raise UserError(f"{one} has {n:,} lines and {other} {m:,}; name a folder with scores of the same stories")
    return rows
