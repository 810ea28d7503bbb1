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


def write(path: Path, *rows: list[str], delimiter: str = ",", end: str = "\r\n", encoding: str = "utf-8") -> Path:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def rejected(rows: object) -> list[tuple[int, str]]:
    return [(row["line"], row["reason"]) for row in rows.rejects.to_pylist()]  # type: ignore[attr-defined]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize("last_end", [True, False])
def test_any_line_end_delimiter_and_encoding_reads_the_same(
    tmp_path: Path, encoding: str, end: str, delimiter: str, last_end: bool
) -> None:
    stories = [["1", "Zoë", *FIVE], ["2", "", *FIVE]]
    path = write(tmp_path / "a.csv", STORY_HEADER, *stories, delimiter=delimiter, end=end, encoding=encoding)
    if not last_end:
        path.write_bytes(path.read_bytes().decode(encoding).removesuffix(end).encode(encoding))
    rows = read_file(path)
    assert rows.table.to_pylist() == [
        {"story_id": "1", "title": "Zoë", "sentences": FIVE, "source": "rocstories"},
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
        "endings": ["One end.", "Other end."],
        "language": "en",
        "right_ending": 2,
        "question": None,
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
    assert read_file(path).table.to_pylist()[0]["endings"][1] == "Other end."


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
        ("storyid,storytitle\n".encode("utf-16-le"), "UTF-16 text"),
        ("storyid,storytitle\n".encode("utf-16-be"), "UTF-16 text"),
        ("storyid,storytitle\n".encode("utf-32"), "UTF-32 text"),
        ("storyid,storytitle\n".encode("utf-32-le"), "UTF-32 text"),
        ("\ufeffstoryid,storytitle\n".encode("utf-32-be"), "UTF-32 text"),
        (HEADER_LINE.replace(b"sentence3", b"sentenze3"), "(unknown: 'sentenze3'; missing: sentence3)"),
        (HEADER_LINE.replace(b"sentence5", b"sentenze5"), "(unknown: 'sentenze5')"),
        (HEADER_LINE + b",mood", "(unknown: 'mood')"),
        (HEADER_LINE.replace(b"sentence5", b"sentence4"), "(repeated: sentence4)"),
        (HEADER_LINE.replace(b"sentence2,", b""), "(missing: sentence2)"),
        (HEADER_LINE.replace(b",", b";"), "(';' is between its columns, not a comma or a tab)"),
        (",".join(CASE_HEADER).replace("InputSentence4", "Last").encode(), "unknown: 'Last'; missing: InputSentence4"),
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


def write_text(path: Path, header: list[str], *rows: str, delimiter: str = "\t") -> Path:
    """A file whose rows are written out, so that a test says where its quotes are."""
    path.write_bytes("\r\n".join([delimiter.join(header), *rows, ""]).encode())
    return path


def story(number: int, third: str = "Ann ran.", delimiter: str = "\t") -> str:
    return delimiter.join([f"id{number}", "T", "It rained.", "Ann had no coat.", third, "She went in.", "She was dry."])


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_without_quoting_quotes_are_text(tmp_path: Path, end: str) -> None:
    spoken = ['"Stop," said Ann.', '"Run!', 'It was "odd".', '"He left." "She stayed."', 'Go!"', '"All of it."']
    path = write_text(tmp_path / "a.tsv", STORY_HEADER, *(story(n, text) for n, text in enumerate(spoken)))
    path.write_bytes(path.read_bytes().replace(b"\r\n", end.encode()))
    rows = read_file(path)
    assert [sentences[2] for sentences in rows.table["sentences"].to_pylist()] == spoken
    assert (rows.read, rows.rejects.num_rows, rows.lines.tolist()) == (6, 0, [2, 3, 4, 5, 6, 7])
    assert not rows.quoted
    assert "quotes_lost" not in rows.oddities


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('"Two\twords."', "Two words."),
        ('"Two\r\nlines."', "Two lines."),
        ('"""Stop,"" said Ann."', '"Stop," said Ann.'),
        ('"Two\tand ""two\r\nmore."', 'Two and "two more.'),
    ],
)
def test_with_quoting_tabs_line_ends_and_doubled_quotes_stand_in_cells(tmp_path: Path, cell: str, text: str) -> None:
    rows = read_file(write_text(tmp_path / "a.tsv", STORY_HEADER, story(1), story(2, cell), story(3)))
    assert [sentences[2] for sentences in rows.table["sentences"].to_pylist()] == ["Ann ran.", text, "Ann ran."]
    assert rows.quoted


def test_quotes_around_every_cell_quote_and_around_some_that_need_none_are_text(tmp_path: Path) -> None:
    every = "\t".join(f'"{cell}"' for cell in story(1).split("\t"))
    rows = read_file(write_text(tmp_path / "a.tsv", STORY_HEADER, every, every.replace("id1", "id2")))
    assert rows.table["sentences"].to_pylist()[0][2] == "Ann ran."
    rows = read_file(write_text(tmp_path / "a.tsv", STORY_HEADER, story(1, '"Run!"'), story(2)))
    assert rows.table["sentences"].to_pylist()[0][2] == '"Run!"'


