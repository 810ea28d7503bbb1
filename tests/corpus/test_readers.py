"""Reading official files: every awkwardness by hand, and random text written by Python's own csv module."""

import csv
import io
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from denouement import schemas
from denouement.corpus import readers
from denouement.corpus.readers import find_files, read_file
from denouement.errors import UserError

STORY_HEADER = ["storyid", "storytitle", *(f"sentence{number}" for number in range(1, 6))]
BLIND_HEADER = [
    "InputStoryid",
    *(f"InputSentence{number}" for number in range(1, 5)),
    "RandomFifthSentenceQuiz1",
    "RandomFifthSentenceQuiz2",
]
CASE_HEADER = [*BLIND_HEADER, "AnswerRightEnding"]
FIVE = [f"Sentence {number}." for number in range(1, 6)]
SIX = [*FIVE[:4], "One end.", "Other end."]
V10 = "cloze_test_val__spring2016 - cloze_test_ALL_val.csv"


def write(path: Path, *rows: list[str], delimiter: str = ",", end: str = "\r\n", bom: bool = False) -> Path:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    path.write_bytes(text.getvalue().encode("utf-8-sig" if bom else "utf-8"))
    return path


def rejected(rows: object) -> list[tuple[int, str]]:
    return [(row["line"], row["reason"]) for row in rows.rejects.to_pylist()]  # type: ignore[attr-defined]


