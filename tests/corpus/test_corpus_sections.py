"""What `denouement ingest` prints, and what the report shows of a corpus."""

import pyarrow as pa

from denouement import schemas
from denouement.corpus.ingest import IngestedFile, IngestSummary
from denouement.corpus.overlap import Overlap, SharedStories
from denouement.corpus.sections import ingest_blocks
from denouement.present.markdown import render

FILE = {"rejected": 0, "excluded": 0, "blank": 0, "oddities": {}, "quotes_are_text": False}


NOTHING_TWICE = Overlap((), {})


def summary(*files: IngestedFile, overlap: Overlap = NOTHING_TWICE, **counts: dict) -> IngestSummary:
    return IngestSummary(
        files, stories=counts.get("stories", {}), cloze=counts.get("cloze", {}), corpus="official", overlap=overlap
    )


def rejects(*rows: tuple[str, int, str]) -> pa.Table:
    names = ("file", "line", "reason")
    return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schemas.TABLES["rejects"].schema)


def test_files_and_splits_are_counted_with_thousands_apart() -> None:
    files = (
        IngestedFile(file="a.csv", kind="stories", source="rocstories", **{**FILE, "read": 8160, "kept": 8160}),
        IngestedFile(
            **{**FILE, "rejected": 1},
            **{"file": "b.csv", "kind": "cloze", "release": "v1.5", "split": "test", "labelled": False},
            **{"read": 1572, "kept": 1571},
        ),
    )
    counts = {"stories": {"rocstories": {"train": 7794, "validation": 366}}, "cloze": {"v1.5": {"test": 1571}}}
    assert render(ingest_blocks(summary(*files, **counts), rejects())) == "\n".join(
        [
            "| file  | holds            | rows read | = kept | + rejected | of these excluded | blank |",
            "| ----- | ---------------- | --------: | -----: | ---------: | ----------------: | ----: |",
            "| a.csv | rocstories       |     8,160 |  8,160 |          0 |                 0 |     0 |",
            "| b.csv | v1.5 test, blind |     1,572 |  1,571 |          1 |                 0 |     0 |",
            "",
            "| rows kept          | train | validation |  test |",
            "| ------------------ | ----: | ---------: | ----: |",
            "| stories rocstories | 7,794 |        366 |     0 |",
            "| cloze v1.5         |     0 |          0 | 1,571 |",
        ]
    )


def test_odd_cells_of_all_files_are_added_up() -> None:
    oddities = ({"mojibake_repaired": 3}, {"mojibake_repaired": 1, "two_sentences": 2})
    files = [
        IngestedFile(file="a", kind="stories", source="x", **{**FILE, "read": 1, "kept": 1, "oddities": each})
        for each in oddities
    ]
    text = render(ingest_blocks(summary(*files), rejects()))
    assert "| mojibake, repaired                     |     4 |" in text
    assert "| more than one sentence in a cell, left |     2 |" in text
    assert "U+FFFD" not in text


def test_the_first_ten_rejected_rows_are_shown_and_the_others_counted() -> None:
    rows = [("a.csv", 1000 + number, "empty: storyid") for number in range(12)]
    text = render(ingest_blocks(summary(), rejects(*rows)))
    assert text.count("empty: storyid") == 10
    assert "| 1009 |" in text
    assert text.endswith("... and 2 more in rejects.parquet")
    assert "more in" not in render(ingest_blocks(summary(), rejects(*rows[:10])))


def test_pairs_that_share_no_story_are_counted_alone() -> None:
    shared = SharedStories("v1.0 validation", "v1.5 test", 1871, 1571, 0, 103, 103, 58, 45)
    apart = SharedStories("rocstories", "v1.5 test", 8160, 1571, 0, 0, 0, 0, 0)
    overlap = Overlap((shared, apart), {"rocstories": 7})
    text = render(ingest_blocks(summary(overlap=overlap), rejects()))
    assert "| v1.5 test in v1.0 validation | 1,571 |        103 |       0 |          103 |           58 |" in text
    assert "v1.5 test in rocstories" not in text
    assert "1 of 2 pairs of sources, releases and splits share no story." in text
    assert text.endswith("rocstories: 7 rows have the context of an earlier row.")
