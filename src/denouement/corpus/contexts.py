"""Contexts to write endings for, from any table or file of contexts."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from denouement import schemas
from denouement.console import warn
from denouement.corpus.cells import clean_text
from denouement.corpus.layouts import is_header
from denouement.delimited import first_row, text_of, warn_of_quotes
from denouement.errors import UserError, first_line
from denouement.files import existing_file
from denouement.legible import seen
from denouement.quoting import broken_quotes, is_quoted
from denouement.text.sentences import split_sentences

# Names of the id column in lower case; with one of the second kind each row is a whole story.
_CASE_IDS = ("case_id", "inputstoryid")
_STORY_IDS = ("story_id", "storyid")
_SENTENCE = re.compile(r"(?:input)?sentence([1-9]\d*)")
_COLUMNS = "case_id (or storyid: the last sentence is then dropped) and context or sentence1, sentence2, ..."


def read_contexts(
    path: Path, release: str | None = None, split: str | None = None, language: str | None = None
) -> pa.Table:
    """The contexts of `path`: columns `case_id` string and `context` list<string>, in the file's order.

    It reads:
    - a table `cloze`;
    - a table `stories`: the sentences but the last;
    - Parquet, CSV or TSV (recognised by a tab in the first line) with a column `case_id` and either `sentence1`,
      `sentence2`, ... (cells after a row's last sentence may be empty, so contexts may differ in length) or `context`
      (a list of sentences, or text for `split_sentences`). Names of columns may be those of the official files, in any
      case: `InputStoryid` with `InputSentence1`, ...; with `storyid` rows are whole stories, whose last sentence is
      dropped. Further columns are ignored. `corpus.cells` mends the cells. In a TSV whose quotes do not quote cells
      (`quoting.is_quoted`) quotes are text, with a warning.

    Args:
        path: the file.
        release: only the cases of this release; for a cloze table.
        split: only the rows of this split; for a cloze or stories table.
        language: only the cases in this language, such as en; for a cloze table.

    Raises:
        UserError: no such file, another layout, no row left, a row without an id or a context, a repeated header, or a
            repeated id. Where a cloze table repeats ids, as v1.5 repeats cases of v1.0, the message lists its releases,
            splits and languages.
    """
    path = existing_file(path)
    table = schemas.table_name(path) if (parquet := _is_parquet(path)) else None
    groups = to_choose = ""
    if table == "cloze":
        rows = schemas.read_table(path, "cloze")
        groups = _listing(rows)
        is_one_language = len(pc.unique(rows["language"])) <= 1
        to_choose = "a release and a split" if is_one_language else "a language, a release and a split"
        for column, value in (("release", release), ("split", split), ("language", language)):
            rows = _only(rows, column, value, path)
        ids, contexts = rows["case_id"].to_pylist(), rows["context"].to_pylist()
    elif table == "stories" and release is None and language is None:
        rows = _only(schemas.read_table(path, "stories"), "split", split, path)
        ids, contexts = rows["story_id"].to_pylist(), [story[:-1] for story in rows["sentences"].to_pylist()]
    elif table not in (None, "stories"):
        raise UserError(f"{path}: a table '{table}' holds no contexts; name a table cloze or stories")
    elif option := "release" if release else "language" if language else "split" if split and not table else None:
        raise UserError(f"{path}: has no {option} to choose by: leave that option out")
    else:
        ids, contexts = _from_columns(schemas.read_parquet(path) if parquet else _read_text(path), path)
    if not ids:
        raise UserError(f"{path}: holds no contexts")
    for number, context in enumerate(contexts, 1):
        if ids[number - 1].lower() in (*_CASE_IDS, *_STORY_IDS) or is_header([ids[number - 1], *context]):
            raise UserError(f"{path}: row {number} is a header again: keep each file separate")
        if not seen(ids[number - 1]):
            raise UserError(f"{path}: row {number} has no id")
        if not context or not all(context):
            raise UserError(
                f"{path}: row {number} ({ids[number - 1]}) has {'an empty sentence' if context else 'no context'}"
            )
    if repeated := len(ids) - len(set(ids)):
        mend = f"; it holds {groups}: choose {to_choose}" if groups else ": give every row its own"
        raise UserError(f"{path}: {repeated} rows repeat the id of another{mend}")
    return pa.table({"case_id": pa.array(ids, pa.string()), "context": pa.array(contexts, pa.list_(pa.string()))})


def choose_contexts(
    cloze: Path, stories: Path, release: str | None = None, split: str | None = None, language: str | None = None
) -> pa.Table:
    """The contexts of one release, split and language of the cloze cases; without any case, those of the held-out
    stories.

    Args:
        cloze: a table `cloze`.
        stories: a table `stories`, whose split `validation` is held out.
        release: None: the first that has cases of `split` (`schemas.in_order`).
        split: None: validation where there is any, else test.
        language: None: English where there is any, else the first by its code.

    Returns:
        As `read_contexts`.

    Raises:
        UserError: no case of the release and split asked for, and as `read_contexts`.
    """
    cases = schemas.read_table(cloze, "cloze")
    if not cases.num_rows and release is None and language is None:
        return read_contexts(stories, split=split or "validation")
    asked = (release, split, language)
    present = cases.group_by(["release", "split", "language"]).aggregate([]).to_pylist()
    fitting = [
        group
        for group in (tuple(each.values()) for each in present)
        if all(value in (None, of_group) for value, of_group in zip(asked, group, strict=True))
    ]
    if not fitting:
        raise UserError(f"{cloze}: no cases of {' '.join(filter(None, asked))}; it holds {_listing(cases) or 'none'}")
    order = schemas.in_order({group[0] for group in fitting})
    chosen = min(
        fitting,
        key=lambda group: (
            order.index(group[0]),
            schemas.SPLITS.index(group[1]),
            group[2] != schemas.ENGLISH,
            group[2],
        ),
    )
    return read_contexts(cloze, *chosen)


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as opened:
        return opened.read(4) == b"PAR1"


def _only(rows: pa.Table, column: str, value: str | None, path: Path) -> pa.Table:
    """The rows whose `column` is `value`; all when it is None."""
    if value is None:
        return rows
    chosen = rows.filter(pc.equal(rows[column], value))
    if chosen.num_rows == 0:
        found = ", ".join(sorted(set(rows[column].to_pylist()))) or "no rows"
        raise UserError(f"{path}: no row of {column} {value} is left; it holds {found}")
    return chosen


def _listing(cloze: pa.Table) -> str:
    """The releases, splits and languages other than English in a cloze table, with their numbers of cases."""
    counts = Counter(zip(*(cloze[name].to_pylist() for name in ("release", "split", "language")), strict=True))
    return ", ".join(f"{schemas.set_name(*group)} ({count})" for group, count in sorted(counts.items()))


def _read_text(path: Path) -> pa.Table:
    """A CSV or TSV file; every cell is text, also `NA` and `null`."""
    text = text_of(path)
    names, _, end = first_row(text, "\t")
    delimiter = "\t" if len(names) > 1 else ","
    quoted = is_quoted(text[end:], delimiter, len(names))
    quote = '"' if quoted else False
    parse = pa.csv.ParseOptions(delimiter=delimiter, quote_char=quote, newlines_in_values=quoted)
    content = text.encode()
    try:
        with pa.csv.open_csv(pa.BufferReader(content), parse_options=parse) as opened:
            names = opened.schema.names
        convert = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
        rows = pa.csv.read_csv(pa.BufferReader(content), parse_options=parse, convert_options=convert)
    except pa.ArrowInvalid as error:
        raise UserError(f"{path}: not a readable CSV or TSV file ({first_line(error)})") from error
    if not quoted:
        warn_of_quotes(path)
    elif lost := broken_quotes(content, delimiter):
        warn(f"{path}: {lost} cells have text after their closing quote: their quotes are lost")
    return rows


def _from_columns(rows: pa.Table, path: Path) -> tuple[list[str], list[list[str]]]:
    """The ids and contexts of a table, recognised by the names of its columns."""
    columns = {name.strip().lower(): number for number, name in enumerate(rows.schema.names)}
    id_name = next((name for name in (*_CASE_IDS, *_STORY_IDS) if name in columns), None)
    numbered = {int(match[1]): column for name, column in columns.items() if (match := _SENTENCE.fullmatch(name))}
    if id_name is None or ("context" in columns) == bool(numbered):
        raise UserError(f"{path}: columns are {schemas.shortened(rows.schema.names)}; wanted are {_COLUMNS}")
    texts = (
        [rows.column(columns["context"])]
        if "context" in columns
        else [rows.column(numbered[i]) for i in sorted(numbered)]
    )
    is_sentence = schemas.is_text if numbered else _is_context
    if not (schemas.is_text(rows.column(columns[id_name]).type) and all(is_sentence(column.type) for column in texts)):
        raise UserError(f"{path}: the id and the sentences must be text; wanted are columns {_COLUMNS}")
    ids = [(cell or "").strip() for cell in rows.column(columns[id_name]).to_pylist()]
    if "context" in columns:
        contexts = [
            split_sentences(clean_text(c)[0]) if isinstance(c, str) else _cleaned(c or ()) for c in texts[0].to_pylist()
        ]
    else:
        contexts = [_cleaned(cells) for cells in zip(*(column.to_pylist() for column in texts), strict=True)]
    return ids, [context[:-1] for context in contexts] if id_name in _STORY_IDS else contexts


def _is_context(kind: pa.DataType) -> bool:
    """Text, or a list of sentences."""
    return schemas.is_text(kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else kind)


def _cleaned(sentences: Iterable[str | None]) -> list[str]:
    """The sentences, mended as in a corpus, without empty ones at the end."""
    cleaned = [clean_text(sentence or "")[0] for sentence in sentences]
    while cleaned and not cleaned[-1]:
        cleaned.pop()
    return cleaned
