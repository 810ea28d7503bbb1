"""From the official files to checked tables: every row is kept or rejected, and counted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from denouement import schemas
from denouement.console import warn
from denouement.corpus import keys, overlap, splits
from denouement.corpus.kind import corpus_kind
from denouement.corpus.layouts import Kind
from denouement.corpus.readers import read_file
from denouement.corpus.reading import OfficialFile, rejects_table
from denouement.delimited import warn_of_quotes
from denouement.documents import write_document
from denouement.errors import UserError
from denouement.files import atomic_write, check_output

OUTPUTS = ("ingest.json", "rejects.parquet", "cloze.parquet", "stories.parquet")

_KINDS: tuple[Kind, Kind] = ("stories", "cloze")
# The columns by which rows of the same id are compared.
_COMPARED = {"stories": ("sentences",), "cloze": ("context", "endings", "right_ending", "question")}

# A row that is not kept: file, line and reason.
Rejected = tuple[str, int, str]


@dataclass(frozen=True)
class IngestSettings:
    """How files become tables.

    Attributes:
        release: the release of cases in files whose names do not contain it.
        language: the language, a code such as en, of cases in files that do not say it; None is English.
        validation_share: the share of the stories that is held out to measure generators' epochs, from 0 to below 1.
        exclude_overlap: leave out stories that are in a Story Cloze file, and validation cases that are in a test file.
    """

    release: str | None = None
    validation_share: float = 0.05
    exclude_overlap: bool = False
    language: str | None = None

    def __post_init__(self) -> None:
        for what, name in (("release", self.release), ("language", self.language)):
            if name is not None and not schemas.is_name(name):
                raise ValueError(f"{what} must be letters, digits and . _ - alone, not {name!r}")
        if not 0 <= self.validation_share < 1:
            raise ValueError(f"validation_share must be at least 0 and below 1, not {self.validation_share}")


@dataclass(frozen=True, kw_only=True)
class IngestedFile:
    """One official file and how many of its rows were kept and rejected.

    Attributes:
        file: its name, without the folder.
        kind: of its rows.
        source: the collection of stories; None for cases.
        release, split: of cases; None for stories.
        language: of cases, several with a comma between them; None for stories.
        labelled: whether a file of cases says which ending is right; None for stories.
        read: rows that have any text: `kept` + `rejected`.
        excluded: how many of the rejected rows `exclude_overlap` left out.
        blank: rows without any text.
        oddities: number of cells by kind, see `cells.ODDITIES`.
        quotes_are_text: whether the quotes in a tab-separated file are part of the texts, see `quoting.is_quoted`.
    """

    file: str
    kind: Kind
    source: str | None = None
    release: str | None = None
    split: str | None = None
    language: str | None = None
    labelled: bool | None = None
    read: int
    kept: int
    rejected: int
    excluded: int
    blank: int
    oddities: dict[str, int]
    quotes_are_text: bool


@dataclass(frozen=True)
class IngestSummary:
    """The content of a corpus's tables, in numbers of rows.

    Attributes:
        files: in the order in which they were given.
        stories: by source and split.
        cloze: by release and split.
        corpus: see `corpus_kind`.
        overlap: among the rows that were kept.
    """

    files: tuple[IngestedFile, ...]
    stories: dict[str, dict[str, int]]
    cloze: dict[str, dict[str, int]]
    corpus: Literal["sample", "official"]
    overlap: overlap.Overlap


def ingest(files: Sequence[Path], out: Path, settings: IngestSettings | None = None) -> IngestSummary:
    """Read official files and write the tables `stories`, `cloze` and `rejects` and the summary `ingest.json` to `out`.

    All input is read and checked before the four files are replaced together; a table without rows is written too. Of
    rows with the same id (cases: in the same release and split) the first in the order of `files` is kept, but a
    labelled case before one without a label.

    Raises:
        UserError: no file, a file that cannot be read, two of the same name, or a place that cannot be written to.
    """
    settings = settings or IngestSettings()
    names = _shown_names(files)
    for name in OUTPUTS:
        check_output(Path(out) / name, map(Path, files))
    read = [
        _called(name, read_file(path, settings.release, settings.language))
        for path, name in zip(files, names, strict=True)
    ]
    (stories, repeated_stories), (cases, repeated_cases) = (
        _without_repeats(_gather(read, kind), kind) for kind in _KINDS
    )
    excluded: list[Rejected] = []
    if settings.exclude_overlap:
        stories, cases, excluded = _without_overlap(stories, cases)
    sides = [splits.assign(chunk, settings.validation_share) for chunk in keys.contexts(stories).chunks]
    stories = stories.append_column("split", pa.chunked_array(sides, pa.string()))
    rejects = _in_file_order(
        pa.concat_tables(
            [*(rows.rejects for rows in read), rejects_table([*repeated_stories, *repeated_cases, *excluded])]
        ),
        [rows.file for rows in read],
    )

    files_counted = tuple(_count_file(rows, stories, cases, rejects, excluded) for rows in read)

    tables = {"stories": stories, "cloze": cases, "rejects": rejects}
    with ExitStack() as stack:
        # All are written under temporary names; when the stack is left, all are renamed.
        parts = {name: stack.enter_context(atomic_write(Path(out) / name)) for name in OUTPUTS}
        # Arrow writes without holding the interpreter's lock, so the collections are compared at the same time.
        pool = stack.enter_context(ThreadPoolExecutor(len(tables)))
        writes = [
            pool.submit(schemas.write_table, table, parts[f"{name}.parquet"], name) for name, table in tables.items()
        ]
        summary = IngestSummary(
            files_counted,
            stories=_count(stories, "source"),
            cloze=_count(cases, "release"),
            corpus=corpus_kind(stories),
            overlap=overlap.find_overlap(stories, cases),
        )
        _warn(summary)
        write_document(summary, parts["ingest.json"])
        for write in writes:
            write.result()
    return summary


def _shown_names(files: Sequence[Path]) -> list[str]:
    """The name of each file, with that of its folder where two files would have the same name."""
    if not files:
        raise UserError("no file to read: name official ROCStories or Story Cloze files")
    paths = [Path(path) for path in files]
    times = Counter(path.name for path in paths)
    shown = [path.name if times[path.name] == 1 else f"{path.absolute().parent.name}/{path.name}" for path in paths]
    for name, n in Counter(shown).items():
        if n > 1:
            raise UserError(f"{n} of the files are called {name}: name each once, and rename different files")
    return shown


def _called(name: str, rows: OfficialFile) -> OfficialFile:
    """The file under another name."""
    if name == rows.file:
        return rows
    names = pa.repeat(pa.scalar(name), rows.rejects.num_rows)
    return replace(rows, file=name, rejects=rows.rejects.set_column(0, rows.rejects.schema.field("file"), names))


def _gather(read: Sequence[OfficialFile], kind: Kind) -> pa.Table:
    """The good rows of all files of a kind, with their contexts (`keys.COLUMN`) and the columns `file` and `line`."""
    added = {keys.COLUMN: pa.string(), "file": pa.string(), "line": pa.int64()}
    columns = [field for field in schemas.TABLES[kind].schema if kind == "cloze" or field.name != "split"]
    tables = []
    for rows in sorted(
        read, key=lambda rows: not rows.labelled
    ):  # so that of two equal cases the labelled one is first
        if rows.kind == kind:
            values = (rows.contexts, [pa.repeat(pa.scalar(rows.file), len(rows.lines))], [rows.lines])
            table = rows.table
            for name, column in zip(added, values, strict=True):
                table = table.append_column(name, column)
            tables.append(table)
    return pa.concat_tables(tables or [pa.schema([*columns, *map(pa.field, added, added.values())]).empty_table()])


def _without_repeats(rows: pa.Table, kind: Kind) -> tuple[pa.Table, list[Rejected]]:
    """The first row of each id (cases: of each id, release and split), and the others as rejected rows."""
    id_columns = schemas.TABLES[kind].key
    key = pc.binary_join_element_wise(*(rows[name] for name in id_columns), "\n").combine_chunks()
    if len(key.unique()) == len(key):
        return rows, []
    numbers = key.dictionary_encode().indices.to_numpy()
    first_rows = np.unique(numbers, return_index=True)[1][numbers]
    is_repeat = first_rows != np.arange(len(numbers))
    repeats, firsts = rows.filter(pa.array(is_repeat)), rows.take(pa.array(first_rows[is_repeat]))
    rejected = [
        (
            repeat["file"],
            repeat["line"],
            f"{id_columns[0]} {repeat[id_columns[0]]} is already in {first['file']}, line {first['line']}, with "
            f"{'the same' if _is_same(repeat, first, kind) else 'another'} text",
        )
        for repeat, first in zip(repeats.to_pylist(), firsts.to_pylist(), strict=True)
    ]
    return rows.filter(pa.array(~is_repeat)), rejected


def _is_same(repeat: Mapping[str, Any], first: Mapping[str, Any], kind: Kind) -> bool:
    """Whether two rows of one id have the same texts, and the same label where both have one."""
    unlabelled = ("right_ending",) if None in (repeat.get("right_ending"), first.get("right_ending")) else ()
    return all(repeat[name] == first[name] for name in _COMPARED[kind] if name not in unlabelled)


def _without_overlap(stories: pa.Table, cases: pa.Table) -> tuple[pa.Table, pa.Table, list[Rejected]]:
    """Stories that are not among the cases, cases without validation cases that are in a test split, and the rest."""
    in_cases = overlap.in_common(stories, cases)
    is_test = pc.equal(cases["split"], "test")
    in_test = overlap.in_common(cases, cases.filter(is_test)) & ~np.asarray(is_test, dtype=bool)
    excluded = [
        (file, line, f"left out as asked: its story is in a Story Cloze {where}")
        for rows, mask, where in ((stories, in_cases, "file"), (cases, in_test, "test file"))
        for file, line in zip(
            *(rows[name].filter(pa.array(mask)).to_pylist() for name in ("file", "line")), strict=True
        )
    ]
    return stories.filter(pa.array(~in_cases)), cases.filter(pa.array(~in_test)), excluded


def _in_file_order(rejects: pa.Table, files: list[str]) -> pa.Table:
    position = pc.index_in(rejects["file"], pa.array(files, pa.string()))
    order = pc.sort_indices(
        pa.table({"file": position, "line": rejects["line"]}), [("file", "ascending"), ("line", "ascending")]
    )
    return rejects.take(order)


def _count_file(
    rows: OfficialFile, stories: pa.Table, cases: pa.Table, rejects: pa.Table, excluded: list[Rejected]
) -> IngestedFile:
    table = stories if rows.kind == "stories" else cases
    kept, rejected = (int(pc.sum(pc.equal(rows_of["file"], rows.file)).as_py() or 0) for rows_of in (table, rejects))
    assert rows.read == kept + rejected, f"{rows.file}: {rows.read} rows read, {kept} kept, {rejected} rejected"
    return IngestedFile(
        file=rows.file,
        kind=rows.kind,
        source=rows.constants.get("source"),
        release=rows.constants.get("release"),
        split=rows.constants.get("split"),
        language=", ".join(pc.unique(rows.table["language"]).to_pylist()) if rows.kind == "cloze" else None,
        labelled=rows.labelled if rows.kind == "cloze" else None,
        read=rows.read,
        kept=kept,
        rejected=rejected,
        excluded=sum(file == rows.file for file, _, _ in excluded),
        blank=rows.blank,
        oddities=rows.oddities,
        quotes_are_text=not rows.quoted,
    )


def _count(rows: pa.Table, group: str) -> dict[str, dict[str, int]]:
    """The number of rows by the column `group` and by split."""
    counts: dict[str, dict[str, int]] = {}
    for row in (
        rows.group_by([group, "split"])
        .aggregate([([], "count_all")])
        .sort_by([(group, "ascending"), ("split", "ascending")])
        .to_pylist()
    ):
        counts.setdefault(row[group], {})[row["split"]] = row["count_all"]
    return counts


def _warn(summary: IngestSummary) -> None:
    for file in summary.files:
        if file.read and not file.kept:
            warn(f"{file.file}: every row is rejected; rejects.parquet says why")
        if file.quotes_are_text:
            warn_of_quotes(file.file)
    for pair in summary.overlap.pairs:
        if pair.same_story:
            warn(
                f"{pair.same_story:,} of {pair.second_rows:,} rows of {pair.second} are in {pair.first} too: training "
                "on one and testing on the other leaks"
            )
