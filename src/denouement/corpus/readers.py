"""Reading the official files: ROCStories and Story Cloze, recognised by their headers, every row checked.

Files of other data sets of cases are recognised here, too, and read by `choice_files`.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from denouement import schemas
from denouement.console import warn
from denouement.corpus import cells, choice_files, keys, layouts
from denouement.corpus.layouts import Kind, OfficialLayout
from denouement.corpus.reading import OfficialFile, check_utf8, content_of, rejects_table
from denouement.delimited import n_cells
from denouement.errors import UserError, first_line
from denouement.files import visible_files
from denouement.quoting import broken_quotes, is_quoted

# A header is far shorter; reading no more keeps the search in a folder of large files quick.
_HEAD_BYTES = 1 << 16
# A file is parsed and checked in blocks, whose memory is used again.
_BLOCK_BYTES = 1 << 22
# Stories of the published collections have so many sentences, and so have those of files with as many columns.
_OFFICIAL_SENTENCES = 5

_OTHERS_SHOWN = 20
_WHOLE_ROW = "a cell holds a whole row"
_HEADER_AGAIN = "the header is repeated; several files may have been put together"
_HEADER_BEHIND = f"{_HEADER_AGAIN}, without a line end between it and the row before"
_OTHER_HEADER = "a header with other columns; keep each file separate"

# The form of the ids of all official files (RFC 9562), if it is the whole text.
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_UUID_LENGTH = 36
# Exports of collections write an apostrophe before what a spreadsheet would run (`spreadsheets.defused`).
_DEFUSED = (r"^'('*[=+\-@\t\r])", r"\1")
_MOST_IDS = 0.95  # a form that this share of a file's ids has is expected of all its ids

_HEADERS = "ROCStories (storyid,storytitle,sentence1,sentence2,...) nor Story Cloze (InputStoryid,InputSentence1,...)"


def find_files(folder: Path) -> tuple[list[Path], list[tuple[Path, str]]]:
    """The official files in `folder` and the folders below it, sorted, and every other file with the reason against it.

    Hidden files are ignored.

    Raises:
        UserError: no such folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError(f"{folder}: not a folder" if folder.exists() else f"{folder}: no such folder")
    official, others = [], []
    for path in visible_files(folder):
        try:
            head = content_of(path, _HEAD_BYTES)
            if choice_files.recognise(head) is None:
                _layout(path, head)
        except UserError as error:
            others.append((path, str(error).removeprefix(f"{path}: ")))
        else:
            official.append(path)
    return official, others


def warn_of_others(others: Sequence[tuple[Path, str]]) -> None:
    """Warn which files `find_files` left out and why: the first 20, and how many more."""
    for path, reason in others[:_OTHERS_SHOWN]:
        warn(f"{path} is left out: {reason}")
    if (more := len(others) - _OTHERS_SHOWN) > 0:
        warn(f"{more:,} more files are left out: they cannot be read as official files")


