"""What reading a file of stories or cases gives, and its bytes as text."""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from denouement import schemas
from denouement.corpus.layouts import Kind
from denouement.delimited import UTF16, decoded, encoding_of
from denouement.errors import UserError
from denouement.files import existing_file

_MOST_BYTES = 1 << 31  # more than Arrow's offsets can count


@dataclass(frozen=True)
class OfficialFile:
    """The content of one official file.

    Attributes:
        kind: "stories" or "cloze".
        file: the file's name without its folder.
        constants: values for all rows, from the file's name: `source` of stories, `release` and `split` of cases.
        labelled: whether there is a column of right endings.
        read: rows with any text, good or rejected.
        table: the good rows in the order of the file, with the columns of the table `kind`; stories without `split`.
        contexts: the normalised contexts (`keys.contexts`) of these rows.
        lines: int64 [good rows], the line of the file where each one starts; the header is line 1.
        rejects: the other rows, as the table `rejects`.
        blank: rows without any text, which are neither good nor rejected.
        oddities: how many cells of the good rows held each kind of `cells.ODDITIES`; `quotes_lost` counts all rows.
        quoted: whether quotes quote cells, as in CSV; otherwise they are part of the texts.
    """

    kind: Kind
    file: str
    constants: dict[str, str]
    labelled: bool
    read: int
    table: pa.Table
    contexts: pa.ChunkedArray
    lines: npt.NDArray[np.int64]
    rejects: pa.Table
    blank: int
    oddities: dict[str, int]
    quoted: bool


def rejects_table(rejected: Sequence[tuple[str, int, str]]) -> pa.Table:
    """The table `rejects` of the files, lines and reasons given."""
    return pa.Table.from_pylist(
        [{"file": file, "line": line, "reason": reason} for file, line, reason in rejected],
        schema=schemas.TABLES["rejects"].schema,
    )


def content_of(path: Path, size: int = -1) -> bytes:
    """The first `size` bytes (by default all), converted to UTF-8, without a byte order mark.

    `check_utf8` checks that a file in UTF-8 is valid.

    Raises:
        UserError: no such file, an empty one, or one that is no text.
    """
    try:
        with existing_file(path).open("rb") as opened:
            content = opened.read(size)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    if encoding_of(content, path) == UTF16:
        content = decoded(content, path, errors="strict" if size < 0 else "replace").encode()
    if len(content) >= _MOST_BYTES:
        raise UserError(f"{path}: larger than 2 GiB; part it into several files")
    if b"\0" in content:
        raise UserError(f"{path}: not text; of a spreadsheet or an archive, save the table as CSV in UTF-8")
    content = content.removeprefix(codecs.BOM_UTF8)
    if not content or content.isspace():
        raise UserError(f"{path}: an empty file; name the complete file")
    return content


def check_utf8(path: Path, content: bytes) -> None:
    """Make sure that the content of the file `path` is UTF-8.

    Raises:
        UserError: it is not; the message names the line.
    """
    text = pa.StringArray.from_buffers(1, pa.py_buffer(np.array([0, len(content)], np.int32)), pa.py_buffer(content))
    try:
        text.validate(full=True)  # ten times as fast as decoding, which names the line of a mistake
    except pa.ArrowInvalid:
        decoded(content, path)
