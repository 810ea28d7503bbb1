"""A corpus as tables to read: its files, rows, odd texts and repeated stories."""

from collections import Counter

import pyarrow as pa

from denouement import schemas
from denouement.corpus.cells import ODDITIES
from denouement.corpus.ingest import IngestedFile, IngestSummary
from denouement.corpus.overlap import Overlap
from denouement.present.cells import Cell
from denouement.present.sections import Block, Paragraph, Table

_REJECTS_SHOWN = 10


def ingest_blocks(summary: IngestSummary, rejects: pa.Table) -> list[Block]:
    """The files and how many of their rows were kept, odd text, the first rejected rows, and repeated stories.

    Args:
        summary: what `ingest` returns.
        rejects: the table `rejects` that it wrote.
    """
    return [_files(summary), *_splits(summary), *_oddities(summary), *_rejected(rejects), *_overlap(summary.overlap)]


def _files(summary: IngestSummary) -> Table:
    return Table(
        ("file", "holds", "rows read", "= kept", "+ rejected", "of these excluded", "blank"),
        [
            (file.file, _holds(file), file.read, file.kept, file.rejected, file.excluded, file.blank)
            for file in summary.files
        ],
    )


def _holds(file: IngestedFile) -> str:
    if file.source:
        return file.source
    named = schemas.set_name(str(file.release), str(file.split), file.language or schemas.ENGLISH)
    return named if file.labelled else f"{named}, blind"


def _splits(summary: IngestSummary) -> list[Block]:
    rows: list[tuple[Cell, ...]] = [
        (f"{what} {group}", *(by_split.get(split, 0) for split in schemas.SPLITS))
        for what, groups in (("stories", summary.stories), ("cloze", summary.cloze))
        for group, by_split in groups.items()
    ]
    return [Table(("rows kept", *schemas.SPLITS), rows)] if rows else []


def _oddities(summary: IngestSummary) -> list[Block]:
    counts = sum((Counter(file.oddities) for file in summary.files), Counter[str]())
    rows = [(text, counts[kind]) for kind, text in ODDITIES.items() if counts[kind]]
    return [Table(("odd text in rows kept by the reader", "cells"), rows)] if rows else []


def _rejected(rejects: pa.Table) -> list[Block]:
    first = rejects.slice(0, _REJECTS_SHOWN).to_pylist()
    if not first:
        return []
    # a line's number is a name, not a count: without a comma between its thousands
    rows = [(row["file"], str(row["line"]), row["reason"]) for row in first]
    shown: list[Block] = [Table(("rejected row", "line", "reason"), rows)]
    if (more := rejects.num_rows - len(first)) > 0:
        shown.append(Paragraph(f"... and {more:,} more in rejects.parquet"))
    return shown


def _overlap(overlap: Overlap) -> list[Block]:
    shared = [pair for pair in overlap.pairs if pair.same_story]
    blocks: list[Block] = []
    if shared:
        columns = ("rows", "same story", "same id", "same context", "same endings", "other endings")
        rows = [
            (
                f"{pair.second} in {pair.first}",
                *(pair.second_rows, pair.same_story, pair.same_id),
                *(pair.same_context, pair.same_endings, pair.other_endings),
            )
            for pair in shared
        ]
        blocks.append(Table(("the same story twice", *columns), rows))
    if len(overlap.pairs) > len(shared):
        pairs = f"{len(overlap.pairs)} pairs of sources, releases and splits"
        blocks.append(Paragraph(f"{len(overlap.pairs) - len(shared)} of {pairs} share no story."))
    blocks += [
        Paragraph(f"{group}: {n:,} rows have the context of an earlier row.") for group, n in overlap.repeated.items()
    ]
    return blocks