def read_file(path: Path, release: str | None = None, language: str | None = None) -> OfficialFile:
    """Read one official file, or one of another data set of cases (`choice_files`).

    Every cell is text, also `NA`, `null` and `1`; an empty title becomes null. In a tab-separated file, its cells
    decide whether quotes quote as in CSV or are text (`quoting.is_quoted`). A story has as many sentences as the file
    has sentence columns. In files with more or fewer than the official five a story may be shorter, but not below two
    sentences; its last cells are then empty.

    Args:
        path: comma- or tab-separated with an official header, in UTF-8, or in UTF-16 with a byte order mark.
        release: the release of cases, if the file's name does not contain it.
        language: of cases, if neither the name of the file nor that of its folder says it; None is English.

    Raises:
        UserError: the file cannot be read. Bad rows raise no error; they are in the result.
    """
    path = Path(path)
    content = content_of(path)
    if choices := choice_files.recognise(content[:_HEAD_BYTES]):
        check_utf8(path, content)
        return choice_files.read(path, content.decode(), choices, release, language)
    layout = _layout(path, content)
    check_utf8(path, content)
    constants = _constants(path, layout, release, language)
    body = content[layout.header_bytes :]
    quoted = layout.delimiter != "\t" or is_quoted(body.decode(), layout.delimiter, len(layout.columns))

    blocks, others = _check_blocks(path, body, layout, constants, quoted)
    blank = sum(block.blank for block in blocks)
    read = sum(len(block.heights) for block in blocks) - blank + len(others)
    if not read:
        raise UserError(f"{path}: a header and no rows; name the complete file")
    lines, rejected = _places(blocks, others, layout)
    table = pa.concat_tables([block.table for block in blocks])
    contexts = pa.chunked_array([chunk for block in blocks for chunk in block.contexts.chunks], pa.string())
    # Rows that are good by themselves, but wrong in comparison with the others.
    late = _shifted(table) | _below_other_header(lines, rejected)
    rejected |= {int(lines[row]): reason for row, reason in late.items()}
    kept = np.ones(len(lines), dtype=bool)
    kept[list(late)] = False
    if late:
        table, contexts = (rows.filter(pa.array(kept)) for rows in (table, contexts))
    oddities = _count_oddities(blocks, kept)
    oddities["quotes_lost"] = broken_quotes(body, layout.delimiter) if quoted else 0
    return OfficialFile(
        kind=layout.kind,
        file=path.name,
        constants=constants,
        labelled=layout.label is not None,
        read=read,
        table=table,
        contexts=contexts,
        lines=lines[kept],
        rejects=rejects_table([(path.name, *item) for item in sorted(rejected.items())]),
        blank=blank,
        oddities={kind: oddities[kind] for kind in cells.ODDITIES if oddities[kind]},
        quoted=quoted,
    )


def _layout(path: Path, content: bytes) -> OfficialLayout:
    head = content[:_HEAD_BYTES].decode(errors="ignore")
    layout = layouts.recognise(head)
    if layout is None:
        first = " ".join(head.strip().splitlines()[0].split())
        shown = first if len(first) <= 60 else f"{first[:60]}..."
        found = layouts.mistakes(head) or f"it is '{shown}'"
        raise UserError(f"{path}: the header is of neither {_HEADERS} nor another data set that is read ({found})")
    return layout


def _constants(path: Path, layout: OfficialLayout, release: str | None, language: str | None) -> dict[str, str]:
    """The values of the columns that are the same in all rows, from the file's name."""
    if layout.kind == "stories":
        return {"source": layouts.source_of(path.name)}
    spoken = layouts.language_of(path) or language or schemas.ENGLISH
    of_name = layouts.release_of(path.name) or release
    if spoken != schemas.ENGLISH and of_name in (None, *schemas.RELEASES):
        of_name = layouts.TRANSLATED  # those releases are in English
    if of_name is None:
        raise UserError(
            f"{path}: the name does not say the Story Cloze release (spring2016 is v1.0, winter2018 is v1.5); "
            "give --release v1.0 or --release v1.5, or rename the file"
        )
    split = layouts.split_of(path.name, labelled=layout.label is not None)
    if split is None:
        raise UserError(f"{path}: the name does not say the split; rename the file so that it has the word val or test")
    return {"release": of_name, "split": split, "language": spoken}


@dataclass(frozen=True)
class _Block:
    """The content of successive rows that are as wide as the header.

    Attributes:
        table, contexts: of the good rows, see `OfficialFile`.
        good: bool [rows].
        heights: int64 [rows], how many lines of the file each row takes.
        rejected: by row why it is rejected.
        blank: rows without any text.
        oddities: for each kind of `cells.ODDITIES`, by cell that held it, its row's index among the good rows.
    """

    table: pa.Table
    contexts: pa.ChunkedArray
    good: npt.NDArray[np.bool_]
    heights: npt.NDArray[np.int64]
    rejected: dict[int, str]
    blank: int
    oddities: dict[str, npt.NDArray[np.int64]]


