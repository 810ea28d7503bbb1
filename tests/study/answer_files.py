"""Files of answers as people have them, written out by hand."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from denouement.study.importing import mturk
from denouement.study.importing.published import COLUMNS

STORY = "Tom lost his key. He looked for it. It was not at home. He went back to work."
RIGHT, GENERATED = "His key was on the desk.", "He was very happy."


def csv_text(rows: Sequence[Mapping[str, str]], end: str = "\r\n") -> str:
    """CSV with every cell quoted, as Mechanical Turk writes it."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    written = io.StringIO()
    writer = csv.DictWriter(written, names, restval="", quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def assignment(number: int, worker: str, given: Mapping[str, str], **other: str) -> dict[str, str]:
    """A row of a batch: the 27 fixed columns, the story, and what was answered."""
    fixed = dict.fromkeys(mturk.FIXED, "x") | {
        "HITId": "3HIT",
        "AssignmentId": f"3ASSIGNMENT{number}",
        "WorkerId": worker,
        "AssignmentStatus": "Approved",
        "AcceptTime": "Tue Mar 05 08:14:02 PST 2019",
        "SubmitTime": "Tue Mar 05 08:15:32 PST 2019",
    }
    story = {
        "Input.storyid": "case-1",
        "Input.context": STORY,
        "Input.optionA": GENERATED,
        "Input.optionB": RIGHT,
        "Input.system_a": "net",
        "Input.system_b": "people",
    }
    return fixed | story | {f"Answer.{name}": value for name, value in given.items()} | other


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def published(answer: str, reason: str, side: str = "A", **other: str) -> dict[str, str]:
    options = (GENERATED, RIGHT) if side == "A" else (RIGHT, GENERATED)
    meant = {"A": "Generated", "B": "Human"} if side == "A" else {"A": "Human", "B": "Generated"}
    values = ("case-1", STORY, *options, answer, reason, RIGHT, side, meant.get(answer, answer))
    return dict(zip(COLUMNS, values, strict=True)) | other