@pytest.mark.parametrize("bom", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize("last_end", [True, False])
def test_any_line_end_delimiter_and_mark_reads_the_same(
    tmp_path: Path, bom: bool, end: str, delimiter: str, last_end: bool
) -> None:
    path = write(
        tmp_path / "a.csv", STORY_HEADER, ["1", "T", *FIVE], ["2", "", *FIVE], delimiter=delimiter, end=end, bom=bom
    )
    if not last_end:
        path.write_bytes(path.read_bytes().removesuffix(end.encode()))
    rows = read_file(path)
    assert rows.table.to_pylist() == [
        {"story_id": "1", "title": "T", "sentences": FIVE, "source": "rocstories"},
        {"story_id": "2", "title": None, "sentences": FIVE, "source": "rocstories"},
    ]
    assert (rows.read, rows.lines.tolist(), rows.rejects.num_rows, rows.blank) == (2, [2, 3], 0, 0)


def test_cells_are_text_whatever_they_hold(tmp_path: Path) -> None:
    odd = ["NA", "null", "nan", "", "1.50", "#N/A", "None"]
    rows = read_file(write(tmp_path / "a.csv", STORY_HEADER, ["007", "NA", "NA", "null", "nan", "1.50", "None"]))
    assert rows.table.to_pylist()[0] == {
        "story_id": "007",
        "title": "NA",
        "sentences": ["NA", "null", "nan", "1.50", "None"],
        "source": "rocstories",
    }
    assert [
        read_file(write(tmp_path / "a.csv", STORY_HEADER, ["1", title, *FIVE])).table["title"][0].as_py()
        for title in odd
    ] == [title or None for title in odd]


def test_text_is_kept_as_written_but_for_spaces(tmp_path: Path) -> None:
    written = ['He said, "No,  never."', "“Smart” isn’t dumb…", " Two\nlines. ", "Ünïcödé 日本 😀", 'a ""b"" , c']
    rows = read_file(write(tmp_path / "a.csv", STORY_HEADER, ["1", "", *written], ["2", "", *FIVE]))
    assert rows.table["sentences"].to_pylist() == [
        ['He said, "No, never."', "“Smart” isn’t dumb…", "Two lines.", "Ünïcödé 日本 😀", 'a ""b"" , c'],
        FIVE,
    ]
    assert rows.lines.tolist() == [2, 4]
    assert rows.oddities == {"spaces_collapsed": 1, "line_breaks_joined": 1, "missing_full_stop": 2}


def test_cases_are_read_with_release_split_and_label(tmp_path: Path) -> None:
    rows = read_file(write(tmp_path / V10, CASE_HEADER, ["a", *SIX, "2"], ["b", *SIX, " 1 "]))
    assert rows.table.schema.equals(schemas.TABLES["cloze"].schema)
    assert rows.table.to_pylist()[0] == {
        "case_id": "a",
        "context": FIVE[:4],
        "ending_1": "One end.",
        "ending_2": "Other end.",
        "right_ending": 2,
        "release": "v1.0",
        "split": "validation",
    }
    assert rows.table["right_ending"].to_pylist() == [2, 1]


def test_blind_cases_have_no_label_and_keep_their_order(tmp_path: Path) -> None:
    ids = [f"id{number * 7 % 100}" for number in range(100)]
    rows = read_file(
        write(tmp_path / "my blind file.tsv", BLIND_HEADER, *([i, *SIX] for i in ids), delimiter="\t"), "v1.5"
    )
    assert rows.table["case_id"].to_pylist() == ids
    assert rows.table["right_ending"].null_count == 100
    assert set(rows.table["release"].to_pylist()) == {"v1.5"}
    assert set(rows.table["split"].to_pylist()) == {"test"}


def test_columns_are_found_by_name_in_any_order(tmp_path: Path) -> None:
    path = write(tmp_path / V10, ["Answer Right Ending", *reversed(BLIND_HEADER)], ["1", *reversed(["a", *SIX])])
    assert read_file(path).table.to_pylist()[0]["context"] == FIVE[:4]
    assert read_file(path).table.to_pylist()[0]["ending_2"] == "Other end."


def test_every_bad_row_is_rejected_with_its_line_and_reason(tmp_path: Path) -> None:
    path = write(
        tmp_path / V10,
        CASE_HEADER,
        ["good", *SIX, "1"],
        ["long", "Two\r\nlines\nand a third.", *SIX[1:], "1"],  # lines 3 to 5
        ["label", *SIX, "3"],
        ["none", *SIX, ""],
        ["hole", *SIX[:2], "  ", *SIX[3:], "1"],
        [""],  # blank
        ["", *SIX, "2"],
        ["few", *SIX],
        ["many", *SIX, "1", ""],
        ["", "", "", "", "", "", "", ""],  # nothing in it
        ["", "", "", "", "", "", "", "9"],
        ["last", *SIX, "2"],
    )
    path.write_bytes(path.read_bytes().replace(b'""\r\n', b"\r\n"))
    rows = read_file(path)
    assert rows.table["case_id"].to_pylist() == ["good", "long", "last"]
    assert rows.lines.tolist() == [2, 3, 15]
    assert rejected(rows) == [
        (6, "AnswerRightEnding is '3', not 1 or 2"),
        (7, "empty: AnswerRightEnding"),
        (8, "empty: InputSentence3"),
        (10, "empty: InputStoryid"),
        (11, "7 cells where the header has 8"),
        (12, "9 cells where the header has 8"),
        (
            14,
            "empty: InputStoryid, InputSentence1, InputSentence2, InputSentence3, InputSentence4, "
            "RandomFifthSentenceQuiz1, RandomFifthSentenceQuiz2",
        ),
    ]
    assert rows.rejects["file"].to_pylist() == [V10] * 7
    assert (rows.read, rows.blank) == (10, 2)
    assert rows.oddities == {"line_breaks_joined": 1}


@pytest.mark.parametrize("size", [40, 100, 300])
def test_a_file_of_many_blocks_is_read_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    rows = [
        ["lines", "T", "Two\r\nlines.", *FIVE[1:]],
        ["few", *FIVE[:3]],
        ["hole", "T", *FIVE[:3], "", FIVE[4]],
        [],
        *([f"id{number}", "", *FIVE] for number in range(30)),
        ["long", "T", "Long. " * 60, *FIVE[1:]],  # longer than a block
        ["many", "", *FIVE, "more"],
        ["last", "", "A  gap.", *FIVE[1:]],
    ]
    path = write(tmp_path / "a.csv", STORY_HEADER, *rows)
    whole = read_file(path)
    assert [line for line, _ in rejected(whole)] == [4, 5, 38]
    for content in (path.read_bytes(), path.read_bytes().replace(b'lines."', b"lines."), path.read_bytes() + b'x,"'):
        path.write_bytes(content)
        monkeypatch.setattr(readers, "_BLOCK_BYTES", 1 << 22)
        one = read_file(path)
        monkeypatch.setattr(readers, "_BLOCK_BYTES", size)
        many = read_file(path)
        assert many.table.equals(one.table)
        assert many.rejects.equals(one.rejects)
        assert many.lines.tolist() == one.lines.tolist()
        assert (many.read, many.blank, many.oddities) == (one.read, one.blank, one.oddities)


def test_lines_are_right_after_blank_lines_and_a_header_of_two_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    header = '\n"story\nid",storytitle,sentence1,sentence2\n'
    path.write_text(f'{header}\n1,,A.,B.\nx\n\n2,,"A.\nA.",B.\n3,,A.,\n\n\n')
    rows = read_file(path)
    assert dict(zip(rows.table["story_id"].to_pylist(), rows.lines.tolist(), strict=True)) == {"1": 5, "2": 8}
    assert [line for line, _ in rejected(rows)] == [6, 10]
    assert (rows.read, rows.blank) == (4, 4)


@pytest.mark.parametrize("column", range(7))
def test_a_quote_left_open_is_no_silent_loss(tmp_path: Path, column: int) -> None:
    """The rows it swallows are in a rejected row that says so, whether or not the width comes out right."""
    stories = [[f"id{number}", "T", *FIVE] for number in range(6)]
    lines = [",".join(STORY_HEADER), *(",".join(story) for story in stories)]
    for row in (2, 4):
        cells = list(stories[row])
        cells[column] = '"' + cells[column]
        lines[row + 1] = ",".join(cells)
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines) + "\n")
    rows = read_file(path)
    assert rows.table["story_id"].to_pylist() == ["id0", "id1", "id5"]
    ((line, reason),) = rejected(rows)
    assert line == 4
    assert "goes on to line 6" in reason