def _check_blocks(
    path: Path, content: bytes, layout: OfficialLayout, constants: dict[str, str], quoted: bool
) -> tuple[list[_Block], list[pa.csv.InvalidRow]]:
    """The rows that are as wide as the header, checked, and the other rows."""
    body = pa.py_buffer(content)
    if not body.size:
        return [], []
    check = partial(_check, layout=layout, constants=constants)
    try:
        try:
            return _parse(body, layout, quoted, _BLOCK_BYTES, check)
        except pa.ArrowInvalid:
            # Arrow refuses a row longer than a block, which a quote that is left open may cause.
            return _parse(body, layout, quoted, body.size + 1, check)
    except pa.ArrowInvalid as error:
        raise UserError(f"{path}: cannot be read as CSV ({first_line(error)})") from error


def _parse(
    body: pa.Buffer, layout: OfficialLayout, quoted: bool, block_size: int, check: Callable[[pa.RecordBatch], _Block]
) -> tuple[list[_Block], list[pa.csv.InvalidRow]]:
    """The results of `check` for blocks of rows that are as wide as the header, and the other rows."""
    others: list[pa.csv.InvalidRow] = []

    def set_aside(row: pa.csv.InvalidRow) -> str:
        others.append(row)
        return "skip"

    reader = pa.csv.open_csv(
        pa.BufferReader(body),
        # One thread: with more, Arrow does not number rows of another width.
        pa.csv.ReadOptions(column_names=layout.columns, use_threads=False, block_size=block_size),
        # Blank lines are read as empty rows, so that lines can be counted.
        pa.csv.ParseOptions(
            delimiter=layout.delimiter,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
            ignore_empty_lines=False,
            invalid_row_handler=set_aside,
        ),
        pa.csv.ConvertOptions(
            column_types={name: pa.string() for name in layout.columns},
            strings_can_be_null=False,
            check_utf8=False,
        ),
    )
    # This thread parses while another one checks; more threads do not help because of the interpreter's lock.
    with ThreadPoolExecutor(1) as pool:
        return list(pool.map(check, reader)) or [check(pa.RecordBatch.from_pylist([], reader.schema))], others


def _places(
    blocks: Sequence[_Block], others: Sequence[pa.csv.InvalidRow], layout: OfficialLayout
) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
    """int64 [good rows], the line of the file where each starts, and by line why the bad rows are rejected."""
    n_rows = sum(len(block.heights) for block in blocks) + len(others)
    is_other = np.zeros(n_rows, dtype=bool)
    is_other[[row.number - 1 for row in others]] = True
    heights = np.ones(n_rows, dtype=np.int64)
    # Each line break in a row's cells adds a line.
    heights[is_other] += _line_breaks(pa.array([row.text for row in others], pa.string()))
    heights[~is_other] = np.concatenate([block.heights for block in blocks])
    lines = layout.header_lines + 1 + np.cumsum(heights) - heights

    rejected = {}
    for row, line, height in zip(others, lines[is_other].tolist(), heights[is_other].tolist(), strict=True):
        reason = f"{n_cells(row.actual_columns)} where the header has {row.expected_columns}"
        if header := layouts.header_in(row.text):
            # The header follows a row in the same line if the file before it ended without a line end.
            is_same = layouts.columns_of(header)[1 - len(layout.columns) :] == layout.columns[1:]
            reason, height = (_HEADER_BEHIND if is_same else _OTHER_HEADER), 1
        rejected[line] = reason + (f"; {_open_quote(line, height)}" if height > 1 else "")
    lines, good, start = lines[~is_other], [], 0
    for block in blocks:
        lines_of_block = lines[start : start + len(block.heights)]
        for row, reason in block.rejected.items():
            line = int(lines_of_block[row])
            if reason == _WHOLE_ROW:
                reason = f"{reason}; {_open_quote(line, int(block.heights[row]))}"
            rejected[line] = reason
        good.append(lines_of_block[block.good])
        start += len(block.heights)
    return np.concatenate(good), rejected


