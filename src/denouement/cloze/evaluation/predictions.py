"""The CSV files that the shared task asks for."""

import csv
import io

import numpy as np
import pyarrow as pa

from denouement.cloze.base import choices
from denouement.errors import UserError
from denouement.schemas import ENGLISH

_NAMED = ("system", "variant", "release", "split")


def predictions(scores: pa.Table) -> dict[str, str]:
    """By name (`system[-variant]-release-split`, and a language other than English) the shared task's CSV file.

    Its header is `InputStoryid,AnswerRightEnding`; a line a case follows, in their order, with the number of the chosen
    ending: 1 or 2, or more where there are more.

    Raises:
        UserError: two systems whose files would have one name.
    """
    files: dict[str, io.StringIO] = {}
    keys: dict[str, list[str]] = {}
    columns = (scores[name].to_pylist() for name in ("case_id", "scores", "language", *_NAMED))
    for case_id, of_endings, language, *named in zip(*columns, strict=True):
        key = [*named, *([language] if language != ENGLISH else [])]
        choice = int(choices(np.array([of_endings]))[0])
        name = "-".join("_".join(part.split()) for part in key if part)
        if keys.setdefault(name, key) != key:
            raise UserError(f"predictions of two systems would both be {name}.csv; rename one of the systems")
        if name not in files:
            files[name] = io.StringIO()
            files[name].write("InputStoryid,AnswerRightEnding\n")
        csv.writer(files[name], lineterminator="\n").writerow([case_id, choice])
    return {name: file.getvalue() for name, file in files.items()}
