"""Reading files of other data sets of cases (`choices`): JSON Lines or delimited text, every row kept or rejected."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from denouement.corpus import cells, keys
from denouement.corpus.choices import CaseLayout, PublishedCase, Row, RowError, ShiftedError, layout_of
from denouement.corpus.layouts import split_of_choices
from denouement.corpus.reading import OfficialFile, rejects_table
from denouement.delimited import DELIMITERS, first_row, n_cells, text_of
from denouement.errors import UserError
from denouement.schemas import ENGLISH, TABLES, is_name
from denouement.text.sentences import split_sentences

_LABELS = "-labels.lst"  # what is behind the name of ART's files of labels


@dataclass(frozen=True)
class ChoiceFile:
    """The form of a file: its layout, and what is between its cells; None for JSON Lines."""

    layout: CaseLayout
    delimiter: str | None


class _Line(NamedTuple):
    """A row that is not blank: the line where it starts, and its values, or why it has none."""

    line: int
    row: Row | str


def recognise(head: bytes) -> ChoiceFile | None:
    """The form of a file that begins with `head`, by the fields of its first row; None if it is none of `choices`."""
    text = head.decode(errors="ignore").removeprefix("\ufeff").lstrip()
    if text.startswith("{"):
        try:
            first = json.loads(text.splitlines()[0])
        except (ValueError, RecursionError):
            return None
        layout = layout_of(_fields(first))
        return ChoiceFile(layout, None) if layout else None
    for delimiter in DELIMITERS:
        if layout := layout_of(_names(text, delimiter)):
            return ChoiceFile(layout, delimiter)
    return None


def read(path: Path, text: str, form: ChoiceFile, release: str | None, language: str | None) -> OfficialFile:
    """Read a file.

    An id that is a mere number gets release and split before it, since two data sets may both have it; so does a row
    without an id, with the number of its row. Where one row has a label, a row without one is rejected.

    Args:
        path: of the file.
        text: its content.
        form: see `recognise`.
        release: of rows in a layout of any data set; None: the file's name without its suffix.
        language: of rows that do not say it; None is English.

    Raises:
        UserError: no row, no name of a release, or no split in the file's name; labels of ART beside it that are not
            as many as its rows; or right endings that are counted from another number than the layout says.
    """
    lines = list(_delimited_lines(path, text, form.delimiter) if form.delimiter else _json_lines(text))
    if not lines:
        raise UserError(f"{path}: no row in it; name the complete file")
    if form.layout.names_stories:
        lines = _with_labels(path, lines)
    choices: dict[int, PublishedCase] = {}
    rejected: dict[int, str] = {}
    shifted: list[ShiftedError] = []
    oddities = Counter[str]()
    kinds_of: dict[int, list[str]] = {}
    for number, (line, row) in enumerate(lines):
        try:
            choices[number], kinds_of[number] = _cleaned(row, form.layout)
        except RowError as error:
            rejected[line] = str(error)
            shifted += [error] if isinstance(error, ShiftedError) else []
    _check_count(path, form.layout, shifted, list(choices.values()))
    labelled = any(choice.right is not None for choice in choices.values())
    for number in [number for number, choice in choices.items() if labelled and choice.right is None]:
        del choices[number]
        rejected[lines[number].line] = f"empty: {form.layout.label}"
    oddities.update(kind for number in choices for kind in kinds_of[number])
    of_file = _release_and_split(path, form.layout, release, labelled)
    table = _table(choices, of_file, language or ENGLISH, form.layout.names_stories)
    return OfficialFile(
        kind="cloze",
        file=path.name,
        constants=of_file,
        labelled=labelled,
        read=len(lines),
        table=table,
        contexts=keys.contexts(table),
        lines=np.array([lines[number].line for number in choices], np.int64),
        rejects=rejects_table([(path.name, *item) for item in sorted(rejected.items())]),
        blank=0,
        oddities={kind: oddities[kind] for kind in cells.ODDITIES if oddities[kind]},
        quoted=True,
    )


def _check_count(
    path: Path, layout: CaseLayout, shifted: Sequence[ShiftedError], choices: Sequence[PublishedCase]
) -> None:
    """Refuse a file whose right endings are counted from another number: of those that fit, each would be another."""
    if shifted and not any(map(shifted[0].is_contradicted, choices)):
        n, error = len(shifted), shifted[0]
        raise UserError(
            f"{path}: {layout.label} seems to count the endings from {error.begins}, since only so does it fit in "
            f"{n:,} {'row' if n == 1 else 'rows'}; let it count from {error.first}"
        )


def _release_and_split(path: Path, layout: CaseLayout, release: str | None, labelled: bool) -> dict[str, str]:
    of_file = layout.release or release or path.stem
    if not is_name(of_file):
        raise UserError(
            f"{path}: its name cannot name a release, which has letters, digits and . _ - alone; give --release"
        )
    split = split_of_choices(path.name, labelled)
    if split is None:
        raise UserError(
            f"{path}: the name does not say the split; rename the file so that it has one of the words train, val and "
            "test"
        )
    return {"release": of_file, "split": split}


def _json_lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        yield _Line(number, _fields(row) if isinstance(row, dict) else "not a JSON object")


def _delimited_lines(path: Path, text: str, delimiter: str) -> Iterator[_Line]:
    names = _names(text, delimiter)
    start = first_row(text, delimiter)
    reader = csv.reader(io.StringIO(text[start.characters :], newline=""), delimiter=delimiter, strict=True)
    line = start.lines + 1
    try:
        for written in reader:
            if any(cell.strip() for cell in written):
                fits = len(written) == len(names)
                of_width = f"{n_cells(len(written))} where the header has {len(names)}"
                yield _Line(line, dict(zip(names, written, strict=True)) if fits else of_width)
            line = start.lines + reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"{path}: the row of line {line} is not CSV ({error}); mend the quotes in it") from error


def _names(text: str, delimiter: str) -> list[str]:
    return [name.strip().lower() for name in first_row(text, delimiter).cells]


def _fields(row: Any) -> dict[str, Any]:
    return {name.strip().lower(): value for name, value in row.items()} if isinstance(row, dict) else {}


def _with_labels(path: Path, lines: Sequence[_Line]) -> list[_Line]:
    """The rows with the labels in the file beside theirs, where there is one: a line a row, 1 or 2."""
    beside = path.with_name(f"{path.stem}{_LABELS}")
    if not beside.exists():
        return list(lines)
    labels = text_of(beside).split()
    if len(labels) != len(lines):
        raise UserError(f"{beside}: {len(labels):,} labels for the {len(lines):,} rows of {path.name}; give one a row")
    return [
        each if isinstance(each.row, str) else each._replace(row={**each.row, "label": label})
        for each, label in zip(lines, labels, strict=True)
    ]


def _cleaned(row: Row | str, layout: CaseLayout) -> tuple[PublishedCase, list[str]]:
    """A row as a case with its texts mended, and the kinds of `cells.ODDITIES` that they held.

    Raises:
        RowError: it is no case.
    """
    if isinstance(row, str):
        raise RowError(row)
    choice = layout.choice(row)
    kinds: list[str] = []

    def clean(text: str) -> str:
        mended, of_text = cells.clean_text(text)
        kinds.extend(of_text)
        return mended

    written = choice.context
    context = split_sentences(clean(written)) if isinstance(written, str) else [*map(clean, written)]
    endings = [clean(ending) for ending in choice.endings]
    if not context or not all(context):
        raise RowError("empty: a sentence of the context" if context else "empty: the context")
    if len(endings) < 2:
        raise RowError(f"{len(endings)} of two endings or more")
    if not all(endings):
        raise RowError(f"empty: ending {endings.index('') + 1}")
    plain = keys.normalised(pa.array(endings, pa.string())).to_pylist()
    first_of: dict[str, int] = {}
    for place, key in enumerate(key or ending for key, ending in zip(plain, endings, strict=True)):
        if first_of.setdefault(key, place) != place:
            raise RowError(f"endings {first_of[key] + 1} and {place + 1} are the same")
    if choice.language is not None and not is_name(choice.language):
        raise RowError(f"language is {choice.language!r}, not a code such as en")
    question = clean(choice.question) if choice.question else None
    return replace(choice, context=context, endings=endings, question=question or None), kinds


def _table(choices: dict[int, PublishedCase], of_file: dict[str, str], language: str, names_stories: bool) -> pa.Table:
    """The table `cloze` of cases by the number of their row from 0."""
    seen = Counter[str]()
    rows = []
    for number, choice in choices.items():
        case_id = choice.case_id
        if not case_id or case_id.isdecimal():
            case_id = f"{of_file['release']}-{of_file['split']}-{case_id or number + 1}"
        seen[case_id] += 1
        if names_stories and seen[case_id] > 1:
            case_id = f"{case_id}#{seen[case_id]}"
        rows.append(
            {
                "case_id": case_id,
                "context": choice.context,
                "endings": choice.endings,
                "right_ending": choice.right,
                "question": choice.question,
                "language": choice.language or language,
                **of_file,
            }
        )
    return pa.Table.from_pylist(rows, TABLES["cloze"].schema)