def test_quotes_that_a_file_with_commas_loses_are_counted(tmp_path: Path) -> None:
    lines = [story(1, '"Stop!" said Ann.', ","), story(2, '"Well, ""yes""."', ","), story(3, 'It was "odd".', ",")]
    rows = read_file(write_text(tmp_path / "a.csv", STORY_HEADER, *lines, delimiter=","))
    assert [sentences[2] for sentences in rows.table["sentences"].to_pylist()] == [
        "Stop! said Ann.",
        'Well, "yes".',
        'It was "odd".',
    ]
    assert rows.oddities["quotes_lost"] == 1


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(alphabet=st.sampled_from("ab.,;\"' "), min_size=1, max_size=8), min_size=1, max_size=8))
def test_a_file_without_quoting_loses_no_row_and_no_quote_unless_it_could_be_quoted(texts: list[str]) -> None:
    """Any quotes at all: where they could be those of CSV in each cell, no reader can know."""
    assume(any(text.count('"') % 2 for text in texts))
    with tempfile.TemporaryDirectory() as folder:
        path = write_text(Path(folder) / "a.tsv", STORY_HEADER, *(story(n, f"x{t}.") for n, t in enumerate(texts)))
        rows = read_file(path)
    assert [sentences[2] for sentences in rows.table["sentences"].to_pylist()] == [
        " ".join(f"x{text}.".split()) for text in texts
    ]


