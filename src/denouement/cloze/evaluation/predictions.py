"""The CSV files that the shared task asks for."""

import csv
import io

import numpy as np
import pyarrow as pa

from denouement.cloze.base import choices
from denouement.errors import UserError


def predictions(scores: pa.Table) -> dict[str, str]:
    """By name (`system[-variant]-release-split`) the CSV file that the shared task asks for.

    Its header is `InputStoryid,AnswerRightEnding`; a line a case follows, in their order, with 1 or 2.

    Raises:
        UserError: two systems whose files would have one name.
    """
    files: dict[str, io.StringIO] = {}
    keys: dict[str, list[str]] = {}
    both = np.column_stack([scores["score_1"].to_numpy(), scores["score_2"].to_numpy()])
    columns = (scores[name].to_pylist() for name in ("case_id", "system", "variant", "release", "split"))
    for case_id, *key, choice in zip(*columns, choices(both).tolist(), strict=True):
        name = "-".join("_".join(part.split()) for part in key if part)
        if keys.setdefault(name, key) != key:
            raise UserError(f"predictions of two systems would both be {name}.csv; rename one of the systems")
        if name not in files:
            files[name] = io.StringIO()
            files[name].write("InputStoryid,AnswerRightEnding\n")
        csv.writer(files[name], lineterminator="\n").writerow([case_id, choice])
    return {name: file.getvalue() for name, file in files.items()}