def _line_breaks(texts: pa.StringArray) -> npt.NDArray[np.int64]:
    """The number of line breaks (CRLF, LF or CR) in each text; nearly all files have none in their cells."""
    if cells.bytes_of(texts)[1].min(initial=0xFF) >= ord(" "):
        return np.zeros(len(texts), dtype=np.int64)
    lf, cr, crlf = (np.asarray(pc.count_substring(texts, end), dtype=np.int64) for end in ("\n", "\r", "\r\n"))
    return lf + cr - crlf


def _open_quote(line: int, height: int) -> str:
    return f"it goes on to line {line + height - 1}, so a quote may be left open"


def _check(rows: pa.RecordBatch, layout: OfficialLayout, constants: dict[str, str]) -> _Block:
    written = dict(zip(layout.columns, rows.columns, strict=True))
    if layouts.is_own_release(constants.get("release") or constants["source"]):
        written = {name: pc.replace_substring_regex(column, *_DEFUSED) for name, column in written.items()}
    heights = np.sum([_line_breaks(column) for column in written.values()], axis=0) + 1
    columns, seen = _clean(written, layout)
    filled = {name: _is_filled(column) for name, column in columns.items()}
    blank = ~np.logical_or.reduce(list(filled.values()))
    reasons = (
        _same_endings(columns, layout)
        | _wrong_labels(columns, layout)
        | _missing(filled, layout)
        | _swallowing(written, heights, layout)
        | _headers(columns, layout)
    )
    good = ~blank
    good[list(reasons)] = False
    kept = columns if good.all() else {name: column.filter(pa.array(good)) for name, column in columns.items()}
    make_table = _story_table if layout.kind == "stories" else _case_table
    table = make_table(kept, layout, constants)
    return _Block(
        table=table,
        contexts=keys.contexts(table),
        good=good,
        heights=heights,
        rejected={row: reason for row, reason in reasons.items() if not blank[row]},
        blank=int(blank.sum()),
        oddities={kind: np.cumsum(good)[rows[good[rows]]] - 1 for kind, rows in seen.items()},
    )


def _clean(
    written: dict[str, pa.StringArray], layout: OfficialLayout
) -> tuple[dict[str, pa.StringArray], dict[str, npt.NDArray[np.int64]]]:
    """The mended cells of each column, and for each kind of oddity the rows of the cells that held it."""
    cleaned = {}
    rows_of: dict[str, list[npt.NDArray[np.int64]]] = {}
    for name, column in written.items():
        cleaned[name], seen = cells.clean(column)
        if name in layout.sentences:
            seen |= cells.odd_sentences(cleaned[name])
        for kind, rows in seen.items():
            rows_of.setdefault(kind, []).append(rows)
    return cleaned, {kind: np.concatenate(rows) for kind, rows in rows_of.items()}


def _is_filled(texts: pa.StringArray) -> npt.NDArray[np.bool_]:
    offsets, _ = cells.bytes_of(texts)
    return offsets[1:] > offsets[:-1]


def _swallowing(
    columns: dict[str, pa.StringArray], heights: npt.NDArray[np.int64], layout: OfficialLayout
) -> dict[int, str]:
    """Rows with a cell that holds a line break and as many delimiters as a row: an open quote includes other rows.

    If the next quote is in the same column of a later row, the row still has the right width.
    """
    return {
        row: _WHOLE_ROW
        for row in np.flatnonzero(heights > 1).tolist()
        for cell in (column[row].as_py() for column in columns.values())
        if ("\n" in cell or "\r" in cell) and cell.count(layout.delimiter) >= len(layout.columns) - 1
    }