def test_a_quote_left_open_to_the_end_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", STORY_HEADER, *([str(number), "", *FIVE] for number in range(3)), end="\n")
    path.write_text(path.read_text().replace("1,,Sentence 1.", '1,,"Sentence 1.'))
    rows = read_file(path)
    assert rows.table["story_id"].to_pylist() == ["0"]
    assert rejected(rows) == [(3, "3 cells where the header has 7; it goes on to line 4, so a quote may be left open")]


def test_stories_of_other_lengths(tmp_path: Path) -> None:
    header = ["storyid", "storytitle", *(f"sentence{number}" for number in range(1, 5))]
    path = write(
        tmp_path / "a.csv",
        header,
        ["four", "", "A.", "B.", "C.", "D."],
        ["two", "", "A.", "B.", "", " "],
        ["gap", "", "A.", "B.", "", "D."],
        ["one", "", "A.", "", "", ""],
        ["none", "", "", "", "", ""],
    )
    rows = read_file(path)
    assert rows.table["sentences"].to_pylist() == [["A.", "B.", "C.", "D."], ["A.", "B."]]
    assert rejected(rows) == [(4, "empty: sentence3"), (5, "empty: sentence2"), (6, "empty: sentence1, sentence2")]


def test_a_story_of_the_official_five_misses_none(tmp_path: Path) -> None:
    rows = read_file(write(tmp_path / "a.csv", STORY_HEADER, ["short", "", *FIVE[:4], ""]))
    assert rows.table.num_rows == 0
    assert rejected(rows) == [(2, "empty: sentence5")]


def test_a_row_longer_than_a_block(tmp_path: Path) -> None:
    long = "word " * 1_000_000 + "end."
    rows = read_file(write(tmp_path / "a.csv", STORY_HEADER, ["1", "", long, *FIVE[1:]], ["x"], ["2", "", *FIVE]))
    assert rows.table["sentences"][0][0].as_py() == long
    assert rows.lines.tolist() == [2, 4]
    assert [line for line, _ in rejected(rows)] == [3]