AGAIN = "the header is repeated; several files may have been put together"
OTHER = "a header with other columns; keep each file separate"


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_header_inside_a_file_of_stories_is_no_story(tmp_path: Path, delimiter: str) -> None:
    path = write(tmp_path / "a.csv", STORY_HEADER, ["1", "T", *FIVE], delimiter=delimiter)
    path.write_bytes(path.read_bytes() + b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n1", b"\n2"))
    path.write_bytes(path.read_bytes().replace(b"sentence2", b"Sentence 2"))
    rows = read_file(path)
    assert rejected(rows) == [(3, AGAIN)]
    assert rows.read == rows.table.num_rows + 1


def test_a_header_behind_a_row_that_ends_without_a_line_end(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", STORY_HEADER, ["1", "T", *FIVE])
    stories = path.read_bytes()
    path.write_bytes(stories.removesuffix(b"\r\n") + stories.replace(b"\n1", b"\n2"))
    rows = read_file(path)
    assert rejected(rows) == [(2, f"{AGAIN}, without a line end between it and the row before")]
    assert rows.table["story_id"].to_pylist() == ["2"]
    cases = write(tmp_path / "b.csv", BLIND_HEADER, ["3", *SIX]).read_bytes()
    path.write_bytes(stories.removesuffix(b"\r\n") + cases)
    assert rejected(read_file(path)) == [(2, OTHER), (3, "below the header of line 2, which has other columns")]


@pytest.mark.parametrize(("name", "header"), [(V10, CASE_HEADER), ("test spring2016.csv", BLIND_HEADER)])
def test_a_header_inside_a_file_of_cases_is_no_case(tmp_path: Path, name: str, header: list[str]) -> None:
    case = ["a", *SIX, "1"][: len(header)]
    rows = read_file(write(tmp_path / name, header, case, header, ["b", *case[1:]]))
    assert rejected(rows) == [(3, AGAIN)]
    assert rows.table["case_id"].to_pylist() == ["a", "b"]


def test_rows_below_a_header_with_other_columns_are_rejected_until_the_first_stands_again(tmp_path: Path) -> None:
    """Seven columns have stories, blind cases, and stories in another order: nothing else tells them apart."""
    turned = [*STORY_HEADER[:2], *reversed(STORY_HEADER[2:])]
    path = write(
        tmp_path / "a.csv",
        STORY_HEADER,
        ["1", "T", "Two  spaces.", *FIVE[1:]],
        BLIND_HEADER,
        ["2", *SIX],
        ["3", "", *SIX[1:]],
        turned,
        ["4", "T", "More  spaces.", *FIVE[1:]],
        STORY_HEADER,
        ["5", "T", *FIVE],
        [*CASE_HEADER[:5], "Ending1", "Ending2", "Right"],
        ["6", *SIX, "1"],
        ["7", "T", *FIVE],
    )
    rows = read_file(path)
    assert rows.table["story_id"].to_pylist() == ["1", "5"]
    assert rejected(rows) == [
        (3, OTHER),
        (4, "below the header of line 3, which has other columns"),
        (5, "below the header of line 3, which has other columns"),
        (6, OTHER),
        (7, "below the header of line 6, which has other columns"),
        (8, AGAIN),
        (10, OTHER),
        (11, "8 cells where the header has 7"),
        (12, "below the header of line 10, which has other columns"),
    ]
    assert rows.oddities["spaces_collapsed"] == 1
    assert len(rows.contexts) == len(rows.lines) == 2


def test_headers_are_found_whatever_the_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stories = [[f"id{number}", "T", *FIVE] for number in range(12)]
    path = write(
        tmp_path / "a.csv", STORY_HEADER, *stories[:6], STORY_HEADER, *stories[6:9], BLIND_HEADER, *stories[9:]
    )
    whole = read_file(path)
    monkeypatch.setattr(readers, "_BLOCK_BYTES", 100)
    assert read_file(path).rejects.equals(whole.rejects)
    assert [line for line, _ in rejected(whole)] == [8, 12, 13, 14, 15]


INVISIBLE = ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u2800", "\u3164", "\u00a0", "\u3000", "\u200e", "\u061c"]
INVISIBLE += ["\u180e", "\U000e0041", "\u115f", "\ufe0f", "\x07", "\x1b", "\x7f", "\u2028"]


@pytest.mark.parametrize("text", [*INVISIBLE, "\u200b\u00a0\ufeff \u2800"])
def test_what_shows_nothing_is_empty(tmp_path: Path, text: str) -> None:
    holed = [[f"id{place}", "T", *FIVE] for place in range(7)]
    for place, row in enumerate(holed):
        row[place] = text
    rows = read_file(write(tmp_path / "a.csv", STORY_HEADER, ["whole", "T", *FIVE], *holed))
    assert rows.table["title"].to_pylist() == ["T", None]
    assert [reason for _, reason in rejected(rows)] == [
        "empty: storyid",
        *(f"empty: sentence{number}" for number in range(1, 6)),
    ]


def test_what_is_invisible_inside_a_text_stays(tmp_path: Path) -> None:
    written = ["Ann\u00adette ran.", "A\u200bB.", *FIVE[2:]]
    rows = read_file(write(tmp_path / "a.csv", STORY_HEADER, ["1", "T", *written]))
    assert rows.table["sentences"].to_pylist() == [written]


def test_endings_that_are_the_same_are_no_case(tmp_path: Path) -> None:
    pairs = [
        ("She was dry.", "She was dry."),
        ("She was dry!", "she was  DRY"),
        ("...", "..."),
        ("?", "!"),
        ("A.", "B."),
    ]
    rows = read_file(write(tmp_path / V10, CASE_HEADER, *([f"c{n}", *FIVE[:4], *p, "1"] for n, p in enumerate(pairs))))
    assert rows.table["case_id"].to_pylist() == ["c3", "c4"]
    assert {reason for _, reason in rejected(rows)} == {
        "RandomFifthSentenceQuiz1 and RandomFifthSentenceQuiz2 are the same"
    }


UUID = "138d5bfb-05cc-41e3-bf2c-fa85ebad14e2"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["x1", UUID, "Title", *FIVE[:4]], f"an id, {UUID}, in the place of a text; the row may be shifted by a cell"),
        (["x1", "T", *FIVE[:4], UUID], f"an id, {UUID}, in the place of a text; the row may be shifted by a cell"),
        (["A Title", *FIVE, "More."], "'A Title' in the place of the id; the row may be shifted by a cell"),
        (["Fishing", *FIVE, "More."], "'Fishing' in the place of the id; the row may be shifted by a cell"),
        (["x1", "T", *FIVE[1:], ""], "empty: sentence5"),
        (["", "x1", "T", *FIVE[:4]], "empty: storyid"),
        (["x1", "T", *FIVE[1:]], "6 cells where the header has 7"),
        (["x1", "T", "T", *FIVE], "8 cells where the header has 7"),
    ],
)
def test_a_row_shifted_by_a_cell_is_rejected(tmp_path: Path, cells: list[str], reason: str) -> None:
    others = [[UUID.replace("138", f"{number:03}"), "", *FIVE] for number in range(30)]
    rows = read_file(write(tmp_path / "a.csv", STORY_HEADER, *others[:15], cells, *others[15:]))
    assert rejected(rows) == [(17, reason)]
    assert rows.table.num_rows == 30


def test_a_shifted_case_is_rejected_in_each_place_of_the_id(tmp_path: Path) -> None:
    shifted = []
    for place in range(1, 7):
        cells = [f"c{place}", *SIX, "1"]
        cells[place] = UUID
        shifted.append(cells)
    rows = read_file(write(tmp_path / V10, CASE_HEADER, ["c0", *SIX, "1"], *shifted))
    assert rows.table["case_id"].to_pylist() == ["c0"]
    assert len(rejected(rows)) == 6


def test_ids_of_ones_own_may_look_as_they_like(tmp_path: Path) -> None:
    ids = ["one", "Two words", "3", "A sentence.", *(f"id{number}" for number in range(20))]
    rows = read_file(write(tmp_path / "a.csv", STORY_HEADER, *([each, "1984", *FIVE] for each in ids)))
    assert rows.table["story_id"].to_pylist() == ids