def _headers(columns: dict[str, pa.StringArray], layout: OfficialLayout) -> dict[int, str]:
    """Rows that are a header, with the same columns or others."""
    # The first cell of nearly all rows is no column's name, which excludes them.
    first = keys.normalised(columns[layout.columns[0]])
    names = keys.normalised(pa.array([*layouts.ALL_COLUMNS, *layout.columns], pa.string()))
    found = {}
    for row in np.flatnonzero(np.asarray(pc.is_in(first, names), dtype=bool)).tolist():
        written = [columns[name][row].as_py() for name in layout.columns]
        if layouts.is_header(written):
            found[row] = _HEADER_AGAIN if layouts.columns_of(written) == layout.columns else _OTHER_HEADER
    return found


def _same_endings(columns: dict[str, pa.StringArray], layout: OfficialLayout) -> dict[int, str]:
    """Cases whose endings have the same letters and digits, or have none and are equal: neither can be right."""
    if layout.kind == "stories":
        return {}
    one, other = layout.sentences[-2:]
    plain_one, plain_other = keys.normalised(columns[one]), keys.normalised(columns[other])
    same = np.asarray(pc.equal(plain_one, plain_other), dtype=bool)
    same &= _is_filled(plain_one) | np.asarray(pc.equal(columns[one], columns[other]), dtype=bool)
    as_written = dict(zip(layout.columns, layout.written, strict=True))
    return dict.fromkeys(np.flatnonzero(same).tolist(), f"{as_written[one]} and {as_written[other]} are the same")


def _shifted(table: pa.Table) -> dict[int, str]:
    """Rows of the right width whose cells seem to be shifted by a column, judged by the form of ids.

    Either a UUID, the form of all official ids, is in the place of a title, sentence or ending; or nearly all ids of
    the file hold a digit and no space, but the text in the place of this one does not.
    """
    ids = table.column(0)
    has_form = pc.and_(pc.match_substring_regex(ids, "[0-9]"), pc.invert(pc.match_substring_regex(ids, r"\s")))
    found = {}
    if table.num_rows and (pc.mean(has_form).as_py() or 0) >= _MOST_IDS:
        for row in np.flatnonzero(~np.asarray(has_form, dtype=bool)).tolist():
            found[row] = f"{_shown(ids[row].as_py())} in the place of the id; the row may be shifted by a cell"
    for name in table.column_names[1:]:
        column = table[name].combine_chunks()
        if pa.types.is_list(column.type):
            rows_of, texts = pc.list_parent_indices(column).to_numpy(), column.flatten()
        elif pa.types.is_string(column.type):
            rows_of, texts = np.arange(len(column)), column
        else:
            continue
        is_long_enough = pc.equal(pc.binary_length(texts), _UUID_LENGTH).fill_null(False)
        for place in np.flatnonzero(np.asarray(is_long_enough, dtype=bool)).tolist():
            if _UUID.fullmatch(texts[place].as_py()):
                found[int(rows_of[place])] = (
                    f"an id, {texts[place].as_py()}, in the place of a text; the row may be shifted by a cell"
                )
    return found


def _shown(text: str) -> str:
    return f"'{text}'" if len(text) <= 40 else f"'{text[:40]}...'"


def _below_other_header(lines: npt.NDArray[np.int64], rejected: Mapping[int, str]) -> dict[int, str]:
    """The good rows below a header with other columns: their cells may have another meaning than those above."""
    found = {}
    reasons = (_HEADER_AGAIN, _HEADER_BEHIND, _OTHER_HEADER)
    headers = [(line, reason) for line, reason in sorted(rejected.items()) if reason in reasons]
    for (line, reason), (end, _) in pairwise([*headers, (math.inf, "")]):
        if reason == _OTHER_HEADER:
            for row in np.flatnonzero((lines > line) & (lines < end)).tolist():
                found[row] = f"below the header of line {line}, which has other columns"
    return found


def _count_oddities(blocks: Sequence[_Block], kept: npt.NDArray[np.bool_]) -> Counter[str]:
    """How many cells held each kind of `cells.ODDITIES`, in those good rows of the blocks that are `kept`."""
    counts = Counter[str]()
    start = 0
    for block in blocks:
        for kind, rows in block.oddities.items():
            counts[kind] += int(kept[start + rows].sum())
        start += block.table.num_rows
    return counts