HEADER_LINE = ",".join(STORY_HEADER).encode()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "an empty file"),
        (b"\xef\xbb\xbf\r\n \n", "an empty file"),
        (HEADER_LINE, "a header and no rows"),
        (HEADER_LINE + b"\r\n", "a header and no rows"),
        (HEADER_LINE + b"\n\n\n", "a header and no rows"),
        (b"InputStoryid,context,optionA\n1,2,3\n", "the header is of neither"),
        (HEADER_LINE + b"\n1,,A\xe9,B,C,D,E\n", "line 2 is not UTF-8 (byte 0xe9)"),
        ("storyid,storytitle\n".encode("utf-16"), "UTF-16"),
        ("storyid,storytitle\n".encode("utf-16-le"), "not text"),
        (b"PK\x03\x04\x00\x00", "not text"),
        (b"a" * 1_000_000, "the header is of neither"),
        (b'"' + b"a" * 1_000_000, "the header is of neither"),
    ],
)
def test_a_bad_file_is_one_line_that_names_it(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(UserError) as error:
        read_file(path)
    assert str(error.value).startswith(f"{path}: ")
    assert says in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 400


def test_a_folder_a_missing_file_and_a_name_that_tells_too_little(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a folder"):
        read_file(tmp_path)
    with pytest.raises(UserError, match="no such file"):
        read_file(tmp_path / "none.csv")
    with pytest.raises(UserError, match=r"--release v1\.0 or --release v1\.5"):
        read_file(write(tmp_path / "cloze_test_ALL_val.csv", CASE_HEADER, ["a", *SIX, "1"]))
    with pytest.raises(UserError, match="the word val or test"):
        read_file(write(tmp_path / "cloze_test_spring2016.csv", CASE_HEADER, ["a", *SIX, "1"]))


def test_the_name_goes_before_the_option(tmp_path: Path) -> None:
    path = write(tmp_path / V10, CASE_HEADER, ["a", *SIX, "1"])
    assert read_file(path, "v1.5").table["release"].to_pylist() == ["v1.0"]


def test_official_files_are_found_and_others_have_a_reason(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".git" / "stories.csv", STORY_HEADER)
    cases = write(tmp_path / "deep" / "renamed", CASE_HEADER, ["a", *SIX, "1"])
    stories = write(tmp_path / "z.txt", STORY_HEADER, ["1", "", *FIVE], delimiter="\t")
    (tmp_path / "notes.md").write_text("# Notes\n")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0")
    official, others = find_files(tmp_path)
    assert official == [cases, stories]
    assert [path.name for path, _ in others] == ["image.png", "notes.md"]
    assert "not text" in others[0][1]
    assert "header" in others[1][1]
    with pytest.raises(UserError, match="no such folder"):
        find_files(tmp_path / "none")


# Quotes, delimiters and line ends of every kind, spaces, and characters of one to four bytes.
AWKWARD = st.text(alphabet=st.sampled_from("ab.,;\"'\t \n\r\u00a0\u2028’“日😀"), max_size=12)


@settings(deadline=None, max_examples=100)
@given(
    rows=st.lists(st.tuples(AWKWARD, *[AWKWARD] * 5), min_size=1, max_size=8),
    delimiter=st.sampled_from(",\t"),
    # With LF as the line end, Python 3.11 does not quote a CR for its own sake.
    style=st.sampled_from([("\r\n", csv.QUOTE_MINIMAL), ("\r\n", csv.QUOTE_ALL), ("\n", csv.QUOTE_ALL)]),
)
def test_whatever_csv_writes_is_read_back(rows: list[tuple[str, ...]], delimiter: str, style: tuple[str, int]) -> None:
    # As many delimiters as in a row, beside a line break, are taken for a quote left open.
    assume(all(cell.count(delimiter) < 6 or not {"\n", "\r"} & set(cell) for row in rows for cell in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=style[0], quoting=style[1])
    writer.writerows([STORY_HEADER, *([f"id{number}", *row] for number, row in enumerate(rows))])
    # Python's own reader tells on which line each row starts.
    reader = csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=delimiter)
    starts = [line for line, _ in [(reader.line_num, row) for row in reader]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stories.csv"
        path.write_bytes(text.getvalue().encode())
        found = read_file(path)
    wanted = {}
    for number, (title, *sentences) in enumerate(rows):
        plain = [" ".join(sentence.split()) for sentence in sentences]
        if all(plain):
            wanted[f"id{number}"] = (" ".join(title.split()) or None, plain)
    assert {row["story_id"]: (row["title"], row["sentences"]) for row in found.table.to_pylist()} == wanted
    assert found.read == len(rows) == found.table.num_rows + found.rejects.num_rows
    ends = [0, *starts]
    first_lines = {f"id{number}": ends[number + 1] + 1 for number in range(len(rows))}
    assert dict(zip(found.table["story_id"].to_pylist(), found.lines.tolist(), strict=True)) == {
        story: first_lines[story] for story in wanted
    }
    assert sorted(line for line, _ in rejected(found)) == sorted(
        set(first_lines.values()) - {first_lines[s] for s in wanted}
    )


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=300))
def test_any_bytes_after_a_header_are_rows_or_one_error(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stories.csv"
        path.write_bytes(HEADER_LINE + b"\n" + content)
        try:
            rows = read_file(path)
        except UserError as error:
            assert len(str(error).splitlines()) == 1  # noqa: PT017
            return
    assert rows.read == rows.table.num_rows + rows.rejects.num_rows
    assert (
        rows.table.num_rows == 0 or pa.compute.min(pa.compute.list_value_length(rows.table["sentences"])).as_py() == 5
    )


@pytest.mark.parametrize(
    ("file", "cases", "oddities"),
    [
        ("story_cloze/cloze_test_val__spring2016 - cloze_test_ALL_val.csv", 1871, ()),
        ("story_cloze/cloze_test_val__winter2018-cloze_test_ALL_val.csv", 1571, ()),
        ("story_cloze/cloze_test_test__winter2018-cloze_test_ALL_test.csv", 1571, ("mojibake_repaired",)),
        ("rocstories/ROCStories_sample.csv", 8160, ()),
    ],
)
def test_the_real_files_are_read_whole(shared_data: Path, file: str, cases: int, oddities: tuple[str, ...]) -> None:
    rows = read_file(shared_data / file)
    with (shared_data / file).open(encoding="utf-8", newline="") as opened:
        ids = [row[0] for row in csv.reader(opened)][1:]
    assert (rows.read, rows.table.num_rows, rows.rejects.num_rows, rows.blank) == (cases, cases, 0, 0)
    assert rows.table[0].to_pylist() == ids
    assert rows.lines.tolist() == list(range(2, cases + 2))
    assert set(oddities) <= set(rows.oddities)
    assert "mojibake_left" not in rows.oddities
    assert not any("√" in text for column in rows.table.columns for text in map(str, column.to_pylist()))
