"""Contexts from every layout."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denouement import schemas
from denouement.corpus.contexts import read_contexts
from denouement.corpus.readers import read_file
from denouement.errors import UserError

STORY = ["Tom ran.", "He fell.", "He got up."]


def cloze(path, rows):
    """A cloze table of rows (case_id, release, split)."""
    schema = schemas.TABLES["cloze"].schema
    columns = [
        {
            "case_id": case_id,
            "context": [f"{case_id} ran.", f"{case_id} fell in {release}."],
            "endings": ["x", "y"],
            "language": "en",
            "right_ending": None,
            "release": release,
            "split": split,
        }
        for case_id, release, split in rows
    ]
    schemas.write_table(pa.Table.from_pylist(columns, schema), path, "cloze")
    return path


def test_a_cloze_table(tmp_path):
    path = cloze(tmp_path / "cloze.parquet", [("b", "v1.0", "validation"), ("a", "v1.0", "test")])
    assert read_contexts(path).to_pylist() == [
        {"case_id": "b", "context": ["b ran.", "b fell in v1.0."]},
        {"case_id": "a", "context": ["a ran.", "a fell in v1.0."]},
    ]
    assert read_contexts(path, split="test")["case_id"].to_pylist() == ["a"]


def test_a_case_in_two_releases_needs_a_choice(tmp_path):
    rows = [
        ("a", "v1.0", "validation"),
        ("b", "v1.0", "validation"),
        ("a", "v1.5", "validation"),
        ("a", "v1.5", "test"),
    ]
    path = cloze(tmp_path / "cloze.parquet", rows)
    with pytest.raises(
        UserError, match=r"2 rows repeat .* v1\.0 validation \(2\), v1\.5 test \(1\), v1\.5 validation \(1\)"
    ):
        read_contexts(path)
    with pytest.raises(UserError, match="1 rows repeat"):
        read_contexts(path, release="v1.5")
    assert read_contexts(path, release="v1.0").num_rows == 2
    chosen = read_contexts(path, "v1.5", "validation").to_pylist()
    assert chosen == [{"case_id": "a", "context": ["a ran.", "a fell in v1.5."]}]
    with pytest.raises(UserError, match=r"release sample is left; it holds v1\.0, v1\.5"):
        read_contexts(path, release="sample")


def test_a_stories_table_without_its_last_sentences(tmp_path):
    path = tmp_path / "stories.parquet"
    rows = [
        {"story_id": split, "title": None, "sentences": STORY, "source": "sample", "split": split}
        for split in ("train", "validation")
    ]
    schemas.write_table(pa.Table.from_pylist(rows, schemas.TABLES["stories"].schema), path, "stories")
    assert read_contexts(path).to_pylist() == [
        {"case_id": "train", "context": STORY[:-1]},
        {"case_id": "validation", "context": STORY[:-1]},
    ]
    assert read_contexts(path, split="validation").num_rows == 1
    with pytest.raises(UserError, match="no release"):
        read_contexts(path, release="v1.0")


@pytest.mark.parametrize(
    ("content", "contexts"),
    [
        ("case_id,sentence1,sentence2\n1,Tom ran.,He fell.\n", [["Tom ran.", "He fell."]]),
        # A context that is shorter; sentences in the order of their numbers; other columns; odd text stays text.
        ("sentence10,x,case_id,sentence2\n,9,1,NA\nlast,9,2, a  fianc√© \n", [["NA"], ["a fiancé", "last"]]),
        ("case_id,context\r\n1,Mr. Hill ran. He fell.\r\n2,null", [["Mr. Hill ran.", "He fell."], ["null"]]),
        ("\ufeffcase_id\tsentence1\n1\tHe said, \"no\".\n", None),
        ("case_id\tsentence1\n1\tTom, too.\n", [["Tom, too."]]),
        ('\ufeffcase_id,sentence1\n1,"Tom, ""the"" dog\nran."\n', [['Tom, "the" dog ran.']]),
        ("storyid,storytitle,sentence1,sentence2,sentence3\n1,T,Tom ran.,He fell.,He got up.\n", [STORY[:-1]]),
        ("InputStoryid,InputSentence1,InputSentence2,RandomFifthSentenceQuiz1,RandomFifthSentenceQuiz2,AnswerRightEnding\n"
         "1,Tom ran.,He fell.,x,y,1\n", [STORY[:-1]]),
    ],
)  # fmt: skip
def test_text_files(tmp_path, content, contexts):
    path = tmp_path / "contexts.csv"
    path.write_bytes(content.encode())
    if contexts is None:
        assert read_contexts(path)["context"].to_pylist() == [['He said, "no".']]
    else:
        assert read_contexts(path)["context"].to_pylist() == contexts


@pytest.mark.parametrize(
    "columns",
    [
        {"case_id": ["1"], "context": [STORY]},
        {"case_id": ["1"], "context": [" ".join(STORY)]},
        {"Case_ID": ["1"], "sentence2": [STORY[1]], "sentence1": [STORY[0]], "sentence3": [STORY[2]]},
        {"story_id": ["1"], "context": [[*STORY, "The end."]]},
    ],
)
def test_foreign_parquet(tmp_path, columns):
    path = tmp_path / "contexts.parquet"
    pq.write_table(pa.table(columns), path)
    assert read_contexts(path).to_pylist() == [{"case_id": "1", "context": STORY}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contexts.csv: not a readable CSV"),
        (b"a,b\n1,2\n", "contexts.csv: columns are a, b; wanted are case_id"),
        (b"case_id,context,sentence1\n1,a,b\n", "columns are"),
        (b"case_id,sentence1\n", "holds no contexts"),
        (b"case_id,sentence1\n1,Tom.\n2, \n", r"row 2 \(2\) has no context"),
        (b"storyid,sentence1\n1,Tom.\n", r"row 1 \(1\) has no context"),
        (b"case_id,sentence1,sentence2\n1,Tom.,Sue.\n2,,Sue.\n", r"row 2 \(2\) has an empty sentence"),
        (b"case_id,sentence1\n1,Tom.\n1,Sue.\n", "1 rows repeat the id"),
        (b"case_id,sentence1\n1,Tom.,x\n", "not a readable CSV"),
        (b"case_id,sentence1\n1,Tom\xff.\n", "UTF-8"),
        ("case_id,sentence1\n1,Tom.\n".encode("utf-16-le"), "UTF-16 text"),
        ("case_id,sentence1\n1,Tom.\n".encode("utf-32"), "UTF-32 text"),
        (b"case_id,sentence1\n1,Tom.\ncase_id,sentence1\n2,Sue.\n", "row 2 is a header again"),
        (b"case_id,sentence1\n\xe2\x80\x8b,Tom.\n", "row 1 has no id"),
        (b"case_id,sentence1\n1,\xe2\x80\x8b\n", r"row 1 \(1\) has no context"),
        (b"case_id,sentence1,sentence2,sentence3\n1,A.,\xc2\xad,B.\n", r"row 1 \(1\) has an empty sentence"),
        (b"PAR1 and then nothing", "damaged Parquet"),
    ],
)
def test_files_that_hold_no_contexts(tmp_path, content, message):
    path = tmp_path / "contexts.csv"
    path.write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        read_contexts(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_file_is_read_whatever_its_encoding_delimiter_and_line_ends(tmp_path, encoding, delimiter, end):
    lines = ["", "case_id,sentence1,sentence2", "1,Zoë ran.,She fell.", "2,NA,"]
    path = tmp_path / "contexts.csv"
    path.write_bytes(end.join(lines).replace(",", delimiter).encode(encoding))
    assert read_contexts(path).to_pylist() == [
        {"case_id": "1", "context": ["Zoë ran.", "She fell."]},
        {"case_id": "2", "context": ["NA"]},
    ]


def test_quotes_of_a_file_with_tabs_are_text_where_they_quote_nothing(tmp_path, capsys):
    path = tmp_path / "contexts.tsv"
    path.write_bytes(b'case_id\tsentence1\tsentence2\n1\tAnn ran.\t"Stop," said Bob.\n2\t"Run!\tShe ran.\n')
    assert read_contexts(path)["context"].to_pylist() == [["Ann ran.", '"Stop," said Bob.'], ['"Run!', "She ran."]]
    assert "read as part of the texts" in capsys.readouterr().err
    path.write_bytes(b'case_id\tsentence1\n1\t"Ann\tran."\n2\t"She ""ran""."\n')
    assert read_contexts(path)["context"].to_pylist() == [["Ann ran."], ['She "ran".']]
    assert capsys.readouterr().err == ""


def test_other_things_than_contexts(tmp_path):
    endings = tmp_path / "endings.parquet"
    schemas.write_table(schemas.empty_table("endings"), endings, "endings")
    numbers = tmp_path / "numbers.parquet"
    pq.write_table(pa.table({"case_id": [1], "context": ["x"]}), numbers)
    for path, message in [
        (endings, "a table 'endings' holds no contexts"),
        (numbers, "must be text"),
        (tmp_path / "absent.csv", "no such file"),
        (tmp_path, "a folder"),
    ]:
        with pytest.raises(UserError, match=message):
            read_contexts(path)


def test_official_files_give_the_contexts_that_ingest_gives(shared_data):
    files = [file for folder in ("rocstories", "story_cloze") for file in sorted(shared_data.glob(f"{folder}/*.csv"))]
    assert len(files) == 4
    for file in files:
        table, contexts = read_file(file).table, read_contexts(file)
        if "story_id" in table.schema.names:
            expected = [story[:-1] for story in table["sentences"].to_pylist()]
        else:
            expected = table["context"].to_pylist()
        assert contexts["case_id"].to_pylist() == table[0].to_pylist()
        assert contexts["context"].to_pylist() == expected