def _missing(filled: dict[str, npt.NDArray[np.bool_]], layout: OfficialLayout) -> dict[int, str]:
    """Rows without an id, a label or a required sentence."""
    is_story_of_any_length = layout.kind == "stories" and len(layout.sentences) != _OFFICIAL_SENTENCES
    required = [name for name in layout.columns if name != "storytitle"]
    sentences = np.column_stack([filled[name] for name in layout.sentences])
    is_missing = {name: ~filled[name] for name in required}
    if is_story_of_any_length:
        # Only the cells after a story's last sentence may be empty.
        last = (sentences * np.arange(sentences.shape[1])).max(axis=1)
        for number, name in enumerate(layout.sentences):
            if number >= 2:
                is_missing[name] &= number < last
    bad = np.flatnonzero(np.logical_or.reduce(list(is_missing.values())))
    as_written = dict(zip(layout.columns, layout.written, strict=True))
    return {
        row: f"empty: {', '.join(as_written[name] for name in required if is_missing[name][row])}"
        for row in bad.tolist()
    }


def _wrong_labels(columns: dict[str, pa.StringArray], layout: OfficialLayout) -> dict[int, str]:
    if layout.label is None:
        return {}
    labels = columns[layout.label]
    bad = np.flatnonzero(~np.asarray(pc.is_in(labels, pa.array(["1", "2", ""])), dtype=bool))
    as_written = layout.written[layout.columns.index(layout.label)]
    return {row: f"{as_written} is '{labels[row]}', not 1 or 2" for row in bad.tolist()}


def _story_table(columns: dict[str, pa.StringArray], layout: OfficialLayout, constants: dict[str, str]) -> pa.Table:
    titles = columns["storytitle"]
    return _with_constants(
        {
            "story_id": columns["storyid"],
            "title": pc.if_else(pc.equal(titles, ""), None, titles),
            "sentences": _lists([columns[name] for name in layout.sentences]),
        },
        constants,
        "stories",
    )


def _case_table(columns: dict[str, pa.StringArray], layout: OfficialLayout, constants: dict[str, str]) -> pa.Table:
    *context, ending_1, ending_2 = (columns[name] for name in layout.sentences)
    n_cases = len(ending_1)
    labels = columns[layout.label].cast(pa.int8()) if layout.label else pa.nulls(n_cases, pa.int8())
    return _with_constants(
        {
            "case_id": columns["inputstoryid"],
            "context": _lists(context),
            "endings": _lists([ending_1, ending_2]),
            "right_ending": labels,
            "question": pa.nulls(n_cases, pa.string()),
        },
        constants,
        "cloze",
    )


def _with_constants(columns: dict[str, pa.Array], constants: dict[str, str], kind: Kind) -> pa.Table:
    n_rows = len(next(iter(columns.values())))
    columns |= {name: pa.repeat(pa.scalar(value), n_rows) for name, value in constants.items()}
    schema = schemas.TABLES[kind].schema
    return pa.table(columns, schema=pa.schema([field for field in schema if field.name in columns]))


def _lists(columns: Sequence[pa.StringArray]) -> pa.ListArray:
    """For each row a list of the columns' texts, without empty ones, which occur only at a row's end."""
    n_rows, n_columns = len(columns[0]), len(columns)
    row_by_row = np.arange(n_columns * n_rows).reshape(n_columns, n_rows).T.ravel()
    texts = pa.concat_arrays(columns).take(pa.array(row_by_row))
    filled = _is_filled(texts)
    ends = np.cumsum(filled.reshape(n_rows, n_columns).sum(axis=1))
    offsets = pa.array(np.concatenate([[0], ends]), pa.int32())
    if not filled.all():
        texts = texts.filter(pa.array(filled))
    sentence_list = schemas.TABLES["stories"].schema.field("sentences").type
    return pa.ListArray.from_arrays(offsets, texts, type=sentence_list)
